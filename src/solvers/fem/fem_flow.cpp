// Incompressible flows in time. The pressure has no rate and stands in no constraint: the equations
// are of index 2, so that it must come out of each step with the velocity.
#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

#include "solvers/fem/fem_solver.hpp"

namespace cauchy::detail {
namespace {

constexpr int most_corrections = 25;
constexpr double small_correction = 1e-10;  // of the state

double state_size(std::span<const double> v) {
  double sum = 0;
  for (const double x : v) sum += x * x;
  return std::sqrt(sum);
}

/// Solves F(t, y_at, rate) = 0 for the next state y, where y_at and rate are linear in it. Factors
/// are kept from step to step while they do their work.
class FlowStep {
 public:
  FlowStep(FemSystem& system, const std::vector<char>& pressure)
      : system_(system), pressure_(pressure), r_(system.size()) {}

  /// y_at = theta y + rest for what has a rate or is given, y for the pressure; rate = a y + past.
  /// Equations are looked at at a time, given values are those of the end.
  bool solve(double t, double end, double theta, std::span<const double> rest, double a,
             std::span<const double> past, std::vector<double>& y) {
    const std::size_t n = y.size();
    std::vector<double> at(n), rate(n), share(n, theta);
    for (std::size_t i = 0; i < n; ++i) share[i] = pressure_[i] ? 1 : theta;
    std::vector<double> given(n, 0.0);
    system_.set_fixed(end, given);
    double before = INFINITY;
    bool fresh = false;
    for (int k = 0; k < most_corrections; ++k) {
      for (std::size_t i = 0; i < n; ++i) {
        at[i] = share[i] * y[i] + (pressure_[i] ? 0 : rest[i]);
        rate[i] = a * y[i] + past[i];
      }
      system_.residual(t, at, rate, r_);
      for (std::size_t i = 0; i < n; ++i) {
        if (system_.fixed()[i]) r_[i] = share[i] * (y[i] - given[i]);
      }
      if (!std::isfinite(state_size(r_))) return false;
      if (!factors_ || a / theta != of_rate_) {
        if (!factor(t, at, rate, a / theta)) return false;
        fresh = true;
      }
      factors_->solve(r_);
      for (std::size_t i = 0; i < n; ++i) y[i] -= r_[i] / share[i];
      const double change = state_size(r_), size = state_size(y);
      if (!std::isfinite(change)) return false;
      if (change <= small_correction * size || (k == 0 && change == 0)) return true;
      if (change > 0.3 * before) {  // the factors are too old, or rounding is reached
        if (fresh && change <= 1e-7 * size) return true;
        factors_.reset();
        fresh = false;
      }
      before = change;
    }
    return false;
  }

 private:
  bool factor(double t, std::span<const double> y, std::span<const double> rate, double a) {
    system_.jacobian(t, y, rate, a, matrix_);
    factors_ = std::make_unique<SparseLu>(matrix_);
    of_rate_ = a;
    return factors_->status() == Factorization::ok;
  }

  FemSystem& system_;
  const std::vector<char>& pressure_;
  SparseMatrix matrix_;
  std::unique_ptr<SparseLu> factors_;
  double of_rate_ = 0;
  std::vector<double> r_;
};

}  // namespace

TimeResult march_flow(FemSystem& system, const TimeTask& task, const TimeOptions& options,
                      std::size_t steps, const StopAsked& stop) {
  const std::size_t n = system.size();
  const double h = (task.end - task.begin) / static_cast<double>(steps);
  const bool bdf2 = options.scheme == TimeScheme::bdf2;
  const double theta = bdf2 ? 1 : options.theta;
  TimeResult result;
  std::vector<char> pressure(n);
  const std::vector<int> field = system.field_of();
  for (std::size_t i = 0; i < n; ++i) {
    pressure[i] = system.form().weak.form.multiplier[static_cast<std::size_t>(field[i])] ? 1 : 0;
  }
  FlowStep step(system, pressure);
  const std::vector<double> zero(n, 0.0);
  std::vector<double> y = task.start, rest(n), past(n);
  const auto failed = [&](double t) {
    result.trouble = fmt::format("no state was found for t = {:.6g}; a smaller step may help", t);
    return result;
  };
  // A step of next to no time takes away what of the first velocity is not free of divergence.
  const double instant = 1e-7 * h;
  for (std::size_t i = 0; i < n; ++i) past[i] = -y[i] / instant;
  if (!step.solve(task.begin, task.begin, 1, zero, 1 / instant, past, y)) return failed(task.begin);
  result.times.push_back(task.begin);
  result.states.push_back(y);
  for (std::size_t k = 0; k < steps; ++k) {
    const double t0 = task.begin + h * static_cast<double>(k);
    const double t1 = k + 1 == steps ? task.end : t0 + h;
    if (stop && stop(t0)) {
      result.interrupted = true;
      break;
    }
    const std::vector<double>& now = result.states.back();
    std::vector<double> next = now;
    bool solved = false;
    if (bdf2 && k > 0) {
      const std::vector<double>& before = result.states[result.states.size() - 2];
      for (std::size_t i = 0; i < n; ++i) past[i] = (-2 * now[i] + 0.5 * before[i]) / h;
      solved = step.solve(t1, t1, 1, zero, 1.5 / h, past, next);
    } else {
      for (std::size_t i = 0; i < n; ++i) {
        rest[i] = (1 - theta) * now[i];
        past[i] = -now[i] / h;
      }
      solved = step.solve(t0 + theta * (t1 - t0), t1, theta, rest, 1 / h, past, next);
    }
    ++result.steps;
    if (!solved) return failed(t1);
    result.times.push_back(t1);
    result.states.push_back(std::move(next));
  }
  // The pressure of a theta step belongs to the time between; the first one, and that of the first
  // step of BDF2, to the projection: lines through the next ones.
  const std::size_t last = result.states.size() - 1;
  for (std::size_t i = 0; i < n && last >= 3; ++i) {
    if (!pressure[i]) continue;
    const auto p = [&](std::size_t k) -> double& { return result.states[k][i]; };
    if (bdf2) {
      p(1) = 2 * p(2) - p(3);
      p(0) = 2 * p(1) - p(2);
      continue;
    }
    p(0) = p(1) - theta * (p(2) - p(1));
    const double slope = p(last) - p(last - 1);
    for (std::size_t k = 1; k < last; ++k) p(k) += (1 - theta) * (p(k + 1) - p(k));
    p(last) += (1 - theta) * slope;
  }
  return result;
}

}  // namespace cauchy::detail
