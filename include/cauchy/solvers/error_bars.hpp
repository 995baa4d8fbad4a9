#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <cauchy/base/run_limit.hpp>
#include <cauchy/problem/solution.hpp>

namespace cauchy {

/// How the error of an answer is estimated.
struct ErrorBarOptions {
  double work = 10;        ///< for all of it, counted in nominal seconds (base/work.hpp)
  double precision = 0.1;  ///< part of itself that the estimate should be right to
  int threads = 0;
  RunLimit limit = {};  ///< of the whole that this is a part of
};

/// An estimate, or why there is none.
struct ErrorBars {
  std::optional<ErrorEstimate> estimate = {};
  std::string reason = {};  ///< one sentence, where there is none
};

/// The error of an answer of any method, from the problem itself and without a reference.
///   defect   the answer is put into the equations and conditions, these are linearised around it,
///            and the linear problem of the error, N'(u) e = -N(u), is solved by the classical
///            method that fits, on finer and finer grids until two of them agree to `precision`.
///            The grids see the error, not the solution: a part of a tenth of a small error is
///            easily had. Where the equations are not linear and the error is not small, again for
///            the corrected answer (Newton's method).
///   direct   a problem in time alone is integrated anew; so is, by the classical method that fits,
///            one whose error equation cannot be solved. This answer must be three times as good.
/// The estimate is refused when residuals hide in thin layers at conditions, where no grid would
/// see them, and when conditions whose defects it leaves out (periodic ones, integrals, jumps
/// inside) are violated.
///   error    none for what cannot be estimated: that is a reason
[[nodiscard]] ErrorBars estimate_error(const Solution& solution,
                                       const ErrorBarOptions& options = {});

/// Estimated absolute errors of expressions of the fields at points (row-major n x coordinates):
/// their change when the estimated error is added to the answer; row-major n x expressions.
///   error    throws Error when the error is not known point by point
[[nodiscard]] std::vector<double> estimated_errors(const Solution& solution,
                                                   std::span<const Expr> expressions,
                                                   std::span<const double> rows);

}  // namespace cauchy
