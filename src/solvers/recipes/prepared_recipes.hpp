#pragma once

#include <cauchy/solvers/method.hpp>

namespace cauchy::detail {

/// Throws Error for stages beside a length of those that the recipe would choose.
void check_recipe(const Auto& method);
void check_recipe(const Expert& method);

// The entries of the table of methods: a recipe is expanded, then it is a PINN.
[[nodiscard]] std::unique_ptr<PreparedMethod> prepare_recipe(std::shared_ptr<const Problem> problem,
                                                             const Method& method, int threads);
[[nodiscard]] std::shared_ptr<const FieldModel> load_recipe(const Checkpoint& checkpoint,
                                                            const Problem& problem,
                                                            const Method& method, int threads);
[[nodiscard]] TrainingSettings auto_training(Method& method);
[[nodiscard]] TrainingSettings expert_training(Method& method);

}  // namespace cauchy::detail
