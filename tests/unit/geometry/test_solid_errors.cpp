#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <cauchy/base/error.hpp>
#include <cauchy/geometry/shapes/solid.hpp>

namespace cauchy::test_solid_errors {
namespace {

std::string what(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    EXPECT_FALSE(e.hint().empty());
    return e.place() + ": " + e.message();
  }
  return "no error";
}

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(SolidErrors, NameTheSizeThatIsWrong) {
  const std::vector<double> zero(3, 0.0), one(3, 1.0), nan = {0, NAN, 0}, two(2, 1.0);
  EXPECT_EQ(what([&] { (void)ball_shape(zero, -1); }),
            "[geometry.sphere]: the radius must be positive, got -1");
  EXPECT_EQ(what([&] { (void)ball_shape(zero, 0); }),
            "[geometry.sphere]: the radius must be positive, got 0");
  EXPECT_EQ(what([&] { (void)ball_shape(zero, NAN); }),
            "[geometry.sphere]: the radius must be positive, got nan");
  EXPECT_EQ(what([&] { (void)ball_shape(zero, infinity); }),
            "[geometry.sphere]: the radius must be positive, got inf");
  EXPECT_EQ(what([&] { (void)ball_shape(nan, 1); }),
            "[geometry.sphere]: the centre must be finite, got nan");
  EXPECT_EQ(what([&] { (void)ball_shape({}, 1); }),
            "[geometry.sphere]: the centre needs at least one coordinate");
  EXPECT_EQ(what([&] { (void)box_shape(one, zero); }),
            "[geometry.box]: the lower end 1 of coordinate 1 must be below the upper end 0");
  EXPECT_EQ(what([&] { (void)box_shape(zero, two); }),
            "[geometry.box]: a box needs as many lower as upper ends, got 3 and 2");
  EXPECT_EQ(what([&] { (void)box_shape({}, {}); }),
            "[geometry.box]: a box needs as many lower as upper ends, got 0 and 0");
  EXPECT_EQ(what([&] { (void)box_shape(zero, nan); }),
            "[geometry.box]: the upper end must be finite, got nan");
  EXPECT_EQ(what([&] {
              (void)ellipsoid_shape({0, 0, 0}, {1, -2, 1});
            }),
            "[geometry.ellipsoid]: a half axis must be positive, got -2");
  EXPECT_EQ(what([&] {
              (void)ellipsoid_shape({0, infinity, 0}, {1, 2, 1});
            }),
            "[geometry.ellipsoid]: the centre must be finite, got inf");
  EXPECT_EQ(what([&] {
              (void)cylinder_shape({0, 0, 0}, {0, 0, 0}, 1);
            }),
            "[geometry.cylinder]: the centres of bottom and top must differ");
  EXPECT_EQ(what([&] {
              (void)cylinder_shape({0, 0, 0}, {0, 0, 1}, 0);
            }),
            "[geometry.cylinder]: the radius must be positive, got 0");
  EXPECT_EQ(what([&] {
              (void)cone_shape({1, 0, 0}, {1, 0, 0}, 1);
            }),
            "[geometry.cone]: the centre of the base and the apex must differ");
  EXPECT_EQ(what([&] {
              (void)cone_shape({1, 0, 0}, {1, NAN, 0}, 1);
            }),
            "[geometry.cone]: the apex must be finite, got nan");
  EXPECT_EQ(what([&] {
              (void)torus_shape({0, 0, 0}, {0, 0, 1}, 1, 1.5);
            }),
            "[geometry.torus]: the minor radius 1.5 must be below the major radius 1");
  EXPECT_EQ(what([&] {
              (void)torus_shape({0, 0, 0}, {0, 0, 1}, 1, 1);
            }),
            "[geometry.torus]: the minor radius 1 must be below the major radius 1");
  EXPECT_EQ(what([&] {
              (void)torus_shape({0, 0, 0}, {0, 0, 0}, 2, 1);
            }),
            "[geometry.torus]: the axis must not be 0");
  EXPECT_EQ(what([&] {
              (void)torus_shape({0, 0, 0}, {0, 0, 1}, 2, -1);
            }),
            "[geometry.torus]: the minor radius must be positive, got -1");
}

TEST(SolidErrors, RefuseFlatTetrahedra) {
  const std::vector<Point3> flat = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.3, 0.3, 0}},
                            three(3, Point3{}),
                            nan = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, NAN, 1}};
  EXPECT_EQ(what([&] { (void)tetrahedron_shape(flat); }),
            "[geometry.tetrahedron]: the four vertices lie in one plane, the tetrahedron has no "
            "volume");
  EXPECT_EQ(what([&] { (void)tetrahedron_shape(three); }),
            "[geometry.tetrahedron]: a tetrahedron needs 4 vertices, got 3");
  EXPECT_EQ(what([&] { (void)tetrahedron_shape(nan); }),
            "[geometry.tetrahedron]: a vertex must be finite, got nan");
}

TEST(SolidErrors, PointsThatAreNotNumbersEndWithoutHanging) {
  const std::vector<Point3> corners = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const std::vector<double> zero(3, 0.0), one(3, 1.0);
  const Point3 x = {NAN, NAN, NAN};
  for (const ShapePtr& s :
       {box_shape(zero, one), ball_shape(zero, 1), ellipsoid_shape({0, 0, 0}, {1, 2, 3}),
        cylinder_shape({0, 0, 0}, {0, 0, 1}, 1), torus_shape({0, 0, 0}, {0, 0, 1}, 2, 1),
        tetrahedron_shape(corners)}) {
    Point3 foot{}, normal{};
    EXPECT_FALSE(s->contains(x.data()));
    EXPECT_TRUE(std::isnan(s->distance(x.data())));
    EXPECT_LT(s->nearest(x.data(), foot.data(), normal.data()).piece, s->pieces().size());
  }
}

}  // namespace
}  // namespace cauchy::test_solid_errors
