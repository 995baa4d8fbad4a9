#include <cauchy/optimizers/levenberg_marquardt.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cauchy/base/error.hpp>
#include <cauchy/optimizers/least_squares.hpp>
#include <cmath>
#include <limits>

#include "optimizers/linear_model.hpp"
#include "optimizers/vector_ops.hpp"

namespace cauchy {
namespace {

using detail::norm;

constexpr std::string_view lm_place = "[optimizers.levenberg_marquardt]";
constexpr double lm_rounding = 64 * std::numeric_limits<double>::epsilon();

}  // namespace

std::string_view to_string(DampingScale scale) noexcept {
  switch (scale) {
    case DampingScale::identity:
      return "identity";
    case DampingScale::marquardt:
      return "marquardt";
  }
  return "unknown";
}

std::string_view to_string(DampingRule rule) noexcept {
  switch (rule) {
    case DampingRule::gain_ratio:
      return "gain_ratio";
    case DampingRule::delayed:
      return "delayed";
  }
  return "unknown";
}

LevenbergMarquardt::LevenbergMarquardt(const LevenbergMarquardtOptions& options)
    : options_(options),
      model_(std::make_unique<detail::LinearModel>(options.equations, lm_place)) {
  if (!(options.initial_damping > 0) || std::isinf(options.initial_damping)) {
    throw Error(
        fmt::format("initial_damping must be positive and finite, got {}", options.initial_damping),
        lm_place);
  }
  if (options.max_rejected == 0) throw Error("max_rejected must be at least 1, got 0", lm_place);
  if (options.scale == DampingScale::marquardt && model_->matrix_free()) {
    throw Error("marquardt scaling needs the columns of J, which matrix_free does not form",
                lm_place, "use scale = identity or another space");
  }
}

LevenbergMarquardt::~LevenbergMarquardt() = default;

void LevenbergMarquardt::check_fits(const Objective& objective) const {
  model_->check_fits(objective);
}

void LevenbergMarquardt::objective_changed() { model_->forget(); }

/// D <- max(D, |J_j|^2), and the model damps with it. A column that was always zero gets 1.
void LevenbergMarquardt::apply_scale() {
  if (options_.scale == DampingScale::identity) return;
  const auto diagonal = model_->diagonal();
  scale_.resize(n_, 0.0);
  std::vector<double> inverse_root(n_);
  for (std::size_t i = 0; i < n_; ++i) {
    scale_[i] = std::max(scale_[i], diagonal[i]);
    inverse_root[i] = scale_[i] > 0 ? 1 / std::sqrt(scale_[i]) : 1.0;
  }
  model_->scale(inverse_root);
}

StepReport LevenbergMarquardt::step(Objective& objective, std::span<double> x) {
  LeastSquares& f = detail::require_residuals(objective, name(), lm_place);
  detail::check_sizes(objective, x.size(), n_, lm_place);
  n_ = x.size();
  for (auto* v : {&d_, &c_, &trial_x_}) v->resize(n_);
  StepReport report;
  if (!model_->at(f, x)) {
    ++report.evaluations;
    if (!model_->evaluate(f, x)) {
      report.status = StepStatus::not_finite;
      report.value = model_->value();
      report.gradient_norm = 2 * norm(model_->g());
      return report;
    }
    apply_scale();
  }
  report.value = model_->value();
  report.gradient_norm = 2 * norm(model_->g());
  if (report.gradient_norm == 0) {
    report.status = StepStatus::converged;
    return report;
  }
  if (mu_ == 0) {
    reset_damping();
    const bool scaled = options_.scale == DampingScale::marquardt;
    mu_ = options_.initial_damping * (scaled ? 1.0 : model_->curvature(f));
    if (!(mu_ > 0)) mu_ = options_.initial_damping;
  }
  if (model_->matrix_free()) {
    forcing_ = detail::forcing_term(report.gradient_norm, last_gradient_);
    last_gradient_ = report.gradient_norm;
  }
  for (auto* v : {&trial_r_, &jd_, &second_}) v->resize(model_->r().size());
  bool any_finite = false;
  std::uint64_t rejected = 0;
  const auto stay = [&](StepStatus status) {
    if (rejected > 0) reset_damping();  // kept as it is, mu would make every later step vanish
    report.status = status;
    return report;
  };
  for (; rejected < options_.max_rejected; ++rejected) {
    double gain = -1;
    if (model_->solve(f, mu_, model_->r(), forcing_, d_)) {
      const double predicted = model_->predicted(d_, mu_);
      const bool tiny = predicted <= lm_rounding * report.value;
      // Below rounding second differences are noise, and the plain step says how things stand.
      const bool fit = !options_.acceleration || tiny || accelerate(f, x, report);
      for (std::size_t i = 0; i < n_; ++i) trial_x_[i] = x[i] + d_[i];
      if (std::equal(trial_x_.begin(), trial_x_.end(), x.begin())) {
        return stay(rejected > 0 && !any_finite ? StepStatus::not_finite : StepStatus::stalled);
      }
      if (fit && detail::all_finite(trial_x_)) {
        f.residuals(trial_x_, trial_r_);
        ++report.evaluations;
        const double actual = detail::decrease(model_->r(), trial_r_);
        if (std::isfinite(actual) && predicted > 0) gain = actual / predicted;
        if (!(gain > 0) && std::isfinite(actual) && tiny) return stay(StepStatus::stalled);
        if (gain > 0 && !move(f, x, report)) {
          if (!come_back(f, x, report)) return stay(StepStatus::not_finite);
          gain = -1;
        } else {
          any_finite = any_finite || std::isfinite(actual);
        }
      }
    }
    adapt(gain, rejected);
    if (gain > 0) return report;
    if (!std::isfinite(mu_) || !std::isfinite(nu_)) break;
  }
  rejected = std::max<std::uint64_t>(rejected, 1);
  return stay(any_finite ? StepStatus::line_search_failed : StepStatus::not_finite);
}

/// d_ <- d + c / 2; false when c is not small against d or not finite.
bool LevenbergMarquardt::accelerate(LeastSquares& f, std::span<const double> x,
                                    StepReport& report) {
  // r'' ~ 2 / h ((r(x + h d) - r) / h - J d): h balances truncation and rounding, and the
  // correction need not be exact.
  constexpr double h = 0.1;
  model_->times(f, d_, jd_);
  for (std::size_t i = 0; i < n_; ++i) trial_x_[i] = x[i] + h * d_[i];
  if (!detail::all_finite(trial_x_)) return false;
  f.residuals(trial_x_, trial_r_);
  ++report.evaluations;
  const auto r = model_->r();
  for (std::size_t i = 0; i < r.size(); ++i) {
    second_[i] = 2 / h * ((trial_r_[i] - r[i]) / h - jd_[i]);
  }
  if (!detail::all_finite(second_) || !model_->solve(f, mu_, second_, forcing_, c_)) return false;
  // In the norm of the damping, which does not depend on the units of the parameters.
  if (!(model_->scaled_norm(c_) <= 0.75 * model_->scaled_norm(d_))) return false;
  detail::add_scaled(0.5, c_, d_);
  return true;
}

/// mu for the next trial.
void LevenbergMarquardt::adapt(double gain, std::uint64_t rejected) {
  const bool delayed = options_.rule == DampingRule::delayed;
  if (gain > 0) {
    mu_ *= delayed ? 0.2 : std::max(1.0 / 3, 1 - std::pow(2 * std::min(gain, 1.0) - 1, 3));
    nu_ = delayed ? 1.5 : 2;
  } else {
    mu_ *= nu_;
    // Far off, the delayed rule hurries too.
    if (!delayed || rejected >= 12) nu_ *= 2;
  }
  mu_ = std::max(mu_, std::numeric_limits<double>::min());
}

/// mu = 0: the next step starts from initial_damping.
void LevenbergMarquardt::reset_damping() noexcept {
  mu_ = 0;
  nu_ = options_.rule == DampingRule::delayed ? 1.5 : 2;
}

/// Takes the trial. False when J is not finite there: residuals without derivatives are of no use,
/// x stays where it is, and the model is lost.
bool LevenbergMarquardt::move(LeastSquares& f, std::span<double> x, StepReport& report) {
  ++report.evaluations;
  if (!model_->evaluate(f, trial_x_)) return false;
  apply_scale();
  report.step_norm = norm(d_);
  std::copy(trial_x_.begin(), trial_x_.end(), x.begin());
  report.value = model_->value();
  report.gradient_norm = 2 * norm(model_->g());
  if (report.gradient_norm == 0) report.status = StepStatus::converged;
  return true;
}

/// The model at x again, after move() lost it.
bool LevenbergMarquardt::come_back(LeastSquares& f, std::span<const double> x, StepReport& report) {
  ++report.evaluations;
  if (!model_->evaluate(f, x)) return false;
  apply_scale();
  return true;
}

void LevenbergMarquardt::save(OptimizerState& state) const {
  state = {};
  state.numbers["levenberg_marquardt"] = 1;
  state.numbers["parameters"] = n_;
  state.arrays["damping"] = {mu_, nu_};
  state.arrays["forcing"] = {last_gradient_, forcing_};
  state.arrays["scale"] = scale_;
}

void LevenbergMarquardt::restore(const OptimizerState& state) {
  (void)detail::number_of(state, "levenberg_marquardt", lm_place);
  const std::uint64_t n = detail::number_of(state, "parameters", lm_place);
  const auto damping = detail::array_of(state, "damping", lm_place);
  const auto forcing = detail::array_of(state, "forcing", lm_place);
  const auto scale = detail::array_of(state, "scale", lm_place);
  const bool scaled = options_.scale == DampingScale::marquardt;
  detail::require_consistent(damping.size() == 2 && forcing.size() == 2 && (n_ == 0 || n_ == n) &&
                                 (scale.empty() || (scaled && scale.size() == n)) &&
                                 damping[0] >= 0 && damping[1] > 1 && detail::all_finite(damping),
                             lm_place);
  n_ = n;
  mu_ = damping[0];
  nu_ = damping[1];
  last_gradient_ = forcing[0];
  forcing_ = forcing[1];
  scale_.assign(scale.begin(), scale.end());
  model_->forget();
}

}  // namespace cauchy
