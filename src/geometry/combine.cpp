#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/geometry/shape.hpp>
#include <cauchy/geometry/shapes/interval.hpp>
#include <cauchy/geometry/shapes/plane.hpp>
#include <cauchy/geometry/shapes/solid.hpp>

namespace cauchy {

ShapePtr combine(Boolean operation, const ShapePtr& a, const ShapePtr& b) {
  if (a->dimension() != b->dimension()) {
    throw Error(fmt::format("a region of {} and one of {} dimensions cannot be combined",
                            a->dimension(), b->dimension()),
                "[geometry]");
  }
  switch (a->dimension()) {
    case 1:
      return detail::combine_intervals(operation, *a, *b);
    case 2:
      return detail::combine_plane(operation, *a, *b);
    default:
      return detail::combine_solids(operation, a, b);
  }
}

ShapePtr transform(const ShapePtr& shape, const Affine& affine) {
  if (shape->dimension() != affine.dimension()) {
    throw Error(fmt::format("a transformation of {} dimensions for a region of {}",
                            affine.dimension(), shape->dimension()),
                "[geometry.transform]");
  }
  switch (shape->dimension()) {
    case 1:
      return detail::transform_intervals(*shape, affine);
    case 2:
      return detail::transform_plane(*shape, affine);
    default:
      return detail::transform_solid(shape, affine);
  }
}

}  // namespace cauchy
