#include <algorithm>
#include <cmath>

#include <cauchy/base/error.hpp>

#include "training/curricula/curricula.hpp"

namespace cauchy::detail {
namespace {

/// The task of every stage is a function of its number alone: there is no state. Integral
/// conditions, whose points form sums, hold at all times from the beginning.
class GrowingTime final : public Curriculum {
 public:
  explicit GrowingTime(std::size_t stages) : stages_(stages) {}

  bool begin_stage(std::size_t stage, TrainingLoss& loss, TrainingPoints& points) override {
    if (!(lower_ <= upper_)) find_ends(points);
    const bool whole = stage + 1 >= stages_;
    const double share = static_cast<double>(stage + 1) / static_cast<double>(stages_);
    const double end = lower_ + share * (upper_ - lower_);
    for (std::size_t i = 0; i < points.size(); ++i) {
      const auto time = points.time_column(i);
      if (!time || !points.source(i).divisible) continue;
      const std::size_t column = *time;
      TrainingPoints::Keep keep = [column, end](const Points& p, std::size_t row) {
        return p.row(row)[column] <= end;
      };
      const bool some = points.limit(i, whole ? TrainingPoints::Keep{} : keep) > 0;
      loss.weigh(i, some ? 1 : 0, WeightLayer::curriculum);
    }
    return true;
  }
  void save(TrainingState&) const override {}
  void restore(const TrainingState&) override {}

 private:
  /// The first and the last time of the first points.
  void find_ends(const TrainingPoints& points) {
    for (std::size_t i = 0; i < points.size(); ++i) {
      const auto time = points.time_column(i);
      for (std::size_t row = 0; time && row < points[i].size(); ++row) {
        lower_ = std::min(lower_, points[i].row(row)[*time]);
        upper_ = std::max(upper_, points[i].row(row)[*time]);
      }
    }
  }

  std::size_t stages_;
  double lower_ = INFINITY, upper_ = -INFINITY;
};

}  // namespace

std::unique_ptr<Curriculum> make_growing_time(const TrainingPoints& points, std::size_t stages) {
  if (points.settings().time.empty()) {
    throw Error("a time that grows needs time, and this problem has none", curriculum_place,
                "choose another curriculum, or leave it out");
  }
  return std::make_unique<GrowingTime>(stages);
}

}  // namespace cauchy::detail
