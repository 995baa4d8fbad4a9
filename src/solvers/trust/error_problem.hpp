#pragma once

#include <memory>
#include <string>
#include <vector>

#include <cauchy/problem/solution.hpp>

namespace cauchy::detail {

/// The problem of the error e = truth - answer, in the names of the fields of the problem itself:
///   N'(answer) e = -N(answer)   for every equation N(u) = 0
///   B'(answer) e = -B(answer)   for every condition B(u) = 0
/// The answer stands in it as known functions, so that any method can solve it. For a linear
/// problem e is exact, otherwise it is one step of Newton's method.
struct ErrorProblem {
  std::shared_ptr<const Problem> problem;
  bool linear = true;  ///< the problem itself is
  /// The answer carries the error along: fluxes d(a*e, x) with a of the answer. Finite volumes keep
  /// these on coarse grids, where other methods let e grow.
  bool transport = false;
  /// Names (name_of) of conditions whose defects it leaves out: e fulfils them as if the answer
  /// did.
  std::vector<std::string> left_out;
};

///   error    throws Error (unsupported) with the reason: coefficients that are to be found,
///            parameter ranges, an equation with a jump of the answer in it
[[nodiscard]] ErrorProblem error_problem(const Solution& solution);

}  // namespace cauchy::detail
