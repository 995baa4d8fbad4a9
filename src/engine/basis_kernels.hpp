#pragma once

#include <cstddef>
#include <vector>

namespace cauchy::detail {

/// Arguments of a block call: out[(k * size + j) * stride + i] = phi_j^(k)(x[i]), k = 0 ... order.
template <class T>
struct BasisBlock {
  const T* x;
  std::size_t n;
  int order;
  T* out;
  std::size_t stride;
};

/// p_{i+1} = (a_i x + b_i) p_i - c_i p_{i-1}, one step less than there are polynomials.
template <class T>
struct Recurrence {
  struct Step {
    T a, b, c;
  };
  std::vector<Step> steps;
};

/// B-splines over knots t_0 ... t_{n_knots - 1}; zero outside, right-continuous at the knots, the
/// last interval closed.
template <class T>
struct Splines {
  int degree, n_knots;
  int last_span;          ///< the last s with t_s < t_{s+1}
  std::vector<T> padded;  ///< `degree` copies of t_0, the knots, `degree` copies of the last one
  T inverse_width;        ///< of equal intervals; 0: the knots are not equally spaced
  [[nodiscard]] int n_functions() const { return n_knots - degree - 1; }
  [[nodiscard]] const T* knots() const { return padded.data() + degree; }
};

/// exp(-((x - c_j) inverse_width)^2)
template <class T>
struct Gaussians {
  std::vector<T> centres;
  T inverse_width;
};

/// Families of functions with their derivatives at many arguments, for one instruction set.
template <class T>
struct BasisKernels {
  void (*polynomials)(const Recurrence<T>& family, const BasisBlock<T>& block);
  void (*splines)(const Splines<T>& family, const BasisBlock<T>& block);
  void (*gaussians)(const Gaussians<T>& family, const BasisBlock<T>& block);
};

/// Derivatives that a basis has.
inline constexpr int max_basis_derivative = 31;

/// Kernels of the best instruction set of this machine (or of the one that is forced for a test).
template <class T>
[[nodiscard]] const BasisKernels<T>& basis_kernels();

}  // namespace cauchy::detail
