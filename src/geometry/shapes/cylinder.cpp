#include <cauchy/base/error.hpp>

#include "geometry/shapes/solid_round.hpp"

namespace cauchy {

ShapePtr cylinder_shape(Point3 bottom, Point3 top, double radius) {
  constexpr const char* place = "[geometry.cylinder]";
  detail::check_finite(bottom, "the centre of the bottom", place);
  detail::check_finite(top, "the centre of the top", place);
  detail::check_positive(radius, "the radius", place);
  if (bottom == top) {
    throw Error("the centres of bottom and top must differ", place, "give the cylinder a height");
  }
  return std::make_shared<detail::RoundShape>(bottom, top, radius, false);
}

}  // namespace cauchy
