#pragma once

#include <cauchy/operators/learn.hpp>

namespace cauchy::detail {

/// learn() of a DeepONet.
[[nodiscard]] OperatorResult learn_deeponet(const OperatorProblem& problem, const DataSet& data,
                                            const DeepOnet& method, const RunOptions& options);
/// check_fits() of a DeepONet; `shape`: data without numbers.
void check_deeponet(const OperatorProblem& problem, const DataSet& shape, const DeepOnet& method);

}  // namespace cauchy::detail
