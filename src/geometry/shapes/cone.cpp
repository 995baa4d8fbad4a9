#include <cauchy/base/error.hpp>

#include "geometry/shapes/solid_round.hpp"

namespace cauchy {

ShapePtr cone_shape(Point3 base, Point3 apex, double radius) {
  constexpr const char* place = "[geometry.cone]";
  detail::check_finite(base, "the centre of the base", place);
  detail::check_finite(apex, "the apex", place);
  detail::check_positive(radius, "the radius", place);
  if (base == apex) {
    throw Error("the centre of the base and the apex must differ", place,
                "give the cone a height");
  }
  return std::make_shared<detail::RoundShape>(base, apex, radius, true);
}

}  // namespace cauchy
