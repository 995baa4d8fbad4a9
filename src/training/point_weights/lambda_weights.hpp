#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include <cauchy/training/point_weights.hpp>

#include "training/point_weights/point_memory.hpp"

namespace cauchy::detail {

/// Factors (lambda + offset)^2 in all terms, with a lambda per point that a recursion moves when it
/// is due.
class LambdaWeights final : public PointWeights {
 public:
  /// The channels of the memory: lambda, and up to which step it has been moved.
  enum Channel : std::size_t { lambda, done };
  /// Moves the lambda of the points in use, in the terms that have one.
  using Move = std::function<void(PointMemory& memory, TrainingLoss& loss,
                                  const TrainingPoints& points, const TrainingStep& step)>;

  LambdaWeights(double start, double offset, std::uint64_t period, Move move)
      : offset_(offset), period_(period), move_(std::move(move)), memory_({start, 0}) {}

  bool update(TrainingLoss& loss, const TrainingPoints& points, const TrainingStep& step,
              bool moved) override;
  [[nodiscard]] std::span<const double> factors(std::size_t term) const override;
  void save(TrainingState& state) const override { memory_.save(state); }
  void restore(const TrainingState& state, const TrainingPoints& points) override;

 private:
  void pick(const TrainingPoints& points);

  double offset_;
  std::uint64_t period_;
  Move move_;
  PointMemory memory_;
  std::vector<std::vector<double>> factors_;
};

/// Steps of a recursion that lie before a point now, and marks them as done.
[[nodiscard]] double take_steps(double& done, const TrainingStep& step);

}  // namespace cauchy::detail
