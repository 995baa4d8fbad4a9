#include "solvers/fdm/flow_unsteady.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>

#include <cauchy/base/work.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/math/multigrid.hpp>

#include "solvers/fdm/flow_equations.hpp"
#include "solvers/fdm/flow_steady.hpp"

namespace cauchy::detail {
namespace {

constexpr double courant_target = 0.35, courant_limit = 0.7;
constexpr int most_restarts = 8;
constexpr double projection_tolerance = 1e-12, momentum_tolerance = 1e-10;

/// One integration with a fixed step.
class FlowSteps final {
 public:
  FlowSteps(const Problem& problem, const FlowForm& form, const FlowGrid& grid, double start,
            Threads& threads)
      : problem_(problem), form_(form), grid_(grid), threads_(threads), dim_(grid.dimension()) {
    for (std::size_t k = 0; k < dim_; ++k) {
      rest_.push_back(std::make_unique<FlowExpression>(problem, grid, form.rest[k], k, false));
      slope_.push_back(grid.derivative(d(Field(form.pressure), Coordinate(form.space[k])), k));
    }
    // The residual of the continuity over the factor of the divergence.
    const Expr factor =
        partial(form.continuity, d(Field(form.velocity[0]), Coordinate(form.space[0])));
    excess_ =
        std::make_unique<FlowExpression>(problem, grid, form.continuity / factor, dim_, false);
    BoxOperator poisson;
    for (std::size_t k = 0; k < dim_; ++k) {
      const BoxAxis::End end = grid.periodic(k) ? BoxAxis::End::periodic : BoxAxis::End::neumann;
      poisson.axes.push_back(
          {static_cast<std::size_t>(grid.cells(k)), grid.lower(k), grid.upper(k), end, end, true});
    }
    poisson_ = std::make_unique<BoxMultigrid>(poisson, MultigridOptions{.nested = false}, &threads);
    rotational_ = true;
    for (const auto& of_component : form.viscosity) {
      for (const double nu : of_component) {
        rotational_ = rotational_ && std::abs(nu - form.viscosity[0][0]) <= 1e-12 * nu;
      }
    }
    begin(start);
  }

  [[nodiscard]] const std::vector<double>& state() const noexcept { return x_; }
  /// Courant number of a step: the fastest way through a cell.
  [[nodiscard]] double courant(double dt) const {
    double sum = 0;
    for (std::size_t k = 0; k < dim_; ++k) {
      double most = 0;
      for (std::size_t i = grid_.offset(k); i < grid_.offset(k + 1); ++i) {
        if (!(std::abs(x_[i]) <= most)) most = std::abs(x_[i]);
      }
      sum += most * dt / grid_.spacing(k);
    }
    return sum;
  }

  /// The pressure that goes with the velocity at the start.
  void find_pressure(double t, double dt) {
    const std::vector<double> now = grid_.walls(t), one = grid_.walls(t + dt),
                              two = grid_.walls(t + 2 * dt);
    std::vector<double> rate(now.size()), force(x_.size(), 0);
    for (std::size_t i = 0; i < rate.size(); ++i) {
      rate[i] = (4 * one[i] - 3 * now[i] - two[i]) / (2 * dt);
    }
    prepare(0);
    for (std::size_t k = 0; k < dim_; ++k) {
      const std::span<double> f = part(force, k);
      std::vector<double> walls(grid_.size(k), 0), bent(grid_.size(k));
      add_walls(k, now, walls);
      momentum_[k]->apply(part(x_, k), bent);
      evaluate_rest(k, t, f);
      for (std::size_t i = 0; i < f.size(); ++i) f[i] = walls[i] - bent[i] - f[i];
    }
    std::vector<double> p(grid_.size(dim_), 0);
    project(force, rate, t, 1 / form_.push, p);
    std::copy(p.begin(), p.end(), part(x_, dim_).begin());
  }

  /// From t to t + dt; the first step is Euler's.
  ///   result   false when a linear solver failed
  bool step(double t, double dt) {
    const bool first = before_.empty();
    const double rate = (first ? 1 : 1.5) / dt;
    prepare(rate);
    const std::vector<double> walls = grid_.walls(t + dt);
    std::vector<double> next = x_;
    std::vector<std::vector<double>> rest(dim_);
    bool good = true;
    for (std::size_t k = 0; k < dim_; ++k) {
      const std::size_t n = grid_.size(k);
      rest[k].resize(n);
      evaluate_rest(k, t, rest[k]);
      std::vector<double> right(n), push(n);
      slope_[k].apply(x_, {}, push);
      const std::span<const double> u = part(x_, k);
      for (std::size_t i = 0; i < n; ++i) {
        const double explicit_part = first ? rest[k][i] : 2 * rest[k][i] - rest_before_[k][i];
        const double history =
            first ? u[i] / dt : (4 * u[i] - before_[grid_.offset(k) + i]) / (2 * dt);
        right[i] = history - explicit_part - form_.push * push[i];
      }
      add_walls(k, walls, right);
      const IterationResult result = momentum_[k]->solve(
          right, part(next, k), {.tolerance = momentum_tolerance, .max_iterations = 40});
      good = good && (result.converged() || result.residual() < 1e-7);
    }
    std::vector<double>& phi = phi_;  // the last one is a good start
    phi.resize(grid_.size(dim_), 0);
    const std::vector<double> excess = project(next, walls, t + dt, rate / form_.push, phi);
    const std::span<double> p = part(next, dim_);
    const double turn = rotational_ ? form_.viscosity[0][0] / form_.push : 0;
    std::vector<double> gradient(x_.size());
    std::copy(phi.begin(), phi.end(), part(gradient, dim_).begin());
    for (std::size_t k = 0; k < dim_; ++k) {
      std::vector<double> g(grid_.size(k));
      slope_[k].apply(gradient, {}, g);
      const std::span<double> u = part(next, k);
      for (std::size_t i = 0; i < g.size(); ++i) u[i] -= form_.push / rate * g[i];
    }
    for (std::size_t i = 0; i < phi.size(); ++i) p[i] += phi[i] - turn * excess[i];
    before_ = std::move(x_);
    rest_before_ = std::move(rest);
    x_ = std::move(next);
    return good;
  }

 private:
  [[nodiscard]] std::span<double> part(std::vector<double>& x, std::size_t kind) const {
    return std::span(x).subspan(grid_.offset(kind), grid_.size(kind));
  }

  /// The given velocity at the faces, freed of its divergence.
  void begin(double t) {
    x_.assign(grid_.n_unknowns(), 0);
    for (std::size_t k = 0; k < dim_; ++k) {
      NodeProgram program(problem_, {form_.initial[k]}, {}, grid_.points(k));
      std::vector<std::vector<double>> out(1, std::vector<double>(grid_.size(k)));
      program.run(std::vector<std::vector<double>>(), out, t);
      std::copy(out[0].begin(), out[0].end(), part(x_, k).begin());
    }
    std::vector<double> phi(grid_.size(dim_), 0), gradient(x_.size());
    project(x_, grid_.walls(t), t, 1, phi);
    std::copy(phi.begin(), phi.end(), part(gradient, dim_).begin());
    for (std::size_t k = 0; k < dim_; ++k) {
      std::vector<double> g(grid_.size(k));
      slope_[k].apply(gradient, {}, g);
      const std::span<double> u = part(x_, k);
      for (std::size_t i = 0; i < g.size(); ++i) u[i] -= g[i];
    }
  }

  /// Solves laplacian(phi) = factor * (div u - source) and returns the bracket, freed of its mean.
  std::vector<double> project(std::span<const double> u, std::span<const double> walls, double t,
                              double factor, std::vector<double>& phi) {
    std::vector<double> excess(phi.size()), right(phi.size());
    excess_->evaluate(u, walls, t, excess);
    double mean = 0;
    for (const double v : excess) mean += v / static_cast<double>(excess.size());
    for (std::size_t i = 0; i < excess.size(); ++i) {
      excess[i] -= mean;
      right[i] = -factor * excess[i];
    }
    poisson_->solve(right, phi, {.tolerance = projection_tolerance, .max_iterations = 30});
    return excess;
  }

  void evaluate_rest(std::size_t k, double t, std::span<double> out) {
    rest_[k]->evaluate(x_, grid_.walls(t), t, out);
  }

  /// Makes the operators rate - viscosity laplacian; lengths are measured so that it becomes 1.
  void prepare(double rate) {
    if (!momentum_.empty() && rate == rate_) return;
    rate_ = rate;
    momentum_.clear();
    for (std::size_t m = 0; m < dim_; ++m) {
      BoxOperator op;
      op.c = rate;
      for (std::size_t k = 0; k < dim_; ++k) {
        const double scale = 1 / std::sqrt(form_.viscosity[m][k]);
        const auto end = [&](bool upper) {
          if (grid_.periodic(k)) return BoxAxis::End::periodic;
          return grid_.gives_values(m, k, upper) ? BoxAxis::End::dirichlet : BoxAxis::End::neumann;
        };
        op.axes.push_back({static_cast<std::size_t>(grid_.shape(m)[k]), scale * grid_.lower(k),
                           scale * grid_.upper(k), end(false), end(true), k != m});
      }
      momentum_.push_back(
          std::make_unique<BoxMultigrid>(op, MultigridOptions{.nested = false}, &threads_));
    }
  }

  /// What the walls add to the right side of a component.
  void add_walls(std::size_t m, std::span<const double> walls, std::span<double> right) const {
    for (std::size_t k = 0; k < dim_; ++k) {
      for (const bool upper : {false, true}) {
        if (grid_.periodic(k)) continue;
        std::vector<double> values = grid_.side_values(m, k, upper, walls);
        if (!grid_.gives_values(m, k, upper)) {
          for (double& v : values) v *= std::sqrt(form_.viscosity[m][k]);
        }
        momentum_[m]->problem().add_boundary(k, upper, values, right);
      }
    }
  }

  const Problem& problem_;
  const FlowForm& form_;
  const FlowGrid& grid_;
  Threads& threads_;
  std::size_t dim_;
  bool rotational_ = true;
  double rate_ = -1;
  std::vector<double> x_, before_, phi_;
  std::vector<std::vector<double>> rest_before_;
  std::vector<std::unique_ptr<FlowExpression>> rest_;
  std::vector<FlowOperator> slope_;
  std::unique_ptr<FlowExpression> excess_;
  std::unique_ptr<BoxMultigrid> poisson_;
  std::vector<std::unique_ptr<BoxMultigrid>> momentum_;
};

double fastest_wall(const FlowGrid& grid, double lower, double upper) {
  double most = 0;
  for (int i = 0; i <= 8; ++i) {
    for (const double v : grid.walls(lower + (upper - lower) * i / 8)) {
      most = std::max(most, std::abs(v));
    }
  }
  return most;
}

}  // namespace

UnsteadyFlow unsteady_flow(const Problem& problem, const FlowForm& form, const FlowGrid& grid,
                           std::size_t n_states, Threads& threads,
                           const std::function<bool(double share)>& stop) {
  const Time& time = *problem.domain->time();
  const double length = time.upper - time.lower;
  double spacing = grid.spacing(0);
  int longest = grid.cells(0);
  for (std::size_t k = 1; k < grid.dimension(); ++k) {
    spacing = std::min(spacing, grid.spacing(k));
    longest = std::max(longest, grid.cells(k));
  }
  double wanted = length / longest;
  {
    const FlowSteps steps(problem, form, grid, time.lower, threads);
    const double speed =
        std::max(steps.courant(1), fastest_wall(grid, time.lower, time.upper) / spacing);
    if (speed > 0) wanted = std::min(wanted, courant_target / speed);
  }
  UnsteadyFlow flow;
  const std::size_t intervals = n_states - 1;
  for (int restart = 0; restart <= most_restarts; ++restart, wanted /= 2) {
    const auto per_interval = static_cast<std::size_t>(
        std::ceil(length / static_cast<double>(intervals) / wanted * (1 - 1e-9)));
    const std::size_t total = intervals * std::max<std::size_t>(per_interval, 1);
    const double dt = length / static_cast<double>(total);
    FlowSteps steps(problem, form, grid, time.lower, threads);
    steps.find_pressure(time.lower, dt);
    flow = {};
    bool too_fast = false;
    for (std::size_t s = 0;; ++s) {
      const double t = time.lower + length * static_cast<double>(s) / static_cast<double>(total);
      if (s % (total / intervals) == 0) {
        flow.times.push_back(t);
        flow.states.push_back(flow_at_nodes(form, grid, steps.state(), grid.walls(t)));
      }
      if (s == total) break;
      if (stop && stop(static_cast<double>(s) / static_cast<double>(total))) {
        flow.interrupted = true;
        return flow;
      }
      // Some fluxes of every face; the pressure counts its own.
      count_work(WorkKind::pieces, 2 * static_cast<double>(grid.n_unknowns()));
      const bool good = steps.step(t, dt);
      ++flow.steps;
      const double courant = steps.courant(dt);
      if (!std::isfinite(courant) || !good) {
        flow.trouble = fmt::format("the flow became too fast for {} steps in time", total);
      }
      too_fast = !(courant <= courant_limit) || !good;
      if (too_fast) break;
    }
    if (too_fast) continue;
    flow.trouble.clear();
    const double speed = std::max(steps.courant(1), 1e-300);
    flow.divergence =
        flow_divergence(problem, form, grid, steps.state(), time.upper).largest / speed;
    return flow;
  }
  if (flow.trouble.empty()) flow.trouble = "the flow became too fast for the steps in time";
  return flow;
}

}  // namespace cauchy::detail
