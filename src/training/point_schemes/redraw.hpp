#pragma once

#include <cauchy/training/point_scheme.hpp>

namespace cauchy::detail {

/// Whether the sampler's points are to be drawn anew before this step.
[[nodiscard]] bool redraw_is_due(const PointSettings& settings, const TrainingStep& step);

/// Batch number so and so of every divisible term that has more points; true when there is one.
bool choose_batch(TrainingPoints& points, std::uint64_t number);

/// A number of a scheme's state.
///   error    throws Error when the checkpoint has none
[[nodiscard]] std::uint64_t scheme_number(const TrainingState& state, const char* name);
[[noreturn]] void throw_damaged_scheme();

/// New points every so many steps, and a new batch of them for every step of a first-order method.
class Redraw final : public PointScheme {
 public:
  bool update(TrainingPoints& points, TrainingLoss& loss, const TrainingStep& step) override;
  void save(TrainingState& state) const override;
  void restore(const TrainingState& state, TrainingPoints& points) override;

 private:
  std::uint64_t round_ = 0, batch_number_ = 0;
};

}  // namespace cauchy::detail
