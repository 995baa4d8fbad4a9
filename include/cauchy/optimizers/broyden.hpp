#pragma once

#include <cstddef>
#include <span>

namespace cauchy {

// The self-scaled Broyden family for the inverse Hessian H, with s = x+ - x and y = g+ - g:
//   H+ = (H - H y y'H / y'Hy + phi v v') / tau + s s' / y's,
//   v  = sqrt(y'Hy) (s / y's - H y / y'Hy)
// H+ y = s for any tau and phi, since v'y = 0. tau = phi = 1 is BFGS; tau = 1, phi = 0 is DFP.

/// Which member of the family.
enum class QuasiNewtonUpdate {
  bfgs,      ///< tau = 1, phi = 1
  dfp,       ///< tau = 1, phi = 0
  ssbfgs,    ///< tau = min(1, 1 / b), phi = 1
  ssbroyden  ///< tau and phi of Al-Baali (1998, 2005), as used by Urban, Stefanou and Pons (2025)
};

/// The numbers that choose the member, named as in the literature. In terms of theta,
/// phi = (1 - theta) / (1 + a theta); BFGS has theta = 0, DFP theta = 1.
struct BroydenParameters {
  double b = 1;            ///< s'H^-1 s / y's
  double h = 1;            ///< y'Hy / y's
  double a = 0;            ///< h b - 1, never negative (Cauchy and Schwarz)
  double c = 0;            ///< sqrt(a / (1 + a))
  double rho_minus = 1;    ///< min(1, h (1 - c)), equal to min(1, 1 / (b (1 + c)))
  double theta_minus = 0;  ///< (rho_minus - 1) / a; -infinity when a = 0 and rho_minus < 1
  double theta_plus = 1;   ///< 1 / rho_minus = max(1, b (1 + c))
  double theta = 0;        ///< ssbroyden: max(theta_minus, min(theta_plus, (1 - b) / b))
  double sigma = 1;        ///< 1 + a theta; H+ is positive definite exactly when it is positive
  double tau = 1, phi = 1;
};

/// The parameters for given b and h.
///   n        number of parameters. For n = 1 the factor sigma^(-1 / (n - 1)) is 1: all updates
///            then agree with s / y
///   scale    true for the first update of an arbitrary H: tau = h / sigma, which for BFGS from
///            the identity is y'y / y's
///   range    b and h positive and finite; where they are not, or a result overflows, the
///            parameters of BFGS come back
[[nodiscard]] BroydenParameters broyden_parameters(QuasiNewtonUpdate update, double b, double h,
                                                   std::size_t n, bool scale = false) noexcept;

/// The formula above, term by term, on a full row-major n x n matrix: the plain reference of the
/// optimiser's own update. Throws Error unless H has n^2 entries, s and y have n and y's, y'Hy and
/// tau are not zero.
void broyden_update(std::span<double> h, std::span<const double> s, std::span<const double> y,
                    double tau, double phi);

}  // namespace cauchy
