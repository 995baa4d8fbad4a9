#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace cauchy {

/// Scalar activation functions s(x) of the networks.
///   identity x           tanh                 sin, cos            sigmoid 1 / (1 + exp(-x))
///   silu x sigmoid(x)    gelu x Phi(x)        softplus log(1 + exp x)
///   elu x > 0 ? x : exp(x) - 1                relu max(x, 0)      relu3 max(x, 0)^3
///   gaussian exp(-x^2)   wavelet a sin x + b cos x (two parameters, see wavelet_derivatives)
///   exp, sqrt            for softmax and normalisation rather than between layers; sqrt is NaN for
///                        x < 0, and its derivatives are infinite at 0
/// At a kink the left derivative is taken (relu, relu3, elu at 0).
enum class Activation {
  identity,
  tanh,
  sin,
  cos,
  sigmoid,
  silu,
  gelu,
  softplus,
  elu,
  relu,
  relu3,
  gaussian,
  wavelet,
  exp,
  sqrt
};

/// Highest derivative that activation_derivatives computes.
inline constexpr int kMaxActivationOrder = 12;

/// All activations in the order of the enumeration.
[[nodiscard]] const std::vector<Activation>& all_activations();

/// The name as written above.
[[nodiscard]] std::string_view to_string(Activation activation);

/// Inverse of to_string; an unknown name is an Error that lists the names and the nearest one.
[[nodiscard]] Activation parse_activation(std::string_view name);

/// How often s can be differentiated before derivatives vanish or cease to exist somewhere:
/// identity and relu 1, elu 2, relu3 3, kMaxActivationOrder for the smooth ones.
[[nodiscard]] int useful_order(Activation activation);

/// out[k * out_stride + i] = s^(k)(x[i]) for k = 0..order, i < n; T = float or double.
///   range    order 0..kMaxActivationOrder, out_stride >= n when order > 0; out may not overlap x
///   error    16 ulp of max |s^(k)| for k <= 8, all finite x (exp, sqrt: of s^(k)(x)); limits at
///   infinite x; a NaN argument
///            gives a NaN value (row 0)
///   cost     SIMD with run-time dispatch; a value depends on its argument and the target only
/// Throws Error for an order out of range, a short stride, or wavelet (it needs parameters).
template <class T>
void activation_derivatives(Activation activation, int order, const T* x, std::size_t n, T* out,
                            std::size_t out_stride);

/// The same for a sin x + b cos x, and its derivatives with respect to a and b when d_da, d_db are
/// not null: d/da is sin^(k), d/db is cos^(k), with the layout of out.
template <class T>
void wavelet_derivatives(T a, T b, int order, const T* x, std::size_t n, T* out,
                         std::size_t out_stride, T* d_da = nullptr, T* d_db = nullptr);

}  // namespace cauchy
