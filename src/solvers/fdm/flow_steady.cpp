#include "solvers/fdm/flow_steady.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/work.hpp>

#include "solvers/fdm/flow_equations.hpp"

namespace cauchy::detail {
namespace {

constexpr int most_newton_steps = 30;
constexpr int most_artificial_steps = 200;
constexpr double step_tolerance = 1e-10;  // of the last step, relative to the unknowns

double largest_of(std::span<const double> v) {
  double most = 0;
  for (const double x : v) {
    if (!(std::abs(x) <= most)) most = std::abs(x);
  }
  return most;
}

/// The discrete equations: momentum at faces, continuity in cells. The divergence that wall values
/// force on the fluid (quadrature errors of what flows in and out) is spread over all cells, and
/// the continuity of the first cell, which then follows from the others, gives way to p = 0 there.
class SteadyEquations final {
 public:
  SteadyEquations(const Problem& problem, const FlowForm& form, const FlowGrid& grid)
      : grid_(grid), walls_(grid.walls(0)), first_cell_(grid.offset(grid.dimension())) {
    for (std::size_t k = 0; k <= grid.dimension(); ++k) {
      const Expr& e = k < grid.dimension() ? form.momentum[k] : form.continuity;
      parts_.push_back(std::make_unique<FlowExpression>(problem, grid, e, k, true));
    }
  }

  double residual(std::span<const double> x, std::span<double> out) {
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      parts_[k]->evaluate(x, walls_, std::nullopt, out.subspan(grid_.offset(k), grid_.size(k)));
    }
    const std::span<double> cells = out.subspan(first_cell_);
    double mean = 0;
    for (const double v : cells) mean += v / static_cast<double>(cells.size());
    for (double& v : cells) v -= mean;
    cells[0] = x[first_cell_];
    double squares = 0;
    for (const double v : out) squares += v * v;
    return std::sqrt(squares);
  }

  /// Derivative at the last residual, with `shift` times the rates of the velocity.
  [[nodiscard]] SparseMatrix jacobian(double shift) {
    entries_.clear();
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      parts_[k]->add_jacobian(grid_.offset(k), entries_);
    }
    std::erase_if(entries_, [&](const SparseMatrix::Entry& e) { return e.row == first_cell_; });
    entries_.push_back({first_cell_, first_cell_, 1});
    if (sign_ == 0) {  // of the rates, from the viscous terms on the diagonal
      for (const SparseMatrix::Entry& e : entries_) {
        if (e.row == e.col && e.row < first_cell_) sign_ += e.value;
      }
    }
    for (std::size_t i = 0; i < first_cell_; ++i) {
      entries_.push_back({i, i, sign_ < 0 ? -shift : shift});
    }
    count_work(WorkKind::pieces, static_cast<double>(entries_.size()));
    return {grid_.n_unknowns(), grid_.n_unknowns(), entries_};
  }

 private:
  const FlowGrid& grid_;
  std::vector<double> walls_;
  std::size_t first_cell_;
  double sign_ = 0;
  std::vector<std::unique_ptr<FlowExpression>> parts_;
  std::vector<SparseMatrix::Entry> entries_;
};

}  // namespace

SteadyFlow steady_flow(const Problem& problem, const FlowForm& form, const FlowGrid& grid,
                       std::vector<double> start, const std::function<bool()>& stop) {
  SteadyFlow flow;
  flow.x = std::move(start);
  flow.x.resize(grid.n_unknowns(), 0);
  SteadyEquations equations(problem, form, grid);
  SparseLu lu;
  std::vector<double> r(flow.x.size()), step, trial(flow.x.size());
  double norm = equations.residual(flow.x, r);
  double shift = 0;  // rate of the artificial time; 0: Newton's method
  double spacing = grid.spacing(0);
  for (std::size_t k = 1; k < grid.dimension(); ++k) spacing = std::min(spacing, grid.spacing(k));
  for (; flow.steps < most_newton_steps + most_artificial_steps; ++flow.steps) {
    if (stop && stop()) {
      flow.interrupted = true;
      return flow;
    }
    if (!std::isfinite(norm) || lu.factor(equations.jacobian(shift)) != Factorization::ok) {
      flow.trouble = "the equations of the flow have no single solution near the present one";
      return flow;
    }
    step = r;
    lu.solve(step);
    double damping = 1, next = 0;
    for (;; damping /= 2) {
      for (std::size_t i = 0; i < trial.size(); ++i) trial[i] = flow.x[i] - damping * step[i];
      next = equations.residual(trial, r);
      // Steps in time may climb; rounding keeps the last steps from falling further.
      if (shift > 0 || next <= norm * (1 - 1e-4 * damping) ||
          largest_of(step) <= 1e-8 * largest_of(flow.x) || damping < 0.02) {
        break;
      }
    }
    const bool settled = largest_of(step) <= step_tolerance * largest_of(trial);
    if (shift == 0 && (damping < 0.02 || flow.steps == most_newton_steps)) {
      // Newton's method stalls: go on in an artificial time, from steps of one cell at a time.
      shift = std::max(largest_of(std::span(flow.x).first(grid.offset(grid.dimension()))), 1e-3) /
              spacing;
      norm = equations.residual(flow.x, r);
      continue;
    }
    flow.x = trial;
    if (settled && shift == 0) return flow;
    if (shift > 0)
      shift = std::abs(next) < 1e-9 || settled ? 0 : shift * std::clamp(next / norm, 0.3, 2.0);
    norm = next;
  }
  flow.trouble = fmt::format("no steady flow was found in {} steps", flow.steps);
  return flow;
}

FlowDivergence flow_divergence(const Problem& problem, const FlowForm& form, const FlowGrid& grid,
                               std::span<const double> x, double time) {
  FlowExpression continuity(problem, grid, form.continuity, grid.dimension(), false);
  std::vector<double> out(grid.size(grid.dimension()));
  continuity.evaluate(x, grid.walls(time), form.time.empty() ? std::nullopt : std::optional(time),
                      out);
  FlowDivergence result;
  for (const double v : out) result.forced += v / static_cast<double>(out.size());
  for (const double v : out) result.largest = std::max(result.largest, std::abs(v - result.forced));
  return result;
}

}  // namespace cauchy::detail
