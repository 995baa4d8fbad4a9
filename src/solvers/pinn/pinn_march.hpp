#pragma once

#include <memory>
#include <string>
#include <vector>

#include <cauchy/solvers/method.hpp>

#include "solvers/pinn/window_field.hpp"

namespace cauchy::detail {

/// Solves a problem window by window (WindowCurriculum).
[[nodiscard]] PreparedMethod::Answer march(const std::shared_ptr<const Problem>& problem,
                                           const Pinn& method, const RunOptions& options,
                                           const std::vector<std::string>& choices);

/// Solves a problem for the values of a parameter one after the other (ContinuationCurriculum).
[[nodiscard]] PreparedMethod::Answer continue_parameter(
    const std::shared_ptr<const Problem>& problem, const Pinn& method, const RunOptions& options,
    const std::vector<std::string>& choices);
///   error    throws Error for what the problem does not have: the parameter, one field in space
void expect_continuation(const Problem& problem, const ContinuationCurriculum& rule);

/// The field that march() has saved.
[[nodiscard]] std::shared_ptr<const FieldModel> load_march(const Checkpoint& checkpoint,
                                                           const Problem& problem,
                                                           const Pinn& method, int threads);

}  // namespace cauchy::detail
