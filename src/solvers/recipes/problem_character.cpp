#include "solvers/recipes/problem_character.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/problem/place.hpp>

#include "problem/lowering.hpp"
#include "solvers/pinn/window.hpp"
#include "solvers/recipes/waves.hpp"

namespace cauchy::detail {
namespace {

std::vector<Expr> first_derivatives(const Problem& problem) {
  std::vector<Expr> all;
  for (const std::string& axis : problem.domain->space()->coordinates()) {
    all.push_back(field_derivative(problem.fields.front(), {{axis, 1}}));
  }
  return all;
}

/// How fast an equation carries data from a part of the boundary into the domain, where a condition
/// gives the slope there: -dF/dp . n for p = q n, q from the condition; the mean over some points.
/// 0 where no slope is given.
double inflow(const Problem& problem, const Expr& residual, const Condition& condition,
              const Lowering& lower) {
  const std::vector<Expr> slopes = first_derivatives(problem);
  const std::vector<std::string>& space = problem.domain->space()->coordinates();
  const Expr given = lower(condition.form.residual());
  if (order(given) != 1) return 0;
  std::vector<Expr> speeds;
  for (const Expr& p : slopes) speeds.push_back(partial(residual, p));
  const Points points = condition_points(problem, condition, 20);
  double sum = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    Values values;
    values.set(Field(problem.fields.front()), 0);
    for (std::size_t k = 0; k < points.columns.size(); ++k) {
      values.set(Coordinate(points.columns[k]), points.row(i)[k]);
    }
    const double* normal = &points.normals[i * space.size()];
    const auto set_slope = [&](double q) {
      for (std::size_t k = 0; k < space.size(); ++k) {
        values.set(normal_component(space[k]), normal[k]);
        values.set(slopes[k], q * normal[k]);
      }
    };
    set_slope(0);
    const double at_0 = evaluate(given, values);
    set_slope(1);
    const double change = evaluate(given, values) - at_0;
    if (!(std::abs(change) > 0)) continue;
    set_slope(-at_0 / change);
    for (std::size_t k = 0; k < space.size(); ++k) {
      sum -= evaluate(speeds[k], values) * normal[k];
    }
  }
  return sum;
}

/// ProblemCharacter::viscosity.
int viscosity_of(const Problem& problem, const Lowering& lower) {
  if (problem.equation.size() != 1 || problem.all_fields().size() != 1) return 0;
  const Expr residual = lower(problem.equation.front().form.residual());
  const std::vector<Expr> slopes = first_derivatives(problem);
  const bool nonlinear = std::any_of(slopes.begin(), slopes.end(), [&](const Expr& p) {
    return order(partial(residual, p)) == 1;
  });
  if (order(residual) != 1 || !nonlinear) return 0;
  double speed = 0;
  for (const Condition& c : problem.condition) {
    if (c.kind != Condition::Kind::general) continue;
    try {
      speed += inflow(problem, residual, c, lower);
    } catch (const Error&) {
      return 0;  // tables
    }
  }
  return speed > 0 ? -1 : 1;
}

/// Whether an expression has no kinks, no jumps and no tables.
bool is_smooth(const Expr& e) {
  const Expr roots[] = {e};
  const std::vector<Expr> all = postorder(roots);
  return std::none_of(all.begin(), all.end(), [](const Expr& x) {
    constexpr Kind rough[] = {Kind::call, Kind::abs, Kind::sign, Kind::floor,      Kind::min,
                              Kind::max,  Kind::mod, Kind::less, Kind::less_equal, Kind::where};
    return std::find(std::begin(rough), std::end(rough), x.kind()) != std::end(rough);
  });
}

/// Pieces of the boundary beyond those of a box.
std::size_t extra_pieces(const Problem& problem) {
  const Domain domain = domain_of(problem);
  std::vector<double> middle;
  for (const Range& r : domain.ranges()) middle.push_back((r.lower + r.upper) / 2);
  const std::size_t all = domain.shape(middle)->pieces().size();
  const std::size_t box = 2 * domain.space()->dimension();
  return all > box ? all - box : 0;
}

/// The rate of u in r = a u_t + g(u, ...) at the initial state, at most over points of it:
/// |g_u / a|. Known where the conditions at the first time give all fields by formulas.
double initial_rate(const Problem& problem, const Lowering& lower) {
  const Time& time = *problem.domain->time();
  std::vector<Replacement> state;
  std::optional<Points> points;
  for (const Condition& c : problem.condition) {
    if (c.kind != Condition::Kind::general) continue;
    const ConditionPlace place = place_of(problem, c);
    const auto form = dirichlet_form(c.form);
    if (place.kind != ConditionPlace::Kind::slice || place.time != time.lower || !form) continue;
    const Expr value = lower(form->value);
    if (!is_plain(value)) return 0;
    state.push_back({Field(form->field), value});
    if (!points) points = condition_points(problem, c, problem.domain->space() ? 64 : 1);
  }
  if (state.size() < problem.fields.size() || !points) return 0;
  double most = 0;
  for (const ProblemEquation& e : problem.equation) {
    const Expr r = lower(e.form.residual());
    for (const std::string& field : problem.fields) {
      const Expr a = partial(r, field_derivative(field, {{time.name, 1}}));
      if (a.is_constant(0)) continue;
      const Expr rate = substitute(partial(r, Field(field)) / a, state);
      if (!is_plain(rate)) return 0;
      for (std::size_t i = 0; i < points->size(); ++i) {
        Values values;
        for (std::size_t k = 0; k < points->columns.size(); ++k) {
          values.set(Coordinate(points->columns[k]), points->row(i)[k]);
        }
        const double here = std::abs(evaluate(rate, values));
        if (std::isfinite(here)) most = std::max(most, here);
      }
    }
  }
  return most;
}

}  // namespace

ProblemCharacter character_of_problem(const Problem& problem) {
  ProblemCharacter c;
  const Domain& domain = *problem.domain;
  c.time = domain.time() != nullptr;
  c.space = domain.space() != nullptr;
  c.inverse =
      !problem.unknowns.empty() || !problem.coefficients.empty() || !problem.observation.empty();
  c.dimension = domain.dimension();
  c.fields = problem.all_fields().size();
  if (c.space) c.parts = extra_pieces(problem);
  const Lowering lower(problem);
  const DomainBox box = box_of(characteristic_sizes(problem, lower, true));
  c.linear = c.smooth = true;
  const std::size_t first = domain.space_column();
  const std::size_t last = c.space ? first + domain.space()->dimension() : first;
  std::vector<Expr> known;
  for (const ProblemEquation& e : problem.equation) {
    const Expr r = lower(e.form.residual());
    c.linear = c.linear && is_linear(r);
    c.smooth = c.smooth && is_smooth(r);
    c.order = std::max(c.order, order(r));
    for (Expr& f : known_functions(r)) known.push_back(std::move(f));
    for (std::size_t k = first; k < last; ++k) {
      for (const std::string& field : problem.fields) {
        c.waves =
            std::max(c.waves, free_waves(r, field, box.names[k], box.upper[k] - box.lower[k]));
      }
    }
    if (c.space && c.dimension == 1 && c.fields == 1) {
      c.rates = std::max(c.rates, free_rates(r, problem.fields.front(), box));
    }
  }
  for (const Condition& condition : problem.condition) {
    if (condition.kind != Condition::Kind::general) continue;
    const Expr r = lower(condition.form.residual());
    c.condition_order = std::max(c.condition_order, order(r));
    c.smooth = c.smooth && is_smooth(r);
    for (Expr& f : known_functions(r)) known.push_back(std::move(f));
  }
  std::vector<Expr> seen;
  for (const Expr& f : known) {
    const bool again =
        std::any_of(seen.begin(), seen.end(), [&](const Expr& g) { return same(f, g); });
    if (again || !is_plain(f)) continue;
    seen.push_back(f);
    c.waves = std::max(c.waves, half_waves(f, box, first, last));
  }
  if (c.space && !c.time && !c.inverse) c.viscosity = viscosity_of(problem, lower);
  if (c.time && !c.inverse) {
    try {
      expect_windows(problem);
      c.marches = true;
    } catch (const Error&) {
      c.marches = false;
    }
  }
  if (c.marches) {
    try {
      const Time& time = *domain.time();
      c.turnovers = initial_rate(problem, lower) * (time.upper - time.lower);
    } catch (const Error&) {
      c.turnovers = 0;  // the equations have no value at the start
    }
  }
  return c;
}

}  // namespace cauchy::detail
