#pragma once

#include <memory>

#include "geometry/shapes/solid_base.hpp"

namespace cauchy::detail {

/// The image of a shape that has no image of its own kind: distances of the original times the
/// smallest stretch, exact under similarities.
[[nodiscard]] std::shared_ptr<SolidShape> stretched_solid(const ShapePtr& shape,
                                                          const Affine& affine);

/// The image of the ellipsoid of given centre and half axes: an ellipsoid, turned when need be.
[[nodiscard]] std::shared_ptr<SolidShape> ellipsoid_image(const Point3& center,
                                                          const Point3& half_axes,
                                                          const Affine& affine);

}  // namespace cauchy::detail
