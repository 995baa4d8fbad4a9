#include "solvers/fdm/flow_form.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/print.hpp>
#include <cauchy/expr/simplify.hpp>
#include <cauchy/problem/place.hpp>

#include "problem/lowering.hpp"

namespace cauchy::detail {
namespace {

[[noreturn]] void flow_refused(const std::string& reason, const std::string& hint) {
  throw Error(ErrorKind::unsupported, "flow on a staggered grid: " + reason, "[solvers.fdm]", hint);
}

/// The number that an expression is, when it holds nothing that varies.
std::optional<double> number_of(const Expr& e) {
  for (const Kind kind :
       {Kind::coordinate, Kind::field, Kind::symbol, Kind::call, Kind::parameter}) {
    if (!atoms({&e, 1}, kind).empty()) return std::nullopt;
  }
  const double value = evaluate(e);
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

/// Place of a coordinate when the atom is a first derivative by it alone.
std::optional<std::size_t> first_derivative(const Expr& atom,
                                            const std::vector<std::string>& space) {
  if (atom.index().size() != 1 || atom.index()[0].second != 1) return std::nullopt;
  const auto at = std::find(space.begin(), space.end(), atom.index()[0].first);
  if (at == space.end()) return std::nullopt;
  return static_cast<std::size_t>(at - space.begin());
}

/// The fields whose derivatives add up to a divergence, by axes; empty when the residual is none.
std::vector<std::string> divergence_fields(const Expr& residual,
                                           const std::vector<std::string>& space) {
  const LinearForm form = linear_form(residual);
  if (!form.linear || form.terms.size() != space.size()) return {};
  std::vector<std::string> fields(space.size());
  std::optional<double> factor;
  for (const auto& [atom, coefficient] : form.terms) {
    const auto axis = first_derivative(atom, space);
    const std::optional<double> c = number_of(coefficient);
    if (!axis || !c || !fields[*axis].empty()) return {};
    if (factor && std::abs(*c - *factor) > 1e-12 * std::abs(*factor)) return {};
    factor = c;
    if (std::count(fields.begin(), fields.end(), atom.name()) > 0) return {};
    fields[*axis] = atom.name();
  }
  return fields;
}

/// Takes multiples of the continuity out that hide in the momentum along an axis: grad(div u) of a
/// symmetric gradient, u div(u) of a flux form.
Expr without_divergence(Expr residual, const FlowForm& form, std::size_t axis) {
  const std::size_t other = (axis + 1) % form.space.size();
  const Expr u = Field(form.velocity[axis]);
  const Expr slope = d(Field(form.velocity[other]), Coordinate(form.space[other]));
  const Expr mixed = d(slope, Coordinate(form.space[axis]));
  const Expr divergence = form.continuity / partial(form.continuity, slope);
  const Expr viscous = partial(residual, mixed);
  if (number_of(viscous)) residual -= viscous * d(divergence, Coordinate(form.space[axis]));
  const Expr flux = partial(partial(residual, slope), u);
  if (number_of(flux)) residual -= flux * u * divergence;
  return expand(residual);
}

/// The parts of the equations of momentum that a step in time treats differently.
void split_in_time(FlowForm& form) {
  const std::size_t dim = form.space.size();
  for (std::size_t i = 0; i < dim; ++i) {
    const Expr u = Field(form.velocity[i]);
    const Expr rate = d(u, Coordinate(form.time));
    const Expr slope = d(Field(form.pressure), Coordinate(form.space[i]));
    Expr& r = form.momentum[i];
    const auto inertia = number_of(partial(r, rate));
    if (!inertia || *inertia == 0) {
      flow_refused(fmt::format("{} needs a constant factor in its equation", to_string(rate)),
                   "divide the equation by the density, or use a method for general systems");
    }
    r = expand(r * (1 / *inertia));
    const auto push = number_of(partial(r, slope));
    if (!push || *push == 0 || (i > 0 && std::abs(*push - form.push) > 1e-12 * std::abs(*push))) {
      flow_refused("the gradient of the pressure needs the same constant factor along all axes",
                   "give the density as a number");
    }
    form.push = *push;
    Expr rest = r - rate - *push * slope;
    std::vector<double> viscosity(dim);
    for (std::size_t k = 0; k < dim; ++k) {
      const Expr bend = d_n(u, Coordinate(form.space[k]), 2);
      const auto nu = number_of(partial(r, bend));
      if (!nu || !(*nu < 0)) {
        flow_refused(fmt::format("{} needs a constant viscosity in time", to_string(bend)),
                     "use fvm for flow without viscosity");
      }
      viscosity[k] = -*nu;
      rest -= *nu * bend;
    }
    rest = expand(rest);
    if (order(rest) > 1 || depends_on(rest, Field(form.pressure)) ||
        order(rest, Coordinate(form.time)) > 0) {
      flow_refused(fmt::format("the part {} of the momentum cannot be taken explicitly in time",
                               to_string(rest)),
                   "write it with first derivatives of the velocity");
    }
    form.viscosity.push_back(std::move(viscosity));
    form.rest.push_back(rest);
  }
}

void read_initial(FlowForm& form, const Condition& c, const Expr& residual, double time,
                  double start) {
  if (std::abs(time - start) > 1e-12 * (1 + std::abs(start))) {
    flow_refused(fmt::format("'{}' does not hold at the start", name_of(c)),
                 "give the velocity at the first time");
  }
  const LinearForm linear = linear_form(residual);
  if (!linear.linear || linear.terms.size() != 1 || !linear.terms[0].atom.index().empty()) {
    flow_refused(fmt::format("'{}' does not give one component at the start", name_of(c)),
                 "give every component of the velocity by itself");
  }
  const std::string field = linear.terms[0].atom.name();
  if (field == form.pressure) {
    form.remarks.push_back("the pressure at the start follows from the velocity");
    return;
  }
  for (std::size_t k = 0; k < form.velocity.size(); ++k) {
    if (form.velocity[k] == field) {
      form.initial[k] = -linear.remainder / linear.terms[0].coefficient;
    }
  }
}

void read_level(const Problem& problem, FlowForm& form, const Condition& c, const Lowering& lower) {
  const bool integral = c.kind == Condition::Kind::integral;
  const LinearForm linear = linear_form(lower(c.form.residual()));
  std::optional<double> factor, rest;
  if (linear.linear && linear.terms.size() == 1 &&
      same(linear.terms[0].atom, Field(form.pressure))) {
    factor = number_of(linear.terms[0].coefficient);
    rest = number_of(linear.remainder);
  }
  if (!factor || !rest || (integral && c.where != "domain")) {
    flow_refused(fmt::format("'{}' does not fix the constant of the pressure", name_of(c)),
                 "give the pressure at one point, or its integral over the domain");
  }
  form.level.value = -*rest / *factor;
  form.level.point.clear();
  if (integral) return;
  for (const std::string& name : form.space) {
    const auto at = std::find_if(c.point.begin(), c.point.end(),
                                 [&](const auto& part) { return part.first == name; });
    if (at != c.point.end()) form.level.point.push_back(at->second);
  }
  if (!form.time.empty() && problem.domain->time() != nullptr) {
    form.remarks.push_back("the pressure is fixed at its point for all times");
  }
}

void read_boundary(FlowForm& form, const Condition& c, const Expr& residual,
                   const std::string& where) {
  const LinearForm linear = linear_form(residual);
  FlowCondition condition{0, where, name_of(c), 0, 0, {}};
  condition.of_slope.assign(form.space.size(), Expr(0));
  condition.remainder = linear.remainder;
  std::string field;
  for (const auto& [atom, coefficient] : linear.terms) {
    const auto axis = first_derivative(atom, form.space);
    if ((!field.empty() && field != atom.name()) || (!axis && !atom.index().empty())) {
      field = form.pressure;  // refused below
      break;
    }
    field = atom.name();
    (axis ? condition.of_slope[*axis] : condition.of_value) = coefficient;
  }
  const auto at = std::find(form.velocity.begin(), form.velocity.end(), field);
  if (!linear.linear || at == form.velocity.end()) {
    flow_refused(
        fmt::format("'{}' is not a condition on one component of the velocity", name_of(c)),
        "give velocities or their normal derivatives at walls; the pressure gets none");
  }
  condition.component = static_cast<std::size_t>(at - form.velocity.begin());
  form.conditions.push_back(std::move(condition));
}

void read_conditions(const Problem& problem, FlowForm& form, const Lowering& lower) {
  for (const Condition& c : problem.condition) {
    if (c.kind == Condition::Kind::periodic) {
      const auto at = std::find(form.space.begin(), form.space.end(), c.coordinate);
      if (at == form.space.end())
        flow_refused("a period in time", "use a method for general systems");
      form.periodic[static_cast<std::size_t>(at - form.space.begin())] = true;
    } else if (c.kind != Condition::Kind::general) {
      read_level(problem, form, c, lower);
    } else {
      const ConditionPlace place = place_of(problem, c);
      const Expr residual = lower(c.form.residual());
      if (place.kind == ConditionPlace::Kind::slice) {
        read_initial(form, c, residual, place.time, problem.domain->time()->lower);
      } else {
        read_boundary(form, c, residual, place.boundary);
      }
    }
  }
  const Expr unset = Symbol("flow_unset");
  for (std::size_t k = 0; k < form.space.size() && !form.time.empty(); ++k) {
    if (same(form.initial[k], unset)) {
      flow_refused(fmt::format("{} has no value at the start", form.velocity[k]),
                   "give the velocity at the first time");
    }
  }
}

}  // namespace

std::optional<FlowForm> flow_form(const Problem& problem) {
  if (!problem.domain || problem.domain->space() == nullptr) return std::nullopt;
  FlowForm form;
  const Domain domain = domain_of(problem);
  const std::vector<std::string> columns = domain.columns();
  form.space.assign(columns.begin() + static_cast<std::ptrdiff_t>(domain.space_column()),
                    columns.begin() + static_cast<std::ptrdiff_t>(domain.space_column() +
                                                                  domain.space()->dimension()));
  const std::size_t dim = form.space.size();
  if (dim < 2 || dim > 3 || problem.all_fields().size() != dim + 1 ||
      problem.equation.size() != dim + 1 || !problem.unknowns.empty()) {
    return std::nullopt;
  }
  if (domain.time() != nullptr) form.time = domain.time()->name;
  const Lowering lower(problem);
  std::vector<Expr> residuals;
  for (const ProblemEquation& e : problem.equation) residuals.push_back(lower(e.form.residual()));

  // The divergence names the components of the velocity; what is left is the pressure, and its
  // derivative names the axis of an equation of momentum.
  std::size_t divergence = 0;
  for (; divergence < residuals.size(); ++divergence) {
    form.velocity = divergence_fields(residuals[divergence], form.space);
    if (!form.velocity.empty()) break;
  }
  if (form.velocity.empty()) return std::nullopt;
  form.continuity = residuals[divergence];
  for (const std::string& f : problem.fields) {
    if (std::count(form.velocity.begin(), form.velocity.end(), f) == 0) form.pressure = f;
  }
  form.momentum.resize(dim);
  std::vector<char> seen(dim, 0);
  for (std::size_t e = 0; e < residuals.size(); ++e) {
    if (e == divergence) continue;
    std::optional<std::size_t> axis;
    bool bent = false;
    for (const Expr& atom : field_atoms({&residuals[e], 1})) {
      bent = bent || total_order(atom.index()) > 1;
      if (atom.name() != form.pressure) continue;
      const auto k = first_derivative(atom, form.space);
      if (!k || axis) return std::nullopt;
      axis = k;
    }
    if (!axis || seen[*axis] != 0 || !bent) return std::nullopt;
    seen[*axis] = 1;
    form.momentum[*axis] = without_divergence(expand(residuals[e]), form, *axis);
  }

  // From here on it is flow.
  for (const ProblemEquation& e : problem.equation) {
    if (!e.where.empty()) flow_refused("equations on parts of the domain", "use one equation");
  }
  if (!problem.observation.empty() || !problem.coefficients.empty()) {
    flow_refused("observations and coefficients that are to be found", "use pinn");
  }
  const ShapePtr shape = domain.shape();
  double volume = 1;
  for (std::size_t k = 0; k < dim; ++k) {
    volume *= shape->bounds().upper[k] - shape->bounds().lower[k];
  }
  if (!(std::abs(shape->measure() - volume) <= 1e-12 * volume) ||
      shape->pieces().size() != 2 * dim) {
    flow_refused("the domain is not a box", "use pinn for flow in other regions");
  }
  form.periodic.assign(dim, false);
  form.initial.assign(dim, Symbol("flow_unset"));
  if (!form.time.empty()) split_in_time(form);
  read_conditions(problem, form, lower);
  return form;
}

}  // namespace cauchy::detail
