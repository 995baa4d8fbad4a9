#include <algorithm>
#include <limits>

#include <cauchy/base/options.hpp>

#include "training/balancers/balancers.hpp"
#include "training/balancers/periodic.hpp"

namespace cauchy {

void visit_options(SoftAdaptBalancer& o, OptionVisitor& v) {
  static const Words<SoftAdaptBalancer::Rate> rates = {
      {"ratio", SoftAdaptBalancer::Rate::ratio},
      {"difference", SoftAdaptBalancer::Rate::difference}};
  v.word("rate", o.rate, rates);
  v.number("beta", o.beta, NumberRange::positive);
  v.count("period", o.period, 1);
}

namespace detail {
namespace {

class SoftAdapt final : public FactorRule {
 public:
  explicit SoftAdapt(const SoftAdaptBalancer& options) : options_(options) {}

  void update(TrainingLoss& loss, std::span<const double> theta,
              std::span<double> factors) override {
    std::vector<double> losses = comparable_losses(loss, theta);
    if (!previous_.empty()) {
      std::vector<double> exponents(losses.size(), 0.0);
      std::vector<bool> part(losses.size());
      for (std::size_t t = 0; t < losses.size(); ++t) {
        part[t] = losses[t] > 0 && previous_[t] > 0;
        if (!part[t]) continue;
        const double rate = options_.rate == SoftAdaptBalancer::Rate::ratio
                                ? losses[t] / previous_[t]
                                : losses[t] - previous_[t];
        exponents[t] = std::min(options_.beta * rate, std::numeric_limits<double>::max());
      }
      softmax_factors(exponents, part, factors);
    }
    previous_ = std::move(losses);
  }
  void save(TrainingState& state) const override { state.arrays["previous"] = previous_; }
  void restore(const TrainingState& state, std::size_t n_terms) override {
    previous_ = saved_terms(state, "previous", n_terms);
  }

 private:
  SoftAdaptBalancer options_;
  std::vector<double> previous_;  // losses at the last update
};

}  // namespace

std::unique_ptr<Balancer> make_softadapt(const SoftAdaptBalancer& options) {
  return make_periodic(options.period, std::make_unique<SoftAdapt>(options));
}

}  // namespace detail
}  // namespace cauchy
