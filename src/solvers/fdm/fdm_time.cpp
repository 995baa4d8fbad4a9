#include "solvers/fdm/fdm_time.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/work.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/problem/place.hpp>
#include <cauchy/sampling/domain_points.hpp>

#include "problem/lowering.hpp"
#include "problem/narrow_sources.hpp"
#include "solvers/fdm/fdm_steady.hpp"
#include "solvers/fdm/fdm_system.hpp"
#include "solvers/time/integrate.hpp"

namespace cauchy::detail {
namespace {

std::vector<Expr> time_fields_in(const Expr& e) {
  const Expr roots[] = {e};
  return field_atoms(roots);
}

int order_in_space(const Expr& atom, const std::string& time) {
  return total_order(atom.index()) - time_order(atom, time);
}

bool is_explicit(TimeScheme scheme) {
  return scheme == TimeScheme::explicit_euler || scheme == TimeScheme::rk4 ||
         scheme == TimeScheme::dormand_prince;
}

int highest_in_space(const Expr& e, const std::string& time) {
  int highest = 0;
  for (const Expr& a : time_fields_in(e)) highest = std::max(highest, order_in_space(a, time));
  return highest;
}

/// Largest cell Reynolds number |b| h/|a| of residuals ... + b u_x + a u_xx at points of the
/// answer.
double cell_reynolds_number(const FdmForm& form, const FieldModel& model, const Points& points,
                            double spacing) {
  std::vector<Expr> pairs;
  for (std::size_t k = 0; k < form.equations.size(); ++k) {
    const Expr& residual = form.equations[k].residual;
    const auto held = time_fields_in(residual);
    const bool velocities = std::any_of(held.begin(), held.end(), [&](const Expr& a) {
      const auto f = static_cast<std::size_t>(
          std::find(form.fields.begin(), form.fields.end(), a.name()) - form.fields.begin());
      return f < form.fields.size() && form.rate[f] > 0;
    });
    if (velocities) continue;  // they are no fields of the answer
    for (const std::string& x : form.space) {
      const Expr a = partial(residual, field_derivative(form.fields[k], {{x, 2}}));
      const Expr b = partial(residual, field_derivative(form.fields[k], {{x, 1}}));
      if (a.is_constant(0) || b.is_constant(0)) continue;
      pairs.push_back(a);
      pairs.push_back(b);
    }
  }
  if (pairs.empty()) return 0;
  std::vector<double> values(points.size() * pairs.size());
  model.evaluate(pairs, points.values, values);
  double most = 0;
  for (std::size_t i = 0; i < values.size(); i += 2) {
    most = std::max(most, std::abs(values[i + 1] / values[i]) * spacing);
  }
  return most;
}

}  // namespace

TimeScheme fitting_scheme(const FdmForm& form) {
  for (std::size_t k = 0; k < form.equations.size(); ++k) {
    bool has_rate = false;
    for (const Expr& a : time_fields_in(form.equations[k].residual)) {
      const auto f = static_cast<std::size_t>(
          std::find(form.fields.begin(), form.fields.end(), a.name()) - form.fields.begin());
      if (f == form.fields.size()) continue;
      const int in_time = time_order(a, form.time), in_space = order_in_space(a, form.time);
      has_rate = has_rate || in_time > 0;
      if (in_time > 0 && in_space > 0) return TimeScheme::esdirk;
      // Modes of u_tt = u_xx grow like 1/h, those of u_t = u_xx like 1/h^2: s/m with m the order in
      // time, counted from the rate that the derivative is of.
      int highest = 1;
      for (std::size_t g = 0; g < form.fields.size(); ++g) {
        if (form.origin[g] == form.origin[f]) highest = std::max(highest, form.rate[g] + 1);
      }
      if (in_space > highest - form.rate[f]) return TimeScheme::esdirk;
    }
    if (!has_rate) return TimeScheme::esdirk;
  }
  return TimeScheme::dormand_prince;
}

std::shared_ptr<const Problem> implicit_part(const Problem& problem) {
  auto part = std::make_shared<Problem>(problem);
  const Lowering lower(problem);
  const std::string& time = problem.domain->time()->name;
  bool found = false;
  for (ProblemEquation& e : part->equation) {
    std::vector<Expr> kept;
    for (const Expr& term : additive_terms(lower(e.form.residual()))) {
      bool rate = false, high = false;
      for (const Expr& a : time_fields_in(term)) {
        rate = rate || time_order(a, time) > 0;
        high = high || order_in_space(a, time) > 1;
      }
      high = high && is_linear(term);
      if (rate || high) kept.push_back(term);
      found = found || (high && !rate);
    }
    // The same conditions must fit: what is left out is of lower order.
    const Expr whole = lower(e.form.residual());
    e.form = {sum(kept), 0};
    if (highest_in_space(e.form.left, time) < highest_in_space(whole, time)) return nullptr;
  }
  return found ? part : nullptr;
}

std::vector<double> jumps_in_time(const Problem& problem) {
  const Lowering lower(problem);
  std::vector<Expr> roots;
  for (const ProblemEquation& e : problem.equation) roots.push_back(lower(e.form.residual()));
  for (const Condition& c : problem.condition) {
    if (c.kind == Condition::Kind::general) roots.push_back(lower(c.form.residual()));
  }
  const Time span = *domain_of(problem).time();
  const Coordinate t(span.name);
  std::vector<double> jumps;
  for (const Expr& e : postorder(roots)) {
    if (!has_jump(e.kind()) || e.args().empty()) continue;
    // Of a remainder, the multiple that it leaves out jumps.
    const Expr steps = e.kind() == Kind::mod ? floor(e.args()[0] / e.args()[1]) : e;
    const Expr inners[] = {steps};
    const std::vector<Expr> on = atoms(inners, Kind::coordinate);
    if (e.kind() == Kind::where || on.size() != 1 || !same(on[0], t) ||
        !field_atoms(inners).empty() || !atoms(inners, Kind::call).empty()) {
      continue;
    }
    const auto value = [&](double at) {
      Values v;
      v.set(t, at);
      return evaluate(steps, v);
    };
    constexpr int pieces = 1000;
    const double length = span.upper - span.lower;
    for (int i = 0; i < pieces; ++i) {
      double a = span.lower + length * i / pieces, b = span.lower + length * (i + 1) / pieces;
      const double before = value(a);
      if (value(b) == before) continue;
      for (double middle = (a + b) / 2; middle > a && middle < b; middle = (a + b) / 2) {
        (value(middle) == before ? a : b) = middle;
      }
      jumps.push_back(a);
    }
  }
  const std::vector<double> nodes =
      source_nodes(narrow_sources(problem), 0, span.lower, span.upper);
  jumps.insert(jumps.end(), nodes.begin(), nodes.end());
  std::sort(jumps.begin(), jumps.end());
  jumps.erase(
      std::unique(jumps.begin(), jumps.end(),
                  [&](double a, double b) { return b - a < 1e-12 * (span.upper - span.lower); }),
      jumps.end());
  return jumps;
}

namespace {

class FdmInTime final : public ClassicalSolver {
 public:
  FdmInTime(std::shared_ptr<const Problem> problem, const Fdm& method)
      : problem_(std::move(problem)), method_(method), form_(fdm_form(*problem_)) {
    if (method_.time.scheme == TimeScheme::automatic) {
      method_.time.scheme = fitting_scheme(form_);
    }
    if (method_.time.scheme == TimeScheme::imex) {
      part_ = implicit_part(*problem_);
      if (!part_) {
        throw Error(ErrorKind::unsupported,
                    "imex needs highest derivatives in space that stand in the equations linearly "
                    "and are of order two or more",
                    "[solvers.fdm]", "use esdirk or dormand-prince");
      }
    }
    // Everything that can be refused is refused on the coarsest grid.
    FdmSystem trial(problem_, method_, std::min(fdm_cells(method_, dimension(), 0), 12));
    look_at_work(trial, trial.initial());
  }

  /// Three grids in a row that fail are enough.
  [[nodiscard]] int levels() const override {
    return failures_ >= 3 ? last_level_ + 1 : fdm_levels(*problem_, method_);
  }
  [[nodiscard]] int coarser() const override { return fdm_coarser(method_, dimension()); }
  [[nodiscard]] double order() const override { return method_.order; }
  [[nodiscard]] MethodCost cost(int level) const override {
    MethodCost cost = fdm_cost(*problem_, method_, level);
    const auto unknowns = static_cast<double>(cost.unknowns * form_.fields.size()) /
                          static_cast<double>(problem_->fields.size());
    const double duration = domain_of(*problem_).time()->upper - domain_of(*problem_).time()->lower;
    const double n = fdm_cells(method_, dimension(), level);
    const bool direct = is_explicit(method_.time.scheme);
    // Explicit steps are about as long as a cell, implicit ones as the tolerance lets them.
    const double steps = method_.time.step > 0
                             ? duration / method_.time.step
                             : (direct ? 4 * n : 60 * std::pow(std::max(1.0, n / 32), 0.2));
    cost.method = fmt::format("{}, {} in time", cost.method, name_of(method_.time.scheme));
    // Rates that depend on themselves or on fields without rates are found by iteration.
    const double stage = constrained_ ? 20 : changing_mass_ ? 8 : 1;
    const double iterations = direct ? 7 * stage : form_.linear ? 8 : 16;
    const double renewals = form_.linear ? 0.2 : 0.7;
    Work step = residual_.times(iterations * unknowns);
    step.add(WorkKind::memory, 150 * iterations * unknowns);  // sums of stages, norms
    if (!direct || stage > 1) {
      const double entries = dimension() == 1 ? 10 : 4 * std::log2(unknowns + 2);
      step.add(WorkKind::memory, (300 + 24 * entries) * iterations * unknowns);
    }
    if (!direct) {  // the pattern is looked at once
      step.add(WorkKind::factors, renewals * static_cast<double>(cost.work.of(WorkKind::factors)));
      step.add(WorkKind::pieces, renewals * unknowns);
    }
    cost.work = step.times(steps);
    cost.bytes += 8 * std::min(8e6 + 64 * unknowns, steps * unknowns) * 2;
    return cost;
  }

  [[nodiscard]] ClassicalAnswer solve(int level, const RunOptions& options) override {
    const int n = fdm_cells(method_, dimension(), level);
    const Time span = *domain_of(*problem_).time();
    FdmSystem system(problem_, method_, n);
    std::unique_ptr<FdmSystem> part;
    if (part_) part = std::make_unique<FdmSystem>(part_, method_, n);
    TimeOptions time = method_.time;
    if (time.tolerance == 0 && time.step == 0) {
      // Well below the error of a wave over the longest side, (2 pi/n)^order/12 or so.
      time.tolerance = std::clamp(std::pow(10.0 * n * n, -0.5 * method_.order), 1e-11, 1e-3);
    }
    const TimeTask task{.system = system,
                        .begin = span.lower,
                        .end = span.upper,
                        .start = system.initial(),
                        .fields = system.fields(),
                        .implicit_part = part.get(),
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
      r = integrate(task, time, stop);
    } catch (const Error& e) {
      // On the first grid an unstable step is a mistake; on finer ones the coarser grid is left.
      if (level == 0) throw;
      r.trouble = e.message();
    }
    ClassicalAnswer answer;
    answer.method = fmt::format("fdm, {} cells, order {}, {} steps of {}", system.shape(),
                                method_.order, r.steps, name_of(time.scheme));
    answer.n_unknowns = system.size() * std::max<std::size_t>(1, r.steps);
    answer.interrupted = r.interrupted;
    answer.remarks = system.remarks();
    if (!r.trouble.empty()) answer.troubles.push_back(r.trouble);
    answer.finite = r.trouble.empty();
    failures_ = answer.finite || r.interrupted ? 0 : failures_ + 1;
    last_level_ = level;
    if (r.times.size() < 2) return answer;
    answer.model = system.model(r.times, r.states);
    if (method_.upwind == Upwind::never && answer.finite) look_at_cells(system, answer);
    return answer;
  }

 private:
  [[nodiscard]] std::size_t dimension() const { return problem_->domain->space()->dimension(); }

  /// What a residual takes for every unknown, whether a field has no rate of its own, and whether
  /// factors of rates change.
  void look_at_work(FdmSystem& trial, const std::vector<double>& y) {
    const Work before = work_of_thread();
    std::vector<double> out(trial.size());
    trial.residual(domain_of(*problem_).time()->lower, y, std::vector<double>(y.size(), 0), out);
    residual_ = work_of_thread().since(before).times(1 / static_cast<double>(trial.size()));
    changing_mass_ = !trial.constant_mass();
    std::vector<char> evolves(form_.fields.size() + 1, 0);
    const std::vector<int> fields = trial.fields();
    for (std::size_t i = 0; i < fields.size(); ++i) {
      char& of_field = evolves[static_cast<std::size_t>(fields[i])];
      of_field = static_cast<char>(of_field | trial.differential()[i]);
    }
    evolves.pop_back();
    constrained_ = std::find(evolves.begin(), evolves.end(), 0) != evolves.end();
  }

  void look_at_cells(const FdmSystem& system, ClassicalAnswer& answer) const {
    const Points points = interior_points(domain_of(*problem_), 2000);
    const double most = cell_reynolds_number(form_, *answer.model, points, system.spacing());
    if (!(most > 2)) return;
    answer.remarks.push_back(
        fmt::format("the cell Reynolds number reaches {:.2g}: above 2, central differences "
                    "oscillate where the solution is steep; use more cells, or upwind",
                    most));
  }

  std::shared_ptr<const Problem> problem_, part_;
  Fdm method_;
  FdmForm form_;
  Work residual_;             // for every unknown
  bool constrained_ = false;  // a field is found from the others at every time
  bool changing_mass_ = false;
  int failures_ = 0, last_level_ = 0;
};

}  // namespace

std::unique_ptr<ClassicalSolver> make_fdm_in_time(std::shared_ptr<const Problem> problem,
                                                  const Fdm& method) {
  return std::make_unique<FdmInTime>(std::move(problem), method);
}

}  // namespace cauchy::detail
