#include <cauchy/optimizers/adam.hpp>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

#include "optimizers/adam_update.hpp"
#include "optimizers/vector_ops.hpp"

namespace cauchy {
namespace {

constexpr std::string_view adam_place = "[optimizers.adam]", adamw_place = "[optimizers.adamw]";

}  // namespace

Adam::Adam(std::size_t n_parameters, const AdamOptions& options)
    : options_(options), m_(n_parameters, 0.0), v_(n_parameters, 0.0) {
  detail::require_positive("learning_rate", options.learning_rate, adam_place);
  detail::require_not_negative("clip_norm", options.clip_norm, adam_place);
  detail::check_adam_options(options, adam_place);
}

void Adam::set_learning_rate(double rate) {
  detail::require_positive("learning_rate", rate, adam_place);
  options_.learning_rate = rate;
}

void Adam::step(std::span<double> theta, std::span<const double> gradient) {
  if (theta.size() != m_.size() || gradient.size() != m_.size()) {
    throw Error(fmt::format("this optimiser is for {} parameters, got {} and a gradient of {}",
                            m_.size(), theta.size(), gradient.size()),
                adam_place);
  }
  ++t_;
  const detail::AdamStep step(options_, options_.learning_rate, t_);
  const double norm = options_.clip_norm > 0 ? detail::norm(gradient) : 0;
  if (norm > options_.clip_norm) {
    std::vector<double> g(gradient.begin(), gradient.end());
    for (double& e : g) e *= options_.clip_norm / norm;
    detail::adam_update(step, theta, g, m_, v_);
  } else {
    detail::adam_update(step, theta, gradient, m_, v_);
  }
}

void Adam::save(OptimizerState& state) const {
  state.arrays["m"] = m_;
  state.arrays["v"] = v_;
  state.numbers["t"] = t_;
}

void Adam::restore(const OptimizerState& state) {
  const auto m = detail::array_of(state, "m", adam_place);
  const auto v = detail::array_of(state, "v", adam_place);
  const std::uint64_t t = detail::number_of(state, "t", adam_place);
  detail::require_consistent(m.size() == v.size(), adam_place);
  m_.assign(m.begin(), m.end());
  v_.assign(v.begin(), v.end());
  t_ = t;
}

AdamOptimizer::AdamOptimizer(const AdamOptions& options, const Schedule& schedule)
    : FirstOrder({adam_place, options.learning_rate, options.clip_norm, {"m", "v"}}, schedule),
      options_(options) {
  detail::check_adam_options(options, adam_place);
}

bool AdamOptimizer::update(std::span<double> x, std::span<const double> g, double rate,
                           std::uint64_t t, Moments moments) {
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
