#include <cauchy/sampling/quadrature_points.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/math/quadrature.hpp>
#include "sampling/boundary_rule.hpp"
#include "sampling/cell_rules.hpp"
#include "sampling/domain_selection.hpp"
#include "sampling/frame.hpp"

namespace cauchy {
namespace {

using detail::Axis;
using detail::Frame;

/// Calls visit(values, weight) for the tensor Gauss nodes of the axes.
template <class Visit>
void for_each_node(const std::vector<Axis>& axes, std::size_t order, Visit visit) {
  const CellRule unit = detail::unit_rule(axes.size(), order);
  std::vector<double> values(axes.size());
  for (std::size_t p = 0; p < unit.size(); ++p) {
    double weight = unit.weights[p];
    for (std::size_t i = 0; i < axes.size(); ++i) {
      values[i] = axes[i].at(unit.points[p * axes.size() + i]);
      weight *= axes[i].length();
    }
    visit(values, weight);
  }
}

/// The rows time, space, ranges of one space rule at one value of the ranges.
void append(const Frame& frame, const CellRule& space, const std::vector<double>& ranges,
            double weight, std::size_t order, Points& out) {
  const std::size_t d = space.dimension;
  for_each_node(frame.time, order, [&](const std::vector<double>& time, double time_weight) {
    for (std::size_t p = 0; p < space.size(); ++p) {
      out.values.insert(out.values.end(), time.begin(), time.end());
      out.values.insert(out.values.end(), &space.points[p * d], &space.points[p * d] + d);
      out.values.insert(out.values.end(), ranges.begin(), ranges.end());
      out.weights.push_back(weight * time_weight * space.weights[p]);
    }
  });
}

}  // namespace

Points gauss_points(const Domain& domain, std::size_t order) {
  detail::check_order(order);
  const Frame frame = detail::frame_of(domain);
  Points points;
  points.columns = frame.columns;
  detail::ShapeCache shapes(frame);
  CellRule rule{0, {}, {1.0}};
  bool made = frame.space == 0;
  for_each_node(frame.ranges, order, [&](const std::vector<double>& ranges, double weight) {
    if (!made || frame.varies) rule = detail::shape_rule(shapes.at(ranges), order);
    made = true;
    // A domain of time or ranges alone has one point of no dimension as its space.
    if (rule.dimension == 0) rule.points.assign(1, 0.0);
    append(frame, rule, ranges, weight, order, points);
  });
  return points;
}

Points boundary_gauss_points(const Domain& domain, std::string_view where, std::size_t order) {
  detail::check_order(order);
  detail::DomainSelection selection(domain, where);
  if (selection.varies_in_time()) {
    throw Error(ErrorKind::unsupported, fmt::format("'{}' changes with time", where),
                "[sampling.boundary_gauss]", "use boundary_points");
  }
  const auto condition = [&](const Piece& piece) { return selection.condition(piece); };
  const Frame frame = detail::frame_of(domain);
  Points points;
  points.columns = frame.columns;
  detail::ShapeCache shapes(frame);
  detail::BoundaryRule rule;
  bool made = false;
  for_each_node(frame.ranges, order, [&](const std::vector<double>& ranges, double weight) {
    if (!made || frame.varies) {
      rule = detail::boundary_rule(frame, shapes.at(ranges), {condition, selection.text()}, ranges,
                                   order);
    }
    made = true;
    append(frame, rule.cell, ranges, weight, order, points);
    for (std::size_t before = points.piece.size(); before < points.weights.size();
         before += rule.cell.size()) {
      points.normals.insert(points.normals.end(), rule.normals.begin(), rule.normals.end());
      for (const std::string& name : rule.names) {
        auto found = std::find(points.pieces.begin(), points.pieces.end(), name);
        if (found == points.pieces.end()) {
          found = points.pieces.insert(points.pieces.end(), name);
        }
        points.piece.push_back(static_cast<std::uint32_t>(found - points.pieces.begin()));
      }
    }
  });
  return points;
}

}  // namespace cauchy
