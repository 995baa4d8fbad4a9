#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <string>

#include <cauchy/base/error.hpp>
#include <cauchy/base/rng.hpp>
#include <cauchy/geometry/shapes/plane.hpp>

#include "support/effort.hpp"
#include "support/message_of.hpp"

namespace cauchy::test_plane_shapes {
namespace {

using detail::transform_plane;

constexpr double pi = std::numbers::pi;
constexpr double inf = std::numeric_limits<double>::infinity();

struct Named {
  const char* name;
  ShapePtr shape;
  double area;
  double length;
};

const std::vector<Point2> star = {{0, 0}, {4, 0}, {4, 3}, {2, 1}, {0, 3}};
const std::vector<std::vector<Point2>> two_holes = {{{0.5, 0.5}, {1, 0.5}, {0.5, 1}},
                                                    {{3, 0.5}, {3.5, 1}, {3, 1}}};

/// Every primitive with its area and the length of its boundary from school formulas.
std::vector<Named> primitives() {
  const double side = std::sqrt(8.0);
  std::vector<Named> list = {
      {"rectangle", rectangle_shape({-1, 0.5}, {2, 1.5}), 3, 8},
      {"disk", ellipse_shape({0.5, -1}, 2, 2), 4 * pi, 4 * pi},
      // Perimeter of the ellipse with half axes 2 and 1: 8 E(sqrt(3)/2).
      {"ellipse", ellipse_shape({1, 1}, 2, 1), 2 * pi, 9.6884482205476761984},
      {"tall ellipse", ellipse_shape({1, 1}, 1, 2), 2 * pi, 9.6884482205476761984},
      {"annulus", annulus_shape({0, 1}, 0.5, 1.5), 2 * pi, 4 * pi},
      {"sector", sector_shape({1, 0}, 2, 0.3, 1.3), 2, 2 + 4},
      {"wide sector", sector_shape({0, 0}, 1, 0, 1.5 * pi), 0.75 * pi, 1.5 * pi + 2},
      {"full sector", sector_shape({0, 0}, 1, 0, 2 * pi), pi, 2 * pi + 2},
      {"triangle", polygon_shape(std::vector<Point2>{{0, 0}, {0, 1}, {2, 0}}), 1,
       3 + std::sqrt(5.0)},
      {"star", polygon_shape(star), 8, 4 + 3 + side + side + 3},
      {"holes", polygon_shape(star, two_holes), 8 - 0.125 - 0.125,
       10 + 2 * side + 2 + 2 * std::sqrt(0.5)},
  };
  const Affine skew{{1.2, 0.5, -0.3, 0.8}, {0.25, -0.5}};  // determinant 1.11
  const Affine mirror = Affine::scaling(std::array{-2.0, 2.0}, std::array{0.0, 0.0});
  const std::size_t n = list.size();
  for (std::size_t i = 0; i < n; ++i) {
    list.push_back(
        {"skewed", transform_plane(*list[i].shape, skew), 1.11 * list[i].area, Shape::unknown});
    list.push_back({"mirrored", transform_plane(*list[i].shape, mirror), 4 * list[i].area,
                    2 * list[i].length});
  }
  return list;
}

Point2 random_near(Rng& rng, const Shape& s, double margin) {
  const Bounds& b = s.bounds();
  const double x = rng.uniform(b.lower[0] - margin, b.upper[0] + margin);
  const double y = rng.uniform(b.lower[1] - margin, b.upper[1] + margin);
  return {x, y};
}

double boundary_length(const Shape& s) {
  double sum = 0;
  for (const Piece& p : s.pieces()) sum += p.measure;
  return sum;
}

#define EXPECT_MESSAGE(call, part)                                          \
  EXPECT_NE(message_of([&] { return call; }).find(part), std::string::npos) \
      << message_of([&] { return call; })

TEST(PlaneShapes, HaveTheAreasAndLengthsOfTheirFormulas) {
  for (const Named& n : primitives()) {
    EXPECT_LT(std::abs(n.shape->measure() / n.area - 1), 1e-14) << n.name;
    if (std::isnan(n.length)) continue;
    EXPECT_LT(std::abs(boundary_length(*n.shape) / n.length - 1), 1e-14) << n.name;
  }
}

TEST(PlaneShapes, NameTheirPieces) {
  const auto names = [](const ShapePtr& s) {
    std::string all;
    for (const Piece& p : s->pieces()) all += p.name + " ";
    return all;
  };
  EXPECT_EQ(names(rectangle_shape({0, 0}, {1, 1})), "left right bottom top ");
  EXPECT_EQ(names(ellipse_shape({0, 0}, 1, 1)), "arc ");
  EXPECT_EQ(names(annulus_shape({0, 0}, 1, 2)), "inner outer ");
  EXPECT_EQ(names(sector_shape({0, 0}, 1, 0, 1)), "arc start end ");
  EXPECT_EQ(names(half_plane_shape({0, 0}, {1, 0})), "line ");
  EXPECT_EQ(names(polygon_shape(star, std::vector<std::vector<Point2>>(1, two_holes[0]))),
            "side1 side2 side3 side4 side5 hole1_side1 hole1_side2 hole1_side3 ");
  EXPECT_EQ(polygon_shape(star, two_holes)->pieces()[8].labels,
            (std::vector<std::string>{"hole2_side1", "hole2"}));
  // Sides keep the numbers of the user whatever the order of the vertices.
  const ShapePtr clockwise = polygon_shape(std::vector<Point2>{{0, 0}, {0, 1}, {2, 0}});
  EXPECT_EQ(clockwise->pieces()[0].measure, 1);
  EXPECT_EQ(clockwise->pieces()[2].measure, 2);
}

TEST(PlaneShapes, DistanceMatchesADenseSampleOfTheBoundary) {
  Rng rng(1);
  for (const Named& n : primitives()) {
    const auto curves = boundary_curves(*n.shape, 1e-5, n.shape->bounds());
    for (int i = 0; i < 40; ++i) {
      const Point2 p = random_near(rng, *n.shape, 1);
      double plain = inf;
      for (const BoundaryCurve& c : curves) {
        for (std::size_t k = 0; k + 1 < c.points.size(); ++k) {
          const Point2 a = c.points[k], b = c.points[k + 1];
          const double ux = b[0] - a[0], uy = b[1] - a[1];
          const double t =
              std::clamp(((p[0] - a[0]) * ux + (p[1] - a[1]) * uy) / (ux * ux + uy * uy), 0.0, 1.0);
          plain = std::min(plain, std::hypot(p[0] - a[0] - t * ux, p[1] - a[1] - t * uy));
        }
      }
      const double d = n.shape->distance(p.data());
      EXPECT_LT(std::abs(std::abs(d) - plain), 1.01e-5) << n.name;
      EXPECT_EQ(d > 0, n.shape->contains(p.data())) << n.name;
    }
  }
}

TEST(PlaneShapes, DistanceHasAGradientOfLengthOne) {
  Rng rng(2);
  for (const Named& n : primitives()) {
    int smooth = 0;
    for (int i = 0; i < 60; ++i) {
      const Point2 p = random_near(rng, *n.shape, 1);
      constexpr double h = 1e-5;
      const auto d = [&](double x, double y) {
        const double q[2] = {x, y};
        return n.shape->distance(q);
      };
      const double gx = (d(p[0] + h, p[1]) - d(p[0] - h, p[1])) / (2 * h);
      const double gy = (d(p[0], p[1] + h) - d(p[0], p[1] - h)) / (2 * h);
      double g[2];
      EXPECT_LT(std::abs(n.shape->gradient(p.data(), g) - d(p[0], p[1])), 1e-14);
      EXPECT_LT(std::abs(std::hypot(g[0], g[1]) - 1), 1e-14);
      // Never above 1 (up to rounding 1e-15 / h); below only where two feet compete within h.
      EXPECT_LT(std::hypot(gx, gy), 1 + 1e-6) << n.name;
      // Central differences err by h^2 times a third derivative, about 1 / distance^2.
      if (std::hypot(gx - g[0], gy - g[1]) < 1e-6) ++smooth;
    }
    EXPECT_GT(smooth, 54) << n.name;
  }
}

TEST(PlaneShapes, DistanceGrowsInwardsFromBoundaryPoints) {
  Rng rng(3);
  for (const Named& n : primitives()) {
    for (std::size_t k = 0; k < n.shape->pieces().size(); ++k) {
      for (int i = 0; i < 10; ++i) {
        const double u = rng.uniform();
        double x[2], normal[2];
        ASSERT_TRUE(n.shape->boundary_point(k, &u, x, normal));
        EXPECT_LT(std::abs(std::hypot(normal[0], normal[1]) - 1), 1e-15 * 4);
        EXPECT_LT(std::abs(n.shape->distance(x)), 1e-14 * 4) << n.name;
        // The gradient on the boundary is minus the outward normal; corners are rare.
        constexpr double h = 1e-7;
        const double in[2] = {x[0] - h * normal[0], x[1] - h * normal[1]};
        EXPECT_LT(std::abs(n.shape->distance(in) - h), 1e-14 * 4) << n.name;
        double foot[2], m[2];
        const Nearest near = n.shape->nearest(in, foot, m);
        EXPECT_EQ(near.piece, k) << n.name;
        EXPECT_LT(std::hypot(m[0] - normal[0], m[1] - normal[1]), 1e-6) << n.name;
        EXPECT_LT(std::hypot(foot[0] - x[0], foot[1] - x[1]), 1e-12) << n.name;
      }
    }
  }
}

TEST(PlaneShapes, BoundaryPointsAreProportionalToArcLength) {
  for (const Named& n : primitives()) {
    for (std::size_t k = 0; k < n.shape->pieces().size(); ++k) {
      constexpr int steps = 2000;
      double last[2], x[2], normal[2], u = 0;
      n.shape->boundary_point(k, &u, last, normal);
      const double step = n.shape->pieces()[k].measure / steps;
      for (int i = 1; i <= steps; ++i) {
        u = static_cast<double>(i) / steps;
        n.shape->boundary_point(k, &u, x, normal);
        // A chord is shorter than its arc by step^3 curvature^2 / 24; curvature is below 10 here.
        const double chord = std::hypot(x[0] - last[0], x[1] - last[1]);
        EXPECT_LT(std::abs(chord / step - 1), 100 * step * step / 24 + 1e-11) << n.name;
        last[0] = x[0];
        last[1] = x[1];
      }
    }
  }
}

TEST(PlaneShapes, CountsOfRandomPointsMatchTheArea) {
  Rng rng(4);
  for (const Named& n : primitives()) {
    const Bounds& b = n.shape->bounds();
    const double box = (b.upper[0] - b.lower[0]) * (b.upper[1] - b.lower[1]);
    constexpr int points = 10000;
    int inside = 0;
    for (int i = 0; i < points; ++i) {
      const Point2 p = random_near(rng, *n.shape, 0);
      inside += n.shape->contains(p.data());
    }
    const double share = n.shape->measure() / box;
    // Four standard deviations of the binomial law: 33 shapes fail together once in 500 seeds.
    const double tolerance = 4 * std::sqrt(share * (1 - share) / points) + 1e-12;
    EXPECT_LT(std::abs(static_cast<double>(inside) / points - share), tolerance) << n.name;
  }
}

TEST(PlaneShapes, BoundsAreTight) {
  const ShapePtr tilted =
      transform_plane(*ellipse_shape({0, 0}, 2, 1), Affine::rotation(pi / 6, std::array{0.0, 0.0}));
  // Half widths of a rotated ellipse: sqrt(a^2 cos^2 + b^2 sin^2) and with sin and cos exchanged.
  EXPECT_LT(std::abs(tilted->bounds().upper[0] - std::sqrt(3.25)), 1e-15 * 4);
  EXPECT_LT(std::abs(tilted->bounds().lower[1] + std::sqrt(1.75)), 1e-15 * 4);
  const ShapePtr sector = sector_shape({0, 0}, 1, pi / 4, 3 * pi / 4);
  EXPECT_EQ(sector->bounds().upper[1], 1);
  EXPECT_LT(std::abs(sector->bounds().upper[0] - std::sqrt(0.5)), 1e-15);
  EXPECT_EQ(sector->bounds().lower[1], 0);
}

TEST(PlaneShapes, MapsKeepAreas) {
  Rng rng(5);
  for (const Named& n : primitives()) {
    ASSERT_TRUE(n.shape->has_map()) << n.name;
    // A half plane through the middle of the box: the share of the points in it must be the share
    // of the area, here from points counted by membership.
    const Bounds& b = n.shape->bounds();
    const double cx = 0.5 * (b.lower[0] + b.upper[0]), cy = 0.5 * (b.lower[1] + b.upper[1]);
    constexpr int m = 120;
    double left = 0, low = 0, plain_left = 0, plain_low = 0, plain = 0;
    for (int i = 0; i < m; ++i) {
      for (int j = 0; j < m; ++j) {
        const double u[2] = {(i + 0.5) / m, (j + 0.5) / m};
        double x[2];
        n.shape->map(u, x);
        EXPECT_TRUE(n.shape->contains(x)) << n.name;
        left += x[0] < cx;
        low += x[1] < cy;
        const double q[2] = {b.lower[0] + u[0] * (b.upper[0] - b.lower[0]),
                             b.lower[1] + u[1] * (b.upper[1] - b.lower[1])};
        if (!n.shape->contains(q)) continue;
        plain += 1;
        plain_left += q[0] < cx;
        plain_low += q[1] < cy;
      }
    }
    // A grid of m^2 cells misses a curve of about 4 m cells by half a cell each, at random.
    const double tolerance = 6.0 / m;
    EXPECT_LT(std::abs(left / (m * m) - plain_left / plain), tolerance) << n.name;
    EXPECT_LT(std::abs(low / (m * m) - plain_low / plain), tolerance) << n.name;
  }
}

TEST(PlaneShapes, MapsHaveAConstantJacobian) {
  Rng rng(6);
  for (const Named& n : primitives()) {
    int good = 0;
    for (int i = 0; i < 50; ++i) {
      const double s = rng.uniform(0.01, 0.99), t = rng.uniform(0.01, 0.99);
      constexpr double h = 1e-6;
      const auto at = [&](double p, double q) {
        const double u[2] = {p, q};
        Point2 x;
        n.shape->map(u, x.data());
        return x;
      };
      const Point2 e = at(s + h, t), w = at(s - h, t), o = at(s, t + h), v = at(s, t - h);
      const double jacobian =
          ((e[0] - w[0]) * (o[1] - v[1]) - (e[1] - w[1]) * (o[0] - v[0])) / (4 * h * h);
      good += std::abs(std::abs(jacobian) / n.shape->measure() - 1) < 1e-6;
    }
    // A seam of the map within 1e-6 of a point is unlikely.
    EXPECT_GE(good, 49) << n.name;
  }
}

TEST(PlaneShapes, HalfPlaneIsUnboundedOnOneSide) {
  const ShapePtr s = half_plane_shape({1, 0}, {3, 4});
  double p[2] = {0, 0};
  EXPECT_LT(std::abs(s->distance(p) - 0.6), 1e-15);
  p[0] = 2;
  EXPECT_LT(std::abs(s->distance(p) + 0.6), 1e-15);
  double foot[2], normal[2];
  EXPECT_EQ(s->nearest(p, foot, normal).piece, 0u);
  EXPECT_LT(std::hypot(normal[0] - 0.6, normal[1] - 0.8), 1e-15);
  EXPECT_EQ(s->measure(), inf);
  EXPECT_EQ(s->pieces()[0].measure, inf);
  EXPECT_EQ(s->bounds().lower[0], -inf);
  EXPECT_FALSE(s->has_map());
  const double u = 0.5;
  EXPECT_MESSAGE(s->boundary_point(0, &u, foot, normal), "unbounded");
  // All four sides of the axes: membership by a ray that is not parallel to the line.
  for (const Point2 n : {Point2{1, 0}, Point2{-1, 0}, Point2{0, 1}, Point2{0, -1}}) {
    const ShapePtr half = half_plane_shape({0, 0}, n);
    const double in[2] = {-n[0] + 0.3 * n[1], -n[1] + 0.3 * n[0]};
    const double out[2] = {n[0] + 0.3 * n[1], n[1] + 0.3 * n[0]};
    EXPECT_TRUE(half->contains(in));
    EXPECT_FALSE(half->contains(out));
    EXPECT_EQ(half->bounds().lower[0], n[0] < 0 ? 0 : -inf);
    EXPECT_EQ(half->bounds().upper[1], n[1] > 0 ? 0 : inf);
  }
}

TEST(PlaneShapes, DoNotContainTheirVerticesAndSides) {
  const ShapePtr s = polygon_shape(star);
  for (const Point2 p : star) {
    EXPECT_FALSE(s->contains(p.data()));
    EXPECT_EQ(s->distance(p.data()), 0);
  }
  for (const Point2 p : {Point2{2, 0}, Point2{3, 2}, Point2{4, 1}, Point2{1, 2}}) {
    EXPECT_FALSE(s->contains(p.data()));
  }
  // Level with vertices: rays through them count them once.
  const double left[2] = {-1, 1}, inside[2] = {0.5, 1}, notch[2] = {2, 3}, top[2] = {-1, 3};
  EXPECT_FALSE(s->contains(left));
  EXPECT_TRUE(s->contains(inside));
  EXPECT_FALSE(s->contains(notch));
  EXPECT_FALSE(s->contains(top));
}

TEST(PlaneShapes, APolygonOf10000SidesIsNotSearchedSideBySide) {
  std::vector<Point2> points;
  constexpr int n = 10000;
  for (int i = 0; i < n; ++i) {
    const double angle = 2 * pi * i / n, r = 1 + 0.1 * std::cos(50 * angle);
    points.push_back({r * std::cos(angle), r * std::sin(angle)});
  }
  ShapePtr s;
  const Effort making = effort_of([&] { s = polygon_shape(points); });
  const Effort asking = effort_of([&] {
    Rng rng(7);
    for (int i = 0; i < n; ++i) {
      const Point2 p = random_near(rng, *s, 0.1);
      const double angle = std::atan2(p[1], p[0]), r = std::hypot(p[0], p[1]);
      const double gap = r - 1 - 0.1 * std::cos(50 * angle);
      // Chords are within step^2 curvature / 8 of the curve, with a curvature of at most 250.
      if (std::abs(gap) < 1e-4) continue;
      EXPECT_EQ(s->distance(p.data()) > 0, gap < 0);
    }
  });
  // Boxes, and feet on some sides that count as 60 boxes each, not on all of them: 600,000.
  for (const Effort& effort : {making, asking}) {
    const std::uint64_t per_side = effort.work.of(WorkKind::formulas) / n;
    EXPECT_GT(per_side, 10u);
    EXPECT_LT(per_side, 10'000u);
  }
  EXPECT_FALSE(s->has_map());
}

TEST(PlaneShapes, CurvesForPicturesStayWithinTheTolerance) {
  for (const Named& n : primitives()) {
    for (const BoundaryCurve& c : boundary_curves(*n.shape, 1e-3, n.shape->bounds())) {
      ASSERT_GE(c.points.size(), 2u);
      EXPECT_LT(c.piece, n.shape->pieces().size());
      for (std::size_t k = 0; k + 1 < c.points.size(); ++k) {
        const double mid[2] = {0.5 * (c.points[k][0] + c.points[k + 1][0]),
                               0.5 * (c.points[k][1] + c.points[k + 1][1])};
        EXPECT_LT(std::abs(n.shape->distance(mid)), 1e-3);
      }
    }
  }
  const ShapePtr half = half_plane_shape({0, 0}, {0, 1});
  const auto line = boundary_curves(*half, 1, Bounds{{-2, -2}, {3, 2}});
  ASSERT_EQ(line.size(), 1u);
  EXPECT_EQ(line[0].points[0], (Point2{3, 0}));  // the inside, below, is on the left
  EXPECT_EQ(line[0].points[1], (Point2{-2, 0}));
  EXPECT_MESSAGE(boundary_curves(*half, 1, half->bounds()), "finite box");
  EXPECT_MESSAGE(boundary_curves(*half, 0, half->bounds()), "tolerance must be positive");
}

TEST(PlaneShapes, KeepPiecesUnderTransformsAndNewLabels) {
  const ShapePtr s = rectangle_shape({0, 0}, {1, 2})->renamed("inlet");
  EXPECT_EQ(s->pieces()[0].name, "inlet_left");
  const ShapePtr t = transform_plane(*s, Affine::rotation(pi / 2, std::array{0.0, 0.0}));
  EXPECT_EQ(t->pieces()[0].name, "inlet_left");
  // The left side turns into the lower one.
  const double u = 0.5;
  double x[2], n[2];
  t->boundary_point(0, &u, x, n);
  EXPECT_LT(std::hypot(x[0] + 1, x[1]), 1e-15);
  EXPECT_LT(std::hypot(n[0], n[1] + 1), 1e-15);
}

TEST(PlaneShapes, RefuseBadNumbers) {
  const double nan = std::nan("");
  EXPECT_MESSAGE(rectangle_shape({0, 0}, {0, 1}), "below and left");
  EXPECT_MESSAGE(rectangle_shape({0, 0}, {inf, 1}), "finite");
  EXPECT_MESSAGE(rectangle_shape({-1e308, 0}, {1e308, 1}), "width");
  EXPECT_MESSAGE(ellipse_shape({0, 0}, -1, -1), "radius must be positive");
  EXPECT_MESSAGE(ellipse_shape({0, 0}, 1, 0), "half axis must be positive");
  EXPECT_MESSAGE(ellipse_shape({nan, 0}, 1, 1), "centre must be finite");
  EXPECT_MESSAGE(annulus_shape({0, 0}, 2, 1), "less than the outer");
  EXPECT_MESSAGE(annulus_shape({0, 0}, 0, 1), "inner radius must be positive");
  EXPECT_MESSAGE(sector_shape({0, 0}, 1, 1, 1), "start < end");
  EXPECT_MESSAGE(sector_shape({0, 0}, 1, 0, 7), "start < end");
  EXPECT_MESSAGE(sector_shape({0, 0}, 1, nan, 7), "angles must be finite");
  EXPECT_MESSAGE(half_plane_shape({0, 0}, {0, 0}), "normal must not be 0");
  EXPECT_MESSAGE(half_plane_shape({0, inf}, {0, 1}), "finite");
  const ShapePtr s = ellipse_shape({0, 0}, 1, 1);
  EXPECT_MESSAGE(transform_plane(*s, Affine{{1, 1, 1, 1}, {0, 0}}), "flattens");
  EXPECT_MESSAGE(transform_plane(*s, Affine{{1, nan, 1, 1}, {0, 0}}), "finite");
  double x[2], n[2];
  EXPECT_MESSAGE(s->boundary_point(1, x, x, n), "piece 1");
}

TEST(PlaneShapes, RefuseBadPolygons) {
  using Points = std::vector<Point2>;
  using Holes = std::vector<Points>;
  EXPECT_MESSAGE(polygon_shape(Points{{0, 0}, {1, 1}}), "at least 3 vertices, got 2");
  EXPECT_MESSAGE(polygon_shape(Points{{0, 0}, {1, 1}, {2, 2}}), "no area");
  EXPECT_MESSAGE(polygon_shape(Points{{0, 0}, {1, inf}, {2, 2}}), "vertex 2");
  EXPECT_MESSAGE(polygon_shape(Points{{0, 0}, {1, 0}, {1, 1}, {0, 0}}), "repeated first vertex");
  EXPECT_MESSAGE(polygon_shape(Points{{0, 0}, {1, 0}, {2, 2}, {1, 0}, {0, 2}}),
                 "vertices 2 and 4 of the polygon are both (1, 0)");
  // A bow tie, a vertex on a side, a side folded back.
  EXPECT_MESSAGE(polygon_shape(Points{{0, 0}, {1, 1}, {1, 0}, {0, 1}}), "side 1 and side 3 cross");
  EXPECT_MESSAGE(polygon_shape(Points{{0, 0}, {2, 0}, {2, 2}, {1, 0}, {0, 2}}),
                 "side 1 and side 3");
  EXPECT_MESSAGE(polygon_shape(Points{{0, 0}, {3, 0}, {1, 0}, {1, 1}}), "side 1 and side 2");
  const Points square = {{0, 0}, {4, 0}, {4, 4}, {0, 4}};
  EXPECT_MESSAGE(polygon_shape(square, Holes{{{1, 1}, {2, 1}}}), "hole 1 needs");
  EXPECT_MESSAGE(polygon_shape(square, Holes{{{5, 5}, {6, 5}, {5, 6}}}), "hole 1 lies outside");
  EXPECT_MESSAGE(polygon_shape(square, Holes{{{1, 1}, {5, 1}, {1, 2}}}),
                 "side 2 and side 1 of hole 1 cross");
  EXPECT_MESSAGE(polygon_shape(square, Holes{{{0, 1}, {1, 1}, {1, 2}}}),
                 "of hole 1 cross or touch");
  EXPECT_MESSAGE(
      polygon_shape(square, Holes{{{1, 1}, {3, 1}, {1, 3}}, {{1.2, 1.2}, {1.5, 1.2}, {1.2, 1.5}}}),
      "hole 2 lies inside hole 1");
  EXPECT_MESSAGE(
      polygon_shape(square, Holes{{{1, 1}, {3, 1}, {1, 3}}, {{2, 3}, {3, 3}, {1.2, 1.5}}}),
      "side 2 of hole 1");
  EXPECT_MESSAGE(slit_shape(Points{{0, 0}}), "at least 2 points");
  EXPECT_MESSAGE(slit_shape(Points{{0, 0}, {2, 0}, {1, 1}, {1, -1}}), "parts 1 and 3");
  EXPECT_MESSAGE(slit_shape(Points{{0, 0}, {2, 0}, {0, 0}}), "vertices 1 and 3 of the slit");
}

}  // namespace
}  // namespace cauchy::test_plane_shapes
