#include "problem/point_data.hpp"

#include <algorithm>
#include <cmath>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/sampling/domain_points.hpp>
#include <cauchy/sampling/measure.hpp>
#include <cauchy/sampling/quadrature_points.hpp>

#include "problem/grid_table.hpp"

namespace cauchy::detail {

Symbol observed_symbol() { return Symbol("observed"); }

std::vector<Expr> data_of(std::span<const Expr> expressions) {
  std::vector<Expr> data;
  for (const Expr& e : postorder(expressions)) {
    if (e.kind() == Kind::symbol || e.kind() == Kind::call) data.push_back(e);
  }
  return data;
}

std::vector<double> point_data(const Problem& problem, std::span<const Expr> all,
                               const Points& points, std::span<const double> observed) {
  const std::size_t n = points.size(), K = all.size();
  std::vector<double> data(n * K);
  const Region* space = problem.domain->space();
  for (std::size_t k = 0; k < K; ++k) {
    const Expr& e = all[k];
    if (same(e, observed_symbol())) {
      for (std::size_t i = 0; i < n; ++i) data[i * K + k] = observed[i];
    } else if (e.kind() == Kind::symbol) {
      const auto& names = space->coordinates();
      for (std::size_t axis = 0; axis < names.size(); ++axis) {
        if (!same(e, normal_component(names[axis]))) continue;
        for (std::size_t i = 0; i < n; ++i) {
          data[i * K + k] = points.normals.empty() ? 0 : points.normals[i * names.size() + axis];
        }
      }
    } else {
      const std::vector<double> values = call_values(problem, e, points.values);
      for (std::size_t i = 0; i < n; ++i) data[i * K + k] = values[i];
    }
  }
  return data;
}

Points given_points(const Problem& problem, const Condition& condition) {
  Points points;
  points.columns = problem.coordinates();
  for (const std::string& name : points.columns) {
    for (const auto& [coordinate, value] : condition.point) {
      if (coordinate == name) points.values.push_back(value);
    }
  }
  return points;
}

Points given_points(const Problem& problem, const Observation& observation) {
  Points points;
  points.columns = problem.coordinates();
  std::vector<std::vector<double>> columns;
  for (const std::string& name : points.columns) columns.push_back(observation.table.column(name));
  for (std::size_t r = 0; r < observation.table.rows(); ++r) {
    for (const auto& column : columns) points.values.push_back(column[r]);
  }
  return points;
}

std::vector<double> noise_of(const Observation& o) {
  if (!o.sigma_column.empty()) return o.table.column(o.sigma_column);
  if (!o.sigma) return {};
  return std::vector<double>(o.table.rows(), *o.sigma);
}

IntegralRule integral_rule(const Domain& space, const std::string& where, std::size_t n) {
  const double d = static_cast<double>(space.space()->dimension());
  const bool inside = where == "domain";
  const double root = std::pow(static_cast<double>(n), 1 / std::max(1.0, inside ? d : d - 1));
  const auto order = static_cast<std::size_t>(std::max(2.0, std::min(root, 40.0)));
  try {
    return {inside ? gauss_points(space, order) : boundary_gauss_points(space, where, order)};
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::unsupported) throw;
  }
  IntegralRule rule{inside ? interior_points(space, n) : boundary_points(space, where, n), false};
  const double total =
      inside ? measure(*space.shape()).value : boundary_measure(space, where).value;
  rule.points.weights.assign(rule.points.size(), total / static_cast<double>(rule.points.size()));
  return rule;
}

}  // namespace cauchy::detail
