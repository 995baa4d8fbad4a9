#include <algorithm>
#include <numeric>

#include <cauchy/base/error.hpp>

#include "training/curricula/curricula.hpp"

namespace cauchy::detail {
namespace {

bool observes(const PointSource& source) {
  return source.kind == PointSource::Kind::observation && source.divisible;
}

/// Stage k sees the first (k + 1) / stages of the rows of every observation, at least one.
class DataInParts final : public Curriculum {
 public:
  explicit DataInParts(std::size_t stages) : stages_(stages) {}

  bool begin_stage(std::size_t stage, TrainingLoss&, TrainingPoints& points) override {
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (!observes(points.source(i))) continue;
      const std::size_t n = points[i].size(), part = std::min(stage + 1, stages_);
      const std::vector<std::size_t> order = order_of(points[i], points.time_column(i));
      std::vector<bool> seen(n, false);
      for (std::size_t k = 0; k < std::max<std::size_t>(1, n * part / stages_); ++k) {
        seen[order[k]] = true;
      }
      (void)points.limit(i, [seen](const Points&, std::size_t row) { return seen[row]; });
    }
    return true;
  }
  void save(TrainingState&) const override {}
  void restore(const TrainingState&) override {}

 private:
  /// Rows by time, or as they are given.
  static std::vector<std::size_t> order_of(const Points& points, std::optional<std::size_t> time) {
    std::vector<std::size_t> order(points.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (time) {
      std::ranges::stable_sort(order, {}, [&](std::size_t row) { return points.row(row)[*time]; });
    }
    return order;
  }

  std::size_t stages_;
};

}  // namespace

std::unique_ptr<Curriculum> make_data_curriculum(const TrainingPoints& points, std::size_t stages) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (observes(points.source(i))) return std::make_unique<DataInParts>(stages);
  }
  throw Error("observations in parts need observations, and this problem has none",
              curriculum_place, "choose another curriculum, or leave it out");
}

}  // namespace cauchy::detail
