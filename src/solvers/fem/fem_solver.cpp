#include "solvers/fem/fem_solver.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/parse.hpp>
#include <cauchy/expr/print.hpp>
#include <cauchy/geometry/mesh_region.hpp>
#include <cauchy/geometry/refine_mesh.hpp>
#include <cauchy/problem/place.hpp>

#include "problem/lowering.hpp"
#include "problem/primal_problem.hpp"
#include "solvers/fdm/fdm_time.hpp"
#include "solvers/fem/fem_adapt.hpp"
#include "solvers/time/integrate.hpp"

namespace cauchy::detail {
namespace {

constexpr int first_flow_steps = 32;  // of flows in time on the coarsest mesh

}  // namespace

FemSolver::FemSolver(std::shared_ptr<const Problem> problem, const Fem& method, int threads)
    : problem_(std::move(problem)), method_(method), threads_(threads) {
  if (auto primal = primal_problem(*problem_)) {
    problem_ = std::make_shared<const Problem>(std::move(primal->problem));
    fluxes_ = std::move(primal->fluxes);
  }
  const Domain domain = domain_of(*problem_);
  form_ = std::make_shared<FemForm>(fem_form(*problem_));
  mesher_ = std::make_unique<FemMesher>(*problem_, form_->weak, domain.shape());
  if (domain.space() != nullptr) given_ = region_mesh(*domain.space());
  box_ = !given_ && mesher_->box();
  lower_ = mesher_->bounds().lower;
  upper_ = mesher_->bounds().upper;
  order_ = method_.order > 0 ? method_.order : (lower_.size() == 3 && !form_->is_flow() ? 1 : 2);
  if (!box_ && !form_->periodic.empty()) {
    throw Error(ErrorKind::unsupported, "periodic sides need a box", "[solvers.fem]", "use pinn");
  }
  if (form_->is_flow() && form_->in_time) {
    const TimeOptions& time = method_.time;
    const bool fits = time.scheme == TimeScheme::automatic || time.scheme == TimeScheme::bdf2 ||
                      (time.scheme == TimeScheme::theta && time.theta >= 0.5);
    if (!fits || time.tolerance > 0) {
      throw Error(ErrorKind::unsupported,
                  "flows with a pressure march in equal steps of bdf2, or of theta with theta >= "
                  "1/2",
                  "[solvers.fem]", "leave scheme and tolerance out, or give a step");
    }
  }
  if (!method_.goal.empty()) {
    goal_ = Lowering(*problem_)(parse(method_.goal, problem_->context(), {"goal", 1, 1}));
    for (const Expr& atom : field_atoms(std::array{*goal_})) {
      if (total_order(atom.index()) > 1) {
        throw Error(ErrorKind::unsupported,
                    fmt::format("a goal has fields and their slopes, got '{}'", to_string(atom)),
                    "[solvers.fem]", "write it with first derivatives");
      }
    }
  }
  // Everything that can be refused is refused on a coarse mesh.
  if (box_) {
    const FemSystem trial(problem_, form_, mesher_->mesh(4), {.order = order_});
  }
}

int FemSolver::levels() const {
  if (method_.n > 0) return 1;
  return lower_.size() == 1 ? 12 : lower_.size() == 2 ? 7 : 5;
}

int FemSolver::cells_of(int level) const {
  const int first = lower_.size() == 3 ? 4 : 8;
  return cells_at(method_.n > 0 ? method_.n : first, level);
}

int FemSolver::coarser() const {
  if (given_ || method_.refinement == FemRefinement::adaptive) return 0;
  return std::min(halvings(cells_of(0), 2), method_.n > 0 ? 2 : 1);
}

std::shared_ptr<const FemMesh> FemSolver::mesh_of(int level) const {
  const int n = cells_of(level);
  if (!given_) return mesher_->mesh(n);
  // Its own cells first; with n, halved until they are as small as that.
  int rounds = level;
  if (method_.n > 0) {
    double longest = 0;
    for (std::size_t k = 0; k < lower_.size(); ++k) {
      longest = std::max(longest, upper_[k] - lower_[k]);
    }
    const double edge = mesh_quality(*given_).longest_edge;
    rounds = std::max(0, static_cast<int>(std::ceil(std::log2(edge * n / longest) - 0.5)));
  }
  Mesh mesh = *given_;
  for (int k = 0; k < rounds; ++k) mesh = refine(mesh);
  return std::make_shared<FemMesh>(std::move(mesh));
}

MethodCost FemSolver::cost(int level) const {
  const int n = cells_of(level);
  double longest = 0, nodes = 1;
  for (std::size_t k = 0; k < lower_.size(); ++k) {
    longest = std::max(longest, upper_[k] - lower_[k]);
  }
  for (std::size_t k = 0; k < lower_.size(); ++k) {
    nodes *= std::max(1.0, std::round(n * (upper_[k] - lower_[k]) / longest)) + 1;
  }
  if (given_) {
    const double halved = method_.n > 0 ? 0 : level;
    nodes = static_cast<double>(given_->n_nodes()) *
            std::exp2(halved * static_cast<double>(lower_.size()));
  }
  const double per_node = order_ == 1 ? 1 : std::pow(2.0, static_cast<double>(lower_.size()));
  double unknowns = 0;
  for (const int low : form_->lower) unknowns += nodes * (low > 0 ? 1 : per_node);
  MethodCost cost;
  cost.method = fmt::format("fem, order {}, {} cells along the longest side", order_, n);
  if (given_) cost.method = fmt::format("fem, order {}, mesh of the file, level {}", order_, level);
  cost.unknowns = static_cast<std::size_t>(std::min(unknowns, 1e18));
  const double row = lower_.size() == 1 ? 5 : lower_.size() == 2 ? 20 : 60;  // entries
  const double fields = static_cast<double>(form_->fields.size());
  cost.work = work_on(nodes, unknowns, level);
  cost.bytes = unknowns * row * fields * 60;
  cost.less = "use fewer cells: a smaller n";
  return cost;
}

/// Matrices of elements, their factors, residuals and substitutions, as often as Newton's method
/// and steps in time commonly need them.
Work FemSolver::work_on(double nodes, double unknowns, int level) const {
  const std::size_t d = lower_.size();
  const double cells = nodes * (d == 1 ? 1 : d == 2 ? 2 : 6);
  const double of_order_two = d == 1 ? 3 : d == 2 ? 6 : 10;
  double local = 0;  // numbers of a cell
  for (const int low : form_->lower) {
    local += low > 0 || order_ == 1 ? static_cast<double>(d) + 1 : of_order_two;
  }
  const double row = d == 1 ? 5 : d == 2 ? 20 : 60;
  const double power = d == 1 ? 1 : d == 2 ? 1.5 : 2;
  const bool linear = form_->weak.linear;
  const Work matrix(WorkKind::pieces, cells * local * local);
  const Work residual(WorkKind::pieces, (linear ? 1 : 2) * cells * local);
  Work factors(WorkKind::factors, row * std::pow(unknowns, power) * (d == 3 ? 0.5 : 9));
  Work solution(WorkKind::memory, unknowns * (300 + (d == 1 ? 200 : 40 * std::log2(unknowns + 2))));
  if (form_->spd && form_->fields.size() == 1 && unknowns > most_direct(d) && !form_->in_time) {
    factors = Work(WorkKind::pieces, 200 * unknowns);  // of multigrid
    solution = Work(WorkKind::memory, 5e4 * unknowns);
  }
  if (form_->in_time) {
    const double steps = form_->is_flow()
                             ? first_flow_steps * std::exp2(level)
                             : 60 * std::pow(std::max(1.0, cells_of(level) / 8.0), 0.4);
    const double iterations = linear ? 8 : 20, renewals = linear ? 0.3 : 1;
    Work step = residual.times(iterations);
    step += solution.times(iterations);
    step += matrix.times(renewals);
    step += factors.times(renewals);
    return step.times(steps);
  }
  const double iterations = linear ? 1 : 5;
  Work work = matrix.times(iterations);
  work += residual.times(3 * iterations);
  work += factors.times(iterations);
  work += solution.times(iterations);
  if (!box_ && !given_)
    work.add(WorkKind::pieces, (d == 3 ? 600 : 220) * unknowns);  // of a mesh that is no grid
  return work;
}

std::shared_ptr<const FieldModel> FemSolver::field_of(
    const FemSystem& system, const std::vector<double>& times,
    std::span<const std::vector<double>> states) const {
  std::vector<int> orders;
  std::vector<std::vector<double>> values;
  std::vector<std::string> fields = problem_->fields;
  for (const AuxiliaryField& a : form_->weak.form.auxiliary) fields.push_back(a.name);
  for (std::size_t f = 0; f < fields.size(); ++f) {
    const FemSpace& space = system.space(f);
    orders.push_back(space.basis().order);
    std::vector<double>& list = values.emplace_back();
    list.reserve(space.n_places() * states.size());
    for (const std::vector<double>& y : states) {
      for (std::size_t p = 0; p < space.n_places(); ++p) {
        list.push_back(y[system.offset(f) + space.dof(p)]);
      }
    }
  }
  std::shared_ptr<const FieldModel> field =
      std::make_shared<FemField>(problem_, system.mesh(), std::move(fields), std::move(orders),
                                 times, std::move(values), mesher_->levels());
  if (fluxes_.empty()) return field;
  return std::make_shared<PrimalModel>(std::move(field), fluxes_);
}

std::vector<double> FemSolver::first_guess(const FemSystem& system) const {
  std::vector<double> y(system.size(), 0.0);
  if (last_system_ && !form_->weak.linear) {
    const Mesh& mesh = last_system_->mesh()->mesh;
    const MeshLocator locator(mesh);
    std::array<double, 3> x{};
    std::array<double, LagrangeBasis::most> phi{};
    std::array<std::uint32_t, LagrangeBasis::most> places{};
    for (std::size_t f = 0; f < form_->fields.size(); ++f) {
      const FemSpace& space = system.space(f);
      const FemSpace& before = last_system_->space(f);
      for (std::size_t p = 0; p < space.n_places(); ++p) {
        space.point(p, x.data());
        const MeshLocator::Place place = locator.find(x.data());
        before.places(place.cell, places.data());
        before.basis().values(place.weights.data(), phi.data());
        double sum = 0;
        for (std::size_t a = 0; a < before.basis().size(); ++a) {
          sum += phi[a] * last_[last_system_->offset(f) + before.dof(places[a])];
        }
        y[system.offset(f) + space.dof(p)] = sum;
      }
    }
  }
  system.set_fixed(0, y);
  return y;
}

ClassicalAnswer FemSolver::solve(int level, const RunOptions& options) {
  if (method_.refinement == FemRefinement::adaptive) return solve_adaptive(level, options);
  return solve_on(mesh_of(level), level, options);
}

ClassicalAnswer FemSolver::solve_adaptive(int level, const RunOptions& options) {
  if (level == 0 || !adapted_) {
    adapted_ = mesh_of(0);
    return solve_on(adapted_, 0, options);
  }
  const double growth = std::pow(2.0, adapted_->mesh.dimension);
  const auto wanted =
      static_cast<std::size_t>(0.8 * growth * static_cast<double>(adapted_->mesh.n_cells()));
  constexpr double share = 0.5;  // of the squares of the indicators
  ClassicalAnswer answer;
  do {
    adapted_ = std::make_shared<FemMesh>(refine(adapted_->mesh, marked_cells(indicators_, share)));
    answer = solve_on(adapted_, level, options);
  } while (answer.model && answer.troubles.empty() && !answer.interrupted &&
           adapted_->mesh.n_cells() < wanted);
  return answer;
}

ClassicalAnswer FemSolver::solve_on(std::shared_ptr<const FemMesh> mesh, int level,
                                    const RunOptions& options) {
  auto system = std::make_shared<FemSystem>(
      problem_, form_, std::move(mesh),
      FemSystemOptions{.order = order_, .threads = threads_, .bent = !form_->in_time && !goal_});
  if (!system->unseen().empty()) {
    ClassicalAnswer none;
    none.method = fmt::format("fem, order {}, {} cells", order_, system->mesh()->mesh.n_cells());
    none.troubles.push_back(
        fmt::format("no side of the mesh belongs to condition '{}': use finer "
                    "cells",
                    system->unseen().front()));
    return none;
  }
  std::vector<std::string> remarks = mesher_->remarks();
  if (method_.stabilization != Stabilization::never) {
    const double t = form_->in_time ? domain_of(*problem_).time()->lower : 0;
    const double peclet =
        system->peclet_number(t, form_->in_time ? system->initial(t) : first_guess(*system));
    const bool on = method_.stabilization == Stabilization::always || peclet > 1;
    if (on && system->stabilize(true)) {
      remarks.push_back(fmt::format(
          "streamline diffusion (SUPG): the cell Peclet number reaches {:.2g}", peclet));
    }
  }
  ClassicalAnswer answer =
      form_->in_time ? solve_in_time(*system, level, options) : solve_steady(*system, options);
  answer.remarks.insert(answer.remarks.begin(), remarks.begin(), remarks.end());
  if (answer.model && answer.troubles.empty()) last_system_ = system;
  return answer;
}

ClassicalAnswer FemSolver::solve_steady(FemSystem& system, const RunOptions& options) {
  constexpr int rounds_on_arcs = 2;
  const auto stop = [&] { return options.limit.reached(); };
  ClassicalAnswer answer;
  answer.n_unknowns = system.size();
  answer.method = fmt::format("fem, order {}, {} cells", order_, system.mesh()->mesh.n_cells());
  std::vector<double> y = first_guess(system), before(system.size());
  system.raw_residual(0, y, {}, before);
  FemNewton found = newton_elements(system, y, form_->weak.linear, stop);
  // Values on arcs: the first answer is off by h^2, each further one by a factor of h less.
  for (int round = 0; round < rounds_on_arcs && found.converged; ++round) {
    if (!(system.bend(y) > 0)) break;
    system.set_fixed(0, y);
    found = newton_elements(system, y, form_->weak.linear, stop);
  }
  answer.interrupted = found.interrupted;
  answer.finite = found.finite;
  if (!found.trouble.empty()) answer.troubles.push_back(found.trouble);
  if (found.interrupted || !found.converged) return answer;
  // Where a constant is free, the equation of the value that was fixed says whether sources and
  // fluxes balance.
  if (!system.free_constants().empty()) {
    std::vector<double> r(system.size());
    system.raw_residual(0, y, {}, r);
    double size = 0;
    for (const double v : before) size = std::max(size, std::abs(v));
    for (const FemSystem::FreeConstant& f : system.free_constants()) {
      if (form_->weak.form.multiplier[f.field] || !(std::abs(r[f.dof]) > 1e-6 * size)) continue;
      answer.troubles.push_back(
          fmt::format("sources and fluxes of '{}' do not balance, they sum up to {:.2e}: without a "
                      "given value there is no answer",
                      form_->fields[f.field], r[f.dof]));
    }
    for (std::string& remark : system.shift(y)) answer.remarks.push_back(std::move(remark));
  }
  answer.remarks.push_back(found.how);
  if (!form_->weak.linear) {
    answer.remarks.push_back(fmt::format("{} Newton steps, the last changed the fields by {:.1e}",
                                         found.iterations, found.change));
  }
  if (goal_) {
    GoalResult goal = goal_error(problem_, system, y, *goal_, threads_);
    answer.remarks.push_back(
        goal.trouble.empty()
            ? fmt::format("goal: the integral of {} is {:.10g}, its error about {:.1e} by the dual "
                          "problem; corrected {:.10g}",
                          method_.goal, goal.value, goal.error, goal.value + goal.error)
            : goal.trouble);
    indicators_ = std::move(goal.indicators);
  }
  if (method_.refinement == FemRefinement::adaptive && (!goal_ || indicators_.empty())) {
    indicators_ = residual_indicators(system, *problem_, y);
  }
  const std::vector<double> states[] = {y};
  answer.model = field_of(system, {}, states);
  last_ = std::move(y);
  return answer;
}

ClassicalAnswer FemSolver::solve_in_time(FemSystem& system, int level, const RunOptions& options) {
  const Time span = *domain_of(*problem_).time();
  TimeOptions time = method_.time;
  const bool flow = form_->is_flow();
  if (time.scheme == TimeScheme::automatic) {
    time.scheme = flow ? TimeScheme::bdf2 : TimeScheme::esdirk;
  }
  if (time.tolerance == 0 && time.step == 0) {
    const double n = cells_of(level);
    time.tolerance = std::clamp(std::pow(10.0 * n * n, -0.5 * (order_ + 1)), 1e-10, 1e-3);
  }
  const TimeTask task{.system = system,
                      .begin = span.lower,
                      .end = span.upper,
                      .start = system.initial(span.lower),
                      .fields = system.field_of(),
                      .stops = jumps_in_time(*problem_),
                      .most_step = (span.upper - span.lower) / 50};
  std::uint64_t steps = 0;
  const auto stop = [&](double t) {
    const ProgressValue value[] = {{"t", t}};
    options.limit.show({.step = steps++, .values = value, .message = "time"});
    return options.limit.reached();
  };
  TimeResult r;
  try {
    if (flow) {
      const double length = span.upper - span.lower;
      const auto steps_of_level = static_cast<std::size_t>(cells_at(first_flow_steps, level));
      const std::size_t n =
          time.step > 0
              ? static_cast<std::size_t>(std::max(1.0, std::ceil(length / time.step - 1e-6)))
              : steps_of_level;
      r = march_flow(system, task, time, n, stop);
      for (std::vector<double>& y : r.states) (void)system.shift(y);
    } else {
      r = integrate(task, time, stop);
    }
  } catch (const Error& e) {
    if (level == 0) throw;
    r.trouble = e.message();
  }
  ClassicalAnswer answer;
  answer.method = fmt::format("fem, order {}, {} cells, {} steps of {}", order_,
                              system.mesh()->mesh.n_cells(), r.steps, name_of(time.scheme));
  answer.n_unknowns = system.size() * std::max<std::size_t>(1, r.steps);
  answer.interrupted = r.interrupted;
  if (!r.trouble.empty()) answer.troubles.push_back(r.trouble);
  answer.finite = r.trouble.empty();
  if (r.times.size() >= 2) answer.model = field_of(system, r.times, r.states);
  return answer;
}

}  // namespace cauchy::detail
