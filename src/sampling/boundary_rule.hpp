#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <cauchy/sampling/quadrature_points.hpp>
#include "sampling/shape_points.hpp"

namespace cauchy::detail {

struct BoundaryRule {
  CellRule cell;
  std::vector<double> normals;     ///< size() x d
  std::vector<std::string> names;  ///< piece of each point
};

/// Gauss quadrature on the selected part of the boundary of one shape; see boundary_gauss_points.
[[nodiscard]] BoundaryRule boundary_rule(const Frame& frame, const Shape& shape,
                                         const Selection& where, std::span<const double> ranges,
                                         std::size_t order);

}  // namespace cauchy::detail
