#include <cauchy/optimizers/newton.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cauchy/base/error.hpp>
#include <cauchy/math/lapack.hpp>
#include <cmath>

#include "optimizers/known_point.hpp"
#include "optimizers/linear_model.hpp"
#include "optimizers/option_checks.hpp"
#include "optimizers/vector_ops.hpp"

namespace cauchy {
namespace {

constexpr std::string_view newton_place = "[optimizers.newton]";

}  // namespace

Newton::Newton(const NewtonOptions& options)
    : options_(options), line_search_(options.line_search) {
  if (!(options.damping >= 0) || std::isinf(options.damping)) {
    throw Error(fmt::format("damping must be finite and not negative, got {}", options.damping),
                newton_place);
  }
  if (!(options.difference > 0 && options.difference < 1)) {
    throw Error(fmt::format("difference must be in (0, 1), got {}", options.difference),
                newton_place);
  }
}

/// d_ <- -(H + eps I)^-1 g; false when the gradient is not finite nearby.
bool Newton::direction(Objective& objective, StepReport& report) {
  Matrix h(n_, n_);
  std::vector<double> point = x_, up(n_), down(n_);
  for (std::size_t j = 0; j < n_; ++j) {
    const double step = options_.difference * std::max(1.0, std::abs(x_[j]));
    point[j] = x_[j] + step;
    const double above = point[j];
    (void)objective.gradient(point, up);
    point[j] = x_[j] - step;
    const double width = above - point[j];  // as represented
    (void)objective.gradient(point, down);
    point[j] = x_[j];
    report.evaluations += 2;
    for (std::size_t i = 0; i < n_; ++i) h(i, j) = (up[i] - down[i]) / width;
  }
  double largest = 0;
  for (std::size_t i = 0; i < n_; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      h(i, j) = h(j, i) = (h(i, j) + h(j, i)) / 2;
      if (!std::isfinite(h(i, j))) return false;
      largest = std::max(largest, std::abs(h(i, j)));
    }
  }
  double eps = options_.damping;
  while (std::isfinite(eps)) {
    Matrix shifted = h;
    for (std::size_t i = 0; i < n_; ++i) shifted(i, i) += eps;
    const auto factor = cholesky(shifted);
    if (factor.status == Factorization::ok) {
      for (std::size_t i = 0; i < n_; ++i) d_[i] = -g_[i];
      factor.solve(VectorView<double>(d_));
      if (detail::all_finite(d_)) return true;
    }
    eps = std::max(10 * eps, largest > 0 ? 1e-8 * largest : 1.0);
  }
  return false;
}

void Newton::check_fits(const Objective& objective) const {
  const auto n = static_cast<double>(objective.size());
  detail::require_memory(24 * n * n, options_.max_bytes,
                         fmt::format("the Hessian of {} parameters", objective.size()), "use lbfgs",
                         newton_place);
}

StepReport Newton::step(Objective& objective, std::span<double> x) {
  detail::check_sizes(objective, x.size(), n_, newton_place);
  check_fits(objective);
  n_ = x.size();
  for (auto* v : {&x_, &g_, &d_}) v->resize(n_);
  StepReport report;
  if (!detail::KnownPoint{known_, value_, x_, g_}.look(objective, x, report)) return report;
  LineSearchResult found;
  for (const bool newton : {true, false}) {
    if (newton && !direction(objective, report)) continue;
    if (!newton) {
      for (std::size_t i = 0; i < n_; ++i) d_[i] = -g_[i];
    }
    const double slope = detail::dot(g_, d_);
    const double first = newton ? 1.0 : std::min(1.0, 1 / report.gradient_norm);
    found = line_search_.search(objective, x_, d_, value_, slope, first);
    report.evaluations += found.evaluations;
    if (found.step > 0) break;
    if (newton && -slope <= options_.line_search.rounding * std::abs(value_)) {
      report.status = StepStatus::stalled;
      return report;
    }
  }
  if (found.step == 0) {
    report.status = detail::without_move(found.status);
    return report;
  }
  report.status = detail::after_move(found.status);
  const auto x_new = line_search_.point(), g_new = line_search_.gradient();
  for (std::size_t i = 0; i < n_; ++i) d_[i] = x_new[i] - x_[i];
  report.step_norm = detail::norm(d_);
  std::copy(x_new.begin(), x_new.end(), x_.begin());
  std::copy(g_new.begin(), g_new.end(), g_.begin());
  std::copy(x_new.begin(), x_new.end(), x.begin());
  value_ = report.value = found.at.value;
  report.gradient_norm = detail::norm(g_);
  if (report.gradient_norm == 0) {
    report.status = StepStatus::converged;
  } else if (report.step_norm == 0) {
    report.status = StepStatus::stalled;
  }
  return report;
}

void Newton::save(OptimizerState& state) const {
  state = {};
  state.numbers["newton"] = 1;
  state.numbers["known"] = known_ ? 1 : 0;
  state.arrays["x"] = x_;
  state.arrays["gradient"] = g_;
  state.arrays["value"] = {value_};
}

void Newton::restore(const OptimizerState& state) {
  (void)detail::number_of(state, "newton", newton_place);
  const std::uint64_t known = detail::number_of(state, "known", newton_place);
  const auto x = detail::array_of(state, "x", newton_place);
  const auto g = detail::array_of(state, "gradient", newton_place);
  const auto value = detail::array_of(state, "value", newton_place);
  detail::require_consistent(
      g.size() == x.size() && value.size() == 1 && (n_ == 0 || n_ == x.size()), newton_place);
  n_ = x.size();
  known_ = known != 0;
  value_ = value[0];
  x_.assign(x.begin(), x.end());
  g_.assign(g.begin(), g.end());
  d_.resize(n_);
}

}  // namespace cauchy
