#include "training/point_weights/linear_time.hpp"

#include <cmath>

#include <cauchy/base/options.hpp>

#include "training/point_weights/weighing.hpp"

namespace cauchy {

void visit_options(LinearTimeWeights& o, OptionVisitor& v) {
  v.number("factor", o.factor, NumberRange::not_negative);
}

namespace detail {
namespace {

class LinearTime final : public PointWeights {
 public:
  explicit LinearTime(double factor) : factor_(factor) {}

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
    factors_ = factors_in_time(points, [&](double share) { return 1 + factor_ * (1 - share); });
  }

  double factor_;
  PointFactors factors_;
};

}  // namespace

std::unique_ptr<PointWeights> make_linear_time(const LinearTimeWeights& options,
                                               const TrainingPoints& points) {
  require_time(points, "weights that are linear in time need a time, and the problem has none");
  require_weights(options.factor >= 0 && std::isfinite(options.factor),
                  "factor must not be negative");
  return std::make_unique<LinearTime>(options.factor);
}

}  // namespace detail
}  // namespace cauchy
