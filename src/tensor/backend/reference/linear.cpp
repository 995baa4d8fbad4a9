// Layers and activations.
#include <algorithm>
#include <array>

#include <cauchy/engine/activation.hpp>

#include "tensor/backend/reference/operation.hpp"
#include "tensor/dual.hpp"

namespace cauchy::detail::reference {
namespace {

void activate(Activation activation, const Dual* z, std::size_t n, Dual* out) {
  for (std::size_t i = 0; i < n; ++i) {
    std::array<double, 2> s;
    activation_derivatives(activation, 1, &z[i].value, 1, s.data(), 1);
    out[i] = {s[0], s[1] * z[i].slope};
  }
}
template <std::floating_point T>
void activate(Activation activation, const T* z, std::size_t n, T* out) {
  activation_derivatives(activation, 0, z, n, out, n);
}

/// by_z[i] = by_out[i] s'(z[i]), or added to it.
template <std::floating_point T>
void activation_adjoint(Activation activation, const T* z, const T* by_out, std::size_t n, T* by_z,
                        bool add) {
  constexpr std::size_t some = 256;
  std::array<T, 2 * some> s;
  for (std::size_t begin = 0; begin < n; begin += some) {
    const std::size_t m = std::min(some, n - begin);
    activation_derivatives(activation, 1, z + begin, m, s.data(), some);
    for (std::size_t i = 0; i < m; ++i) {
      const T g = by_out[begin + i] * s[some + i];
      by_z[begin + i] = add ? by_z[begin + i] + g : g;
    }
  }
}

}  // namespace

// y_o = s(b_o + sum_i W_oi x_i + plus_o); the argument of s is saved.

template <class T>
void forward_linear(const Operation<T>& f) {
  const std::size_t C = f.channels(), I = f.channels_of(0), P = f.points();
  const bool plain = f.op.activation == Activation::identity;
  for (std::size_t s = 0; s < f.call.n; ++s) {
    const T* x = f.in(0, s);
    T* z = plain ? f.out(s) : f.call.saved + s * C * P;
    for (std::size_t o = 0; o < C; ++o) {
      T* row = z + o * P;
      std::fill_n(row, P, f.bias() == nullptr ? T(0) : f.bias()[o]);
      for (std::size_t i = 0; i < I; ++i) {
        const T w = f.weights()[o * I + i];
        for (std::size_t p = 0; p < P; ++p) row[p] += w * x[i * P + p];
      }
    }
    if (f.op.inputs.size() > 1) {
      for (std::size_t j = 0; j < C * P; ++j) z[j] += f.in(1, s)[j];
    }
    if (!plain) activate(f.op.activation, z, C * P, f.out(s));
  }
}

template <std::floating_point T>
void backward_linear(const Operation<T>& f) {
  const std::size_t C = f.channels(), I = f.channels_of(0), P = f.points();
  for (std::size_t s = 0; s < f.call.n; ++s) {
    const T* g = f.by_out(s);
    if (f.op.activation != Activation::identity) {
      activation_adjoint(f.op.activation, f.call.saved + s * C * P, g, C * P, f.call.scratch,
                         false);
      g = f.call.scratch;
    }
    const T* x = f.in(0, s);
    T* by_x = f.by_in(0, s);
    T* by_plus = f.op.inputs.size() > 1 ? f.by_in(1, s) : nullptr;
    for (std::size_t o = 0; o < C; ++o) {
      const T* row = g + o * P;
      for (std::size_t p = 0; by_plus != nullptr && p < P; ++p) by_plus[o * P + p] += row[p];
      for (std::size_t p = 0; f.by_bias() != nullptr && p < P; ++p) f.by_bias()[o] += row[p];
      for (std::size_t i = 0; i < I; ++i) {
        if (by_x != nullptr) {
          const T w = f.weights()[o * I + i];
          for (std::size_t p = 0; p < P; ++p) by_x[i * P + p] += w * row[p];
        }
        if (f.by_weights() != nullptr) {
          T sum = 0;
          for (std::size_t p = 0; p < P; ++p) sum += row[p] * x[i * P + p];
          f.by_weights()[o * I + i] += sum;
        }
      }
    }
  }
}

template <class T>
void forward_activation(const Operation<T>& f) {
  activate(f.op.activation, f.call.inputs[0], f.call.n * f.op.shape.size(), f.call.out);
}

template <std::floating_point T>
void backward_activation(const Operation<T>& f) {
  if (f.call.by_inputs[0] == nullptr) return;
  activation_adjoint(f.op.activation, f.call.inputs[0], f.call.by_out, f.call.n * f.op.shape.size(),
                     f.call.by_inputs[0], true);
}

#define CAUCHY_INSTANTIATE(name)                          \
  template void forward_##name(const Operation<float>&);  \
  template void forward_##name(const Operation<double>&); \
  template void forward_##name(const Operation<Dual>&);   \
  template void backward_##name(const Operation<float>&); \
  template void backward_##name(const Operation<double>&)
CAUCHY_INSTANTIATE(linear);
CAUCHY_INSTANTIATE(activation);
#undef CAUCHY_INSTANTIATE

}  // namespace cauchy::detail::reference
