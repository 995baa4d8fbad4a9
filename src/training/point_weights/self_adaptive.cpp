#include "training/point_weights/self_adaptive.hpp"

#include <algorithm>
#include <cmath>

#include <cauchy/base/options.hpp>

#include "training/point_weights/lambda_weights.hpp"
#include "training/point_weights/weighing.hpp"

namespace cauchy {

void visit_options(SelfAdaptiveWeights& o, OptionVisitor& v) {
  v.number("rate", o.rate, NumberRange::positive);
  v.number("most", o.most, NumberRange::positive);
  v.count("period", o.period, 1);
}

namespace detail {
namespace {

/// lambda w r^2 at the points in use, for every term that has lambdas: half the slope of the loss
/// along lambda, per share of the points.
std::vector<std::vector<double>> slopes_of(const PointMemory& memory, TrainingLoss& loss,
                                           const TrainingPoints& points,
                                           std::span<const double> theta) {
  std::vector<std::vector<double>> slopes(points.size());
  for (std::size_t t = 0; t < points.size(); ++t) {
    const std::span<const double> lambda = memory.values(t, LambdaWeights::lambda);
    if (lambda.empty()) continue;
    slopes[t] = squared_residuals(loss, t, theta);
    const double weight = unbalanced_weight(loss, t);
    const PointSource& source = points.source(t);
    const std::vector<double> own =
        source.weights ? source.weights(points[t]) : std::vector<double>{};
    for_rows_in_use(points, t, [&](std::size_t row, std::size_t i) {
      slopes[t][i] *= weight * lambda[row] * (own.empty() ? 1 : own[row]);
    });
  }
  return slopes;
}

}  // namespace

std::unique_ptr<PointWeights> make_self_adaptive(const SelfAdaptiveWeights& o) {
  require_weights(o.rate > 0 && std::isfinite(o.rate), "rate must be positive");
  require_weights(o.most >= 1 && std::isfinite(o.most), "most must be at least 1");
  require_weights(o.period > 0, "period must be positive");
  const auto move = [o](PointMemory& memory, TrainingLoss& loss, const TrainingPoints& points,
                        const TrainingStep& step) {
    const auto slopes = slopes_of(memory, loss, points, step.theta);
    double largest = 0, sum = 0;
    for (const auto& of_term : slopes) {
      for (const double slope : of_term) {
        largest = std::max(largest, slope);
        sum += slope;
      }
    }
    if (!(largest > 0) || !std::isfinite(sum)) return;  // the optimiser tells of the trouble
    for (std::size_t t = 0; t < points.size(); ++t) {
      const std::span<double> lambda = memory.values(t, LambdaWeights::lambda),
                              done = memory.values(t, LambdaWeights::done);
      if (lambda.empty()) continue;
      for_rows_in_use(points, t, [&](std::size_t row, std::size_t i) {
        const double climb = o.rate * take_steps(done[row], step) * (slopes[t][i] / largest);
        lambda[row] = std::min(o.most, lambda[row] + climb);
      });
    }
  };
  return std::make_unique<LambdaWeights>(1, 0, o.period, move);
}

}  // namespace detail
}  // namespace cauchy
