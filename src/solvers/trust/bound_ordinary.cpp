#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>

#include "solvers/ode/initial_value.hpp"
#include "solvers/ode/ode_conditions.hpp"
#include "solvers/trust/bound_theories.hpp"
#include "solvers/trust/bound_tube.hpp"

namespace cauchy::detail {
namespace {

constexpr double bound_infinity = std::numeric_limits<double>::infinity();
/// Accuracy of the integration that bounds start from where it is better than the answer.
constexpr double path_tolerance = 1e-9;
constexpr std::size_t largest_state = 40;
/// Longer integrations take too much time to be followed.
constexpr std::size_t most_path_nodes = 40'000;

/// Whether the slopes of a system are linear in its state.
bool is_linear_system(const Problem& problem) {
  return std::all_of(problem.equation.begin(), problem.equation.end(),
                     [](const ProblemEquation& e) { return is_linear(e.form.residual()); });
}

/// Edges of time: equal ones, and finer ones towards the start.
std::vector<double> graded_edges(double lower, double upper, std::size_t n,
                                 const std::vector<double>& jumps) {
  std::vector<double> edges = jumps;
  for (std::size_t k = 0; k <= n; ++k) {
    const double s = static_cast<double>(k) / static_cast<double>(n);
    edges.push_back(k == n ? upper : lower + s * (upper - lower));
  }
  for (double s = 0.5 / static_cast<double>(n); s > 1e-6; s /= 2) {
    edges.push_back(lower + s * (upper - lower));
  }
  std::sort(edges.begin(), edges.end());
  const double slack = 1e-9 * (upper - lower);
  edges.erase(
      std::unique(edges.begin(), edges.end(), [&](double a, double b) { return b - a < slack; }),
      edges.end());
  edges.back() = upper;
  return edges;
}

/// Bounds along the answer and along an integration of the equations.
class OrdinaryBounds final {
 public:
  OrdinaryBounds(const Solution& solution, std::size_t max_points, const OdeProblem& ode,
                 std::vector<double> start)
      : solution_(solution),
        ode_(ode),
        system_(*ode.system),
        n_(system_.size()),
        start_(std::move(start)),
        linear_(is_linear_system(solution.problem)) {
    const std::size_t parts = std::clamp<std::size_t>(max_points / (tube_points + 1), 16, 4000);
    edges_ = graded_edges(ode.lower, ode.upper, parts, ode.jumps);
    system_.stay_between(ode.lower, ode.upper);
    read_answer();
  }

  std::vector<ErrorBound> run() {
    if (!finite_) return {};
    along_answer();
    along_path();
    std::vector<ErrorBound> all;
    for (const OdeSystem::Chain& c : system_.chains()) add_field(c, all);
    if (n_ > 1) add_state(all);
    return all;
  }

 private:
  /// Values of the answer at the Gauss points of every interval and behind them at its edges.
  void read_answer() {
    const std::size_t m = edges_.size() - 1;
    for (std::size_t k = 0; k < m; ++k) {
      for (const double place : tube_place) {
        times_.push_back(edges_[k] + place * (edges_[k + 1] - edges_[k]));
      }
    }
    std::vector<double> at = times_;
    at.insert(at.end(), edges_.begin(), edges_.end());
    std::vector<Expr> wanted = system_.states();
    for (std::size_t i = 0; i < n_; ++i) {
      wanted.push_back(d(wanted[i], Coordinate(system_.variable())));
    }
    values_.resize(at.size() * 2 * n_);
    solution_.model->evaluate(wanted, at, values_);
    sizes_.assign(n_, 0.0);
    for (std::size_t q = 0; q < at.size(); ++q) {
      for (std::size_t i = 0; i < n_; ++i) {
        if (!std::isfinite(answer(q, i)) || !std::isfinite(values_[q * 2 * n_ + n_ + i])) {
          finite_ = false;
        }
        sizes_[i] = std::max(sizes_[i], std::abs(answer(q, i)));
      }
    }
    const double most = *std::max_element(sizes_.begin(), sizes_.end());
    for (double& s : sizes_) s = s > 1e-6 * most ? s : (most > 0 ? 1e-6 * most : 1);
  }

  [[nodiscard]] double answer(std::size_t q, std::size_t i) const {
    return values_[q * 2 * n_ + i];
  }
  [[nodiscard]] std::size_t intervals() const { return edges_.size() - 1; }

  void along_answer() {
    std::vector<double> e(n_);
    for (std::size_t i = 0; i < n_; ++i) e[i] = answer(times_.size(), i) - start_[i];
    const auto curve = [&](std::size_t q, double, std::span<double> y, std::span<double> dy) {
      for (std::size_t i = 0; i < n_; ++i) {
        y[i] = answer(q, i);
        dy[i] = values_[q * 2 * n_ + n_ + i];
      }
    };
    scales_ = {sizes_};
    if (n_ > 1) scales_.push_back(balanced_sizes(system_, curve, edges_, sizes_));
    direct_ = followed(curve, edges_, e, answer_jumps());
  }

  /// What the changes of the answer have beside the integrals of its slopes, of every interval.
  [[nodiscard]] std::vector<double> answer_jumps() const {
    std::vector<double> made(intervals() * n_);
    const std::size_t first = times_.size();
    for (std::size_t k = 0; k < intervals(); ++k) {
      for (std::size_t i = 0; i < n_; ++i) {
        double change = answer(first + k + 1, i) - answer(first + k, i);
        for (std::size_t g = 0; g < tube_points; ++g) {
          const std::size_t q = k * tube_points + g;
          change -= tube_share[g] * (edges_[k + 1] - edges_[k]) * values_[q * 2 * n_ + n_ + i];
        }
        made[k * n_ + i] = std::abs(change);
      }
    }
    return made;
  }

  /// A tube and the sizes that it is measured in.
  struct Followed {
    Tube tube;
    std::vector<double> sizes;
  };
  /// All norms in all units; the first is the Euclidean one in units of the answer's sizes.
  [[nodiscard]] std::vector<Followed> followed(TubeCurve curve, std::span<const double> edges,
                                               std::span<const double> start,
                                               std::span<const double> jumps = {}) const {
    std::vector<Followed> made;
    for (const std::vector<double>& sizes : scales_) {
      TubeFollower follower(system_, sizes, linear_);
      for (const StateNorm norm : {StateNorm::euclidean, StateNorm::largest}) {
        made.push_back({follower.follow(curve, edges, start, norm, jumps), sizes});
        if (n_ == 1) break;
      }
    }
    return made;
  }

  void along_path() {
    const OdeNodes nodes = solve_initial_value(ode_, OdeIntegrator::automatic, path_tolerance, {});
    system_.stay_between(ode_.lower, ode_.upper);
    if (!nodes.trouble.empty() || nodes.interrupted || nodes.cubics.nodes.size() > most_path_nodes)
      return;
    const OdeCubics& cubics = nodes.cubics;
    // The grid of the answer and that of the path together; `fine_of_` leads back.
    fine_ = edges_;
    fine_.insert(fine_.end(), cubics.nodes.begin(), cubics.nodes.end());
    std::sort(fine_.begin(), fine_.end());
    fine_.erase(std::unique(fine_.begin(), fine_.end()), fine_.end());
    const auto curve = [&](std::size_t, double t, std::span<double> y, std::span<double> dy) {
      for (std::size_t i = 0; i < n_; ++i) {
        y[i] = cubics.value(t, i, 0);
        dy[i] = cubics.value(t, i, 1);
      }
    };
    std::vector<double> e(n_);
    for (std::size_t i = 0; i < n_; ++i) e[i] = cubics.value(ode_.lower, i, 0) - start_[i];
    path_ = followed(curve, fine_, e);
    for (std::size_t q = 0; q < values_.size() / (2 * n_); ++q) {
      const double t = q < times_.size() ? times_[q] : edges_[q - times_.size()];
      for (std::size_t i = 0; i < n_; ++i) {
        difference_.push_back(answer(q, i) - cubics.value(t, i, 0));
      }
    }
    path_name_ = nodes.method;
  }

  /// Largest distance of the path from the solution between two edges, in units of the sizes.
  [[nodiscard]] double path_bound(const Tube& tube, double from, double to) const {
    auto at = static_cast<std::size_t>(std::upper_bound(fine_.begin(), fine_.end(), from) -
                                       fine_.begin());
    at = at > 0 ? at - 1 : 0;
    double most = tube.far[at];
    for (; at < fine_.size() && fine_[at] <= to; ++at) most = std::max(most, tube.far[at]);
    return most;
  }

  /// Pointwise bounds of some quantity of the error at the points of time.
  struct Between {
    std::vector<double> upper, lower;
  };

  [[nodiscard]] double time_of(std::size_t q) const {
    return q < times_.size() ? times_[q] : edges_[q - times_.size()];
  }
  [[nodiscard]] std::size_t interval_of(std::size_t q) const {
    return q < times_.size() ? q / tube_points : std::min(q - times_.size(), intervals() - 1);
  }

  /// Of component i.
  [[nodiscard]] Between component(std::size_t i) const {
    const std::size_t n_points = values_.size() / (2 * n_);
    Between made{std::vector<double>(n_points, bound_infinity), std::vector<double>(n_points, 0.0)};
    std::vector<double> by_path(intervals(), bound_infinity);
    for (std::size_t k = 0; k < intervals(); ++k) {
      for (const auto& [tube, sizes] : path_) {
        by_path[k] = std::min(by_path[k], sizes[i] * path_bound(tube, edges_[k], edges_[k + 1]));
      }
    }
    for (std::size_t q = 0; q < n_points; ++q) {
      const std::size_t k = interval_of(q);
      for (const auto& [tube, sizes] : direct_) {
        made.upper[q] = std::min(made.upper[q], sizes[i] * std::max(tube.far[k], tube.far[k + 1]));
        if (n_ > 1) continue;
        const double low = std::min(tube.low[k], tube.low[k + 1]);
        const double high = std::max(tube.high[k], tube.high[k + 1]);
        made.lower[q] = std::max({made.lower[q], sizes[i] * low, -sizes[i] * high});
      }
      if (path_.empty()) continue;
      const double apart = std::abs(difference_[q * n_ + i]);
      made.upper[q] = std::min(made.upper[q], apart + by_path[k]);
      made.lower[q] = std::max(made.lower[q], apart - by_path[k]);
    }
    return made;
  }

  [[nodiscard]] static ErrorBound named(const std::string& field, const std::string& norm) {
    ErrorBound made;
    made.theory = "logarithmic norm";
    made.field = field;
    made.norm = norm;
    return made;
  }

  void add_field(const OdeSystem::Chain& chain, std::vector<ErrorBound>& all) const {
    const Between e = component(chain.first);
    ErrorBound largest = named(chain.field, "largest over time");
    ErrorBound mean = named(chain.field, "L2 over time");
    largest.upper = *std::max_element(e.upper.begin(), e.upper.end());
    largest.lower = *std::max_element(e.lower.begin(), e.lower.end());
    double size = 0, upper = 0, lower = 0, square = 0;
    for (std::size_t q = 0; q < e.upper.size(); ++q) {
      const double u = answer(q, chain.first);
      size = std::max(size, std::abs(u));
      if (q >= times_.size()) continue;
      const std::size_t k = q / tube_points;
      const double w = tube_share[q % tube_points] * (edges_[k + 1] - edges_[k]);
      upper += w * e.upper[q] * e.upper[q];
      lower += w * e.lower[q] * e.lower[q];
      square += w * u * u;
    }
    mean.upper = std::sqrt(upper);
    mean.lower = std::sqrt(lower);
    if (size > 0) largest.relative = largest.upper / size;
    if (square > 0) mean.relative = mean.upper / std::sqrt(square);
    largest.how = mean.how = sentence();
    for (ErrorBound& b : std::array{largest, mean}) {
      if (std::isfinite(b.upper) || b.lower > 0) all.push_back(std::move(b));
    }
  }

  /// All components together, each in units of its size.
  void add_state(std::vector<ErrorBound>& all) const {
    ErrorBound b = named({}, "largest over time, state in units of its sizes");
    b.upper = 0;
    double size = 0;
    const std::size_t n_points = values_.size() / (2 * n_);
    std::vector<double> y(n_);
    const TubeFollower units(system_, sizes_, linear_);
    for (std::size_t q = 0; q < n_points; ++q) {
      const std::size_t k = interval_of(q);
      double upper = std::max(direct_[0].tube.far[k], direct_[0].tube.far[k + 1]);
      double lower = time_of(q) == edges_[k] ? direct_[0].tube.near[k] : 0;
      if (!path_.empty()) {
        const double apart = units.size_of({&difference_[q * n_], n_}, StateNorm::euclidean);
        const double by_path = path_bound(path_[0].tube, edges_[k], edges_[k + 1]);
        upper = std::min(upper, apart + by_path);
        lower = std::max(lower, apart - by_path);
      }
      b.upper = std::max(b.upper, upper);
      b.lower = std::max(b.lower, lower);
      for (std::size_t i = 0; i < n_; ++i) y[i] = answer(q, i);
      size = std::max(size, units.size_of(y, StateNorm::euclidean));
    }
    if (size > 0) b.relative = b.upper / size;
    b.how = sentence();
    if (std::isfinite(b.upper) || b.lower > 0) all.push_back(std::move(b));
  }

  [[nodiscard]] std::string sentence() const {
    double rate = bound_infinity;
    for (const auto& [tube, sizes] : direct_) rate = std::min(rate, tube.largest_rate);
    std::string text =
        fmt::format("|e|' <= mu |e| + |r| along the answer, mu at most {:.3g}{}", rate,
                    linear_ ? "" : " over the ball that holds the solution, sampled");
    if (!path_.empty()) {
      text += fmt::format("; the same along an integration ({}), and its distance from the answer",
                          path_name_);
    }
    return text;
  }

  const Solution& solution_;
  const OdeProblem& ode_;
  OdeSystem& system_;
  std::size_t n_;
  std::vector<double> start_, sizes_, edges_, times_, values_;
  bool linear_, finite_ = true;
  std::vector<std::vector<double>> scales_;
  std::vector<Followed> direct_, path_;
  std::vector<double> fine_, difference_;  // answer minus path at every point, row-major
  std::string path_name_;
};

}  // namespace

std::vector<ErrorBound> logarithmic_norm_bounds(const Solution& solution, std::size_t max_points) {
  const Problem& problem = solution.problem;
  if (!problem.unknowns.empty() || !problem.coefficients.empty()) return {};
  if (!problem.domain || !problem.domain->ranges().empty()) return {};
  try {
    const OdeProblem ode(std::make_shared<const Problem>(problem));
    if (!ode.system->is_explicit() || !ode.conditions->at_one_point()) return {};
    if (ode.conditions->all().front().at != ode.lower) return {};
    if (ode.system->size() > largest_state) return {};
    std::string trouble;
    std::vector<double> start = ode.conditions->start(trouble);
    if (!trouble.empty()) return {};
    return OrdinaryBounds(solution, max_points, ode, std::move(start)).run();
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::unsupported) throw;
    return {};
  }
}

}  // namespace cauchy::detail
