#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "geometry/shapes/solid_table.hpp"
#include "support/solid_cases.hpp"

namespace cauchy::test_solid_maps {
namespace {

using namespace solid_test;
using std::numbers::pi;

TEST(SolidMaps, TakeEqualVolumesToEqualVolumes) {
  for (const Case& c : primitives()) {
    const Shape& s = *c.shape;
    const std::size_t d = s.dimension();
    ASSERT_TRUE(s.has_map()) << c.name;
    Rng rng(31);
    const auto map = [&](const double* u, double* x) { s.map(u, x); };
    for (int k = 0; k < 40; ++k) {
      // Away from the ends, where roots such as u^(1/3) have large third derivatives.
      std::vector<double> u = random_unit(d, rng), x(d);
      s.map(u.data(), x.data());
      EXPECT_GT(s.distance(x.data()), -1e-13 * size_of(s)) << c.name;
      for (double& v : u) v = 0.1 + 0.8 * v;
      // Central differences, h^2 f''' / 6 f' < 1e-8 / u^2 and eps / h ~ 1e-11.
      EXPECT_LT(std::abs(stretch(map, u, d, 1e-5) / s.measure() - 1), 1e-6) << c.name;
    }
    // The ends of the cube are no trouble.
    for (const double end : {0.0, 1.0}) {
      std::vector<double> x(d);
      s.map(std::vector<double>(d, end).data(), x.data());
      EXPECT_LT(-s.distance(x.data()), 1e-13 * size_of(s)) << c.name;
    }
  }
}

TEST(SolidMaps, BoundaryMapsTakeEqualAreasToEqualAreas) {
  for (const Case& c : primitives()) {
    const Shape& s = *c.shape;
    const std::size_t d = s.dimension();
    for (std::size_t piece = 0; piece < s.pieces().size(); ++piece) {
      std::vector<double> normal(d);
      const auto map = [&](const double* u, double* x) {
        s.boundary_point(piece, u, x, normal.data());
      };
      Rng rng(37);
      // Tabulated: twice the density error of 1e-6 that tables aim at; 3e-5 for half axes 1 : 4.
      const double tol = c.name == "prolate spheroid" || c.name == "oblate spheroid" ? 3e-5 : 5e-6;
      for (int k = 0; k < 30; ++k) {
        auto u = random_unit(d - 1, rng);
        for (double& v : u) v = 0.05 + 0.9 * v;
        EXPECT_LT(std::abs(stretch(map, u, d, 1e-5) / s.pieces()[piece].measure - 1), tol)
            << c.name;
      }
    }
  }
}

/// Mean of f over a piece by the midpoint rule with n x n points in u.
template <class F>
double mean_over(const ShapePtr& s, std::size_t piece, std::size_t n, F f) {
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const double u[2] = {(static_cast<double>(i) + 0.5) / static_cast<double>(n),
                           (static_cast<double>(j) + 0.5) / static_cast<double>(n)};
      Point3 x{}, normal{};
      s->boundary_point(piece, u, x.data(), normal.data());
      sum += f(x);
    }
  }
  return sum / static_cast<double>(n * n);
}

TEST(SolidMaps, SurfacesHaveTheirSecondMoments) {
  const std::size_t n = 100;
  const double tol = 1.0 / (n * n);  // midpoint rule: h^2 f'' / 24 with f'' of at most 24
  const std::vector<double> zero(3, 0.0);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double mean =
        mean_over(ball_shape(zero, 1), 0, n, [&](const Point3& x) { return x[axis] * x[axis]; });
    EXPECT_LT(std::abs(mean - 1.0 / 3), tol);
  }
  // Torus, R = 2, r = 1/2: mean of z^2 is r^2 / 2, mean of x^2 + y^2 is R^2 + 3 r^2 / 2.
  const ShapePtr torus = torus_shape({0, 0, 0}, {0, 0, 1}, 2, 0.5);
  EXPECT_LT(std::abs(mean_over(torus, 0, n, [](const Point3& x) { return x[2] * x[2]; }) - 0.125),
            4 * tol);
  EXPECT_LT(
      std::abs(mean_over(torus, 0, n, [](const Point3& x) { return x[0] * x[0] + x[1] * x[1]; }) -
               4.375),
      4 * tol);
  // Cone side: the distance from the axis has density 2 r, mean square 1/2; height 1 - r.
  const ShapePtr cone = cone_shape({0, 0, 0}, {0, 0, 1}, 1);
  EXPECT_LT(
      std::abs(mean_over(cone, 0, n, [](const Point3& x) { return x[0] * x[0] + x[1] * x[1]; }) -
               0.5),
      tol);
  EXPECT_LT(
      std::abs(mean_over(cone, 1, n, [](const Point3& x) { return x[0] * x[0] + x[1] * x[1]; }) -
               0.5),
      tol);
  // Spheroid with half axes 1, 1, 2 about z: mean of z^2 over the area, by the integral over the
  // height with 4000 midpoints.
  double weight = 0, moment = 0;
  for (int i = 0; i < 4000; ++i) {
    const double z = -2 + 4 * (i + 0.5) / 4000;
    // r = sqrt(1 - z^2 / 4), r r' = -z / 4, ring 2 pi sqrt(r^2 + (r r')^2).
    const double ring = std::sqrt(1 - z * z / 4 + z * z / 16);
    weight += ring;
    moment += ring * z * z;
  }
  const ShapePtr spheroid = ellipsoid_shape({0, 0, 0}, {1, 1, 2});
  EXPECT_LT(std::abs(mean_over(spheroid, 0, n, [](const Point3& x) { return x[2] * x[2]; }) -
                     moment / weight),
            4 * tol);
}

TEST(SolidMaps, TableFollowsItsDensity) {
  const auto w = [](double s, double t) { return 1 + 0.8 * std::sin(3 * s) * std::cos(2 * t + s); };
  const detail::SurfaceTable table(w);
  EXPECT_LT(table.density_error(), 1e-6);
  // Integral of w: by the sum and difference formulas.
  const auto part = [](double a, double b, double c) {  // integral of sin(a s + b t + c)
    return (std::sin(c + a) - std::sin(c) + std::sin(b + c) - std::sin(a + b + c)) / (a * b);
  };
  const double exact = 1 + 0.4 * (part(4, 2, 0) + part(2, -2, 0));
  EXPECT_LT(std::abs(table.total() - exact), 1e-12);
  Rng rng(2);
  for (int k = 0; k < 100; ++k) {
    auto u = random_unit(2, rng);
    for (double& v : u) v = 0.01 + 0.98 * v;
    const auto map = [&](const double* from, double* to) { table.map(from, to); };
    double st[2];
    table.map(u.data(), st);
    EXPECT_LT(std::abs(stretch(map, u, 2, 1e-5) * w(st[0], st[1]) / exact - 1), 5e-6);
  }
  const detail::SurfaceTable flat([](double, double) { return 3.5; });
  EXPECT_TRUE(flat.is_constant());
  EXPECT_EQ(flat.total(), 3.5);
  // Jumps are followed as well as the table can, without leaving the square.
  const detail::SurfaceTable jumps([](double s, double t) { return s + t > 1 ? 5.0 : 1.0; });
  EXPECT_NEAR(jumps.total(), 3, 1e-2);
  double inside = 0;
  for (int k = 0; k < 4000; ++k) {
    const auto u = random_unit(2, rng);
    double st[2];
    jumps.map(u.data(), st);
    ASSERT_GE(std::min(st[0], st[1]), 0);
    ASSERT_LE(std::max(st[0], st[1]), 1);
    inside += st[0] + st[1] > 1 ? 1 : 0;
  }
  EXPECT_NEAR(inside / 4000, 5.0 / 6, 4 * std::sqrt(5.0 / 36 / 4000) + 1e-2);
}

}  // namespace
}  // namespace cauchy::test_solid_maps
