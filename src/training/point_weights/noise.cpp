#include "training/point_weights/noise.hpp"

#include <cmath>
#include <vector>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/options.hpp>

namespace cauchy {

void visit_options(NoiseWeights& w, OptionVisitor& v) {
  v.number("weight", w.weight, NumberRange::positive);
  v.number("reached", w.reached, NumberRange::positive);
  v.count("period", w.period, 1, 1'000'000'000);
}

namespace detail {
namespace {

class NoiseWeightsRule final : public PointWeights {
 public:
  NoiseWeightsRule(const NoiseWeights& options, const TrainingPoints& points)
      : options_(options), factors_(points.size()) {}

  bool update(TrainingLoss& loss, const TrainingPoints& points, const TrainingStep& step,
              bool moved) override {
    if (!given_way_) {
      if (step.step % options_.period != 0 && step.step_in_stage != 0) return false;
      given_way_ = misfit(loss.executor(), points, step.theta) <= options_.reached;
      if (!given_way_) return false;
    } else if (!moved && put_) {
      return false;
    }
    for (std::size_t t = 0; t < points.size(); ++t) {
      if (points.source(t).noise > 0) {
        factors_[t].assign(loss.executor().n_points(t), options_.weight);
      }
    }
    put_ = true;
    return true;
  }

  [[nodiscard]] std::span<const double> factors(std::size_t term) const override {
    return factors_.at(term);
  }

  void save(TrainingState& state) const override {
    state.numbers["given_way"] = given_way_ ? 1 : 0;
  }

  void restore(const TrainingState& state, const TrainingPoints& points) override {
    const auto saved = state.numbers.find("given_way");
    if (saved == state.numbers.end()) {
      throw Error("the checkpoint is damaged", "[training.point_weights]", "start the run anew");
    }
    given_way_ = saved->second != 0;
    if (!given_way_) return;
    for (std::size_t t = 0; t < points.size(); ++t) {
      if (!(points.source(t).noise > 0)) continue;
      const std::size_t some = points.rows(t).size();
      factors_[t].assign(some == 0 ? points[t].size() : some, options_.weight);
    }
    put_ = true;
  }

 private:
  /// Root mean square of the misfit over the points in use, in units of the noise.
  static double misfit(Executor& executor, const TrainingPoints& points,
                       std::span<const double> theta) {
    double sum = 0, n = 0;
    std::vector<double> r;
    for (std::size_t t = 0; t < points.size(); ++t) {
      const double noise = points.source(t).noise;
      if (!(noise > 0)) continue;
      r.resize(executor.n_residuals(t));
      executor.residuals(t, theta, r);
      const std::vector<double>& own = points.weights(t);
      for (std::size_t i = 0; i < r.size(); ++i) {
        sum += (own.empty() ? 1 : own[i]) * r[i] * r[i] / noise;
      }
      n += static_cast<double>(r.size());
    }
    return std::sqrt(sum / n);
  }

  NoiseWeights options_;
  std::vector<std::vector<double>> factors_;  // per term; empty: all 1
  bool given_way_ = false;
  bool put_ = false;  // the factors are there
};

}  // namespace

std::unique_ptr<PointWeights> make_noise_weights(const NoiseWeights& options,
                                                 const TrainingPoints& points) {
  if (!(options.weight > 0) || !(options.reached > 0) || options.period == 0) {
    throw Error(fmt::format("weight = {}, reached = {}, period = {}: all must be positive",
                            options.weight, options.reached, options.period),
                "[training.point_weights.noise]");
  }
  for (std::size_t t = 0; t < points.size(); ++t) {
    if (points.source(t).noise > 0) return std::make_unique<NoiseWeightsRule>(options, points);
  }
  return nullptr;
}

}  // namespace detail
}  // namespace cauchy
