#include <cauchy/optimizers/first_order.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cauchy/base/error.hpp>
#include <cmath>
#include <utility>

#include "optimizers/option_checks.hpp"
#include "optimizers/vector_ops.hpp"

namespace cauchy {
namespace {

constexpr std::size_t most_moments = 4;

}  // namespace

FirstOrder::FirstOrder(Common common, const Schedule& schedule)
    : common_(std::move(common)),
      schedule_(schedule),
      rate_(common_.learning_rate),
      moments_(common_.moments.size()) {
  detail::require_positive("learning_rate", common_.learning_rate, common_.place);
  detail::require_not_negative("clip_norm", common_.clip_norm, common_.place);
  check_options(schedule);
  if (common_.moments.size() > most_moments) {
    throw Error(fmt::format("a method has at most {} moments, got {}", most_moments,
                            common_.moments.size()),
                common_.place);
  }
}

/// Puts x back to the best point, with its value in the report.
void FirstOrder::fail(StepStatus status, Objective& objective, std::span<double> x,
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
    if (!std::isfinite(best_value_) || !std::isfinite(best_gradient_norm_)) {
      // Not finite under the objective of now: no point is known, and any finite one will be best.
      report.value = best_value_;
      report.gradient_norm = best_gradient_norm_;
      best_value_ = std::numeric_limits<double>::infinity();
      best_gradient_norm_ = 0;
      return;
    }
  }
  report.value = best_value_;
  report.gradient_norm = best_gradient_norm_;
}

/// Keeps x in previous_x_, updates it, and leaves the move in g_: one piece after the other, so
/// that the numbers of a piece are still in the cache. Returns what update() says.
bool FirstOrder::move(std::span<double> x) {
  constexpr std::size_t piece = 8192;
  const std::size_t n_pieces = common_.by_entry ? chunk_count(n_, piece) : 1;
  std::atomic<bool> turning = false;
  const auto work = [&](std::size_t i, int /*worker*/) {
    const IndexRange at = chunk_range(n_, n_pieces, i);
    std::array<std::span<double>, most_moments> moments;
    for (std::size_t k = 0; k < moments_.size(); ++k) {
      moments[k] = std::span(moments_[k]).subspan(at.begin, at.size());
    }
    const auto here = x.subspan(at.begin, at.size());
    const auto g = std::span(g_).subspan(at.begin, at.size());
    std::copy(here.begin(), here.end(),
              previous_x_.begin() + static_cast<std::ptrdiff_t>(at.begin));
    if (update(here, g, rate_, t_, std::span(moments).first(moments_.size()))) turning = true;
    for (std::size_t j = 0; j < at.size(); ++j) g[j] = here[j] - previous_x_[at.begin + j];
  };
  if (pool_ && n_pieces > 8) {
    pool_->run(n_pieces, work);
  } else {
    for (std::size_t i = 0; i < n_pieces; ++i) work(i, 0);
  }
  return turning;
}

StepReport FirstOrder::step(Objective& objective, std::span<double> x) {
  detail::check_sizes(objective, x.size(), n_, common_.place);
  if (n_ == 0) {
    begin(x.size());
    for (auto& moment : moments_) moment.assign(x.size(), 0.0);
    n_ = x.size();
  }
  g_.resize(n_);
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
  previous_x_.resize(n_);
  if (report.gradient_norm == 0) {
    std::copy(x.begin(), x.end(), previous_x_.begin());
    report.status = StepStatus::converged;
    report.at_x = true;
    return report;
  }
  if (common_.clip_norm > 0 && report.gradient_norm > common_.clip_norm) {
    const double shorter = common_.clip_norm / report.gradient_norm;
    for (double& e : g_) e *= shorter;
  }
  rate_ = common_.learning_rate * schedule_factor(schedule_, t_, report.value, plateau_);
  ++t_;
  const bool turning = move(x);
  report.step_norm = detail::norm(g_);
  if (report.step_norm == 0 && !turning) report.status = StepStatus::stalled;
  if (!std::isfinite(report.step_norm)) fail(StepStatus::diverged, objective, x, report);
  return report;
}

void FirstOrder::objective_changed() {
  // Values of the old objective cannot be compared with those of the new one; the last point was
  // finite, which is all that is still known.
  best_value_ = std::numeric_limits<double>::infinity();
  best_x_ = previous_x_;
  forget_values(plateau_);
}

void FirstOrder::save(OptimizerState& state) const {
  state = {};
  state.numbers[std::string(name())] = 1;
  state.numbers["has_best"] = has_best_ ? 1 : 0;
  state.numbers["t"] = t_;
  state.arrays["best_x"] = best_x_;
  state.arrays["best"] = {best_value_, best_gradient_norm_};
  state.arrays["previous_x"] = previous_x_;
  for (std::size_t k = 0; k < moments_.size(); ++k) {
    state.arrays[common_.moments[k]] = moments_[k];
  }
  if (schedule_.shape == ScheduleShape::plateau) {
    state.arrays["plateau"] = {plateau_.factor, plateau_.best};
    state.numbers["plateau_bad_steps"] = plateau_.bad_steps;
    state.numbers["plateau_cooldown_left"] = plateau_.cooldown_left;
  }
  save_more(state);
}

void FirstOrder::restore(const OptimizerState& state) {
  const std::string_view place = common_.place;
  const auto copy = [&](const std::string& key) {
    const auto values = detail::array_of(state, key, place);
    return std::vector<double>(values.begin(), values.end());
  };
  (void)detail::number_of(state, std::string(name()), place);
  const bool has_best = detail::number_of(state, "has_best", place) != 0;
  const std::uint64_t t = detail::number_of(state, "t", place);
  auto best_x = copy("best_x"), best = copy("best"), previous_x = copy("previous_x");
  std::vector<std::vector<double>> moments;
  for (const std::string& key : common_.moments) moments.push_back(copy(key));
  // Without moments and points a state has no size of its own.
  const std::size_t n = !moments.empty() ? moments[0].size() : has_best ? best_x.size() : n_;
  const std::size_t n_points = has_best ? n : 0;
  bool fits = best.size() == 2 && best_x.size() == n_points && previous_x.size() == n_points &&
              (n_ == 0 || n_ == n) && (n > 0 || !has_best);
  for (const auto& moment : moments) fits = fits && moment.size() == n;
  PlateauState plateau;
  if (schedule_.shape == ScheduleShape::plateau) {
    const auto values = copy("plateau");
    fits = fits && values.size() == 2 && values[0] > 0 && values[0] <= 1;
    if (fits) plateau = {.factor = values[0], .best = values[1]};
    plateau.bad_steps = detail::number_of(state, "plateau_bad_steps", place);
    plateau.cooldown_left = detail::number_of(state, "plateau_cooldown_left", place);
  }
  detail::require_consistent(fits, place);
  restore_more(state, n);

  n_ = n;
  t_ = t;
  rate_ = common_.learning_rate;
  plateau_ = plateau;
  moments_ = std::move(moments);
  has_best_ = has_best;
  best_value_ = best[0];
  best_gradient_norm_ = best[1];
  best_x_ = std::move(best_x);
  previous_x_ = std::move(previous_x);
}

}  // namespace cauchy
