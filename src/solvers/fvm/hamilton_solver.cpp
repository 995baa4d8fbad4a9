#include "solvers/fvm/hamilton_solver.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/progress.hpp>
#include <cauchy/base/work.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/problem/place.hpp>

#include "solvers/classical/grid_field.hpp"
#include "solvers/classical/node_program.hpp"

namespace cauchy::detail {
namespace {

using Rows = std::vector<std::vector<double>>;

constexpr double most_stored = 1.6e7;  // values of an answer
constexpr std::size_t most_times = 1000, least_times = 64;
/// Share of the largest monotone step where steps go to a state of rest.
constexpr double share_at_rest = 0.95;
/// At rest: changes of a step below this part of what the answer varies by.
constexpr double at_rest = 1e-10;
constexpr std::size_t steps_per_cell = 60;
/// |p| has no derivative at 0, but beside it.
constexpr double flat = 1e-9;

[[noreturn]] void refuse(const std::string& why, const std::string& instead) {
  throw Error(ErrorKind::unsupported, "Hamilton-Jacobi equations: " + why, "[solvers.fvm]",
              instead);
}

}  // namespace

struct HamiltonSolver::Grid {
  std::vector<std::vector<double>> axis;  // nodes along each
  std::vector<double> h;
  std::size_t n = 1;
  [[nodiscard]] std::size_t count(std::size_t d) const { return axis[d].size(); }
  /// Of neighbours along an axis; the last one is contiguous.
  [[nodiscard]] std::size_t stride(std::size_t d) const {
    return d + 1 == axis.size() ? 1 : count(1);
  }
  [[nodiscard]] std::size_t place(std::size_t node, std::size_t d) const {
    return node / stride(d) % count(d);
  }
  [[nodiscard]] Points points(const std::vector<std::string>& names,
                              const std::vector<std::size_t>& nodes) const {
    Points all;
    all.columns = names;
    for (const std::size_t i : nodes) {
      for (std::size_t d = 0; d < axis.size(); ++d) all.values.push_back(axis[d][place(i, d)]);
    }
    return all;
  }
};

/// Nodes of a side with what holds on them.
struct HamiltonSolver::Side {
  std::size_t axis;
  bool upper, slope;
  std::vector<std::size_t> nodes;
  std::unique_ptr<NodeProgram> amount;
  Rows values = {{}};
};

/// The differences of a grid.
class HamiltonSolver::Scheme {
 public:
  Scheme(const HamiltonSolver& s, const Grid& grid) : form_(s.form_), grid_(grid) {
    const std::size_t D = grid.axis.size(), n = grid.n;
    std::vector<std::size_t> all(n);
    for (std::size_t i = 0; i < n; ++i) all[i] = i;
    const Points points = grid.points(form_.space, all);
    std::vector<Expr> inputs = {Field(form_.field)}, speeds;
    inputs.insert(inputs.end(), form_.slopes.begin(), form_.slopes.end());
    for (const Expr& p : form_.slopes) speeds.push_back(partial(form_.hamiltonian, p));
    value_ = std::make_unique<NodeProgram>(*s.problem_, std::vector<Expr>{form_.hamiltonian},
                                           inputs, points);
    speeds_ = std::make_unique<NodeProgram>(*s.problem_, speeds, inputs, points);
    before_.assign(D, std::vector<double>(n));
    after_ = middle_ = fastest_ = before_;
    in_.assign(D + 1, std::vector<double>(n));
    out_.assign(D, std::vector<double>(n));
    periodic_ = s.periodic_;
    for (const SideForm& f : s.sides_) add_side(s, f);
  }

  /// Sets what is given at a time.
  void give(double t, std::vector<double>& u) {
    for (Side& side : given_) {
      side.amount->run(Rows{}, side.values, t);
      if (side.slope) continue;
      for (std::size_t k = 0; k < side.nodes.size(); ++k) u[side.nodes[k]] = side.values[0][k];
    }
  }
  /// The least of all values that are given; 0 where none is.
  double least_given() {
    double least = INFINITY;
    for (Side& side : given_) {
      side.amount->run(Rows{}, side.values, 0);
      if (side.slope) continue;
      for (const double v : side.values[0]) least = std::min(least, v);
    }
    return std::isfinite(least) ? least : 0;
  }

  /// Numerical Hamiltonian and, per node, the sum of a_d / h_d: no step is longer than its inverse.
  void operator()(double t, const std::vector<double>& u, std::vector<double>& rate,
                  std::vector<double>& speed) {
    const std::size_t D = grid_.axis.size(), n = grid_.n;
    for (std::size_t d = 0; d < D; ++d) slopes(d, u);
    in_[0] = u;
    for (std::size_t d = 0; d < D; ++d) {
      for (std::size_t i = 0; i < n; ++i) in_[d + 1][i] = (before_[d][i] + after_[d][i]) / 2;
    }
    Rows h(1, std::vector<double>(n));
    value_->run(in_, h, t);
    rate = std::move(h[0]);
    find_speeds(t);
    std::fill(speed.begin(), speed.end(), 0.0);
    for (std::size_t d = 0; d < D; ++d) {
      for (std::size_t i = 0; i < n; ++i) {
        rate[i] -= fastest_[d][i] / 2 * (after_[d][i] - before_[d][i]);
        speed[i] += fastest_[d][i] / grid_.h[d];
      }
    }
    count_work(WorkKind::formulas, 20.0 * static_cast<double>(n) * (D == 1 ? 4 : 10));
  }

 private:
  void add_side(const HamiltonSolver& s, const SideForm& f) {
    Side side{f.axis, f.upper, f.slope, {}, nullptr};
    for (std::size_t i = 0; i < grid_.n; ++i) {
      if (grid_.place(i, f.axis) != (f.upper ? grid_.count(f.axis) - 1 : 0)) continue;
      Values at;
      for (std::size_t d = 0; d < grid_.axis.size(); ++d) {
        at.set(Coordinate(form_.space[d]), grid_.axis[d][grid_.place(i, d)]);
      }
      for (const auto& [name, value] : s.problem_->values()) at.set(Parameter(name), value);
      if (evaluate(f.where, at) != 0) side.nodes.push_back(i);
    }
    if (side.nodes.empty()) return;
    side.amount =
        std::make_unique<NodeProgram>(*s.problem_, std::vector<Expr>{f.amount}, std::vector<Expr>{},
                                      grid_.points(form_.space, side.nodes));
    side.values[0].resize(side.nodes.size());
    given_.push_back(std::move(side));
  }

  /// Slopes to both neighbours along an axis.
  void slopes(std::size_t d, const std::vector<double>& u) {
    const std::size_t n = grid_.n, stride = grid_.stride(d), m = grid_.count(d);
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t k = grid_.place(i, d);
      const bool first = k == 0, last = k + 1 == m;
      const std::size_t round = (m - 1) * stride;
      const double h = grid_.h[d];
      if (!first) before_[d][i] = (u[i] - u[i - stride]) / h;
      if (!last) after_[d][i] = (u[i + stride] - u[i]) / h;
      if (first) before_[d][i] = periodic_[d] ? (u[i] - u[i + round]) / h : after_[d][i];
      if (last) after_[d][i] = periodic_[d] ? (u[i - round] - u[i]) / h : before_[d][i];
    }
    for (const Side& side : given_) {
      if (!side.slope || side.axis != d) continue;
      for (std::size_t k = 0; k < side.nodes.size(); ++k) {
        (side.upper ? after_ : before_)[d][side.nodes[k]] = side.values[0][k];
      }
    }
  }

  /// The largest |H_p| at all combinations of the slopes to one side, to the other, and 0 where
  /// their signs differ: there |p| has its edge.
  void find_speeds(double t) {
    const std::size_t D = grid_.axis.size(), n = grid_.n;
    for (std::size_t d = 0; d < D; ++d) {
      std::fill(fastest_[d].begin(), fastest_[d].end(), 0.0);
      for (std::size_t i = 0; i < n; ++i) {
        const double a = before_[d][i], b = after_[d][i];
        const double middle = (a + b) / 2;
        middle_[d][i] = a * b < 0 ? 0 : std::abs(middle) < flat ? flat : middle;
      }
    }
    const std::vector<const Rows*> choice = {&before_, &after_, &middle_};
    const std::size_t combinations = D == 1 ? 3 : 9;
    for (std::size_t c = 0; c < combinations; ++c) {
      for (std::size_t d = 0, rest = c; d < D; ++d, rest /= 3) in_[d + 1] = (*choice[rest % 3])[d];
      speeds_->run(in_, out_, t);
      for (std::size_t d = 0; d < D; ++d) {
        for (std::size_t i = 0; i < n; ++i) {
          const double a = std::abs(out_[d][i]);  // |p| has none at 0
          if (std::isfinite(a)) fastest_[d][i] = std::max(fastest_[d][i], a);
        }
      }
    }
  }

  const HamiltonJacobi& form_;
  const Grid& grid_;
  std::unique_ptr<NodeProgram> value_, speeds_;
  Rows before_, after_, middle_, fastest_, in_, out_;
  std::vector<bool> periodic_;
  std::vector<Side> given_;
};

HamiltonSolver::HamiltonSolver(std::shared_ptr<const Problem> problem, HamiltonJacobi form,
                               const Fvm& options)
    : problem_(std::move(problem)), form_(std::move(form)), options_(options) {
  if (options_.flux != FvmFlux::automatic || options_.cells == FvmCells::triangles ||
      options_.time != FvmTime::automatic) {
    refuse("flux, cells and time are those of balance laws", "leave them out");
  }
  const Lowering lower(*problem_);
  const Domain domain = domain_of(*problem_);
  const ShapePtr shape = domain.shape();
  const Bounds& box = shape->bounds();
  lower_ = box.lower;
  upper_ = box.upper;
  const std::size_t D = form_.space.size();
  double volume = 1;
  for (std::size_t d = 0; d < D; ++d) volume *= upper_[d] - lower_[d];
  if (!(std::abs(shape->measure() - volume) <= 1e-12 * volume)) {
    refuse("the region must be a box", "take a box around it, or use pinn");
  }
  periodic_.assign(D, false);
  for (const Condition& c : problem_->condition) {
    if (c.kind == Condition::Kind::periodic) {
      for (std::size_t d = 0; d < D; ++d) {
        if (form_.space[d] == c.coordinate) periodic_[d] = true;
      }
      continue;
    }
    if (c.kind != Condition::Kind::general) {
      refuse(fmt::format("'{}' is no condition on a side", name_of(c)), "use pinn");
    }
    const ConditionPlace place = place_of(*problem_, c);
    if (place.kind == ConditionPlace::Kind::slice) continue;
    const Boundary part(domain, place.boundary);
    if (form_.in_time && part.depends_on(problem_->domain->time()->name)) {
      refuse(fmt::format("'{}' does not hold all the time", name_of(c)), "use pinn");
    }
    for (std::size_t d = 0; d < D; ++d) {
      for (const bool upper : {false, true}) {
        std::vector<double> x(D), foot(D), normal(D);
        for (std::size_t k = 0; k < D; ++k) x[k] = (lower_[k] + upper_[k]) / 2;
        x[d] = upper ? upper_[d] : lower_[d];
        const std::size_t piece = shape->nearest(x.data(), foot.data(), normal.data()).piece;
        SideForm side{.axis = d, .upper = upper};
        side.where = part.condition(shape->pieces()[piece]);
        if (side.where.is_constant(0)) continue;
        std::vector<Replacement> outward;
        for (std::size_t k = 0; k < D; ++k) {
          outward.push_back({normal_component(form_.space[k]), Expr(k != d ? 0 : upper ? 1 : -1)});
        }
        const LinearForm linear = linear_form(substitute(lower(c.form.residual()), outward));
        const bool one = linear.linear && linear.terms.size() == 1;
        const Expr atom = one ? linear.terms[0].atom : Expr(0);
        side.slope = one && same(atom, form_.slopes[d]);
        if (!side.slope && !(one && same(atom, Field(form_.field)))) {
          refuse(fmt::format("'{}' is neither a value nor a slope across the side", name_of(c)),
                 "use pinn");
        }
        side.amount = -linear.remainder / linear.terms[0].coefficient;
        sides_.push_back(std::move(side));
      }
    }
  }
  // Values after slopes: at a corner they hold.
  std::stable_sort(sides_.begin(), sides_.end(),
                   [](const SideForm& a, const SideForm& b) { return a.slope && !b.slope; });
  if (form_.in_time) static_cast<void>(start());
}

Expr HamiltonSolver::start() const {
  const Lowering lower(*problem_);
  for (const Condition& c : problem_->condition) {
    if (c.kind != Condition::Kind::general) continue;
    const auto given = dirichlet_form(c.form);
    if (!given) continue;
    const ConditionPlace place = place_of(*problem_, c);
    if (place.kind == ConditionPlace::Kind::slice &&
        place.time == problem_->domain->time()->lower) {
      return lower(given->value);
    }
  }
  refuse("the first time has no values", "give u at the start");
}

int HamiltonSolver::levels() const {
  if (options_.n > 0) return 1;
  return form_.space.size() == 1 ? (form_.in_time ? 7 : 6) : 4;
}

HamiltonSolver::Grid HamiltonSolver::grid(int level) const {
  const std::size_t D = form_.space.size();
  const std::size_t n =
      options_.n > 0 ? static_cast<std::size_t>(options_.n) : (D == 1 ? 128U : 32U) << level;
  double longest = 0;
  for (std::size_t d = 0; d < D; ++d) longest = std::max(longest, upper_[d] - lower_[d]);
  Grid g;
  for (std::size_t d = 0; d < D; ++d) {
    const double length = upper_[d] - lower_[d];
    const double cells = std::max(4.0, std::round(length / longest * static_cast<double>(n)));
    g.h.push_back(length / cells);
    const auto m = static_cast<std::size_t>(cells) + (periodic_[d] ? 0 : 1);
    std::vector<double>& nodes = g.axis.emplace_back();
    for (std::size_t i = 0; i < m; ++i) {
      nodes.push_back(lower_[d] + length * static_cast<double>(i) / cells);
    }
    g.n *= m;
  }
  return g;
}

std::string HamiltonSolver::describe(const Grid& g) const {
  std::vector<std::size_t> counts;
  for (std::size_t d = 0; d < g.axis.size(); ++d) counts.push_back(g.count(d));
  return fmt::format("fvm, {} nodes, Lax-Friedrichs for Hamilton-Jacobi", fmt::join(counts, " x "));
}

MethodCost HamiltonSolver::cost(int level) const {
  const Grid g = grid(level);
  MethodCost cost;
  cost.method = describe(g);
  cost.unknowns = g.n;
  std::size_t longest = 0;
  for (std::size_t d = 0; d < g.axis.size(); ++d) longest = std::max(longest, g.count(d));
  const double steps = 4.0 * static_cast<double>(longest);
  const double runs = g.axis.size() == 1 ? 4 : 10;
  cost.work.add(WorkKind::formulas, 20 * runs * static_cast<double>(g.n) * steps);
  cost.bytes = 8 * (40 * static_cast<double>(g.n) + 2 * most_stored);
  cost.less = "use fewer cells";
  return cost;
}

ClassicalAnswer HamiltonSolver::solve(int level, const RunOptions& options) {
  const Grid g = grid(level);
  Scheme scheme(*this, g);
  ClassicalAnswer answer;
  answer.method = describe(g);
  answer.n_unknowns = g.n;
  std::vector<double> u(g.n), rate(g.n), speed(g.n), stored, times;
  const auto finite = [&] {
    return std::all_of(u.begin(), u.end(), [](double v) { return std::isfinite(v); });
  };
  std::uint64_t step = 0;
  const auto stopped = [&](std::uint64_t total) {
    options.limit.show(
        {.step = ++step, .total = std::max(total, step), .message = answer.method, .stage = "fvm"});
    if (!options.limit.reached()) return false;
    answer.interrupted = true;
    answer.troubles.push_back("fvm: stopped before its end");
    return true;
  };
  const auto diverged = [&] {
    answer.finite = false;
    answer.troubles.push_back("fvm: the solution is not finite");
    return answer;
  };
  // A monotone step may be as long as the numbers of Courant allow; cfl = 0.4 means 0.8 of it here.
  const double share = std::min(1.0, 2 * options_.cfl);
  std::vector<GridAxis> axes;
  if (form_.in_time) {
    const Time& time = *problem_->domain->time();
    std::vector<std::size_t> all(g.n);
    for (std::size_t i = 0; i < g.n; ++i) all[i] = i;
    Rows first = {std::vector<double>(g.n)};
    NodeProgram(*problem_, {start()}, {}, g.points(form_.space, all))
        .run(Rows{}, first, time.lower);
    u = first[0];
    scheme.give(time.lower, u);
    scheme(time.lower, u, rate, speed);
    const double steps =
        (time.upper - time.lower) * *std::max_element(speed.begin(), speed.end()) / share;
    const double most =
        std::clamp(most_stored / static_cast<double>(g.n), double(least_times), double(most_times));
    const auto keep = static_cast<std::size_t>(
        std::isfinite(steps) ? std::clamp(std::ceil(steps), double(least_times), most) : most);
    double t = time.lower;
    for (std::size_t k = 0; k <= keep; ++k) {
      const double next = time.lower + (time.upper - time.lower) * static_cast<double>(k) /
                                           static_cast<double>(keep);
      while (t < next) {
        scheme.give(t, u);
        scheme(t, u, rate, speed);
        const double fastest = *std::max_element(speed.begin(), speed.end());
        const double left = next - t;
        // Half of what is left is taken twice, rather than a last step of no length.
        const double count = std::max(1.0, std::ceil(left * fastest / share - 1e-9));
        const double dt = left / count;
        for (std::size_t i = 0; i < g.n; ++i) u[i] -= dt * rate[i];
        t = count == 1 ? next : t + dt;
        if (stopped(keep)) return answer;
        if (!(count < 1e7) || !finite()) return diverged();
      }
      scheme.give(t, u);
      if (!finite()) return diverged();
      times.push_back(t);
      stored.insert(stored.end(), u.begin(), u.end());
    }
    axes.push_back({.name = time.name, .nodes = times, .width = 2});
  } else {
    std::fill(u.begin(), u.end(), scheme.least_given());
    std::size_t longest = 0;
    for (std::size_t d = 0; d < g.axis.size(); ++d) longest = std::max(longest, g.count(d));
    const std::size_t most = steps_per_cell * longest;
    bool settled = false;
    for (std::size_t k = 0; k < most && !settled; ++k) {
      scheme.give(0, u);
      scheme(0, u, rate, speed);
      double fastest = *std::max_element(speed.begin(), speed.end());
      if (fastest == 0) {  // p^2 at 0: slopes of 1 may come of the first step
        const double h = *std::min_element(g.h.begin(), g.h.end());
        for (const double r : rate) fastest = std::max(fastest, std::abs(r) / h);
        if (fastest == 0) fastest = 1;
      }
      double change = 0, low = INFINITY, high = -INFINITY;
      const std::vector<double> before = u;
      for (std::size_t i = 0; i < g.n; ++i) {
        u[i] -= share_at_rest / fastest * rate[i];
      }
      scheme.give(0, u);
      for (std::size_t i = 0; i < g.n; ++i) {
        change = std::max(change, std::abs(u[i] - before[i]));
        low = std::min(low, u[i]);
        high = std::max(high, u[i]);
      }
      settled = change <= at_rest * (high - low);
      if (stopped(most)) return answer;
      if (!finite()) return diverged();
    }
    if (!settled) {
      answer.troubles.push_back("fvm: the steps to a state of rest did not settle");
    }
    stored = u;
  }
  for (std::size_t d = 0; d < g.axis.size(); ++d) {
    GridAxis axis{.name = form_.space[d], .nodes = g.axis[d], .width = 2};
    if (periodic_[d]) {
      axis.kind = GridAxis::Kind::periodic;
      axis.period = upper_[d] - lower_[d];
    }
    axes.push_back(std::move(axis));
  }
  answer.model = std::make_shared<GridField>("fvm", problem_, std::move(axes), problem_->fields,
                                             std::vector<std::vector<double>>{std::move(stored)});
  answer.remarks.push_back(fmt::format("{} steps", step));
  return answer;
}

}  // namespace cauchy::detail
