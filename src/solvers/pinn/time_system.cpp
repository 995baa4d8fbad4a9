#include "solvers/pinn/time_system.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/math/lapack.hpp>

#include "optimizers/vector_ops.hpp"  // all_finite

namespace cauchy::detail {
namespace {

/// A small network follows about this many rough steps, and steps this much shorter than itself.
constexpr std::size_t most_rough_steps = 40;
constexpr double longest_over_step = 60;
constexpr double rough_tolerance = 0.01;

/// Radau IIA of order 5.
constexpr double root6 = 2.449489742783178;
constexpr std::size_t radau_stages = 3;
constexpr std::array<double, radau_stages> radau_nodes = {(4 - root6) / 10, (4 + root6) / 10, 1};
constexpr double radau_matrix[radau_stages][radau_stages] = {
    {(88 - 7 * root6) / 360, (296 - 169 * root6) / 1800, (-2 + 3 * root6) / 225},
    {(296 + 169 * root6) / 1800, (88 + 7 * root6) / 360, (-2 - 3 * root6) / 225},
    {(16 - root6) / 36, (16 + root6) / 36, 1.0 / 9}};
constexpr std::size_t radau_steps = 64;

void take_larger(std::vector<double>& largest, std::span<const double> values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!(std::abs(values[i]) <= largest[i])) largest[i] = std::abs(values[i]);  // NaN too
  }
}

}  // namespace

TimeSystem::TimeSystem(const std::shared_ptr<const Problem>& problem)
    : ode_(std::make_unique<OdeProblem>(problem)) {}

std::shared_ptr<const TimeSystem> TimeSystem::of(const std::shared_ptr<const Problem>& problem) {
  try {
    std::shared_ptr<TimeSystem> made(new TimeSystem(problem));
    const OdeProblem& ode = *made->ode_;
    if (!ode.system->is_explicit() || !ode.conditions->at_one_point()) return nullptr;
    std::string trouble;
    made->first_ = ode.conditions->start(trouble);
    return trouble.empty() ? made : nullptr;
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::unsupported) throw;
    return nullptr;
  }
}

double TimeSystem::first_jump(double begin, double end) const {
  const double slack = 1e-9 * (end - begin);
  for (const double jump : ode_->jumps) {
    if (jump > begin + slack && jump < end) return jump;
  }
  return end;
}

/// y + (1 / h - J)^(-1) f, all at (t + h, y): one step of the linearly implicit Euler method.
bool TimeSystem::rough_step(double t, double h, std::span<const double> y,
                            std::span<double> out) const {
  const std::size_t n = y.size();
  Matrix j;
  system().slope_jacobian(t + h, y, j);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < n; ++k) j(i, k) = (i == k ? 1 / h : 0.0) - j(i, k);
  }
  system().slope(t + h, y, out);
  const Lu<double> factors = lu(j.view());
  if (factors.status != Factorization::ok) return false;
  factors.solve(VectorView<double>(out.data(), n));
  for (std::size_t i = 0; i < n; ++i) out[i] += y[i];
  return all_finite(out);
}

TimeSystem::Outlook TimeSystem::look_ahead(double begin, std::span<const double> state, double end,
                                           std::span<const double> known, bool whole) const {
  const std::size_t n = state.size();
  if (!whole) end = first_jump(begin, end);
  ode_->system->stay_between(begin, end);
  std::vector<double> y(state.begin(), state.end()), one(n), half(n), next(n);
  // What components that begin with 0 will be: a few long steps, each twice the last one.
  std::vector<double> scale(n);
  for (std::size_t i = 0; i < n; ++i) scale[i] = std::max(1e-3 * known[i], std::abs(y[i]));
  double t = begin;
  for (double h = 1e-6 * (end - begin); t < end; t += h, h *= 2) {
    if (!rough_step(t, std::min(h, end - t), y, next)) break;
    y = next;
    take_larger(scale, y);
  }
  // The path itself, until it is too much for one network.
  std::vector<double> times = {begin};
  std::vector<std::vector<double>> path = {{state.begin(), state.end()}};
  y = path.front();
  t = begin;
  double h = 1e-6 * (end - begin), shortest = end - begin;
  std::size_t tries = 0;
  while (t < end && (whole || times.size() <= most_rough_steps) && ++tries < 1000) {
    h = std::min(h, end - t);
    double miss = std::numeric_limits<double>::infinity();
    if (rough_step(t, h, y, one) && rough_step(t, h / 2, y, half) &&
        rough_step(t + h / 2, h / 2, half, next)) {
      miss = 0;
      for (std::size_t i = 0; i < n; ++i) {
        if (scale[i] > 0) miss = std::max(miss, std::abs(next[i] - one[i]) / scale[i]);
        next[i] = 2 * next[i] - one[i];
      }
    }
    const double change = std::clamp(0.9 * std::sqrt(rough_tolerance / miss), 0.2, 4.0);
    if (!(miss <= rough_tolerance) && h > 1e-12 * (end - begin)) {
      h *= std::min(change, 0.9);
      continue;
    }
    // The first steps only feel their way up; the last one is cut.
    if (change < 2 && t + h < end) shortest = std::min(shortest, h);
    if (!whole && t + h - begin > longest_over_step * shortest && times.size() > 1) break;
    t += h;
    y = next;
    times.push_back(t);
    path.push_back(y);
    h *= change;
  }
  Outlook made{
      .end = times.size() > 1 && !whole ? t : end, .sizes = scale, .changes = scale, .errors = {}};
  if (times.size() > 1) {
    std::fill(made.sizes.begin(), made.sizes.end(), 0.0);
    std::fill(made.changes.begin(), made.changes.end(), 0.0);
    std::vector<double> away(n);
    for (const std::vector<double>& at : path) {
      take_larger(made.sizes, at);
      for (std::size_t i = 0; i < n; ++i) away[i] = at[i] - state[i];
      take_larger(made.changes, away);
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    made.sizes[i] = std::max(made.sizes[i], 1e-3 * known[i]);
    if (!(made.sizes[i] > 0) || !std::isfinite(made.sizes[i])) made.sizes[i] = 1;
    made.changes[i] = std::clamp(made.changes[i], 1e-4 * made.sizes[i], 2 * made.sizes[i]);
  }
  const double middle = (begin + made.end) / 2;
  const auto after = std::lower_bound(times.begin(), times.end() - 1, middle);
  const auto place = static_cast<std::size_t>(after - times.begin());
  made.errors = error_matrix(times[place], made.end - begin, path[place], made.sizes);
  return made;
}

/// (F_y' / h + F_y)^(-1) over the sizes, in the columns of the equations: h is the length, or less
/// where growing solutions would make the matrix singular.
Matrix TimeSystem::error_matrix(double t, double length, std::span<const double> state,
                                std::span<const double> sizes) const {
  const std::size_t n = state.size(), m = system().chains().size();
  std::vector<double> slope(n);
  system().slope(t, state, slope);
  Matrix by_state, by_slope;
  system().partials(t, state, slope, by_state, by_slope);
  double h = length / 2;
  for (int attempt = 0; attempt < 8; ++attempt, h /= 2) {
    Matrix a(n, n), inverse = Matrix::identity(n), steps(by_slope);
    for (std::size_t k = 0; k < n * n; ++k) {
      a.data()[k] = by_slope.data()[k] / h + by_state.data()[k];
    }
    const Lu<double> factors = lu(a.view());
    if (factors.status != Factorization::ok) continue;
    factors.solve(steps.view());
    double growth = 0;  // of relative errors, over that of a solution that does not change
    for (std::size_t i = 0; i < n; ++i) {
      double sum = 0;
      for (std::size_t k = 0; k < n; ++k) sum += std::abs(steps(i, k)) * sizes[k];
      growth = std::max(growth, sum / (sizes[i] * h));
    }
    if (!(growth <= 20)) continue;
    factors.solve(inverse.view());
    Matrix made(n, m);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t e = 0; e < m; ++e) {
        made(i, e) = inverse(i, system().row_of(e)) / sizes[i];
      }
    }
    if (all_finite({made.data(), made.size()})) return made;
  }
  return {};
}

TimeSystem::FieldError TimeSystem::error_of(const FieldModel& field, double begin, double end,
                                            std::span<const double> state) const {
  const std::size_t n = state.size(), stages = radau_stages, N = stages * n;
  ode_->system->stay_between(begin, end);
  const double h = (end - begin) / static_cast<double>(radau_steps);
  std::vector<double> times = {begin};
  for (std::size_t k = 0; k < radau_steps; ++k) {
    for (const double c : radau_nodes) times.push_back(begin + h * (static_cast<double>(k) + c));
  }
  times.back() = end;
  std::vector<Expr> wanted = system().states();
  for (std::size_t i = 0; i < n; ++i) {
    wanted.push_back(d(wanted[i], Coordinate(system().variable())));
  }
  std::vector<double> values(times.size() * 2 * n);
  field.evaluate(wanted, times, values);
  FieldError made{.largest = std::vector<double>(n), .at_end = std::vector<double>(n)};
  std::vector<double>& e = made.at_end;
  for (std::size_t i = 0; i < n; ++i) e[i] = values[i] - state[i];
  take_larger(made.largest, e);
  Matrix a(N, N), j;
  std::vector<double> right(N), slope(n);
  for (std::size_t k = 0; k < radau_steps; ++k) {
    a = Matrix::identity(N);
    for (std::size_t s = 0; s < stages; ++s) std::copy(e.begin(), e.end(), &right[s * n]);
    for (std::size_t q = 0; q < stages; ++q) {
      const std::size_t row = 1 + k * stages + q;
      const std::span<const double> y(&values[row * 2 * n], n);
      system().slope(times[row], y, slope);
      system().slope_jacobian(times[row], y, j);
      for (std::size_t s = 0; s < stages; ++s) {
        const double w = h * radau_matrix[s][q];
        for (std::size_t i = 0; i < n; ++i) {
          right[s * n + i] += w * (values[row * 2 * n + n + i] - slope[i]);
          for (std::size_t l = 0; l < n; ++l) a(s * n + i, q * n + l) -= w * j(i, l);
        }
      }
    }
    const Lu<double> factors = lu(a.view());
    if (factors.status != Factorization::ok) {
      const double nan = std::numeric_limits<double>::quiet_NaN();
      return {std::vector<double>(n, nan), std::vector<double>(n, nan)};
    }
    factors.solve(VectorView<double>(right.data(), N));
    for (std::size_t s = 0; s < stages; ++s) take_larger(made.largest, {&right[s * n], n});
    std::copy_n(&right[(stages - 1) * n], n, e.begin());
  }
  return made;
}

}  // namespace cauchy::detail
