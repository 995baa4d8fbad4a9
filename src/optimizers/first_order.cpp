#include <cauchy/optimizers/first_order.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cauchy/base/error.hpp>
#include <cmath>
#include <utility>

#include "optimizers/option_checks.hpp"
#include "optimizers/vector_ops.hpp"

namespace cauchy {
namespace {

constexpr std::size_t most_moments = 4;

/// Entries of a vector that a worker takes at a time: some blocks of detail::dot, a power of two,
/// so that a sum over pieces has its bits.
constexpr std::size_t piece = 2048;

/// work(i, range) for the pieces of a vector of n numbers, by the workers of a pool where they are
/// many.
template <class Work>
void for_each_piece(Threads* pool, std::size_t n, const Work& work) {
  const std::size_t n_pieces = chunk_count(n, piece);
  const auto one = [&](std::size_t i, int /*worker*/) {
    work(i, IndexRange{i * piece, std::min(n, (i + 1) * piece)});
  };
  if (pool != nullptr && n_pieces > 8) {
    pool->run(n_pieces, one);
  } else {
    for (std::size_t i = 0; i < n_pieces; ++i) one(i, 0);
  }
}

/// What detail::dot gives, of its pieces.
double sum_of_pieces(std::span<const double> pieces) noexcept {
  const std::size_t n = pieces.size();
  if (n <= 1) return n == 0 ? 0 : pieces[0];
  const std::size_t half = std::bit_floor(n - 1);
  return sum_of_pieces(pieces.first(half)) + sum_of_pieces(pieces.subspan(half));
}

/// A sum of squares that lost nothing to overflow or underflow.
bool is_safe_square(double square) noexcept { return square > 1e-280 && square < 1e300; }

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
  // While every step goes lower the best point is the one before the last move: best_x_ is empty.
  const std::vector<double>& best_x = best_x_.empty() ? previous_x_ : best_x_;
  std::copy(best_x.begin(), best_x.end(), x.begin());
  if (std::isinf(best_value_)) {
    const auto gradient = std::span(g_).first(n_);
    best_value_ = objective.gradient(x, gradient);
    best_gradient_norm_ = detail::norm(gradient);
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

/// Keeps x in previous_x_ and updates it, and leaves the squares of the pieces of the move behind
/// the gradient: one piece after the other, so that its numbers are still in the cache. Returns
/// what update() says.
bool FirstOrder::move(std::span<double> x) {
  std::atomic<bool> turning = false;
  const auto update_range = [&](IndexRange at) {
    std::array<std::span<double>, most_moments> moments;
    for (std::size_t k = 0; k < moments_.size(); ++k) {
      moments[k] = std::span(moments_[k]).subspan(at.begin, at.size());
    }
    const auto here = x.subspan(at.begin, at.size());
    std::copy(here.begin(), here.end(),
              previous_x_.begin() + static_cast<std::ptrdiff_t>(at.begin));
    const auto g = std::span<const double>(g_).subspan(at.begin, at.size());
    if (update(here, g, rate_, t_, std::span(moments).first(moments_.size()))) turning = true;
  };
  if (!common_.by_entry) update_range({0, n_});
  for_each_piece(pool_.get(), n_, [&](std::size_t i, IndexRange at) {
    if (common_.by_entry) update_range(at);
    std::array<double, piece> moved;
    for (std::size_t j = at.begin; j < at.end; ++j) moved[j - at.begin] = x[j] - previous_x_[j];
    const auto v = std::span<const double>(moved).first(at.size());
    g_[n_ + i] = detail::dot(v, v);
  });
  return turning;
}

StepReport FirstOrder::step(Objective& objective, std::span<double> x) {
  detail::check_sizes(objective, x.size(), n_, common_.place);
  if (n_ == 0) {
    begin(x.size());
    for (auto& moment : moments_) moment.assign(x.size(), 0.0);
    n_ = x.size();
  }
  // The gradient, and a sum for each of its pieces.
  g_.resize(n_ + chunk_count(n_, piece));
  const auto gradient = std::span(g_).first(n_), pieces = std::span(g_).subspan(n_);
  const auto norm_of = [&](std::span<const double> v) {  // with the squares of its pieces
    const double square = sum_of_pieces(pieces);
    return is_safe_square(square) ? std::sqrt(square) : detail::norm(v);
  };
  StepReport report;
  report.at_x = false;
  report.value = objective.gradient(x, gradient);
  report.evaluations = 1;
  std::atomic<bool> finite = true;
  for_each_piece(pool_.get(), n_, [&](std::size_t i, IndexRange at) {
    if (!detail::all_finite(x.subspan(at.begin, at.size()))) finite = false;
    const auto g = gradient.subspan(at.begin, at.size());
    pieces[i] = detail::dot(g, g);
  });
  report.gradient_norm = norm_of(gradient);
  if (!std::isfinite(report.value) || !std::isfinite(report.gradient_norm) || !finite) {
    fail(StepStatus::not_finite, objective, x, report);
    return report;
  }
  if (!has_best_ || report.value < best_value_) {
    has_best_ = true;
    best_value_ = report.value;
    best_gradient_norm_ = report.gradient_norm;
    best_x_.clear();  // x will be the previous point, see fail()
  } else if (best_x_.empty()) {
    std::swap(best_x_, previous_x_);
  }
  previous_x_.resize(n_);
  best_x_.reserve(n_);
  if (report.gradient_norm == 0) {
    std::copy(x.begin(), x.end(), previous_x_.begin());
    report.status = StepStatus::converged;
    report.at_x = true;
    return report;
  }
  if (common_.clip_norm > 0 && report.gradient_norm > common_.clip_norm) {
    const double shorter = common_.clip_norm / report.gradient_norm;
    for (double& e : gradient) e *= shorter;
  }
  rate_ = common_.learning_rate * schedule_factor(schedule_, t_, report.value, plateau_);
  ++t_;
  const bool turning = move(x);
  if (!is_safe_square(sum_of_pieces(pieces))) {
    for (std::size_t i = 0; i < n_; ++i) gradient[i] = x[i] - previous_x_[i];
  }
  report.step_norm = norm_of(gradient);
  if (report.step_norm == 0 && !turning) report.status = StepStatus::stalled;
  if (!std::isfinite(report.step_norm)) fail(StepStatus::diverged, objective, x, report);
  return report;
}

void FirstOrder::objective_changed() {
  // Values of the old objective cannot be compared with those of the new one; the last point was
  // finite, which is all that is still known.
  best_value_ = std::numeric_limits<double>::infinity();
  best_x_.clear();
  forget_values(plateau_);
}

void FirstOrder::save(OptimizerState& state) const {
  state = {};
  state.numbers[std::string(name())] = 1;
  state.numbers["has_best"] = has_best_ ? 1 : 0;
  state.numbers["t"] = t_;
  state.arrays["best_x"] = best_x_.empty() ? previous_x_ : best_x_;
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
