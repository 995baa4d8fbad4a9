#include "solvers/fdm/fdm_steady.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/problem/place.hpp>

#include "solvers/fdm/fdm_linear.hpp"
#include "solvers/fdm/fdm_system.hpp"

namespace cauchy::detail {
namespace {

double fdm_norm(std::span<const double> v) {
  double sum = 0;
  for (const double x : v) sum += x * x;
  return std::sqrt(sum / static_cast<double>(std::max<std::size_t>(1, v.size())));
}

class FdmSteady final : public ClassicalSolver {
 public:
  FdmSteady(std::shared_ptr<const Problem> problem, const Fdm& method)
      : problem_(std::move(problem)), method_(method) {
    // Everything that can be refused is refused on the coarsest grid.
    FdmSystem trial(problem_, method_, std::min(fdm_cells(method_, dimension(), 0), 12));
    tensor_ = !trial.tensor().shape.empty();
    linear_ = trial.linear();
    const std::vector<double> zero(trial.size(), 0);
    SparseMatrix jacobian;
    trial.jacobian(0, zero, zero, 0, jacobian);
    FdmLinear(method_.linear_solver, trial.tensor(), method_.order).require(jacobian);
  }

  [[nodiscard]] int levels() const override { return fdm_levels(*problem_, method_, tensor_); }
  [[nodiscard]] int coarser() const override { return fdm_coarser(method_, dimension()); }
  [[nodiscard]] MethodCost cost(int level) const override {
    constexpr double newton_steps = 5;
    MethodCost cost = fdm_cost(*problem_, method_, level, tensor_);
    if (!linear_) cost.work = cost.work.times(newton_steps);
    return cost;
  }
  [[nodiscard]] double order() const override { return method_.order; }

  [[nodiscard]] ClassicalAnswer solve(int level, const RunOptions& options) override {
    FdmSystem system(problem_, method_, fdm_cells(method_, dimension(), level));
    ClassicalAnswer answer;
    answer.method = fmt::format("fdm, {} cells, order {}", system.shape(), method_.order);
    answer.n_unknowns = system.size();
    std::vector<double> y(system.size(), 0);
    newton(system, y, options, answer);
    if (answer.interrupted) return answer;  // steps of Newton's method are no answer yet
    check_slacks(system, y, answer);
    answer.finite = std::all_of(y.begin(), y.end(), [](double v) { return std::isfinite(v); });
    for (const std::string& r : system.remarks()) answer.remarks.push_back(r);
    if (answer.finite) answer.model = system.model({}, {y});
    return answer;
  }

 private:
  [[nodiscard]] std::size_t dimension() const { return problem_->domain->space()->dimension(); }

  /// Damped Newton iteration; one step for a linear problem.
  void newton(FdmSystem& system, std::vector<double>& y, const RunOptions& options,
              ClassicalAnswer& answer) const {
    constexpr int most_steps = 60;
    const std::size_t n = system.size();
    const std::vector<double> still(n, 0);
    std::vector<double> r(n), trial(n), r_trial(n), step(n);
    SparseMatrix jacobian;
    FdmLinear linear(method_.linear_solver, system.tensor(), method_.order);
    const auto stop = [&] { return options.limit.reached(); };
    system.residual(0, y, still, r);
    if (!std::isfinite(fdm_norm(r))) {  // log(u), 1/u: 0 is no place to start
      std::fill(y.begin(), y.end(), 1.0);
      system.residual(0, y, still, r);
    }
    double now = fdm_norm(r);
    const double first = now;
    for (int k = 0; k < most_steps; ++k) {
      const ProgressValue value[] = {{"residual", now}};
      options.limit.show(
          {.step = static_cast<std::uint64_t>(k), .values = value, .message = "newton"});
      if (stop()) {
        answer.interrupted = true;
        return;
      }
      if (now == 0) return;
      system.jacobian(0, y, still, 0, jacobian);
      std::fill(step.begin(), step.end(), 0.0);
      std::string trouble = linear.factor(jacobian);
      if (trouble.empty()) trouble = linear.solve(r, step, stop);
      if (!trouble.empty()) {
        answer.troubles.push_back(trouble);
        answer.interrupted = stop();
        if (k == 0) std::fill(y.begin(), y.end(), std::nan(""));
        return;
      }
      double share = 1;
      bool better = false;
      for (int cut = 0; cut < 12; ++cut, share /= 2) {
        for (std::size_t i = 0; i < n; ++i) trial[i] = y[i] - share * step[i];
        system.residual(0, trial, still, r_trial);
        const double there = fdm_norm(r_trial);
        if (there < now || (system.linear() && std::isfinite(there))) {
          better = true;
          break;
        }
      }
      const double moved = share * fdm_norm(step), size = fdm_norm(y);
      if (!better) {
        // At the level of rounding no step is better; before that it is a failure.
        if (fdm_norm(step) > 1e-8 * (size + fdm_norm(step) * 1e-3) && now > 1e-9 * first) {
          answer.troubles.push_back(fmt::format(
              "Newton's method came to a halt after {} steps, residual {:.2e} of {:.2e}", k, now,
              first));
        }
        return;
      }
      y.swap(trial);
      r.swap(r_trial);
      now = fdm_norm(r);
      if (system.linear()) {  // once more, against rounding
        if (!linear.remark().empty()) answer.remarks.push_back(linear.remark());
        std::fill(step.begin(), step.end(), 0.0);
        constexpr double share_of_rest = 1e-3;  // what is left is small already
        if (linear.solve(r, step, stop, share_of_rest).empty()) {
          for (std::size_t i = 0; i < n; ++i) y[i] -= step[i];
          check_linear(fdm_norm(step), fdm_norm(y), answer);
        }
        return;
      }
      if (share == 1 && moved <= 1e-11 * fdm_norm(y)) return;
      if (now <= 1e-13 * first) return;
    }
    answer.troubles.push_back(fmt::format(
        "Newton's method did not converge in {} steps, residual {:.2e}", most_steps, now));
  }

  /// A constant that had to be added to an equation and is no small part of it means that the
  /// conditions contradict the equations.
  static void check_slacks(FdmSystem& system, const std::vector<double>& y,
                           ClassicalAnswer& answer) {
    const std::vector<double> zero(system.size(), 0);
    std::vector<double> r(system.size());
    system.residual(0, zero, zero, r);
    const double size = fdm_norm(r);
    for (const double slack : system.slacks(y)) {
      if (std::abs(slack) <= 0.02 * size || !std::isfinite(slack)) continue;
      answer.troubles.push_back(fmt::format(
          "conditions at points or on integrals contradict the equations: they hold with {:.2e} "
          "added to an equation of the size {:.2e}",
          slack, size));
    }
  }

  /// What the second solution changed tells how far the first can be trusted.
  static void check_linear(double change, double size, ClassicalAnswer& answer) {
    if (change <= 1e-6 * size) return;
    answer.troubles.push_back(fmt::format(
        "the equations of the grid are next to singular: a second solution changes {:.1e} of the "
        "first; a field may be open, or the problem is at an eigenvalue",
        change / size));
  }

  std::shared_ptr<const Problem> problem_;
  Fdm method_;
  bool tensor_ = false;  // the unknowns form a full grid
  bool linear_ = true;
};

}  // namespace

int fdm_cells(const Fdm& method, std::size_t dimension, int level) {
  const int first = dimension == 1 ? 32 : dimension == 2 ? 16 : 8;
  return cells_at(method.n > 0 ? method.n : first, level);
}

int fdm_coarser(const Fdm& method, std::size_t dimension) {
  constexpr int least_cells = 4;
  const int n = fdm_cells(method, dimension, 0);
  return std::min(halvings(n, least_cells), method.n > 0 ? 2 : 1);
}

int fdm_levels(const Problem& problem, const Fdm& method, bool tensor) {
  if (method.n > 0) return 1;
  const std::size_t d = problem.domain->space()->dimension();
  // Beyond these sizes it would take minutes.
  const bool multigrid = tensor && fdm_multigrid_fits(method);
  const double most = d == 1 ? 600'000 : multigrid ? 1'200'000 : d == 2 ? 350'000 : 40'000;
  int level = 0;
  while (static_cast<double>(fdm_cost(problem, method, level + 1, tensor).unknowns) <= most)
    ++level;
  return level + 1;
}

MethodCost fdm_cost(const Problem& problem, const Fdm& method, int level, bool tensor) {
  const std::size_t d = problem.domain->space()->dimension();
  const Bounds box = domain_of(problem).shape()->bounds();
  double longest = 0, nodes = 1;
  for (std::size_t k = 0; k < d; ++k) longest = std::max(longest, box.upper[k] - box.lower[k]);
  const double cells = fdm_cells(method, d, level);
  for (std::size_t k = 0; k < d; ++k) {
    nodes *= std::max(4.0, cells * (box.upper[k] - box.lower[k]) / longest) + 1;
  }
  const double unknowns = nodes * static_cast<double>(problem.fields.size());
  // Entries of the factors of a direct solution per unknown, or of the grids of multigrid.
  const double width = static_cast<double>(problem.fields.size()) * (method.order == 2 ? 1 : 2);
  const bool multigrid =
      tensor && d > 1 && fdm_multigrid_fits(method) &&
      (method.linear_solver == LinearSolver::multigrid || unknowns > fdm_most_direct(d));
  const double fill = multigrid ? 60
                      : d == 1  ? 8 * width
                      : d == 2  ? 4 * std::log2(unknowns + 2) * width
                                : 6 * std::cbrt(unknowns) * width;
  MethodCost cost;
  cost.method =
      fmt::format("fdm, {:.0f} cells along the longest side, order {}", cells, method.order);
  cost.unknowns = static_cast<std::size_t>(unknowns);
  cost.bytes = unknowns * (16 * fill + 1500);
  if (multigrid) {
    cost.work.add(WorkKind::memory, 1.2e4 * unknowns);
    cost.work.add(WorkKind::pieces, 45 * unknowns);
  } else {
    // Grids of the plane: as unknowns are ordered by columns.
    const double flops =
        d == 2 ? 8 * width * width * std::pow(unknowns, 1.7) : 0.4 * unknowns * fill * fill;
    cost.work.add(WorkKind::factors, flops);
    cost.work.add(WorkKind::pieces, 75 * unknowns);
  }
  cost.less = "use fewer cells (n)";
  return cost;
}

std::unique_ptr<ClassicalSolver> make_fdm_steady(std::shared_ptr<const Problem> problem,
                                                 const Fdm& method) {
  return std::make_unique<FdmSteady>(std::move(problem), method);
}

}  // namespace cauchy::detail
