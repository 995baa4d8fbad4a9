#include "solvers/time/integrate.hpp"

#include <limits>
#include <optional>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

#include "solvers/time/stability.hpp"
#include "solvers/time/time_schemes.hpp"

namespace cauchy::detail {
namespace {

constexpr const char* time_place = "[solvers.time]";

/// Counts the evaluations of F.
class CountedSystem final : public SemiDiscrete {
 public:
  explicit CountedSystem(SemiDiscrete& system) : system_(system) {}
  [[nodiscard]] std::size_t size() const override { return system_.size(); }
  [[nodiscard]] const std::vector<char>& differential() const override {
    return system_.differential();
  }
  [[nodiscard]] bool constant_mass() const override { return system_.constant_mass(); }
  bool begin_step(double t, std::span<const double> y, std::span<const double> dy) override {
    return system_.begin_step(t, y, dy);
  }
  void residual(double t, std::span<const double> y, std::span<const double> dy,
                std::span<double> out) override {
    ++evaluations;
    system_.residual(t, y, dy, out);
  }
  void jacobian(double t, std::span<const double> y, std::span<const double> dy, double a,
                SparseMatrix& out) override {
    system_.jacobian(t, y, dy, a, out);
  }
  std::size_t evaluations = 0;

 private:
  SemiDiscrete& system_;
};

bool all_finite(std::span<const double> y) {
  return std::all_of(y.begin(), y.end(), [](double v) { return std::isfinite(v); });
}

class Integration final {
 public:
  Integration(const TimeTask& task, const TimeOptions& options, const StopAsked& stop)
      : task_(task),
        options_(options),
        stop_(stop),
        system_(task.system),
        rates_(system_),
        norm_(system_.size(), task.fields, system_.differential()) {
    if (!(task.end > task.begin) || task.start.size() != system_.size()) {
      throw Error("an integration needs an interval of time and a state of the right size",
                  time_place);
    }
    if (!(options.theta >= 0 && options.theta <= 1)) {
      throw Error("theta must be in [0, 1]", time_place);
    }
    stepper_ =
        scheme_of(options.scheme).make({system_, task.implicit_part, rates_, norm_, options.theta});
    // Local errors of size tol^(power / order) add up to an error of size tol.
    const double tolerance = options.tolerance > 0 ? options.tolerance : 1e-6;
    if (options.step == 0) {
      norm_.set_tolerance(
          std::pow(tolerance, static_cast<double>(stepper_->error_power()) / stepper_->order()));
    }
  }

  bool begin() {
    at_ = {task_.begin, task_.start, std::vector<double>(system_.size())};
    return restart();
  }

  [[nodiscard]] double limit() {
    if (!stepper_->limited()) return std::numeric_limits<double>::infinity();
    return stability_limit(*stepper_, outer_spectrum(system_, rates_, at_),
                           task_.end - task_.begin);
  }

  TimeResult run() {
    if (begin()) {
      if (options_.step > 0) refuse_unstable();
      keep();
      std::vector<double> stops = task_.stops;
      std::erase_if(stops, [&](double t) { return !(t > task_.begin && t < task_.end); });
      stops.push_back(task_.end);
      std::sort(stops.begin(), stops.end());
      for (const double until : stops) {
        if (!(options_.step > 0 ? fixed_steps(until) : adapted_steps(until))) break;
        if (until == task_.end) break;
        if (result_.times.back() != at_.t) keep();
        at_.t = std::nextafter(at_.t, task_.end);
        if (!restart()) break;
      }
      if (at_.t - result_.times.back() > 1e-12 * (task_.end - task_.begin)) keep();
    }
    result_.evaluations = system_.evaluations;
    return std::move(result_);
  }

 private:
  /// Consistent values and rates at the present time.
  bool restart() {
    stepper_->restart();
    if (!rates_.project(at_.t, at_.y)) {
      result_.trouble = fmt::format(
          "the conditions give no values of the unknowns without a time derivative at "
          "t = {:.6g}",
          at_.t);
      return false;
    }
    norm_.see(at_.y);
    (void)system_.begin_step(at_.t, at_.y, at_.dy);
    if (task_.implicit_part != nullptr) {
      (void)task_.implicit_part->begin_step(at_.t, at_.y, at_.dy);
    }
    if (!rates_.rate(at_.t, at_.y, at_.dy)) {
      result_.trouble = fmt::format(
          "the equations do not determine the rates of all unknowns at t = {:.6g}", at_.t);
      return false;
    }
    return true;
  }

  void refuse_unstable() {
    const double most = limit();
    if (options_.step <= most * (1 + 1e-9)) return;
    const std::string_view name = name_of(options_.scheme);
    throw Error(fmt::format("{} is unstable with step {:.6g}: the limit is {:.4g}", name,
                            options_.step, most),
                time_place, "use a smaller step, an implicit scheme, or leave the step out");
  }

  bool fixed_steps(double until) {
    const double length = until - at_.t;
    const auto n =
        static_cast<std::size_t>(std::max(1.0, std::ceil(length / options_.step - 1e-6)));
    const double from = at_.t, h = length / static_cast<double>(n);
    for (std::size_t i = 0; i < n; ++i) {
      if (stopped()) return false;
      const StepResult r = stepper_->step(at_, h, next_);
      if (!r.solved || !all_finite(next_.y)) {
        result_.trouble =
            r.solved ? fmt::format("the values became infinite at t = {:.6g}", next_.t)
                     : fmt::format("no state was found for t = {:.6g}; a smaller step may help",
                                   at_.t + h);
        return false;
      }
      next_.t =
          i + 1 == n ? until : from + length * static_cast<double>(i + 1) / static_cast<double>(n);
      take();
    }
    return true;
  }

  bool adapted_steps(double until) {
    const double duration = task_.end - task_.begin;
    const double least = 16 * std::numeric_limits<double>::epsilon() *
                         std::max({std::abs(task_.begin), std::abs(task_.end), duration});
    double h = first_step(until - at_.t);
    std::optional<double> most;
    std::size_t looked = 0, interval = 100;
    bool refused = false;
    while (at_.t < until) {
      if (stopped()) return false;
      if (stepper_->limited() && (!most || result_.steps >= looked + interval)) {
        const double before = most.value_or(0);
        most = 0.95 * limit();  // the error estimate sees what grows between two looks
        if (!(*most > 0)) most = std::numeric_limits<double>::infinity();
        looked = result_.steps;
        const bool same = *most > 0.9 * before && *most < 1.1 * before;
        interval = same ? std::min<std::size_t>(2 * interval, 5000) : 100;
      }
      double step = std::min(h, most.value_or(h));
      if (task_.most_step > 0) step = std::min(step, task_.most_step);
      const double left = until - at_.t;
      if (step > 0.999 * left) {
        step = left;
      } else if (step > 0.5 * left) {
        step = left / 2;  // no tiny last step
      }
      const StepResult r = stepper_->step(at_, step, next_);
      if (r.solved && r.error <= 1 && all_finite(next_.y)) {
        if (step == left) next_.t = until;
        take();
        const double growth = stepper_->growth(r.error);
        h = step == left ? std::max(h, step) : step * (refused ? std::min(growth, 1.0) : growth);
        refused = false;
        continue;
      }
      ++result_.rejected;
      refused = true;
      h = step *
          (r.solved && std::isfinite(r.error) ? std::min(stepper_->growth(r.error), 0.9) : 0.25);
      if (h < least) {
        result_.trouble = fmt::format(
            "the step became too small at t = {:.6g}: the solution may end there", at_.t);
        return false;
      }
    }
    return true;
  }

  /// A step in which the state moves by a hundredth of its size.
  [[nodiscard]] double first_step(double left) {
    const double moves = norm_.error(at_.dy, at_.y) * norm_.tolerance();
    if (!(moves > 0)) return 0.01 * left;
    return left * std::clamp(0.01 / (moves * left), 1e-8, 0.01);
  }

  [[nodiscard]] bool stopped() {
    if (result_.steps + result_.rejected >= task_.most_steps) {
      result_.trouble =
          fmt::format("{} steps did not get beyond t = {:.6g}", task_.most_steps, at_.t);
      return true;
    }
    result_.interrupted = stop_ && stop_(at_.t);
    return result_.interrupted;
  }

  void take() {
    stepper_->accept(next_);
    std::swap(at_, next_);
    norm_.see(at_.y);
    ++result_.steps;
    // The rate goes with the choices of the next step; where it is not found, that step will tell.
    if (system_.begin_step(at_.t, at_.y, at_.dy)) (void)rates_.rate(at_.t, at_.y, at_.dy);
    if (task_.implicit_part != nullptr) {
      (void)task_.implicit_part->begin_step(at_.t, at_.y, at_.dy);
    }
    if (++since_kept_ >= every_) keep();
  }

  void keep() {
    since_kept_ = 0;
    result_.times.push_back(at_.t);
    result_.states.push_back(at_.y);
    const std::size_t most = std::max<std::size_t>(64, task_.most_numbers / (at_.y.size() + 1));
    if (result_.times.size() <= most) return;
    every_ *= 2;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < result_.times.size(); i += 2, ++kept) {
      result_.times[kept] = result_.times[i];
      std::swap(result_.states[kept], result_.states[i]);
    }
    result_.times.resize(kept);
    result_.states.resize(kept);
  }

  const TimeTask& task_;
  const TimeOptions& options_;
  const StopAsked& stop_;
  CountedSystem system_;
  Rates rates_;
  ErrorNorm norm_;
  std::unique_ptr<Stepper> stepper_;
  TimePoint at_, next_;
  TimeResult result_;
  std::size_t every_ = 1, since_kept_ = 0;
};

}  // namespace

TimeResult integrate(const TimeTask& task, const TimeOptions& options, const StopAsked& stop) {
  return Integration(task, options, stop).run();
}

double stable_step(const TimeTask& task, const TimeOptions& options) {
  Integration integration(task, options, {});
  return integration.begin() ? integration.limit() : 0;
}

}  // namespace cauchy::detail
