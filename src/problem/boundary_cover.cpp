#include "problem/boundary_cover.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/problem/place.hpp>

namespace cauchy::detail {
namespace {

ShapePtr shape_at(const Domain& domain, std::span<const double> row) {
  return domain.shape(row.subspan(domain.space_column() + domain.space()->dimension()));
}

/// Both ends of a periodic coordinate.
void count_periodic(const Domain& domain, const Condition& c, const Points& points,
                    std::vector<int>& found) {
  const auto& names = points.columns;
  const auto at =
      static_cast<std::size_t>(std::find(names.begin(), names.end(), c.coordinate) - names.begin());
  const std::size_t k = at - domain.space_column();
  for (std::size_t i = 0; i < points.size(); ++i) {
    const ShapePtr shape = shape_at(domain, points.row(i));
    const double low = shape->bounds().lower[k], high = shape->bounds().upper[k];
    const double x = points.row(i)[at], slack = 1e-9 * (high - low);
    if (x < low + slack || x > high - slack) found[i] += c.order + 1;
  }
}

void count_general(const Problem& problem, const Domain& domain, const Condition& c,
                   const Points& points, std::vector<int>& found) {
  const ConditionPlace place = place_of(problem, c);
  if (place.kind == ConditionPlace::Kind::slice) return;
  const Boundary part(domain, place.boundary);
  const ShapePtr shape = shape_at(domain, points.row(0));
  std::vector<Expr> by_piece;
  for (const std::string& name : points.pieces) {
    const auto piece = std::find_if(shape->pieces().begin(), shape->pieces().end(),
                                    [&](const Piece& q) { return q.name == name; });
    by_piece.push_back(piece == shape->pieces().end() ? Expr(0) : part.condition(*piece));
  }
  Values values;
  for (const auto& [name, value] : problem.values()) values.set(Parameter(name), value);
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t k = 0; k < points.columns.size(); ++k) {
      values.set(Coordinate(points.columns[k]), points.row(i)[k]);
      values.set(Parameter(points.columns[k]), points.row(i)[k]);
    }
    if (evaluate(by_piece[points.piece[i]], values) != 0) ++found[i];
  }
}

}  // namespace

std::vector<std::array<double, 2>> beside_on_boundary(const Shape& shape, const double* x,
                                                      const double* normal) {
  const Bounds& box = shape.bounds();
  const double size = std::max(box.upper[0] - box.lower[0], box.upper[1] - box.lower[1]);
  std::vector<std::array<double, 2>> found;
  for (const double step : {1e-6 * size, -1e-6 * size}) {
    const std::array<double, 2> at = {x[0] - step * normal[1], x[1] + step * normal[0]};
    if (std::abs(shape.distance(at.data())) <= 1e-9 * size) found.push_back(at);
  }
  return found;
}

namespace {

/// Points where nothing holds, moved along their sides.
Points moved_beside(const Domain& domain, const Points& points, const std::vector<int>& found,
                    std::vector<std::size_t>& of) {
  Points moved = points;
  moved.values.clear();
  moved.normals.clear();
  moved.piece.clear();
  const std::size_t first = domain.space_column();
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (found[i] > 0) continue;
    const ShapePtr shape = shape_at(domain, points.row(i));
    for (const auto& x :
         beside_on_boundary(*shape, &points.row(i)[first], &points.normals[2 * i])) {
      std::vector<double> row(points.row(i).begin(), points.row(i).end());
      std::copy(x.begin(), x.end(), row.begin() + static_cast<std::ptrdiff_t>(first));
      moved.values.insert(moved.values.end(), row.begin(), row.end());
      moved.normals.insert(moved.normals.end(), {points.normals[2 * i], points.normals[2 * i + 1]});
      moved.piece.push_back(points.piece[i]);
      of.push_back(i);
    }
  }
  return moved;
}

std::vector<int> conditions_exactly_at(const Problem& problem, const Domain& domain,
                                       const std::string& field, const Points& points) {
  std::vector<int> found(points.size(), 0);
  for (const Condition& c : problem.condition) {
    if (c.kind == Condition::Kind::periodic) {
      count_periodic(domain, c, points, found);
    } else if (c.kind == Condition::Kind::general && depends_on(c.form.residual(), Field(field))) {
      count_general(problem, domain, c, points, found);
    }
  }
  return found;
}

}  // namespace

std::vector<int> conditions_at(const Problem& problem, const std::string& field,
                               const Points& points) {
  const Domain domain = domain_of(problem);
  std::vector<int> found = conditions_exactly_at(problem, domain, field, points);
  if (domain.space()->dimension() != 2 || points.normals.size() != 2 * points.size()) return found;
  std::vector<std::size_t> of;
  const Points moved = moved_beside(domain, points, found, of);
  if (of.empty()) return found;
  const std::vector<int> beside = conditions_exactly_at(problem, domain, field, moved);
  for (std::size_t k = 0; k < of.size(); ++k) found[of[k]] = std::max(found[of[k]], beside[k]);
  return found;
}

std::map<std::string, int> highest_orders(const Problem& problem,
                                          const std::vector<std::string>& coordinates) {
  std::vector<Expr> roots;
  for (const ProblemEquation& e : problem.equation) roots.push_back(e.form.residual());
  std::map<std::string, int> highest;
  for (const std::string& field : problem.fields) highest[field] = 0;
  for (const Expr& atom : field_atoms(roots)) {
    int total = 0;
    for (const auto& [name, k] : atom.index()) {
      if (std::find(coordinates.begin(), coordinates.end(), name) != coordinates.end()) total += k;
    }
    int& of_field = highest[atom.name()];
    of_field = std::max(of_field, total);
  }
  return highest;
}

int highest_order(const Problem& problem, const std::string& field,
                  const std::vector<std::string>& coordinates) {
  return highest_orders(problem, coordinates)[field];
}

}  // namespace cauchy::detail
