#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "support/solid_cases.hpp"

namespace cauchy::test_solid_primitives {
namespace {

using namespace solid_test;
using std::numbers::pi;

double area(const Shape& s) {
  double sum = 0;
  for (const Piece& p : s.pieces()) sum += p.measure;
  return sum;
}

TEST(SolidPrimitives, HaveVolumesAndAreasOfTheFormulas) {
  const double tol = 1e-13;  // a handful of roundings
  const auto expect = [&](const ShapePtr& s, double volume, double surface, double area_tol) {
    EXPECT_LT(std::abs(s->measure() - volume), tol * volume);
    EXPECT_LT(std::abs(area(*s) - surface), area_tol * surface);
  };
  const std::vector<double> lower = {0, 0, 0}, upper = {2, 3, 5}, c4(4, 0.0), c3(3, 0.0);
  expect(box_shape(lower, upper), 30, 62, tol);
  expect(ball_shape(c3, 2), 32 * pi / 3, 16 * pi, tol);
  expect(ball_shape(c4, 2), 8 * pi * pi, 16 * pi * pi, tol);  // pi^2 r^4 / 2, 2 pi^2 r^3
  expect(cylinder_shape({0, 0, 0}, {0, 0, 3}, 2), 12 * pi, 20 * pi, tol);
  expect(cone_shape({0, 0, 0}, {0, 0, 4}, 3), 12 * pi, 24 * pi, tol);
  expect(torus_shape({0, 0, 0}, {0, 0, 1}, 3, 1), 6 * pi * pi, 12 * pi * pi, tol);
  const std::vector<Point3> corner = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  expect(tetrahedron_shape(corner), 1.0 / 6, 1.5 + std::sqrt(3.0) / 2, tol);
  // Spheroids, half axes a = a, c: 2 pi a^2 (1 + c / (a e) asin e), e^2 = 1 - a^2 / c^2 when c > a.
  const double e = std::sqrt(1 - 1.0 / 9);
  expect(ellipsoid_shape({0, 0, 0}, {1, 3, 1}), 4 * pi, 2 * pi * (1 + 3 / e * std::asin(e)), 1e-10);
  expect(ellipsoid_shape({0, 0, 0}, {3, 1, 3}), 12 * pi,
         18 * pi * (1 + (1 - e * e) / e * std::atanh(e)), 1e-10);
  // Half axes 1, 2, 3, from Legendre's formula with incomplete elliptic integrals.
  EXPECT_LT(std::abs(area(*ellipsoid_shape({1, 1, 1}, {2, 3, 1})) - 48.882146302582053), 1e-9);
}

TEST(SolidPrimitives, OneAndTwoDimensionsAreIntervalsAndShapesOfThePlane) {
  const std::vector<double> l1 = {1}, u1 = {3}, l2 = {0, 1}, u2 = {2, 4};
  const ShapePtr interval = box_shape(l1, u1), rectangle = box_shape(l2, u2);
  const ShapePtr segment = ball_shape(l1, 2), disk = ball_shape(l2, 2);
  ASSERT_TRUE(interval && rectangle && segment && disk);
  EXPECT_DOUBLE_EQ(interval->measure(), 2);
  EXPECT_DOUBLE_EQ(rectangle->measure(), 6);
  EXPECT_DOUBLE_EQ(segment->measure(), 4);
  EXPECT_EQ(segment->bounds().lower[0], -1);
  EXPECT_DOUBLE_EQ(disk->measure(), 4 * pi);
  EXPECT_DOUBLE_EQ(disk->distance(l2.data()), 2);
}

TEST(SolidPrimitives, NameTheirPieces) {
  const auto names = [](const ShapePtr& s) {
    std::string all;
    for (const Piece& p : s->pieces()) {
      EXPECT_EQ(p.labels, std::vector<std::string>{p.name});
      EXPECT_EQ(p.measure, p.carrier_measure);
      all += p.name + " ";
    }
    return all;
  };
  const auto cases = primitives();
  EXPECT_EQ(names(cases[0].shape), "left right front back bottom top ");
  EXPECT_EQ(names(cases[1].shape),
            "lower1 upper1 lower2 upper2 lower3 upper3 lower4 upper4 lower5 upper5 ");
  EXPECT_EQ(names(cases[2].shape), "sphere ");
  EXPECT_EQ(names(cases[5].shape), "surface ");
  EXPECT_EQ(names(cases[8].shape), "side bottom top ");
  EXPECT_EQ(names(cases[9].shape), "side base ");
  EXPECT_EQ(names(cases[11].shape), "surface ");
  EXPECT_EQ(names(cases[12].shape), "face1 face2 face3 face4 ");
}

TEST(SolidPrimitives, FillTheirVolumeInTheirBounds) {
  for (const Case& c : primitives()) {
    // 4 standard deviations: 6e-5 for a false alarm in each case, and the seed is fixed.
    const Estimate e = monte_carlo_volume(*c.shape, 20000, 11);
    EXPECT_LT(std::abs(e.value - c.shape->measure()), 4 * e.deviation + 1e-12) << c.name;
    // Sharp bounds: boundary points come within 5 percent of each end.
    Rng rng(5);
    std::vector<double> low(c.shape->dimension(), INFINITY), high(low.size(), -INFINITY);
    std::vector<double> x(low.size()), n(low.size());
    for (int k = 0; k < 4000; ++k) {
      const std::size_t piece = rng.integer(c.shape->pieces().size());
      const auto u = random_unit(x.size() - 1, rng);
      c.shape->boundary_point(piece, u.data(), x.data(), n.data());
      for (std::size_t i = 0; i < x.size(); ++i) {
        low[i] = std::min(low[i], x[i]);
        high[i] = std::max(high[i], x[i]);
      }
    }
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double a = c.shape->bounds().lower[i], b = c.shape->bounds().upper[i];
      const double slack = x.size() > 3 ? 0.15 : 0.05;
      EXPECT_GT(low[i], a - 1e-12) << c.name;
      EXPECT_LT(high[i], b + 1e-12) << c.name;
      EXPECT_LT(low[i] - a, slack * (b - a)) << c.name;
      EXPECT_LT(b - high[i], slack * (b - a)) << c.name;
    }
  }
}

TEST(SolidPrimitives, DistanceIsThatOfTheFootAndNoBoundaryPointIsNearer) {
  for (const Case& c : primitives()) {
    const Shape& s = *c.shape;
    const std::size_t d = s.dimension();
    const double size = size_of(s);
    Rng rng(3);
    std::vector<std::vector<double>> surface;
    std::vector<double> x(d), n(d);
    for (int k = 0; k < 1000; ++k) {
      const auto u = random_unit(d - 1, rng);
      s.boundary_point(rng.integer(s.pieces().size()), u.data(), x.data(), n.data());
      surface.push_back(x);
    }
    ASSERT_TRUE(s.is_exact());
    for (int k = 0; k < 200; ++k) {
      const auto p = random_point(s, rng, 0.5);
      std::vector<double> foot(d), normal(d);
      const double distance = s.distance(p.data());
      const Nearest near = s.nearest(p.data(), foot.data(), normal.data());
      ASSERT_LT(near.piece, s.pieces().size());
      EXPECT_EQ(near.distance, distance) << c.name;
      EXPECT_EQ(s.contains(p.data()), distance > 0) << c.name;
      EXPECT_LT(std::abs(separation(p, foot) - std::abs(distance)), 1e-13 * size) << c.name;
      EXPECT_LT(std::abs(s.distance(foot.data())), 1e-13 * size) << c.name;
      for (const auto& q : surface) {
        ASSERT_GT(separation(p, q), std::abs(distance) - 1e-12 * size) << c.name;
      }
    }
  }
}

TEST(SolidPrimitives, DistanceSolvesTheEikonalEquation) {
  const double h = 1e-5;
  for (const Case& c : primitives()) {
    const Shape& s = *c.shape;
    const std::size_t d = s.dimension();
    Rng rng(17);
    int smooth = 0;
    for (int k = 0; k < 200; ++k) {
      const auto p = random_point(s, rng, 0.3);
      std::vector<double> gradient(d), other(d);
      EXPECT_EQ(s.gradient(p.data(), gradient.data()), s.distance(p.data()));
      // Ridges of the distance, where the nearest point jumps, are left out.
      double turn = 0;
      for (const double sign : {-1.0, 1.0}) {
        for (std::size_t i = 0; i < d; ++i) {
          auto q = p;
          q[i] += sign * 2 * h;
          s.gradient(q.data(), other.data());
          turn = std::max(turn, separation(gradient, other));
        }
      }
      if (turn > 1e-2) continue;
      ++smooth;
      double square = 0;
      for (std::size_t i = 0; i < d; ++i) {
        auto up = p, down = p;
        up[i] += h;
        down[i] -= h;
        const double slope = (s.distance(up.data()) - s.distance(down.data())) / (2 * h);
        square += slope * slope;
        // Rounding eps |x| / h ~ 1e-10 and h^2 / radius of curvature^2.
        EXPECT_LT(std::abs(slope - gradient[i]), 1e-5) << c.name;
      }
      EXPECT_LT(std::abs(square - 1), 1e-5) << c.name;
    }
    EXPECT_GT(smooth, 190) << c.name;
  }
}

TEST(SolidPrimitives, BoundaryPointsLieOnTheBoundaryWithOutwardNormals) {
  for (const Case& c : primitives()) {
    const Shape& s = *c.shape;
    const std::size_t d = s.dimension();
    const double size = size_of(s);
    Rng rng(23);
    for (std::size_t piece = 0; piece < s.pieces().size(); ++piece) {
      for (int k = 0; k < 50; ++k) {
        const auto u = random_unit(d - 1, rng);
        std::vector<double> x(d), n(d), gradient(d), foot(d), normal(d);
        EXPECT_TRUE(s.boundary_point(piece, u.data(), x.data(), n.data()));
        EXPECT_LT(std::abs(s.distance(x.data())), 1e-13 * size) << c.name;
        EXPECT_LT(std::abs(separation(n, std::vector<double>(d, 0.0)) - 1), 1e-14) << c.name;
        EXPECT_TRUE(s.contains(moved(x, n, -1e-9).data())) << c.name;
        EXPECT_FALSE(s.contains(moved(x, n, 1e-9).data())) << c.name;
        // Next to the surface the nearest point is on this piece, unless an edge is close.
        const Nearest near = s.nearest(moved(x, n, 1e-6).data(), foot.data(), normal.data());
        s.gradient(moved(x, n, 1e-6).data(), gradient.data());
        if (near.piece == piece) {
          EXPECT_LT(separation(n, normal), 1e-5) << c.name;
          for (double& g : gradient) g = -g;
          EXPECT_LT(separation(n, gradient), 1e-5) << c.name;
        }
      }
    }
  }
}

TEST(SolidPrimitives, SpecialPointsHaveTheirDistances) {
  const auto at = [](const ShapePtr& s, Point3 x) { return s->distance(x.data()); };
  const std::vector<double> zero(3, 0.0), one(3, 1.0);
  EXPECT_DOUBLE_EQ(at(box_shape(zero, one), {2, 2, 2}), -std::sqrt(3.0));
  EXPECT_DOUBLE_EQ(at(box_shape(zero, one), {0.5, 0.5, 0.5}), 0.5);
  EXPECT_DOUBLE_EQ(at(ball_shape(zero, 2), {0, 0, 0}), 2);
  const ShapePtr e = ellipsoid_shape({0, 0, 0}, {3, 2, 1});
  EXPECT_DOUBLE_EQ(at(e, {0, 0, 0}), 1);
  EXPECT_DOUBLE_EQ(at(e, {5, 0, 0}), -2);
  EXPECT_DOUBLE_EQ(at(e, {0, -3, 0}), -1);
  EXPECT_DOUBLE_EQ(at(e, {0, 0, 4}), -3);
  EXPECT_DOUBLE_EQ(at(e, {3, 0, 0}), 0);
  // On the long axis beyond the centre of curvature (a^2 - c^2) / a the end of the axis is nearest;
  // before it the foot is off the axis at x a^2 / (a^2 - c^2).
  EXPECT_NEAR(at(e, {2.9, 0, 0}), 0.1, 1e-15);
  const double x = 1, foot = 9.0 / 8, z = std::sqrt(1 - foot * foot / 9);
  EXPECT_DOUBLE_EQ(at(e, {x, 0, 0}), std::hypot(foot - x, z));
  // Next to the plane of symmetry nothing jumps.
  EXPECT_NEAR(at(e, {x, 0, 1e-300}), std::hypot(foot - x, z), 1e-15);
  EXPECT_NEAR(at(e, {x, 1e-200, 1e-14}), std::hypot(foot - x, z), 1e-13);
  const ShapePtr round = ellipsoid_shape({0, 0, 0}, {2, 2, 2});
  EXPECT_DOUBLE_EQ(at(round, {0, 0, 0}), 2);
  EXPECT_DOUBLE_EQ(at(round, {1, 1, 1}), 2 - std::sqrt(3.0));
  const ShapePtr cylinder = cylinder_shape({0, 0, 0}, {0, 0, 2}, 1);
  EXPECT_DOUBLE_EQ(at(cylinder, {0, 0, 1}), 1);
  EXPECT_DOUBLE_EQ(at(cylinder, {4, 0, 6}), -5);
  EXPECT_DOUBLE_EQ(at(cylinder, {0, 0, -3}), -3);
  const ShapePtr cone = cone_shape({0, 0, 0}, {0, 0, 4}, 3);
  EXPECT_DOUBLE_EQ(at(cone, {0, 0, 6}), -2);
  EXPECT_DOUBLE_EQ(at(cone, {0, 0, 4}), 0);
  EXPECT_DOUBLE_EQ(at(cone, {0, 0, 1.5}), 1.5);  // the incentre: 12 / (3 + 5)
  EXPECT_DOUBLE_EQ(at(cone, {7, 0, -3}), -5);
  const ShapePtr torus = torus_shape({0, 0, 0}, {0, 0, -2}, 3, 1);
  EXPECT_DOUBLE_EQ(at(torus, {0, 0, 0}), -2);
  EXPECT_DOUBLE_EQ(at(torus, {0, 3, 0}), 1);
  EXPECT_DOUBLE_EQ(at(torus, {0, 0, 4}), -4);
}

}  // namespace
}  // namespace cauchy::test_solid_primitives
