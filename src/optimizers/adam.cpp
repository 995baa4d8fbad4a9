#include <cauchy/optimizers/adam.hpp>

#include "optimizers/adam_update.hpp"

namespace cauchy {
namespace {

constexpr std::string_view adam_place = "[optimizers.adam]", adamw_place = "[optimizers.adamw]";

}  // namespace

Adam::Adam(const AdamOptions& options, const Schedule& schedule)
    : FirstOrder({adam_place, options.learning_rate, options.clip_norm, {"m", "v"}}, schedule),
      options_(options) {
  detail::check_adam_options(options, adam_place);
}

bool Adam::update(std::span<double> x, std::span<const double> g, double rate, std::uint64_t t,
                  Moments moments) {
  detail::adam_update(detail::AdamStep(options_, rate, t), x, g, moments[0], moments[1]);
  return false;
}

AdamW::AdamW(const AdamWOptions& options, const Schedule& schedule)
    : FirstOrder({adamw_place, options.learning_rate, options.clip_norm, {"m", "v"}}, schedule),
      options_(options) {
  detail::check_adam_options(options, adamw_place);
  detail::require_not_negative("weight_decay", options.weight_decay, adamw_place);
}

bool AdamW::update(std::span<double> x, std::span<const double> g, double rate, std::uint64_t t,
                   Moments moments) {
  const double kept = 1 - rate * options_.weight_decay;
  for (double& e : x) e *= kept;
  detail::adam_update(detail::AdamStep(options_, rate, t), x, g, moments[0], moments[1]);
  return false;
}

}  // namespace cauchy
