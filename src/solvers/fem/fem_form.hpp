#pragma once

#include <memory>
#include <string>
#include <vector>

#include <cauchy/problem/weak_problem.hpp>

namespace cauchy::detail {

/// The weak form of a problem as elements take it: of first order in time, numbers for parameters.
struct FemForm {
  WeakProblem weak;
  std::vector<std::string> fields;  ///< of the rows: those of the problem, auxiliary ones, rates
  std::vector<int> lower;           ///< per field: how many orders below the element order
  /// Field k is the rate of field rate_of[k]; -1: it is none.
  std::vector<int> rate_of;
  std::vector<std::size_t> periodic;  ///< coordinates of space by number
  bool in_time = false;
  bool spd = false;  ///< symmetric, and positive definite if conditions determine the answer

  [[nodiscard]] bool is_flow() const;
};

/// Puts the form of a problem together.
///   error    throws Error (unsupported) for what elements cannot treat
[[nodiscard]] FemForm fem_form(const Problem& problem);

}  // namespace cauchy::detail
