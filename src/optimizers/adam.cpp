#include <cauchy/optimizers/adam.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cauchy/base/error.hpp>
#include <cmath>

#include "optimizers/vector_ops.hpp"

namespace cauchy {
namespace {

constexpr std::string_view place = "[optimizers.adam]";

void require_positive(std::string_view what, double value) {
  if (!(value > 0) || !std::isfinite(value)) {
    throw Error(fmt::format("{} must be positive, got {}", what, value), place);
  }
}

void require_fraction(std::string_view what, double value) {
  if (!(value >= 0 && value < 1)) {
    throw Error(fmt::format("{} must be in [0, 1), got {}", what, value), place);
  }
}

}  // namespace

Adam::Adam(std::size_t n_parameters, const AdamOptions& options)
    : options_(options), m_(n_parameters, 0.0), v_(n_parameters, 0.0) {
  require_positive("learning_rate", options.learning_rate);
  require_positive("epsilon", options.epsilon);
  require_fraction("beta1", options.beta1);
  require_fraction("beta2", options.beta2);
}

void Adam::set_learning_rate(double rate) {
  require_positive("learning_rate", rate);
  options_.learning_rate = rate;
}

void Adam::step(std::span<double> theta, std::span<const double> gradient) {
  if (theta.size() != m_.size() || gradient.size() != m_.size()) {
    throw Error(fmt::format("this optimiser is for {} parameters, got {} and a gradient of {}",
                            m_.size(), theta.size(), gradient.size()),
                place);
  }
  ++t_;
  const double b1 = options_.beta1, b2 = options_.beta2;
  const double rate = options_.learning_rate / (1 - std::pow(b1, static_cast<double>(t_)));
  const double correction = 1 / (1 - std::pow(b2, static_cast<double>(t_)));
  for (std::size_t i = 0; i < m_.size(); ++i) {
    const double g = gradient[i];
    m_[i] = b1 * m_[i] + (1 - b1) * g;
    v_[i] = b2 * v_[i] + (1 - b2) * g * g;
    theta[i] -= rate * m_[i] / (std::sqrt(v_[i] * correction) + options_.epsilon);
  }
}

void Adam::save(OptimizerState& state) const {
  state.arrays["m"] = m_;
  state.arrays["v"] = v_;
  state.numbers["t"] = t_;
}

void Adam::restore(const OptimizerState& state) {
  const auto m = detail::array_of(state, "m", place), v = detail::array_of(state, "v", place);
  const std::uint64_t t = detail::number_of(state, "t", place);
  detail::require_consistent(m.size() == v.size(), place);
  m_.assign(m.begin(), m.end());
  v_.assign(v.begin(), v.end());
  t_ = t;
}

AdamOptimizer::AdamOptimizer(const AdamOptions& options, const Schedule& schedule)
    : options_(options), schedule_(schedule), adam_(0, options) {
  check_options(schedule);
}

/// Puts x back to the best point, with its value in the report.
void AdamOptimizer::fail(StepStatus status, Objective& objective, std::span<double> x,
                         StepReport& report) {
  report.status = status;
  report.at_x = true;
  report.step_norm = 0;
  if (!has_best_) return;
  std::copy(best_x_.begin(), best_x_.end(), x.begin());
  if (std::isinf(best_value_)) {
    best_value_ = objective.gradient(x, g_);
    best_gradient_norm_ = detail::norm(g_);
    ++report.evaluations;
  }
  report.value = best_value_;
  report.gradient_norm = best_gradient_norm_;
}

StepReport AdamOptimizer::step(Objective& objective, std::span<double> x) {
  detail::check_sizes(objective, x.size(), adam_.size(), place);
  if (adam_.size() == 0) adam_ = Adam(x.size(), options_);
  g_.resize(x.size());
  StepReport report;
  report.at_x = false;
  report.value = objective.gradient(x, g_);
  report.gradient_norm = detail::norm(g_);
  report.evaluations = 1;
  if (!std::isfinite(report.value) || !std::isfinite(report.gradient_norm) ||
      !detail::all_finite(x)) {
    fail(StepStatus::not_finite, objective, x, report);
    return report;
  }
  if (!has_best_ || report.value < best_value_) {
    has_best_ = true;
    best_value_ = report.value;
    best_gradient_norm_ = report.gradient_norm;
    best_x_.assign(x.begin(), x.end());
  }
  previous_x_.assign(x.begin(), x.end());
  if (report.gradient_norm == 0) {
    report.status = StepStatus::converged;
    report.at_x = true;
    return report;
  }
  adam_.set_learning_rate(options_.learning_rate * schedule_factor(schedule_, adam_.steps()));
  adam_.step(x, g_);
  for (std::size_t i = 0; i < x.size(); ++i) g_[i] = x[i] - previous_x_[i];
  report.step_norm = detail::norm(g_);
  if (report.step_norm == 0) report.status = StepStatus::stalled;
  if (!std::isfinite(report.step_norm)) fail(StepStatus::diverged, objective, x, report);
  return report;
}

void AdamOptimizer::objective_changed() {
  // Values of the old objective cannot be compared with those of the new one; the last point was
  // finite, which is all that is still known.
  best_value_ = std::numeric_limits<double>::infinity();
  best_x_ = previous_x_;
}

void AdamOptimizer::save(OptimizerState& state) const {
  state = {};
  state.numbers["adam"] = 1;
  state.numbers["has_best"] = has_best_ ? 1 : 0;
  adam_.save(state);
  state.arrays["best_x"] = best_x_;
  state.arrays["best"] = {best_value_, best_gradient_norm_};
  state.arrays["previous_x"] = previous_x_;
}

void AdamOptimizer::restore(const OptimizerState& state) {
  (void)detail::number_of(state, "adam", place);
  const bool has_best = detail::number_of(state, "has_best", place) != 0;
  const auto best_x = detail::array_of(state, "best_x", place);
  const auto best = detail::array_of(state, "best", place);
  const auto previous_x = detail::array_of(state, "previous_x", place);
  Adam adam(0, options_);
  adam.restore(state);
  const std::size_t n = adam.size();
  const std::size_t n_points = has_best ? n : 0;
  detail::require_consistent(best.size() == 2 && best_x.size() == n_points &&
                                 previous_x.size() == n_points &&
                                 (adam_.size() == 0 || adam_.size() == n),
                             place);
  adam_ = std::move(adam);
  has_best_ = has_best;
  best_value_ = best[0];
  best_gradient_norm_ = best[1];
  best_x_.assign(best_x.begin(), best_x.end());
  previous_x_.assign(previous_x.begin(), previous_x.end());
}

}  // namespace cauchy
