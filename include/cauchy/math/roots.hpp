#pragma once

#include <functional>

namespace cauchy {

/// converged        the bracket is as small as asked for, or f(root) is exactly zero
/// no_sign_change   f has the same sign at both ends (no bracket was found)
/// not_a_number     f returned NaN
/// max_iterations   the budget ended first; root is the best point so far
enum class RootStatus { converged, no_sign_change, not_a_number, max_iterations };

/// Name of the status: "converged", "no sign change", ...
const char* to_string(RootStatus status) noexcept;

struct RootOptions {
  double absolute = 0;       ///< accepted error of the root, absolute ...
  double relative = 4e-16;   ///< ... plus relative to the root; below 2 ulp is rounded up to 2 ulp
  int max_iterations = 200;  ///< evaluations after those at the ends; a root at 0 may need 1100
};

struct RootResult {
  double root = 0;   ///< end of the final bracket with the smaller |f|
  double value = 0;  ///< f(root)
  double lower = 0;  ///< the root lies in [lower, upper]
  double upper = 0;
  int iterations = 0;  ///< evaluations of f beyond the first two
  RootStatus status = RootStatus::no_sign_change;
};

/// Zero of f in [a, b] by Chandrupatla's method: inverse quadratic interpolation where that is
/// safe, bisection elsewhere, so at most a small multiple of the bisection count is needed. f must
/// change sign; it need not be continuous (a pole with sign change counts as a root) and may return
/// infinity. Error when an end is not finite or a tolerance is negative or NaN.
RootResult find_root(const std::function<double(double)>& f, double a, double b,
                     const RootOptions& options = {});

/// An interval [a, b] where f changes sign, found by moving the end with the smaller |f| outwards
/// by 1.6 times the width, at most max_expansions times.
struct Bracket {
  double a = 0, b = 0;
  RootStatus status = RootStatus::no_sign_change;  ///< converged when found
};
/// Error unless a and b are finite and different.
Bracket expand_bracket(const std::function<double(double)>& f, double a, double b,
                       int max_expansions = 60);

}  // namespace cauchy
