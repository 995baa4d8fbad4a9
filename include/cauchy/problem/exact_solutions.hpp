#pragma once

#include <cstddef>
#include <vector>

#include <cauchy/problem/exact_solution.hpp>

namespace cauchy {

// Functions behind the library of exact solutions that are of use by themselves.

/// Solution of u_t + u u_x = nu u_xx with u(0, x) = -sin(pi x) and u = 0 at x = -1, 1, by the
/// Cole-Hopf formula
///   u = -int sin(pi y) e(y) dy / int e(y) dy,
///   e(y) = exp(-(x - y)^2 / (4 nu t) - cos(pi y) / (2 pi nu))
/// with the trapezoidal rule, which converges faster than any power here: absolute error below
/// 1e-12 for nu >= 1e-4, below 1e-16 / nu for smaller nu.
///   cost     about 10 / sqrt(nu) exponentials
///   error    throws Error when nu is outside [1e-8, 1e100], t is negative or a number is not
///   finite
[[nodiscard]] double burgers_cole_hopf(double t, double x, double nu);

/// The first n roots y > 0 of sin y + alpha y cos y = 0, ascending: the square roots of the
/// eigenvalues of -X'' = lambda X with X(0) = 0 and X(1) + alpha X'(1) = 0. The n-th one is the
/// only one in ((n - 1/2) pi, n pi]; n pi for alpha = 0, towards (n - 1/2) pi for large alpha.
/// Relative error a few units of rounding.
///   error    throws Error unless alpha is finite and not negative (below 0 one eigenvalue may be
///            negative)
[[nodiscard]] std::vector<double> robin_roots(double alpha, std::size_t n);

/// Poisson's equation in the unit cube of d dimensions, u = prod_i sin(n pi x_i): the entries
/// poisson_product_1d, ... of the library for any d from 1 to 100.
[[nodiscard]] ExactSolution poisson_product(int d);

}  // namespace cauchy
