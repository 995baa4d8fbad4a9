#include "solvers/pinn/pinn_field.hpp"

#include "solvers/pinn/pinn_kan.hpp"

namespace cauchy::detail {

void FieldEvaluator::operator()(std::span<const double> theta, std::span<const Expr> expressions,
                                std::span<const double> points, std::span<double> out) const {
  std::vector<Expr> lowered;
  for (const Expr& e : expressions) lowered.push_back(lower_(e));
  const std::lock_guard lock(mutex_);
  executor_->predict(lowered, theta, points, out);
}

void PinnField::save(Checkpoint& checkpoint) const {
  checkpoint.arrays["theta"] = Array::list(theta_);
  checkpoint.texts["shape"] = evaluator_->shape();
  save_grids(checkpoint, evaluator_->network());
}

}  // namespace cauchy::detail
