// Conditions that determine nothing inside: terms that are not there, closed lines of transport.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/print.hpp>
#include <cauchy/sampling/domain_points.hpp>

#include "problem/doubts.hpp"
#include "problem/point_evaluator.hpp"

namespace cauchy::detail {
namespace {

constexpr std::size_t n_points = 200;
constexpr double no_flow = 1e-9;  // of the speed: what crosses the boundary no faster stays inside

bool known(const Problem& p, const Expr& coefficient) {
  const Expr roots[] = {coefficient};
  return field_atoms(roots).empty() &&
         std::none_of(p.unknowns.begin(), p.unknowns.end(),
                      [&](const Unknown& u) { return depends_on(coefficient, Parameter(u.name)); });
}

bool of_space(const Problem& p, const Expr& atom) {
  const auto& space = p.domain->space()->coordinates();
  return std::ranges::all_of(atom.index(), [&](const auto& by) {
    return std::ranges::find(space, by.first) != space.end();
  });
}

/// The largest modulus of a known expression at some points of the domain.
double largest(const PointEvaluator& evaluator, const Expr& e, const Points& points) {
  const Expr lowered[] = {evaluator.lower()(e)};
  const std::vector<double> values = evaluator(lowered, points)[0];
  double size = 0;
  for (const double v : values) {
    if (!(std::abs(v) <= size)) size = std::abs(v);
  }
  return size;
}

/// Why a steady equation of first order carries a field around without an end; empty: it does not.
std::string closed_lines(const Problem& p, const ProblemEquation& equation,
                         const std::string& field) {
  const PrincipalPart part = principal_part(equation.form.residual(), Field(field));
  if (part.order != 1 || !part.quasilinear) return {};
  const Expr residual[] = {equation.form.residual()};
  for (const Expr& a : field_atoms(residual)) {
    if (a.name() != field || a.index().empty()) return {};  // what acts on the way chooses one
  }
  const bool fixed = std::any_of(p.condition.begin(), p.condition.end(), [](const Condition& c) {
    return c.kind != Condition::Kind::general;
  });
  if (fixed) return {};
  const PointEvaluator evaluator(p);
  Expr outward = 0, squares = 0;
  for (const LinearForm::Entry& e : part.terms) {
    if (!known(p, e.coefficient)) return {};
    outward += e.coefficient * normal_component(e.atom.index()[0].first);
    squares += e.coefficient * e.coefficient;
  }
  const Domain domain = domain_of(p);
  const double speed = std::sqrt(largest(evaluator, squares, interior_points(domain, n_points)));
  const double through = largest(evaluator, outward, boundary_points(domain, "boundary", n_points));
  if (!(through <= no_flow * speed)) return {};
  return fmt::format(
      "field '{}' is carried along lines that never meet the boundary: conditions there determine "
      "nothing inside",
      field);
}

}  // namespace

std::vector<std::string> idle_conditions(const Problem& p) {
  std::vector<std::string> found;
  if (p.domain->space() == nullptr || p.condition.empty()) return found;
  const PointEvaluator evaluator(p);
  const Points points = interior_points(domain_of(p), n_points);
  for (const std::string& field : p.fields) {
    const ProblemEquation* highest = nullptr;
    PrincipalPart part;
    bool vanish = true;  // its derivatives of highest order in all equations
    for (const ProblemEquation& e : p.equation) {
      PrincipalPart here = principal_part(e.form.residual(), Field(field));
      if (here.order < std::max(1, part.order)) continue;
      if (here.order > part.order) vanish = true;
      const bool zero = here.quasilinear && !here.terms.empty() &&
                        std::ranges::all_of(here.terms, [&](const LinearForm::Entry& term) {
                          return of_space(p, term.atom) && known(p, term.coefficient) &&
                                 largest(evaluator, term.coefficient, points) == 0;
                        });
      vanish = vanish && zero;
      part = std::move(here);
      highest = &e;
    }
    if (highest == nullptr) continue;
    // Values that go on from the start are fulfilled at the boundary as inside.
    const bool fulfilled = p.domain->time() != nullptr && corner_jumps(p).empty();
    if (vanish && !fulfilled) {
      found.push_back(
          fmt::format("the coefficient of {} in '{}' is 0 everywhere: the equation is of a lower "
                      "order than its conditions are for",
                      to_string(part.terms[0].atom), name_of(*highest)));
    } else if (!vanish && p.domain->time() == nullptr && p.equation.size() == 1 &&
               p.fields.size() == 1) {
      if (std::string why = closed_lines(p, *highest, field); !why.empty()) found.push_back(why);
    }
  }
  return found;
}

}  // namespace cauchy::detail
