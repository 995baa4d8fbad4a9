#include "training/point_weights/distance.hpp"

#include <algorithm>
#include <cmath>

#include <cauchy/base/options.hpp>

#include "training/point_weights/weighing.hpp"

namespace cauchy {

void visit_options(DistanceWeights& o, OptionVisitor& v) {
  v.number("power", o.power, NumberRange::not_negative);
  v.number("floor", o.floor, NumberRange::below_one);
}

namespace detail {
namespace {

class Distance final : public PointWeights {
 public:
  explicit Distance(const DistanceWeights& options) : options_(options) {}

  bool update(TrainingLoss&, const TrainingPoints& points, const TrainingStep&,
              bool moved) override {
    if (!moved && !factors_.empty()) return false;
    apply(points);
    return true;
  }
  [[nodiscard]] std::span<const double> factors(std::size_t term) const override {
    return factors_.at(term);
  }
  void save(TrainingState&) const override {}
  void restore(const TrainingState&, const TrainingPoints& points) override { apply(points); }

 private:
  void apply(const TrainingPoints& points) {
    look(points);
    double largest = 0;
    for (const auto& of_term : distances_) {
      for (const double d : of_term) largest = std::max(largest, d);
    }
    factors_.assign(points.size(), {});
    for (std::size_t t = 0; t < points.size() && largest > 0; ++t) {
      if (distances_[t].empty()) continue;
      for_rows_in_use(points, t, [&](std::size_t row, std::size_t) {
        const double share = options_.floor + (1 - options_.floor) * distances_[t][row] / largest;
        factors_[t].push_back(std::pow(share, options_.power));
      });
    }
  }

  /// Distances of all points; batches take theirs from them.
  void look(const TrainingPoints& points) {
    distances_.resize(points.size());
    seen_.resize(points.size());
    for (std::size_t t = 0; t < points.size(); ++t) {
      const PointSource& source = points.source(t);
      if (!source.distance || !is_weighed_equation(points, t)) continue;
      if (seen_[t] == points[t].values) continue;
      seen_[t] = points[t].values;
      distances_[t] = source.distance(points[t]);
    }
  }

  DistanceWeights options_;
  std::vector<std::vector<double>> seen_;       // the points that the distances belong to
  std::vector<std::vector<double>> distances_;  // none: the term is not weighed
  PointFactors factors_;
};

}  // namespace

std::unique_ptr<PointWeights> make_distance(const DistanceWeights& options,
                                            const TrainingPoints& points) {
  bool space = false;
  for (std::size_t t = 0; t < points.size(); ++t) space = space || points.source(t).distance;
  require_weights(space, "weights by the distance from the boundary need space, and there is none",
                  "give the domain a region, or choose other weights");
  require_weights(options.power >= 0 && std::isfinite(options.power), "power must not be negative");
  require_weights(options.floor >= 0 && options.floor < 1, "floor must be in [0, 1)");
  return std::make_unique<Distance>(options);
}

}  // namespace detail
}  // namespace cauchy
