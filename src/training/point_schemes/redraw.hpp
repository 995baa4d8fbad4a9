#pragma once

#include <cauchy/training/point_scheme.hpp>

namespace cauchy::detail {

/// New points every so many steps, and a new batch of them for every step of a first-order method.
class Redraw final : public PointScheme {
 public:
  bool update(TrainingPoints& points, TrainingLoss& loss, const TrainingStep& step) override;
  void save(TrainingState& state) const override;
  void restore(const TrainingState& state, TrainingPoints& points) override;

 private:
  static bool choose_batch(TrainingPoints& points, std::uint64_t number);
  std::uint64_t round_ = 0, batch_number_ = 0;
};

}  // namespace cauchy::detail
