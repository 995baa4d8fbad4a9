#include "solvers/fvm/fvm_solver.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/progress.hpp>
#include <cauchy/base/rng.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/problem/place.hpp>
#include <cauchy/sampling/domain_points.hpp>

#include "problem/doubts.hpp"
#include "problem/point_evaluator.hpp"
#include "solvers/fvm/fvm_answer.hpp"

namespace cauchy::detail {
namespace {

constexpr double most_values = 2e7;  // of an answer: 160 MB

[[noreturn]] void refuse_fvm(const std::string& why, const std::string& instead) {
  throw Error(ErrorKind::unsupported, why, "[solvers.fvm]", instead);
}

FvmTime time_of(const Fvm& options) {
  if (options.time != FvmTime::automatic) return options.time;
  return options.reconstruction == FvmReconstruction::muscl ? FvmTime::ssprk2 : FvmTime::euler;
}

/// Diffusion must smooth: the eigenvalues of D in q_t = D q_xx are real and not negative, so that
/// none is above their sum. Schroedinger's equation and a heat equation backwards are refused.
void require_smoothing(const BalanceLaw& law) {
  const std::size_t N = law.size();
  Rng rng(5);
  Values at;
  for (const std::string& x : law.space) at.set(Coordinate(x), rng.uniform());
  at.set(Coordinate(law.time), rng.uniform());
  for (const Expr& w : law.fields) {
    at.set(w, 0.5 + rng.uniform());
    for (const std::string& x : law.space) {
      at.set(field_derivative(w.name(), {{x, 1}}), rng.uniform());
    }
  }
  for (std::size_t d = 0; d < law.dimension(); ++d) {
    if (!atoms(law.diffusion[d], Kind::call).empty()) return;  // tables: not known here
    std::vector<double> matrix;
    double trace = 0;
    for (std::size_t k = 0; k < N; ++k) {
      for (std::size_t j = 0; j < N; ++j) {
        double entry = 0;
        for (std::size_t i = 0; i < N; ++i) {
          const Expr slope = field_derivative(law.fields[j].name(), {{law.space[d], 1}});
          entry -=
              evaluate(law.slope[k][i], at) * evaluate(partial(law.diffusion[d][i], slope), at);
        }
        matrix.push_back(entry);
        if (k == j) trace += entry;
      }
    }
    if (trace < 0.7 * spectral_radius(matrix, N)) {
      refuse_fvm("second derivatives carry waves or grow here, they do not smooth", "use spectral");
    }
  }
}

double largest_modulus(const std::vector<double>& values) {
  double most = 0;
  for (const double v : values) most = std::max(most, std::abs(v));
  return most;
}

/// Whether an initial value is another one at the end of a period than at its beginning.
bool start_jumps_over_a_period(const Problem& p) {
  constexpr double rounding = 1e-9;
  const PointEvaluator evaluator(p);
  const Domain domain = domain_of(p);
  const Bounds box = domain.shape()->bounds();
  for (const Condition& period : p.condition) {
    if (period.kind != Condition::Kind::periodic) continue;
    for (const Condition& c : p.condition) {
      const auto given = dirichlet_form(c.form);
      if (c.kind != Condition::Kind::general || !given ||
          place_of(p, c).kind != ConditionPlace::Kind::slice) {
        continue;
      }
      const Expr value[] = {evaluator.lower()(given->value)};
      if (!field_atoms(value).empty()) continue;
      Points low = condition_points(p, c, 64);
      const std::size_t n = low.size(), D = low.columns.size();
      const auto at = std::find(low.columns.begin(), low.columns.end(), period.coordinate);
      const auto k = static_cast<std::size_t>(at - low.columns.begin());
      Points high = low;
      for (std::size_t i = 0; i < n; ++i) {
        low.values[i * D + k] = box.lower[k - domain.space_column()];
        high.values[i * D + k] = box.upper[k - domain.space_column()];
      }
      const std::vector<double> a = evaluator(value, low)[0], b = evaluator(value, high)[0];
      const double size = largest_modulus(evaluator(value, condition_points(p, c, 64))[0]);
      for (std::size_t i = 0; i < n; ++i) {
        if (std::abs(a[i] - b[i]) > rounding * size) return true;
      }
    }
  }
  return false;
}

}  // namespace

FvmSolver::FvmSolver(std::shared_ptr<const Problem> problem, const Fvm& options, int threads)
    : problem_(std::move(problem)),
      lower_(*problem_),
      options_(options),
      threads_(threads),
      law_(read_balance_law(*problem_, lower_)),
      gas_(gas_form(law_)),
      scheme_{&choose_flux(options.flux, law_, gas_ ? &*gas_ : nullptr), options.reconstruction,
              &limiter_of(options.limiter)},
      time_(time_of(options)) {
  if (law_.is_diffusive) require_smoothing(law_);
  const ShapePtr shape = domain_of(*problem_).shape();
  const Bounds& box = shape->bounds();
  lower_end_ = box.lower;
  upper_end_ = box.upper;
  double volume = 1;
  for (std::size_t d = 0; d < law_.dimension(); ++d) volume *= upper_end_[d] - lower_end_[d];
  if (!std::isfinite(volume)) refuse_fvm("fvm needs a bounded region", "bound it");
  const bool is_box = std::abs(shape->measure() - volume) <= 1e-12 * volume;
  triangles_ = options.cells == FvmCells::triangles || !is_box;
  if (triangles_ && law_.dimension() == 1) {
    refuse_fvm("triangles need two dimensions", "use cells = \"boxes\"");
  }
  if (!is_box && options.cells == FvmCells::boxes) {
    refuse_fvm("boxes as cells need a box as region", "use cells = \"triangles\"");
  }
  if (triangles_ && scheme_.limiter->share == nullptr &&
      options.reconstruction != FvmReconstruction::first) {
    refuse_fvm(
        fmt::format("limiter '{}' needs rows of cells, not triangles", scheme_.limiter->name),
        "use minmod, van_leer or none");
  }
  periodic_.assign(law_.dimension(), false);
  for (const Condition& c : problem_->condition) {
    if (c.kind != Condition::Kind::periodic) continue;
    if (!is_box) refuse_fvm("a periodic condition needs a box as region", "use another region");
    for (std::size_t d = 0; d < law_.dimension(); ++d) {
      if (law_.space[d] == c.coordinate) periodic_[d] = true;
    }
  }
  may_jump_ = may_jump();
  // How the stable step depends on the size of the cells, from coarse meshes: waves and diffusion
  // do, reactions do not.
  double rate[3];
  for (int k = 0; k < 3; ++k) {
    const FvmMesh coarse = mesh(8U << k);
    FvmOperator balance(problem_, lower_, law_, gas_, coarse, scheme_, 1);
    rate[k] = 1 / balance.largest_step(problem_->domain->time()->lower, balance.initial());
  }
  const bool reacts = std::any_of(law_.source.begin(), law_.source.end(), [](const Expr& s) {
    return !field_atoms({&s, 1}).empty();
  });
  const double fine = (rate[2] - rate[1]) / 16, coarse = (rate[1] - rate[0]) / 8;
  if (law_.is_diffusive) {
    rate_two_ = std::max(0.0, reacts ? (fine - coarse) / 24 : (rate[2] - 2 * rate[1]) / 512);
  }
  rate_one_ = std::max(0.0, reacts ? fine - 48 * rate_two_ : rate[2] / 32 - 32 * rate_two_);
  if (reacts) rate_zero_ = std::max(0.0, rate[2] - 32 * rate_one_ - 1024 * rate_two_);
  if (!std::isfinite(rate_zero_ + rate_one_ + rate_two_)) {  // solve() tells
    rate_zero_ = rate_one_ = rate_two_ = 0;
  }
}

FvmMesh FvmSolver::mesh(std::size_t n) const {
  const std::size_t D = law_.dimension();
  double longest = 0;
  for (std::size_t d = 0; d < D; ++d) longest = std::max(longest, upper_end_[d] - lower_end_[d]);
  const double h = longest / static_cast<double>(n);
  std::vector<std::size_t> counts;
  for (std::size_t d = 0; d < D; ++d) {
    counts.push_back(
        static_cast<std::size_t>(std::max(4.0, std::round((upper_end_[d] - lower_end_[d]) / h))));
  }
  if (!triangles_) return box_mesh(lower_end_, upper_end_, counts, periodic_);
  const ShapePtr shape = domain_of(*problem_).shape();
  const double volume = (upper_end_[0] - lower_end_[0]) * (upper_end_[1] - lower_end_[1]);
  if (std::abs(shape->measure() - volume) <= 1e-12 * volume) {
    return triangle_mesh(triangulate_box(lower_end_, upper_end_, counts[0], counts[1]), periodic_);
  }
  return triangle_mesh(triangulate(shape, h));
}

std::size_t FvmSolver::cells_along(int level) const {
  const int first = law_.dimension() == 1 ? 64 : 32;
  return static_cast<std::size_t>(cells_at(options_.n > 0 ? options_.n : first, level));
}

int FvmSolver::coarser() const {
  return std::min(halvings(static_cast<int>(cells_along(0)), 4), options_.n > 0 ? 2 : 1);
}

int FvmSolver::levels() const {
  if (options_.n > 0) return 1;
  return law_.dimension() == 1 ? 8 : triangles_ ? 4 : 6;
}

FvmSolver::Guess FvmSolver::guess(int level) const {
  const auto n = static_cast<double>(cells_along(level));
  double longest = 0, volume = 1;
  for (std::size_t d = 0; d < law_.dimension(); ++d) {
    longest = std::max(longest, upper_end_[d] - lower_end_[d]);
    volume *= upper_end_[d] - lower_end_[d];
  }
  const double h = longest / n;
  double cells = volume / std::pow(h, static_cast<double>(law_.dimension()));
  if (triangles_) cells *= 2;
  const Time& time = *problem_->domain->time();
  const double steps =
      (time.upper - time.lower) * (rate_zero_ + rate_one_ * n + rate_two_ * n * n) / options_.cfl;
  return {cells, std::max(48.0, steps)};
}

MethodCost FvmSolver::cost(int level) const {
  const Guess g = guess(level);
  MethodCost cost;
  const auto N = static_cast<double>(law_.size());
  cost.method = describe(static_cast<std::size_t>(g.cells));
  cost.unknowns = static_cast<std::size_t>(g.cells * N);
  cost.work = work_in_step(g.cells).times(g.steps);
  // States, faces, programs, and the stored answer.
  const double stored = std::min(g.cells * N * std::min(2000.0, g.steps), most_values);
  cost.bytes = 8 * (g.cells * (40 * N + 60) + 2 * stored);
  cost.less = "use fewer cells";
  cost.threads = Threads::size_of(threads_);
  return cost;
}

/// Fluxes of all faces; the kernels of Euler's equations take about 450 flops for a cell.
Work FvmSolver::work_in_step(double cells) const {
  if (euler_kernels_fit(law_, gas_, scheme_, time_, !triangles_, periodic_)) {
    return {WorkKind::dense, 450 * cells};
  }
  const double stages = time_ == FvmTime::ssprk3 ? 3 : time_ == FvmTime::ssprk2 ? 2 : 1;
  const double faces = triangles_ ? 1.5 : static_cast<double>(law_.dimension());  // of a cell
  return {WorkKind::pieces,
          0.7 * (stages + 0.5) * faces * cells * static_cast<double>(law_.size())};
}

bool FvmSolver::may_jump() const {
  if (law_.is_diffusive) return false;
  std::vector<Expr> roots;
  for (const Condition& c : problem_->condition) roots.push_back(c.form.residual());
  for (const Expr& node : postorder(roots)) {
    if (has_jump(node.kind()) || node.kind() == Kind::where) return true;
  }
  for (const auto& flux : law_.convection) {
    for (const Expr& f : flux) {
      if (!is_linear(f)) return true;
    }
  }
  return !corner_jumps(*problem_).empty() || start_jumps_over_a_period(*problem_);
}

double FvmSolver::order() const {
  return options_.reconstruction == FvmReconstruction::first || may_jump_ ? 1 : 2;
}

std::string FvmSolver::describe(std::size_t cells) const {
  const char* kind = triangles_ ? "triangles" : "cells";
  std::string scheme = "first order";
  if (options_.reconstruction != FvmReconstruction::first) {
    scheme = fmt::format(
        "{} ({})", options_.reconstruction == FvmReconstruction::muscl ? "muscl" : "muscl_hancock",
        scheme_.limiter->name);
  }
  return fmt::format("fvm, {} {}, {}, {}", cells, kind, scheme_.flux->name, scheme);
}

ClassicalAnswer FvmSolver::solve(int level, const RunOptions& run) {
  const FvmMesh cells = mesh_of_level(level);
  const int threads = run.threads > 0 ? run.threads : threads_;
  FvmOperator balance(problem_, lower_, law_, gas_, cells, scheme_, threads);
  std::unique_ptr<FvmStepper> stepper =
      make_euler_stepper(balance, law_, gas_, cells, scheme_, time_, threads);
  if (!stepper) stepper = make_stepper(balance, time_);

  ClassicalAnswer answer;
  answer.method = describe(cells.n_cells);
  answer.n_unknowns = cells.n_cells * law_.size();
  Rows q = balance.initial();
  FvmAnswer stored(law_, cells);
  const double start = problem_->domain->time()->lower, end = problem_->domain->time()->upper;
  double t = start, largest = options_.cfl * stepper->largest_step(t, q);
  stored.store(t, q, balance);
  const auto fail = [&](const std::string& what) {
    answer.finite = false;
    answer.troubles.push_back(fmt::format("fvm: {} at {} = {:.6g}", what, law_.time, t));
    return answer;
  };
  if (!stored.finite()) return fail("the initial values are not finite");
  // Times that are kept are whole steps of the first size apart.
  const double longest = (end - start) / 16;  // states at rest may be set in motion
  double steps = std::ceil((end - start) / std::min(largest, longest) - 1e-9);
  while (steps < 48) steps *= 2;
  const double keep =
      std::clamp(most_values / static_cast<double>(stored.nodes() * law_.size()), 4.0, 2000.0);
  const double stride =
      std::max(steps < 64 ? 1.0 : 4.0, std::ceil(steps / keep)) * (end - start) / steps;
  std::uint64_t step = 0;
  const Work work_of_step = work_in_step(static_cast<double>(cells.n_cells));
  for (std::size_t k = 1; t < end; ++k) {
    double next = start + static_cast<double>(k) * stride;
    if (!(next < end - 1e-6 * stride)) next = end;
    while (t < next) {
      if (!(largest > 0)) return fail("the states have no wave speeds any more");
      const double left = next - t;
      const double count = std::max(1.0, std::ceil(left / std::min(largest, longest) - 1e-9));
      if (!(count < 1e7)) return fail("the stable step became too small");
      const double dt = left / count;
      largest = options_.cfl * stepper->step(t, dt, q);
      t = count == 1 ? next : t + dt;
      ++step;
      count_work(work_of_step);
      run.limit.show({.step = step,
                      .total = static_cast<std::uint64_t>(steps),
                      .message = answer.method,
                      .stage = "fvm"});
      if (run.limit.reached()) {
        answer.interrupted = true;
        answer.troubles.push_back(fmt::format("fvm: stopped at {} = {:.6g}", law_.time, t));
        return answer;
      }
    }
    stored.store(t, q, balance);
    if (!stored.finite()) return fail("the solution is not finite");
  }
  answer.model = stored.field(problem_, may_jump_ ? 2 : 4);
  answer.remarks.push_back(fmt::format("{} steps in time", step));
  return answer;
}

}  // namespace cauchy::detail
