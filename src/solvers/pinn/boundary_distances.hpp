#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include <cauchy/problem/place.hpp>
#include <cauchy/problem/problem.hpp>
#include <cauchy/sampling/points.hpp>

namespace cauchy::detail {

/// Distances of points of the domain from the boundary of space; 0 outside.
inline std::vector<double> boundary_distances(const Problem& problem, const Points& points) {
  const Domain domain = domain_of(problem);
  const std::size_t space = domain.space_column(), ranges = domain.ranges().size();
  ShapePtr shape = domain.shape_varies() ? nullptr : domain.shape({});
  std::vector<double> all;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::span<const double> row = points.row(i);
    if (domain.shape_varies()) shape = domain.shape(row.last(ranges));
    all.push_back(std::max(0.0, shape->distance(&row[space])));
  }
  return all;
}

}  // namespace cauchy::detail
