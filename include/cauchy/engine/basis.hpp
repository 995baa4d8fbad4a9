#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace cauchy {

/// A family of functions of one variable, phi_0 ... phi_{n-1}, with derivatives: polynomials,
/// B-splines, radial functions. Stateless and thread-safe.
class Basis {
 public:
  virtual ~Basis() = default;
  [[nodiscard]] virtual int size() const noexcept = 0;
  [[nodiscard]] virtual std::string name() const = 0;
  /// out[k * size() + j] = phi_j^(k)(x), k = 0 ... order (at most 31). No allocation. The plain
  /// version: double arithmetic, rounded once.
  virtual void derivatives(double x, int order, double* out) const = 0;
  virtual void derivatives(float x, int order, float* out) const = 0;
  /// The same for n arguments: out[(k * size() + j) * stride + i] = phi_j^(k)(x[i]), stride >= n;
  /// out may not overlap x. SIMD in the precision of the arguments; a value depends on its argument
  /// and the instruction set only. No allocation.
  virtual void derivatives(const double* x, std::size_t n, int order, double* out,
                           std::size_t stride) const = 0;
  virtual void derivatives(const float* x, std::size_t n, int order, float* out,
                           std::size_t stride) const = 0;
  /// How often the functions can be differentiated before derivatives vanish or jumps of them are
  /// lost: the degree of splines, 31 for smooth functions.
  [[nodiscard]] virtual int useful_order() const noexcept { return 31; }
  /// The body of a C++ function (double x, int order, double* out) that does what the plain version
  /// does, with <cmath> alone; empty: it has none, and the network cannot be written as a header.
  [[nodiscard]] virtual std::string cpp() const { return {}; }
};

/// Chebyshev polynomials T_0 ... T_degree; Jacobi polynomials P_j^(a,b). Arguments should lie in
/// [-1, 1]; beyond it the polynomials grow.
[[nodiscard]] std::shared_ptr<const Basis> chebyshev_basis(int degree);
[[nodiscard]] std::shared_ptr<const Basis> jacobi_basis(int degree, double a, double b);
/// B-splines of a degree over a knot vector; zero outside the knots, where a NaN argument gives NaN
/// everywhere. Equally spaced knots are fastest.
[[nodiscard]] std::shared_ptr<const Basis> bspline_basis(std::vector<double> knots, int degree);
/// exp(-((x - c_j) / width)^2); 0 with all derivatives at infinite x.
[[nodiscard]] std::shared_ptr<const Basis> gaussian_basis(std::vector<double> centres,
                                                          double width);

}  // namespace cauchy
