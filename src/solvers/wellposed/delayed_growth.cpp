#include "solvers/wellposed/delayed_growth.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "solvers/ode/initial_value.hpp"

namespace cauchy::detail {
namespace {

constexpr std::size_t most_followed = 24, n_followers = 32, most_intervals = 2000;
constexpr double followed_at = 1e-10;
/// Of the size: what the best integration lets in at every step.
constexpr double let_in = 1e-15;

double largest_entry(const std::vector<double>& a) {
  double most = 0;
  for (const double v : a) most = std::max(most, std::abs(v));
  return most;
}

/// a b for row-major n x n.
std::vector<double> matrix_product(const std::vector<double>& a, const std::vector<double>& b,
                                   std::size_t n) {
  std::vector<double> c(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t j = 0; j < n; ++j) c[i * n + j] += a[i * n + k] * b[k * n + j];
    }
  }
  return c;
}

/// exp(a) by its series at a small multiple, squared back.
std::vector<double> matrix_exponential(std::vector<double> a, std::size_t n) {
  constexpr int terms = 12;
  int squarings = 0;
  for (double size = largest_entry(a) * static_cast<double>(n); size > 0.5; size /= 2) ++squarings;
  for (double& v : a) v = std::ldexp(v, -squarings);
  std::vector<double> sum(n * n, 0.0), term(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) sum[i * n + i] = term[i * n + i] = 1;
  for (int k = 1; k <= terms; ++k) {
    term = matrix_product(term, a, n);
    for (std::size_t i = 0; i < n * n; ++i) sum[i] += term[i] /= k;
  }
  for (int k = 0; k < squarings; ++k) sum = matrix_product(sum, sum, n);
  return sum;
}

/// Perturbations that were let in at one place, as exp(log_size) times a matrix of size one.
struct Follower {
  double since = 0, log_size = 0;
  std::vector<double> matrix;
};

}  // namespace

std::string delayed_growth(const OdeProblem& ode) {
  OdeSystem& system = *ode.system;
  const std::size_t n = system.size();
  if (n > most_followed) return {};
  const double from = ode.conditions->all().front().at;
  if (from != ode.lower) return {};
  const OdeNodes found =
      solve_initial_value(ode, OdeIntegrator::automatic, followed_at, [](double) { return false; });
  const std::vector<double>& nodes = found.cubics.nodes;
  if (!found.trouble.empty() || nodes.size() < 2) return {};
  system.stay_between(ode.lower, ode.upper);
  std::vector<double> y(n);
  const auto state = [&](double s) {
    for (std::size_t c = 0; c < n; ++c) y[c] = found.cubics.value(s, c, 0);
  };
  double size = ode.size;
  state(from);
  size = std::max(size, largest_entry(y));
  if (!(size > 0)) size = 1;
  std::vector<double> times;
  const std::size_t every = 1 + nodes.size() / most_intervals;
  for (std::size_t i = 0; i < nodes.size(); i += every) {
    if (times.empty() || nodes[i] > times.back()) times.push_back(nodes[i]);
  }
  if (times.back() < nodes.back()) times.push_back(nodes.back());
  const double tolerance = system.problem().tolerance.value_or(1e-2);
  Matrix jacobian(n, n);
  std::vector<Follower> all;
  double worst = std::log(tolerance), since = 0, until = 0, by = 0;
  for (std::size_t i = 0; i + 1 < times.size(); ++i) {
    const double h = times[i + 1] - times[i];
    // Places that are equally far apart in time, whatever the steps.
    const auto place = static_cast<std::size_t>((times[i] - from) / (ode.upper - from) *
                                                static_cast<double>(n_followers));
    if (all.size() <= place && all.size() < n_followers) {
      Follower f{.since = times[i], .matrix = std::vector<double>(n * n, 0.0)};
      for (std::size_t c = 0; c < n; ++c) f.matrix[c * n + c] = 1;
      all.push_back(std::move(f));
    }
    const double middle = times[i] + h / 2;
    state(middle);
    system.slope_jacobian(middle, y, jacobian);
    std::vector<double> a(n * n);
    for (std::size_t r = 0; r < n; ++r) {
      for (std::size_t c = 0; c < n; ++c) a[r * n + c] = h * jacobian(r, c);
    }
    const std::vector<double> step = matrix_exponential(std::move(a), n);
    if (!std::isfinite(largest_entry(step))) return {};
    state(times[i + 1]);
    const double beside = std::max(largest_entry(y), 1e-3 * size);
    for (Follower& f : all) {
      f.matrix = matrix_product(step, f.matrix, n);
      const double grown = largest_entry(f.matrix);
      if (!(grown > 0)) continue;  // all of it is gone
      f.log_size += std::log(grown);
      for (double& v : f.matrix) v /= grown;
      const double left = f.log_size + std::log(let_in * size / beside);
      if (!(left > worst)) continue;
      worst = left;
      since = f.since;
      until = times[i + 1];
      by = f.log_size / std::log(10.0);
    }
  }
  if (by == 0) return {};
  return fmt::format(
      "what is rounded at {0} = {1:.4g} has grown 1e{2:+.0f} times by {0} = {3:.4g}: no steps "
      "follow "
      "the solution there, and what comes after is left to rounding; take a shorter {4}",
      system.variable(), since, by, until,
      system.problem().domain->time() != nullptr ? "time" : "domain");
}

}  // namespace cauchy::detail
