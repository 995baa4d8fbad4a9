#include "training/point_weights/lambda_weights.hpp"

#include <algorithm>
#include <utility>

#include "training/point_weights/weighing.hpp"

namespace cauchy::detail {

bool LambdaWeights::update(TrainingLoss& loss, const TrainingPoints& points,
                           const TrainingStep& step, bool moved) {
  const bool due = weights_are_due(period_, step);
  if (!due && !moved && !factors_.empty()) return false;
  for (std::size_t t = 0; t < points.size(); ++t) {
    if (points.source(t).divisible) memory_.follow(t, points[t]);
  }
  if (due) move_(memory_, loss, points, step);
  pick(points);
  return true;
}

std::span<const double> LambdaWeights::factors(std::size_t term) const {
  if (term >= factors_.size()) return {};
  return factors_[term];
}

void LambdaWeights::restore(const TrainingState& state, const TrainingPoints& points) {
  memory_.restore(state, points);
  pick(points);
}

void LambdaWeights::pick(const TrainingPoints& points) {
  factors_.assign(points.size(), {});
  for (std::size_t t = 0; t < points.size(); ++t) {
    const std::span<const double> lambdas = std::as_const(memory_).values(t, lambda);
    if (lambdas.size() != points[t].size()) continue;
    for_rows_in_use(points, t, [&](std::size_t row, std::size_t) {
      const double root = lambdas[row] + offset_;
      factors_[t].push_back(root * root);
    });
  }
}

double take_steps(double& done, const TrainingStep& step) {
  const double now = static_cast<double>(step.step) + 1;
  return std::max(0.0, now - std::exchange(done, now));
}

}  // namespace cauchy::detail
