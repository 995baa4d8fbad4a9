#include "problem/boundary_cover.hpp"

#include <algorithm>

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

std::vector<int> conditions_at(const Problem& problem, const std::string& field,
                               const Points& points) {
  const Domain domain = domain_of(problem);
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
