#include <cauchy/optimizers/rmsprop.hpp>

#include <cmath>

#include "optimizers/option_checks.hpp"

namespace cauchy {
namespace {

constexpr std::string_view rmsprop_place = "[optimizers.rmsprop]";

}  // namespace

RmsProp::RmsProp(const RmsPropOptions& options, const Schedule& schedule)
    : FirstOrder({rmsprop_place, options.learning_rate, options.clip_norm, {"mean_square"}},
                 schedule),
      beta_(options.beta),
      epsilon_(options.epsilon) {
  detail::require_fraction("beta", beta_, rmsprop_place);
  detail::require_positive("epsilon", epsilon_, rmsprop_place);
}

bool RmsProp::update(std::span<double> x, std::span<const double> g, double rate,
                     std::uint64_t /*t*/, Moments moments) {
  const std::span<double> s = moments[0];
  for (std::size_t i = 0; i < x.size(); ++i) {
    s[i] = beta_ * s[i] + (1 - beta_) * g[i] * g[i];
    x[i] -= rate * g[i] / (std::sqrt(s[i]) + epsilon_);
  }
  return false;
}

}  // namespace cauchy
