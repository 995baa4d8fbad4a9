#include "solvers/pinn/pinn_field.hpp"

#include "solvers/pinn/pinn_kan.hpp"

namespace cauchy::detail {

FieldEvaluator::FieldEvaluator(std::shared_ptr<const Graph> graph, Lowering lower,
                               ExecutorOptions options, std::size_t n_fields, std::string shape,
                               Network network)
    : lower_(std::move(lower)), shape_(std::move(shape)), network_(std::move(network)) {
  for (std::size_t i = n_fields; i < graph->outputs().size(); ++i) {
    parts_.push_back(graph->outputs()[i].field);
  }
  executor_ = make_executor(std::move(graph), {}, std::move(options));
}

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
