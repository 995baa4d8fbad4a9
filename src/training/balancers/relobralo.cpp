#include <algorithm>
#include <limits>

#include <cauchy/base/options.hpp>
#include <cauchy/base/rng.hpp>

#include "optimizers/vector_ops.hpp"
#include "training/balancers/balancers.hpp"
#include "training/balancers/periodic.hpp"

namespace cauchy {

void visit_options(RelobraloBalancer& o, OptionVisitor& v) {
  v.number("old_share", o.old_share, NumberRange::below_one);
  v.number("keep", o.keep, NumberRange::up_to_one);
  v.number("temperature", o.temperature, NumberRange::positive);
  v.count("period", o.period, 1);
}

namespace detail {
namespace {

class Relobralo final : public FactorRule {
 public:
  Relobralo(const RelobraloBalancer& options, std::uint64_t seed)
      : options_(options), coins_(Rng(seed).split(77)) {}

  void update(TrainingLoss& loss, std::span<const double> theta,
              std::span<double> factors) override {
    std::vector<double> losses = comparable_losses(loss, theta);
    if (!previous_.empty()) {
      const bool keeps = coins_.uniform() < options_.keep;
      const std::vector<double> old(factors.begin(), factors.end());
      const std::vector<double> since_first = relative(losses, first_, old);
      const std::vector<double> since_last = relative(losses, previous_, old);
      const double a = options_.old_share;
      for (std::size_t t = 0; t < old.size(); ++t) {
        factors[t] = a * (keeps ? old[t] : since_first[t]) + (1 - a) * since_last[t];
      }
    }
    first_.resize(losses.size(), 0.0);
    for (std::size_t t = 0; t < losses.size(); ++t) {
      if (!(first_[t] > 0)) first_[t] = losses[t];  // also of a term that comes in later
    }
    previous_ = std::move(losses);
  }
  void save(TrainingState& state) const override {
    state.arrays["first"] = first_;
    state.arrays["previous"] = previous_;
    state.numbers["coins"] = coins_.counter();
  }
  void restore(const TrainingState& state, std::size_t n_terms) override {
    first_ = saved_terms(state, "first", n_terms);
    previous_ = saved_terms(state, "previous", n_terms);
    coins_.set_counter(number_of(state, "coins", balancer_place));
  }

 private:
  /// w(now, then), for terms that have both losses; others keep their factor.
  [[nodiscard]] std::vector<double> relative(std::span<const double> now,
                                             std::span<const double> then,
                                             std::vector<double> factors) const {
    std::vector<double> exponents(now.size(), 0.0);
    std::vector<bool> part(now.size());
    for (std::size_t t = 0; t < now.size(); ++t) {
      part[t] = now[t] > 0 && then[t] > 0;
      if (!part[t]) continue;
      exponents[t] =
          std::min(now[t] / then[t] / options_.temperature, std::numeric_limits<double>::max());
    }
    softmax_factors(exponents, part, factors);
    return factors;
  }

  RelobraloBalancer options_;
  Rng coins_;
  std::vector<double> first_, previous_;  // losses at the first update and at the last one
};

}  // namespace

std::unique_ptr<Balancer> make_relobralo(const RelobraloBalancer& options, std::uint64_t seed) {
  return make_periodic(options.period, std::make_unique<Relobralo>(options, seed));
}

}  // namespace detail
}  // namespace cauchy
