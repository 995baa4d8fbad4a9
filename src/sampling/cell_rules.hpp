#pragma once

#include <cstddef>
#include <optional>

#include <cauchy/geometry/shape.hpp>
#include <cauchy/sampling/quadrature_points.hpp>

namespace cauchy::detail {

/// Throws Error when order is 0.
void check_order(std::size_t order);

/// Tensor Gauss-Legendre on [0, 1]^d; d = 0 is one point of weight 1.
[[nodiscard]] CellRule unit_rule(std::size_t d, std::size_t order);

/// The rule of gauss_points for a shape.
///   error    throws Error when the shape has no known form and no map
[[nodiscard]] CellRule shape_rule(const Shape& shape, std::size_t order);

/// The rule of a triangle in space when the piece of a solid is one, else nothing.
[[nodiscard]] std::optional<CellRule> triangle_face_rule(const Shape& shape, std::size_t piece,
                                                         std::size_t order);

}  // namespace cauchy::detail
