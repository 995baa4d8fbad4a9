#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/simplify.hpp>
#include <cauchy/problem/place.hpp>
#include <cauchy/sampling/domain_points.hpp>

#include "expr/rewrite.hpp"
#include "problem/doubts.hpp"
#include "problem/mean_checks.hpp"
#include "problem/point_evaluator.hpp"

namespace cauchy::detail {
namespace {

const char* const shock_advice =
    "values at points do not say how fast a shock moves; use finite volumes (fvm), or add a "
    "viscosity";

/// The value of a field at the first time, where one is given.
std::optional<Expr> start_of(const Problem& p, const std::string& field) {
  for (const Condition& c : p.condition) {
    if (c.kind != Condition::Kind::general) continue;
    const auto given = dirichlet_form(c.form);
    if (!given || given->field != field) continue;
    const ConditionPlace place = place_of(p, c);
    if (place.kind == ConditionPlace::Kind::slice && place.time == p.domain->time()->lower) {
      return given->value;
    }
  }
  return std::nullopt;
}

/// When neighbouring characteristics of u_t + a(u) u_x = 0 meet first; none: not before the end,
/// or not known.
std::optional<double> breaking_time(const Problem& p, const Expr& residual,
                                    const std::string& field, const Expr& start) {
  const Time& time = *p.domain->time();
  const std::string x = p.domain->space()->coordinates()[0];
  const PrincipalPart part = principal_part(residual, Field(field));
  if (part.order != 1 || !part.quasilinear) return std::nullopt;
  Expr along = 0, in_time = 0, rest = residual;
  for (const LinearForm::Entry& e : part.terms) {
    (e.atom.index()[0].first == time.name ? in_time : along) += e.coefficient;
    rest -= e.coefficient * e.atom;
  }
  // Sources may keep the waves from breaking.
  if (in_time.is_constant(0) || !simplify(rest).is_constant(0)) return std::nullopt;
  const std::vector<Replacement> at_start = {{Field(field), start},
                                             {Coordinate(time.name), Expr(time.lower)}};
  const Expr speed = substitute(along / in_time, at_start), one[] = {speed};
  if (!field_atoms(one).empty()) return std::nullopt;
  const PointEvaluator evaluator(p);
  const Expr lowered[] = {evaluator.lower()(speed)};
  constexpr std::size_t n = 401;
  const Bounds box = domain_of(p).shape()->bounds();
  Points points;
  points.columns = {x};
  const double h = (box.upper[0] - box.lower[0]) / static_cast<double>(n - 1);
  for (std::size_t i = 0; i < n; ++i) {
    points.values.push_back(box.lower[0] + h * static_cast<double>(i));
  }
  const std::vector<double> a = evaluator(lowered, points)[0];
  double steepest = 0;
  for (std::size_t i = 0; i + 1 < n; ++i) steepest = std::min(steepest, (a[i + 1] - a[i]) / h);
  const double meets = time.lower - 1 / steepest;
  return steepest < 0 && meets < time.upper ? std::optional(meets) : std::nullopt;
}

}  // namespace

std::vector<std::string> lost_shocks(const Problem& p) {
  std::vector<std::string> found;
  const Time* time = p.domain->time();
  if (time == nullptr || p.domain->space() == nullptr || !p.domain->ranges().empty()) return found;
  for (const ProblemEquation& e : p.equation) {
    if (order(e.form.residual()) != 1) return found;  // diffusion smooths shocks
  }
  for (const std::string& field : p.fields) {
    const std::optional<Expr> start = start_of(p, field);
    if (!start) continue;
    for (const ProblemEquation& e : p.equation) {
      const Expr residual = e.form.residual();
      const Expr slope = field_derivative(field, {{time->name, 1}});
      if (is_linear(residual) || partial(residual, slope).is_constant(0)) continue;
      if (jumps(*start)) {
        found.push_back(
            fmt::format("'{}' starts with a jump of '{}': {}", name_of(e), field, shock_advice));
      } else if (p.fields.size() == 1 && p.domain->space()->dimension() == 1) {
        if (const auto t = breaking_time(p, residual, field, *start)) {
          found.push_back(fmt::format("the waves of '{}' break at {} = {:.3g}: {}", name_of(e),
                                      time->name, *t, shock_advice));
        }
      }
    }
  }
  return found;
}

}  // namespace cauchy::detail
