#include <cauchy/optimizers/quasi_newton.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cauchy/base/error.hpp>
#include <cauchy/base/memory.hpp>
#include <cauchy/base/threads.hpp>
#include <cmath>
#include <new>

#include "optimizers/inverse_hessian.hpp"
#include "optimizers/known_point.hpp"
#include "optimizers/option_checks.hpp"
#include "optimizers/vector_ops.hpp"

namespace cauchy {
namespace {

using detail::norm;

constexpr std::string_view qn_place = "[optimizers.quasi_newton]";

constexpr std::string_view too_large_hint =
    "use lbfgs, which keeps a few vectors, or raise max_bytes";

}  // namespace

std::string_view to_string(QuasiNewtonUpdate update) noexcept {
  switch (update) {
    case QuasiNewtonUpdate::bfgs:
      return "bfgs";
    case QuasiNewtonUpdate::dfp:
      return "dfp";
    case QuasiNewtonUpdate::ssbfgs:
      return "ssbfgs";
    case QuasiNewtonUpdate::ssbroyden:
      return "ssbroyden";
  }
  return "unknown";
}

QuasiNewton::QuasiNewton(const QuasiNewtonOptions& options)
    : options_(options), line_search_(options.line_search) {
  if (!(options.curvature_guard >= 0 && options.curvature_guard < 1)) {
    throw Error(fmt::format("curvature_guard must be in [0, 1), got {}", options.curvature_guard),
                qn_place);
  }
  if (options.threads < 0 || options.threads > Threads::max_size) {
    throw Error(
        fmt::format("threads must be from 0 to {}, got {}", Threads::max_size, options.threads),
        qn_place);
  }
  if (to_string(options.update) == "unknown") {
    throw Error(fmt::format("there is no update number {}", static_cast<int>(options.update)),
                qn_place);
  }
}

QuasiNewton::~QuasiNewton() = default;
QuasiNewton::QuasiNewton(QuasiNewton&&) noexcept = default;
QuasiNewton& QuasiNewton::operator=(QuasiNewton&&) noexcept = default;

std::string_view QuasiNewton::name() const noexcept { return to_string(options_.update); }

void QuasiNewton::check_fits(const Objective& objective) const {
  const std::size_t n = objective.size();
  detail::require_memory(detail::inverse_hessian_bytes(n), options_.max_bytes,
                         fmt::format("the inverse Hessian of {} parameters", n), too_large_hint,
                         qn_place);
}

void QuasiNewton::allocate(std::size_t n) {
  try {
    h_ = std::make_unique<detail::InverseHessian>(n, options_.threads, options_.pool);
  } catch (const std::bad_alloc&) {
    throw Error(ErrorKind::memory,
                fmt::format("the inverse Hessian of {} parameters would take {} of memory, more "
                            "than the system gave",
                            n, bytes_to_string(detail::inverse_hessian_bytes(n))),
                qn_place, too_large_hint);
  }
  n_ = n;
  for (auto* v : {&x_, &g_, &d_, &s_, &y_, &hg_}) v->resize(n);
  restart();
}

void QuasiNewton::restart() noexcept {
  if (h_) h_->reset();
  direction_known_ = false;
  scale_next_ = options_.initial_scaling;
  decrease_ = 0;
  updates_ = 0;
}

void QuasiNewton::objective_changed() {
  known_ = direction_known_ = false;
  decrease_ = 0;
  if (options_.when_changed == InverseHessianChange::restart) restart();
  if (options_.when_changed == InverseHessianChange::rescale) scale_next_ = true;
}

/// Looks for a lower point along -H g and, where there is none, along -g with H = I.
LineSearchResult QuasiNewton::search(Objective& objective, StepReport& report) {
  const bool scales_itself = options_.update == QuasiNewtonUpdate::ssbfgs ||
                             options_.update == QuasiNewtonUpdate::ssbroyden;
  while (true) {
    const bool steepest = h_->identity();
    if (!direction_known_) {
      h_->multiply(g_, d_);
      for (double& d : d_) d = -d;
      direction_known_ = true;
    }
    const double slope = detail::dot(g_, d_);
    double first = 1;
    if (steepest) {
      first = std::min(1.0, 1 / report.gradient_norm);
    } else if (scales_itself && decrease_ > 0 && slope < 0) {
      // Scaling enlarges H, and the unit step is often too long. This one is the minimum of the
      // parabola that falls as far as the last step did (Nocedal and Wright, 3.60); the factor lets
      // the unit step win in the end.
      first = std::clamp(1.01 * 2 * decrease_ / -slope, 1e-6, 1.0);
    }
    const LineSearchResult result = line_search_.search(objective, x_, d_, value_, slope, first);
    report.evaluations += result.evaluations;
    // At the end of what rounding allows, the decrease in sight is too small to show.
    if (result.step == 0 && slope < 0 &&
        -slope * first <= options_.line_search.rounding * std::abs(value_)) {
      report.status = StepStatus::stalled;
    }
    if (result.step > 0 || steepest) return result;
    restart();
  }
}

/// From H to H+ with the pair s_, y_ and to the direction -H+ g+, g_ being the new gradient and
/// d_ = -H g the direction just searched. inverse_form: s'H^-1 s.
void QuasiNewton::update_inverse_hessian(double inverse_form) {
  // The only pass over the matrix: it also applies the update of the step before.
  h_->multiply(g_, hg_);
  const double ys = detail::dot(y_, s_), yy = detail::dot(y_, y_);
  // H y = H g+ - H g. A Wolfe point has y'd >= (1 - c2) |g'd|, and then the norm of y in the metric
  // of H is at least 1 - c2 times that of g: the difference loses a digit, not all of them.
  for (std::size_t i = 0; i < n_; ++i) d_[i] += hg_[i];
  const double yhy = detail::dot(y_, d_);
  const bool good = ys > options_.curvature_guard * norm(s_) * norm(y_) && std::isfinite(1 / ys) &&
                    std::isfinite(yy) && yy > 0;
  if (good && !(yhy > 0 && std::isfinite(yhy))) {
    restart();  // rounding has spoiled the definiteness of H
    return;
  }
  if (!good) {
    for (std::size_t i = 0; i < n_; ++i) d_[i] = -hg_[i];
    direction_known_ = true;
    return;
  }
  const double b = inverse_form / ys, h = yhy / ys;
  parameters_ = broyden_parameters(options_.update, b, h, n_, scale_next_);
  const double tau = parameters_.tau, phi = parameters_.phi;
  const double ss = (1 + phi * h / tau) / ys, sw = -phi / (tau * ys), ww = (phi - 1) / (tau * yhy);
  if (!std::isfinite(ss) || !std::isfinite(sw) || !std::isfinite(ww)) {
    restart();
    return;
  }
  h_->update(1 / tau, s_, d_, ss, sw, ww);
  h_->product_after_update(g_, hg_, d_);
  for (double& d : d_) d = -d;
  direction_known_ = true;
  scale_next_ = false;
  ++updates_;
}

StepReport QuasiNewton::step(Objective& objective, std::span<double> x) {
  detail::check_sizes(objective, x.size(), n_, qn_place);
  if (n_ == 0) {
    check_fits(objective);
    allocate(x.size());
  }
  StepReport report;
  const bool same = known_ && std::equal(x.begin(), x.end(), x_.begin());
  if (!same) direction_known_ = false;
  if (!detail::KnownPoint{known_, value_, x_, g_}.look(objective, x, report)) return report;
  const LineSearchResult found = search(objective, report);
  if (found.step == 0) {
    if (report.status == StepStatus::progress) {
      report.status = detail::without_move(found.status);
    }
    return report;
  }
  report.status = detail::after_move(found.status);
  known_ = direction_known_ = false;
  const auto x_new = line_search_.point(), g_new = line_search_.gradient();
  for (std::size_t i = 0; i < n_; ++i) {
    s_[i] = x_new[i] - x_[i];
    y_[i] = g_new[i] - g_[i];
  }
  const double inverse_form = -found.step * detail::dot(s_, g_);  // H^-1 s = -a g
  for (auto* to : {x.data(), x_.data()}) std::copy(x_new.begin(), x_new.end(), to);
  std::copy(g_new.begin(), g_new.end(), g_.begin());
  decrease_ = value_ - found.at.value;
  value_ = report.value = found.at.value;
  known_ = true;
  report.step_norm = norm(s_);
  report.gradient_norm = norm(g_);
  if (report.gradient_norm == 0) {
    report.status = StepStatus::converged;
    return report;
  }
  update_inverse_hessian(inverse_form);
  if (report.step_norm == 0) report.status = StepStatus::stalled;
  return report;
}

void QuasiNewton::save(OptimizerState& state) const {
  state = {};
  state.numbers[std::string(name())] = 1;
  state.numbers["known"] = known_ ? 1 : 0;
  state.numbers["direction_known"] = direction_known_ ? 1 : 0;
  state.numbers["scale_next"] = scale_next_ ? 1 : 0;
  state.numbers["updates"] = updates_;
  state.arrays["x"] = x_;
  state.arrays["gradient"] = g_;
  state.arrays["direction"] = d_;
  state.arrays["value"] = {value_, decrease_};
  state.arrays["inverse_hessian"] = h_ && !h_->identity() ? h_->triangle() : std::vector<double>{};
}

void QuasiNewton::restore(const OptimizerState& state) {
  using detail::array_of;
  using detail::number_of;
  (void)number_of(state, std::string(name()), qn_place);
  const std::uint64_t known = number_of(state, "known", qn_place);
  const std::uint64_t direction_known = number_of(state, "direction_known", qn_place);
  const std::uint64_t scale_next = number_of(state, "scale_next", qn_place);
  const std::uint64_t updates = number_of(state, "updates", qn_place);
  const auto x = array_of(state, "x", qn_place), g = array_of(state, "gradient", qn_place);
  const auto d = array_of(state, "direction", qn_place), value = array_of(state, "value", qn_place);
  const auto triangle = array_of(state, "inverse_hessian", qn_place);
  const std::size_t n = x.size();
  detail::require_consistent(g.size() == n && d.size() == n && value.size() == 2 &&
                                 (triangle.empty() || triangle.size() == n * (n + 1) / 2) &&
                                 (n_ == 0 || n_ == n),
                             qn_place);
  if (n == 0) return;  // saved before the first step
  if (n_ == 0) {
    check_fits(FunctionObjective(n, nullptr));
    allocate(n);
  }
  std::copy(x.begin(), x.end(), x_.begin());
  std::copy(g.begin(), g.end(), g_.begin());
  std::copy(d.begin(), d.end(), d_.begin());
  value_ = value[0];
  decrease_ = value[1];
  h_->reset();
  if (!triangle.empty()) h_->load(triangle);
  known_ = known != 0;
  direction_known_ = direction_known != 0;
  scale_next_ = scale_next != 0;
  updates_ = updates;
}

}  // namespace cauchy
