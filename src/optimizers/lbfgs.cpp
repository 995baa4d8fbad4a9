#include <cauchy/optimizers/lbfgs.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cauchy/base/error.hpp>
#include <cmath>

#include "optimizers/known_point.hpp"
#include "optimizers/vector_ops.hpp"

namespace cauchy {
namespace {

using detail::add_scaled;
using detail::norm;

constexpr std::string_view lbfgs_place = "[optimizers.lbfgs]";

}  // namespace

Lbfgs::Lbfgs(const LbfgsOptions& options) : options_(options), line_search_(options.line_search) {
  if (options.memory == 0) {
    throw Error("memory must be at least 1, got 0", lbfgs_place, "10 to 50 pairs are usual");
  }
  if (!(options.curvature_guard >= 0 && options.curvature_guard < 1)) {
    throw Error(fmt::format("curvature_guard must be in [0, 1), got {}", options.curvature_guard),
                lbfgs_place);
  }
}

std::size_t Lbfgs::row(std::size_t k) const noexcept { return (first_ + k) % options_.memory; }
std::span<const double> Lbfgs::s(std::size_t k) const noexcept {
  return {s_.data() + row(k) * n_, n_};
}
std::span<const double> Lbfgs::y(std::size_t k) const noexcept {
  return {y_.data() + row(k) * n_, n_};
}

void Lbfgs::clear_pairs() noexcept {
  first_ = 0;
  gamma_ = 1;
  rho_.clear();
  s_.clear();
  y_.clear();
}

void Lbfgs::objective_changed() {
  known_ = false;
  if (options_.clear_when_changed) clear_pairs();
}

void Lbfgs::apply_inverse_hessian(std::span<const double> v, std::span<double> result) const {
  if (v.size() != result.size() || (pairs() > 0 && v.size() != n_)) {
    throw Error(fmt::format("the inverse Hessian has {} rows, got vectors of {} and {}", n_,
                            v.size(), result.size()),
                lbfgs_place);
  }
  if (v.data() != result.data()) std::copy(v.begin(), v.end(), result.begin());
  std::vector<double> alpha(pairs());
  for (std::size_t k = pairs(); k-- > 0;) {
    alpha[k] = rho_[row(k)] * detail::dot(s(k), result);
    add_scaled(-alpha[k], y(k), result);
  }
  for (double& r : result) r *= gamma_;
  for (std::size_t k = 0; k < pairs(); ++k) {
    const double beta = rho_[row(k)] * detail::dot(y(k), result);
    add_scaled(alpha[k] - beta, s(k), result);
  }
}

/// Keeps s = x+ - x and y = g+ - g of the step just found, when their curvature is positive.
void Lbfgs::add_pair() {
  const auto x_new = line_search_.point(), g_new = line_search_.gradient();
  // d_ and g_ are free now, since step() overwrites both: they hold s and y.
  for (std::size_t i = 0; i < n_; ++i) d_[i] = x_new[i] - x_[i];
  for (std::size_t i = 0; i < n_; ++i) g_[i] = g_new[i] - g_[i];
  const double sy = detail::dot(d_, g_), gamma = sy / detail::dot(g_, g_);
  const bool good = sy > options_.curvature_guard * norm(d_) * norm(g_) && std::isfinite(1 / sy) &&
                    std::isfinite(gamma) && gamma > 0;
  if (!good) return;
  gamma_ = gamma;
  if (pairs() < options_.memory) {
    // Twice the room when it is full: a run that ends early never pays for the whole memory.
    const std::size_t room = std::min(options_.memory, std::max<std::size_t>(16, 2 * pairs())) * n_;
    if (s_.size() == s_.capacity()) s_.reserve(room);
    if (y_.size() == y_.capacity()) y_.reserve(room);
    s_.insert(s_.end(), d_.begin(), d_.end());
    y_.insert(y_.end(), g_.begin(), g_.end());
    rho_.push_back(1 / sy);
  } else {
    const std::size_t r = first_;
    std::copy(d_.begin(), d_.end(), s_.begin() + static_cast<std::ptrdiff_t>(r * n_));
    std::copy(g_.begin(), g_.end(), y_.begin() + static_cast<std::ptrdiff_t>(r * n_));
    rho_[r] = 1 / sy;
    first_ = (first_ + 1) % options_.memory;
  }
}

/// Looks for a lower point along -H g and, where there is none, along -g with the pairs dropped.
LineSearchResult Lbfgs::search(Objective& objective, StepReport& report) {
  LineSearchResult result;
  while (true) {
    const bool steepest = pairs() == 0;
    apply_inverse_hessian(g_, d_);
    for (double& d : d_) d = -d;
    const double slope = detail::dot(g_, d_);
    const double first = steepest ? std::min(1.0, 1 / report.gradient_norm) : 1.0;
    result = line_search_.search(objective, x_, d_, value_, slope, first);
    report.evaluations += result.evaluations;
    // At the end of what rounding allows, the decrease in sight is too small to show.
    if (result.step == 0 && slope < 0 &&
        -slope * first <= options_.line_search.rounding * std::abs(value_)) {
      report.status = StepStatus::stalled;
    }
    if (result.step > 0 || steepest) return result;
    clear_pairs();
  }
}

StepReport Lbfgs::step(Objective& objective, std::span<double> x) {
  detail::check_sizes(objective, x.size(), n_, lbfgs_place);
  if (n_ == 0) {
    n_ = x.size();
    for (auto* v : {&x_, &g_, &d_}) v->resize(n_);
  }
  if (options_.memory > s_.max_size() / n_) {
    throw Error(ErrorKind::memory,
                fmt::format("{} pairs of {} parameters do not fit in memory", options_.memory, n_),
                lbfgs_place, "use a smaller memory");
  }
  StepReport report;
  if (!detail::KnownPoint{known_, value_, x_, g_}.look(objective, x, report)) return report;
  const LineSearchResult found = search(objective, report);
  if (found.step == 0) {
    if (report.status == StepStatus::progress) {
      report.status = detail::without_move(found.status);
    }
    return report;
  }
  report.status = detail::after_move(found.status);
  known_ = false;
  add_pair();
  report.step_norm = norm(d_);  // s, from add_pair()
  const auto x_new = line_search_.point(), g_new = line_search_.gradient();
  std::copy(x_new.begin(), x_new.end(), x_.begin());
  std::copy(g_new.begin(), g_new.end(), g_.begin());
  std::copy(x_new.begin(), x_new.end(), x.begin());
  value_ = report.value = found.at.value;
  known_ = true;
  report.gradient_norm = norm(g_);
  if (report.gradient_norm == 0) {
    report.status = StepStatus::converged;
  } else if (report.step_norm == 0) {
    report.status = StepStatus::stalled;
  }
  return report;
}

void Lbfgs::save(OptimizerState& state) const {
  state = {};
  state.numbers["lbfgs"] = 1;
  state.numbers["known"] = known_ ? 1 : 0;
  state.arrays["x"] = x_;
  state.arrays["gradient"] = g_;
  state.arrays["value"] = {value_};
  state.arrays["gamma"] = {gamma_};
  auto& s_all = state.arrays["s"];
  auto& y_all = state.arrays["y"];
  auto& rho = state.arrays["rho"];
  s_all.reserve(s_.size());
  y_all.reserve(y_.size());
  for (std::size_t k = 0; k < pairs(); ++k) {  // the oldest first
    s_all.insert(s_all.end(), s(k).begin(), s(k).end());
    y_all.insert(y_all.end(), y(k).begin(), y(k).end());
    rho.push_back(rho_[row(k)]);
  }
}

void Lbfgs::restore(const OptimizerState& state) {
  using detail::array_of;
  using detail::number_of;
  (void)number_of(state, "lbfgs", lbfgs_place);
  const std::uint64_t known = number_of(state, "known", lbfgs_place);
  const auto x = array_of(state, "x", lbfgs_place), g = array_of(state, "gradient", lbfgs_place);
  const auto value = array_of(state, "value", lbfgs_place),
             gamma = array_of(state, "gamma", lbfgs_place);
  const auto s_all = array_of(state, "s", lbfgs_place), y_all = array_of(state, "y", lbfgs_place);
  const auto rho = array_of(state, "rho", lbfgs_place);
  detail::require_consistent(g.size() == x.size() && value.size() == 1 && gamma.size() == 1 &&
                                 rho.size() <= options_.memory && (!x.empty() || rho.empty()) &&
                                 s_all.size() == rho.size() * x.size() &&
                                 y_all.size() == s_all.size() && (n_ == 0 || n_ == x.size()),
                             lbfgs_place);
  n_ = x.size();
  known_ = known != 0;
  value_ = value[0];
  gamma_ = gamma[0];
  first_ = 0;
  x_.assign(x.begin(), x.end());
  g_.assign(g.begin(), g.end());
  d_.resize(n_);
  rho_.assign(rho.begin(), rho.end());
  s_.assign(s_all.begin(), s_all.end());
  y_.assign(y_all.begin(), y_all.end());
}

}  // namespace cauchy
