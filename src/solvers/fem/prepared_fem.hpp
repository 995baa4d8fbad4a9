#pragma once

#include <cauchy/solvers/method.hpp>

namespace cauchy::detail {

/// The entry of the table of methods.
[[nodiscard]] std::unique_ptr<PreparedMethod> prepare_fem(std::shared_ptr<const Problem> problem,
                                                          const Method& method, int threads);
[[nodiscard]] std::shared_ptr<const FieldModel> load_fem(const Checkpoint& checkpoint,
                                                         const Problem& problem,
                                                         const Method& method, int threads);

}  // namespace cauchy::detail
