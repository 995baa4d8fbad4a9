#include "operators/fixed_boundary.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/problem/place.hpp>

#include "operators/grid_derivative.hpp"
#include "operators/physics_values.hpp"  // grid_atoms
#include "problem/lowering.hpp"

namespace cauchy::detail {
namespace {

constexpr double open = std::numeric_limits<double>::quiet_NaN();

/// Side of every axis that a node lies on: -1, 0 (inside, or a periodic axis), 1.
std::vector<int> sides_of(const FieldGrid& space, std::size_t node) {
  std::vector<int> sides(space.axes.size(), 0);
  for (std::size_t a = space.axes.size(); a-- > 0;) {
    const auto n = static_cast<std::size_t>(space.axes[a].n);
    const std::size_t i = node % n;
    node /= n;
    if (!space.axes[a].periodic) sides[a] = i == 0 ? -1 : i + 1 == n ? 1 : 0;
  }
  return sides;
}

/// The sides of the box that a part of the boundary names: piece of the shape in the middle of
/// each.
Expr at_side(const Boundary& part, const FieldGrid& space, const Shape& shape, std::size_t axis,
             int side) {
  std::vector<double> center, foot(space.axes.size()), normal(space.axes.size());
  for (const FieldGrid::Axis& a : space.axes) center.push_back((a.lower + a.upper) / 2);
  center[axis] = side < 0 ? space.axes[axis].lower : space.axes[axis].upper;
  return part.condition(
      shape.pieces()[shape.nearest(center.data(), foot.data(), normal.data()).piece]);
}

bool of_coordinates(const Expr& e) {
  const std::vector<Expr> found = grid_atoms({e});
  return std::all_of(found.begin(), found.end(),
                     [](const Expr& atom) { return atom.kind() == Kind::coordinate; });
}

/// I - P of one axis.
PointMatrix without_ends(const FieldGrid::Axis& axis) {
  const auto n = static_cast<std::size_t>(axis.n);
  PointMatrix m{.columns = n, .offsets = {0}, .points = {}, .weights = {}};
  for (std::size_t i = 0; i < n; ++i) {
    const double x = static_cast<double>(i) / static_cast<double>(n - 1);
    if (i > 0 && i + 1 < n) {
      m.points.insert(m.points.end(), {0, i, n - 1});
      m.weights.insert(m.weights.end(), {x - 1, 1, -x});
    }
    m.offsets.push_back(m.points.size());
  }
  return m;
}

}  // namespace

std::optional<std::vector<double>> boundary_values(const OperatorProblem& operator_problem,
                                                   const std::vector<std::string>& fields,
                                                   const FieldGrid& space) {
  const Problem& problem = operator_problem.problem;
  if (space.is_cloud() || !problem.domain || problem.domain->time() != nullptr ||
      problem.domain->space() == nullptr ||
      problem.domain->space()->dimension() != space.axes.size()) {
    return std::nullopt;
  }
  const Lowering lower(problem);
  const Domain domain = domain_of(problem);
  const ShapePtr shape = domain.shape();
  const std::vector<std::string>& names = problem.domain->space()->coordinates();
  const std::vector<double> nodes = space.positions();
  const std::size_t n = space.n_points(), d = space.axes.size();
  std::vector<double> values(fields.size() * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    const std::vector<int> sides = sides_of(space, i);
    if (std::all_of(sides.begin(), sides.end(), [](int s) { return s == 0; })) continue;
    for (std::size_t f = 0; f < fields.size(); ++f) values[f * n + i] = open;
  }
  for (const Condition& c : problem.condition) {
    if (c.kind == Condition::Kind::periodic) continue;
    const auto form = dirichlet_form(c.form);
    if (c.kind != Condition::Kind::general || !form) return std::nullopt;
    const ConditionPlace where = place_of(problem, c);
    const Expr value = lower(form->value);
    const auto field = std::find(fields.begin(), fields.end(), form->field);
    if (where.kind == ConditionPlace::Kind::slice || field == fields.end() ||
        !of_coordinates(value)) {
      return std::nullopt;
    }
    const Boundary part(domain, where.boundary);
    double* to = values.data() + static_cast<std::size_t>(field - fields.begin()) * n;
    for (std::size_t axis = 0; axis < d; ++axis) {
      for (const int side : {-1, 1}) {
        if (space.axes[axis].periodic) continue;
        const Expr here = lower(at_side(part, space, *shape, axis, side));
        for (std::size_t i = 0; i < n; ++i) {
          if (sides_of(space, i)[axis] != side) continue;
          Values at;
          for (std::size_t k = 0; k < d; ++k) at.set(Coordinate(names[k]), nodes[i * d + k]);
          if (evaluate(here, at) != 0) to[i] = evaluate(value, at);
        }
      }
    }
  }
  for (const double v : values) {
    if (!std::isfinite(v)) return std::nullopt;
  }
  return values;
}

int add_boundary_values(TensorGraph& g, int value, const FieldGrid& space,
                        const std::vector<double>& given) {
  const bool zero = std::all_of(given.begin(), given.end(), [](double v) { return v == 0; });
  const TensorShape shape = g.shape(value);
  const int known = zero ? -1 : g.constant(shape, given);
  if (!zero) value = g.subtract(value, known);
  for (std::size_t a = 0; a < space.axes.size(); ++a) {
    if (!space.axes[a].periodic) value = add_along(g, value, a, without_ends(space.axes[a]));
  }
  return zero ? value : g.add(value, known);
}

}  // namespace cauchy::detail
