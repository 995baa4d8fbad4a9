#include <algorithm>
#include <cmath>

#include <cauchy/base/options.hpp>

#include "training/balancers/balancers.hpp"
#include "training/balancers/periodic.hpp"

namespace cauchy {

void visit_options(GradNormBalancer& o, OptionVisitor& v) {
  v.number("alpha", o.alpha, NumberRange::not_negative);
  v.number("learning_rate", o.learning_rate, NumberRange::positive);
  v.count("period", o.period, 1);
}

namespace detail {
namespace {

class GradNorm final : public FactorRule {
 public:
  explicit GradNorm(const GradNormBalancer& options) : options_(options) {}

  void update(TrainingLoss& loss, std::span<const double> theta,
              std::span<double> factors) override {
    // All terms of a problem share the whole network, so that the gradients are by all parameters;
    // the layer before the heads of a network for many tasks has no counterpart here.
    const LossesAndNorms now = losses_and_norms(loss, theta);
    first_.resize(now.losses.size(), 0.0);
    for (std::size_t t = 0; t < first_.size(); ++t) {
      if (!(first_[t] > 0)) first_[t] = now.losses[t];  // also of a term that comes in later
    }
    gradnorm_step(options_, first_, now.losses, now.norms, factors);
  }
  void save(TrainingState& state) const override { state.arrays["first"] = first_; }
  void restore(const TrainingState& state, std::size_t n_terms) override {
    first_ = saved_terms(state, "first", n_terms);
  }

 private:
  GradNormBalancer options_;
  std::vector<double> first_;  // losses at the first update
};

}  // namespace

void gradnorm_step(const GradNormBalancer& options, std::span<const double> first,
                   std::span<const double> losses, std::span<const double> norms,
                   std::span<double> factors) {
  const auto takes_part = [&](std::size_t t) {
    return first[t] > 0 && losses[t] > 0 && norms[t] > 0;
  };
  double n = 0, mean = 0, mean_rate = 0, total = 0, sum = 0;
  for (std::size_t t = 0; t < factors.size(); ++t) {
    if (!takes_part(t)) continue;
    n += 1;
    mean += factors[t] * norms[t];
    mean_rate += losses[t] / first[t];
    total += factors[t];
  }
  mean /= n;
  mean_rate /= n;
  for (std::size_t t = 0; t < factors.size(); ++t) {
    if (!takes_part(t)) continue;
    const double length = factors[t] * norms[t];
    const double target = mean * std::pow(losses[t] / first[t] / mean_rate, options.alpha);
    // d|G - target| / d lambda = sign(G - target) |g|: down where G is too long, by the same share
    // whatever the size of the gradient.
    const double way = std::log(target / length), most = options.learning_rate;
    factors[t] *= std::exp(std::clamp(way, -most, most));
    sum += factors[t];
  }
  for (std::size_t t = 0; t < factors.size(); ++t) {
    if (takes_part(t)) factors[t] *= total / sum;
  }
}

std::unique_ptr<Balancer> make_gradnorm(const GradNormBalancer& options) {
  return make_periodic(options.period, std::make_unique<GradNorm>(options));
}

}  // namespace detail
}  // namespace cauchy
