#pragma once

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
  /// out[k * size() + j] = phi_j^(k)(x), k = 0 ... order. No allocation.
  virtual void derivatives(double x, int order, double* out) const = 0;
  virtual void derivatives(float x, int order, float* out) const = 0;
};

/// Chebyshev polynomials T_0 ... T_degree; Jacobi polynomials P_j^(a,b); both for arguments in [-1,
/// 1].
[[nodiscard]] std::shared_ptr<const Basis> chebyshev_basis(int degree);
[[nodiscard]] std::shared_ptr<const Basis> jacobi_basis(int degree, double a, double b);
/// B-splines of a degree over a knot vector; zero outside the knots.
[[nodiscard]] std::shared_ptr<const Basis> bspline_basis(std::vector<double> knots, int degree);
/// exp(-((x - c_j) / width)^2).
[[nodiscard]] std::shared_ptr<const Basis> gaussian_basis(std::vector<double> centres,
                                                          double width);

}  // namespace cauchy
