#pragma once

#include <cauchy/solvers/method.hpp>

namespace cauchy::detail {

/// The entry of the table of methods.
[[nodiscard]] std::unique_ptr<PreparedMethod> prepare_pinn(std::shared_ptr<const Problem> problem,
                                                           const Method& method, int threads);
/// The same for a recipe, which says what it chose.
[[nodiscard]] std::unique_ptr<PreparedMethod> prepare_pinn(std::shared_ptr<const Problem> problem,
                                                           Expanded recipe, int threads);
/// Of a method that has a trial_of().
[[nodiscard]] TrainingSettings pinn_training(Method& method);
[[nodiscard]] std::shared_ptr<const FieldModel> load_pinn(const Checkpoint& checkpoint,
                                                          const Problem& problem,
                                                          const Method& method, int threads);

}  // namespace cauchy::detail
