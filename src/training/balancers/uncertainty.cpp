#include <algorithm>
#include <cmath>

#include <cauchy/base/options.hpp>

#include "training/balancers/balancers.hpp"
#include "training/balancers/periodic.hpp"

namespace cauchy {

void visit_options(UncertaintyBalancer& o, OptionVisitor& v) {
  static const Words<UncertaintyBalancer::Form> forms = {
      {"sigma", UncertaintyBalancer::Form::sigma}, {"gamma", UncertaintyBalancer::Form::gamma}};
  v.word("form", o.form, forms);
  v.number("learning_rate", o.learning_rate, NumberRange::positive);
  v.count("period", o.period, 1);
}

namespace detail {
namespace {

/// The factors hold the scales: lambda = 1 / (2 sigma^2) or exp(-gamma), so that a step along the
/// slope of log sigma or gamma multiplies lambda.
class Uncertainty final : public FactorRule {
 public:
  explicit Uncertainty(const UncertaintyBalancer& options) : options_(options) {}

  void update(TrainingLoss& loss, std::span<const double> theta,
              std::span<double> factors) override {
    const std::vector<double> losses = comparable_losses(loss, theta);
    const double rate = options_.learning_rate;
    for (std::size_t t = 0; t < factors.size(); ++t) {
      if (!(losses[t] > 0)) continue;
      const double part = factors[t] * losses[t];
      if (options_.form == UncertaintyBalancer::Form::sigma) {
        const double slope = std::clamp(1 - 2 * part, -1.0, 1.0);  // d / d log sigma
        factors[t] *= std::exp(2 * rate * slope);
      } else {
        const double slope = std::clamp(0.5 - part, -1.0, 1.0);  // d / d gamma
        factors[t] *= std::exp(rate * slope);
      }
    }
  }

 private:
  UncertaintyBalancer options_;
};

}  // namespace

std::unique_ptr<Balancer> make_uncertainty(const UncertaintyBalancer& options) {
  return make_periodic(options.period, std::make_unique<Uncertainty>(options));
}

}  // namespace detail
}  // namespace cauchy
