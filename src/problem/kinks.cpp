#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/problem/place.hpp>
#include <cauchy/sampling/domain_points.hpp>

#include "problem/boundary_cover.hpp"
#include "problem/doubts.hpp"
#include "problem/hamilton_jacobi.hpp"
#include "problem/point_evaluator.hpp"

namespace cauchy::detail {
namespace {

constexpr std::size_t n_looked_at = 2000;

const char* const kink_advice =
    "values at points do not tell which of the functions that fulfil it almost everywhere is meant";

/// The initial value of the field, lowered; none where it is not given by a formula.
std::optional<Expr> start_of(const Problem& p, const Lowering& lower, const std::string& field) {
  for (const Condition& c : p.condition) {
    if (c.kind != Condition::Kind::general) continue;
    const auto given = dirichlet_form(c.form);
    if (!given || given->field != field) continue;
    const ConditionPlace place = place_of(p, c);
    const Expr roots[] = {given->value};
    if (place.kind == ConditionPlace::Kind::slice && place.time == p.domain->time()->lower &&
        field_atoms(roots).empty()) {
      return lower(given->value);
    }
  }
  return std::nullopt;
}

bool has_edges(const Expr& e) {
  const Expr roots[] = {e};
  const std::vector<Expr> nodes = postorder(roots);
  return std::any_of(nodes.begin(), nodes.end(), [](const Expr& n) {
    const Kind k = n.kind();
    return has_jump(k) || k == Kind::abs || k == Kind::min || k == Kind::max || k == Kind::call;
  });
}

/// When neighbouring characteristics x' = H_p(Du) meet first: their distance is that of the matrix
/// I + t H_pp D^2 u at the start, as long as H does not hang on x.
std::optional<double> meeting_time(const Problem& p, const HamiltonJacobi& form,
                                   const Expr& start) {
  const std::size_t d = form.slopes.size();
  std::vector<Replacement> state = {{Field(form.field), start}};
  std::vector<Expr> slope;
  for (std::size_t i = 0; i < d; ++i) slope.push_back(cauchy::d(start, Coordinate(form.space[i])));
  for (std::size_t i = 0; i < d; ++i) state.push_back({form.slopes[i], slope[i]});
  std::vector<Expr> speed_changes;  // d/dx_j of H_p_i along the start
  for (std::size_t i = 0; i < d; ++i) {
    const Expr speed = substitute(partial(form.hamiltonian, form.slopes[i]), state);
    for (std::size_t j = 0; j < d; ++j) {
      speed_changes.push_back(cauchy::d(speed, Coordinate(form.space[j])));
    }
  }
  const Time& time = *p.domain->time();
  Points points = interior_points(domain_of(p), n_looked_at);
  for (std::size_t i = 0; i < points.size(); ++i) {
    points.values[i * points.columns.size()] = time.lower;
  }
  const auto rows = PointEvaluator(p)(speed_changes, points);
  double fastest = 0;  // the most negative eigenvalue
  for (std::size_t i = 0; i < points.size(); ++i) {
    double least = rows[0][i];
    if (d == 2) {
      const double mean = (rows[0][i] + rows[3][i]) / 2;
      const double det = rows[0][i] * rows[3][i] - rows[1][i] * rows[2][i];
      least = mean - std::sqrt(std::max(0.0, mean * mean - det));
    }
    if (std::isfinite(least)) fastest = std::min(fastest, least);
  }
  const double meets = time.lower - 1 / fastest;
  return fastest < 0 && meets < time.upper ? std::optional(meets) : std::nullopt;
}

/// Without time every characteristic ends where it meets another one, if all ends are given.
bool given_all_around(const Problem& p, const std::string& field) {
  const Points points = boundary_points(domain_of(p), "boundary", 256);
  const std::vector<int> found = conditions_at(p, field, points);
  return std::all_of(found.begin(), found.end(), [](int n) { return n > 0; });
}

}  // namespace

std::vector<std::string> lost_kinks(const Problem& p) {
  const Lowering lower(p);
  const std::optional<HamiltonJacobi> form = hamilton_jacobi(p, lower);
  if (!form) return {};
  const std::string name = name_of(p.equation[0]);
  try {
    if (!form->in_time) {
      if (!given_all_around(p, form->field)) return {};
      return {fmt::format("the waves of '{}' come from all sides and meet in edges: {}", name,
                          kink_advice)};
    }
    const std::optional<Expr> start = start_of(p, lower, form->field);
    if (!start) return {};
    if (has_edges(*start)) {
      return {fmt::format("'{}' starts with an edge or a jump of '{}': {}", name, form->field,
                          kink_advice)};
    }
    if (const auto t = meeting_time(p, *form, *start)) {
      return {fmt::format("the waves of '{}' meet at {} = {:.3g}: {}", name, p.domain->time()->name,
                          *t, kink_advice)};
    }
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::unsupported) throw;  // an unbounded region has no such points
  }
  return {};
}

}  // namespace cauchy::detail
