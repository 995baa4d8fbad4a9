#pragma once

namespace cauchy {

/// Solution of u_t + u u_x = nu u_xx with u(0, x) = -sin(pi x) and u = 0 at x = -1, 1, by the
/// Cole-Hopf formula
///   u = -int sin(pi y) e(y) dy / int e(y) dy,
///   e(y) = exp(-(x - y)^2 / (4 nu t) - cos(pi y) / (2 pi nu))
/// with the trapezoidal rule, which converges faster than any power here: absolute error below
/// 1e-12 for nu >= 1e-4.
///   error    throws Error when nu is not positive, t is negative or a number is not finite
[[nodiscard]] double burgers_cole_hopf(double t, double x, double nu);

}  // namespace cauchy
