#include "training/point_weights/attention.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <cauchy/base/options.hpp>

#include "training/point_weights/lambda_weights.hpp"
#include "training/point_weights/weighing.hpp"

namespace cauchy {

void visit_options(AttentionWeights& o, OptionVisitor& v) {
  v.number("decay", o.decay, NumberRange::below_one);
  v.number("rate", o.rate, NumberRange::positive);
  v.number("offset", o.offset, NumberRange::not_negative);
  v.number("start", o.start, NumberRange::not_negative);
  v.count("period", o.period, 1);
}

namespace detail {

std::unique_ptr<PointWeights> make_attention(const AttentionWeights& o) {
  require_weights(o.decay >= 0 && o.decay < 1, "decay must be in [0, 1)");
  require_weights(o.rate > 0 && std::isfinite(o.rate), "rate must be positive");
  require_weights(o.offset >= 0 && std::isfinite(o.offset), "offset must not be negative");
  require_weights(o.start >= 0 && std::isfinite(o.start), "start must not be negative");
  require_weights(o.period > 0, "period must be positive");
  // k steps of the recursion with the residual of now:
  //   lambda <- decay^k lambda + rate (1 - decay^k) / (1 - decay) |r| / max|r|
  const auto move = [o](PointMemory& memory, TrainingLoss& loss, const TrainingPoints& points,
                        const TrainingStep& step) {
    for (std::size_t t = 0; t < points.size(); ++t) {
      const std::span<double> lambda = memory.values(t, LambdaWeights::lambda),
                              done = memory.values(t, LambdaWeights::done);
      if (lambda.empty()) continue;
      const std::vector<double> squares = squared_residuals(loss, t, step.theta);
      const double largest = *std::ranges::max_element(squares);
      // Where residuals are no numbers, the weights stay and the optimiser tells of the trouble.
      if (!std::isfinite(std::accumulate(squares.begin(), squares.end(), 0.0))) continue;
      for_rows_in_use(points, t, [&](std::size_t row, std::size_t i) {
        const double kept = std::pow(o.decay, take_steps(done[row], step));
        const double share = largest > 0 ? std::sqrt(squares[i] / largest) : 0;
        lambda[row] = kept * lambda[row] + o.rate * (1 - kept) / (1 - o.decay) * share;
      });
    }
  };
  return std::make_unique<LambdaWeights>(o.start, o.offset, o.period, move);
}

}  // namespace detail
}  // namespace cauchy
