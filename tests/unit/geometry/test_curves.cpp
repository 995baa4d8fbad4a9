#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include <cauchy/base/rng.hpp>
#include <cauchy/math/quadrature.hpp>

#include "geometry/shapes/curve.hpp"
#include "geometry/shapes/plane_tree.hpp"

namespace cauchy::detail::test_curves {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double eps = std::numeric_limits<double>::epsilon();

Vec random_point(Rng& rng, double reach) {
  const double x = rng.uniform(-reach, reach), y = rng.uniform(-reach, reach);
  return {x, y};
}

Curve random_arc(Rng& rng) {
  const Vec center = random_point(rng, 1), u = random_point(rng, 2), v = random_point(rng, 2);
  const double t0 = rng.uniform(-7, 7);
  return Curve::ellipse_arc(center, u, v, t0, t0 + rng.uniform(0.1, 2 * pi), 0);
}

/// Composite Gauss-Legendre of the speed: 400 panels of 16 nodes.
double plain_length(const Curve& c, double ta, double tb) {
  const Rule rule = gauss_legendre(16);
  const int panels = 400;
  double sum = 0;
  for (int k = 0; k < panels; ++k) {
    const double a = ta + (tb - ta) * k / panels, b = ta + (tb - ta) * (k + 1) / panels;
    sum += scaled(rule, a, b).integrate([&](double t) { return norm(c.velocity(t)); });
  }
  return sum;
}

TEST(EllipticIntegral, MatchesTabulatedValues) {
  // Complete integrals E(k): k = 1/2, k = sqrt(1/2) (Gauss' lemniscate), k = 0 and k -> 1.
  EXPECT_LT(std::abs(elliptic_e(pi / 2, std::sqrt(0.75)) - 1.4674622093394271555), 8 * eps);
  EXPECT_LT(std::abs(elliptic_e(pi / 2, std::sqrt(0.5)) - 1.3506438810476755025), 8 * eps);
  EXPECT_LT(std::abs(elliptic_e(0.7, 1) - 0.7), 4 * eps);
  EXPECT_LT(std::abs(elliptic_e(0.7, 1e-12) - std::sin(0.7)), 4 * eps);
  EXPECT_LT(std::abs(elliptic_e(-3 * pi, 0.5) + 6 * elliptic_e(pi / 2, 0.5)), 32 * eps);
}

TEST(CurveLength, OfArcsMatchesQuadratureOfTheSpeed) {
  Rng rng(1);
  for (int i = 0; i < 40; ++i) {
    const Curve c = random_arc(rng);
    const double plain = plain_length(c, c.t0, c.t1);
    // Quadrature sums 6,400 terms; the closed form is good to ulps of the whole ellipse.
    EXPECT_LT(std::abs(c.length() - plain), 1e-13 * 4 * c.a * (1 + (c.t1 - c.t0)));
  }
}

TEST(CurveLength, OfAShortArcOfAFlatEllipseKeepsItsRelativeAccuracy) {
  const Curve c = Curve::ellipse_arc({0, 0}, {1, 0}, {0, 0.01}, 0, 2 * pi, 0);
  const double plain = plain_length(c, -1e-3, 1e-3 * 0.25);
  EXPECT_LT(std::abs(c.length(-1e-3, 1e-3 * 0.25) / plain - 1), 1e-13);
}

TEST(CurveLength, InvertsToRounding) {
  Rng rng(2);
  for (int i = 0; i < 40; ++i) {
    const Curve c = random_arc(rng);
    for (int k = 0; k <= 10; ++k) {
      const double s = c.length() * k / 10;
      const double t = c.at_length(s);
      EXPECT_GE(t, c.t0);
      EXPECT_LE(t, c.t1);
      EXPECT_LT(std::abs(c.length(c.t0, t) - s), 1e-13 * 8 * c.a);
    }
  }
}

TEST(CurveAxes, AreOrthogonalAndSpanTheSameEllipse) {
  Rng rng(3);
  for (int i = 0; i < 200; ++i) {
    const Vec u = random_point(rng, 2), v = random_point(rng, 2);
    const Curve c = Curve::ellipse_arc({0.5, 0.25}, u, v, 0, 1, 0);
    EXPECT_GE(c.a, c.b);
    EXPECT_LT(std::abs(dot(c.u, c.v)), 8 * eps * c.a * c.a);
    EXPECT_LT(std::abs(norm(c.v) - c.b), 8 * eps * c.a);
    for (int k = 0; k <= 8; ++k) {
      const double t = k / 8.0;
      const Vec p = Vec{0.5, 0.25} + std::cos(t) * u + std::sin(t) * v;
      EXPECT_LT(norm(c.point(c.t0 + t) - p), 32 * eps * (1 + c.a));
    }
  }
}

TEST(CurveNearest, IsNeverFurtherThanADenseSampleOfTheArc) {
  Rng rng(4);
  for (int i = 0; i < 60; ++i) {
    const Curve c = random_arc(rng);
    for (int k = 0; k < 10; ++k) {
      const Vec p = c.origin + random_point(rng, k < 5 ? 0.5 : 3);
      const Curve::Foot foot = c.nearest(p);
      double plain = std::numeric_limits<double>::infinity();
      constexpr int n = 2000;
      for (int j = 0; j <= n; ++j) {
        plain = std::min(plain, norm(p - c.point(c.t0 + (c.t1 - c.t0) * j / n)));
      }
      EXPECT_LT(foot.distance, plain + 1e-14 * (1 + c.a));
      // The sample is at most half a step away along the arc.
      const double step = c.a * (c.t1 - c.t0) / n;
      EXPECT_LT(plain, foot.distance + step);
      EXPECT_LT(norm(c.point(foot.t) - foot.point), 16 * eps * (norm(c.origin) + c.a) * 8);
    }
  }
}

TEST(CurveNearest, OnTheAxesOfAnEllipseMatchesTheCentresOfCurvature) {
  const Curve c = Curve::ellipse_arc({0, 0}, {2, 0}, {0, 1}, 0, 2 * pi, 0);
  // Centre: the short axis. On the long axis x = (4 - 1) / 2 = 1.5 is the centre of curvature.
  EXPECT_LT(std::abs(c.nearest({0, 0}).distance - 1), 4 * eps);
  EXPECT_LT(std::abs(c.nearest({1.75, 0}).distance - 0.25), 4 * eps);
  EXPECT_LT(std::abs(c.nearest({-1.75, 0}).distance - 0.25), 4 * eps);
  // Inside: the foot has cos t = 2 x / 3 and distance sqrt(1 - x^2 / 3).
  EXPECT_LT(std::abs(c.nearest({1.2, 0}).distance - std::sqrt(1 - 1.44 / 3)), 8 * eps);
  EXPECT_LT(std::abs(c.nearest({0, -0.5}).distance - 0.5), 4 * eps);
  EXPECT_LT(std::abs(c.nearest({0, 3}).distance - 2), 8 * eps);
}

TEST(CurveNearest, FindsTheSecondMinimumWhenTheFirstIsCutAway) {
  // The lower half of an ellipse, seen from above the long axis near the middle.
  const Curve c = Curve::ellipse_arc({0, 0}, {3, 0}, {0, 1}, pi, 2 * pi, 0);
  double plain = 10;
  const Vec p{0.2, 0.3};
  for (int j = 0; j <= 200000; ++j) plain = std::min(plain, norm(p - c.point(pi + pi * j / 2e5)));
  // A sample h away from the foot is further by at most h^2 / (2 distance).
  EXPECT_LT(std::abs(c.nearest(p).distance - plain), 1e-9);
}

TEST(CurveNearest, HoldsForExtremeFlatness) {
  const Curve c = Curve::ellipse_arc({0, 0}, {1, 0}, {0, 1e-6}, 0, 2 * pi, 0);
  EXPECT_LT(std::abs(c.nearest({0.3, 0.2}).distance - 0.2), 2e-6);
  EXPECT_LT(std::abs(c.nearest({2, 0}).distance - 1), 1e-14);
  EXPECT_LT(std::abs(c.nearest({0.5, 0}).distance - 1e-6 * std::sqrt(0.75)), 1e-12);
}

TEST(CurveMeetings, LieOnBothCurves) {
  Rng rng(5);
  int found = 0;
  for (int i = 0; i < 400; ++i) {
    const Curve a = random_arc(rng);
    const Curve b =
        i % 2 ? random_arc(rng) : Curve::segment(random_point(rng, 3), random_point(rng, 3), 0);
    std::vector<Meeting> meetings;
    append_meetings(a, b, 1e-9, meetings);
    append_meetings(b, a, 1e-9, meetings);
    for (const Meeting& m : meetings) {
      EXPECT_LT(a.nearest(m.point).distance, 1e-12);
      EXPECT_LT(b.nearest(m.point).distance, 1e-12);
      ++found;
    }
  }
  EXPECT_GT(found, 300);
}

TEST(CurveMeetings, AreAsManyAsSignChangesOfTheOtherEllipse) {
  Rng rng(6);
  for (int i = 0; i < 200; ++i) {
    const Curve a = Curve::ellipse_arc(random_point(rng, 0.3), random_point(rng, 2),
                                       random_point(rng, 2), 0, 2 * pi, 0);
    const Curve b = Curve::ellipse_arc(random_point(rng, 0.3), random_point(rng, 2),
                                       random_point(rng, 2), 0, 2 * pi, 0);
    std::vector<Meeting> meetings;
    append_meetings(a, b, 1e-12, meetings);
    int changes = 0;
    constexpr int n = 5000;
    const auto inside = [&](int k) {
      const Vec d = a.point(a.t0 + 2 * pi * (k + 0.5) / n) - b.origin;
      const double x = dot(d, b.u) / (b.a * b.a), y = dot(d, b.v) / (b.b * b.b);
      return x * x + y * y < 1;
    };
    for (int k = 0; k < n; ++k) changes += inside(k) != inside((k + 1) % n);
    EXPECT_EQ(static_cast<int>(meetings.size()), changes) << i;
  }
}

TEST(CurveMeetings, OfTouchingCirclesDoNotMissTheCrossingsOfNearbyOnes) {
  const auto circle = [](double x, double r) {
    return Curve::ellipse_arc({x, 0}, {r, 0}, {0, r}, 0.1, 0.1 + 2 * pi, 0);
  };
  std::vector<Meeting> meetings;
  append_meetings(circle(0, 1), circle(2 - 1e-6, 1), 1e-9, meetings);
  EXPECT_EQ(meetings.size(), 2u);
  meetings.clear();
  append_meetings(circle(0, 1), circle(2 + 1e-6, 1), 1e-9, meetings);
  EXPECT_TRUE(meetings.empty());
}

TEST(CurveMeetings, OfCollinearSegmentsAreTheirCommonEnd) {
  // The directions carry the rounding of the coordinates: where the lines cross is noise.
  Rng rng(9);
  for (int i = 0; i < 2000; ++i) {
    const Vec p = Vec{1000, 500} + random_point(rng, 3), d = random_point(rng, 1);
    const Vec e = (1 / norm(d)) * d;
    std::vector<Meeting> meetings;
    append_meetings(Curve::segment(p - 3 * e, p, 0), Curve::segment(p, p + 2 * e, 0), 1e-9,
                    meetings);
    EXPECT_FALSE(meetings.empty());
    for (const Meeting& m : meetings) EXPECT_LT(norm(m.point - p), 1e-9);
  }
}

TEST(CurveBox, IsTight) {
  Rng rng(7);
  for (int i = 0; i < 50; ++i) {
    const Curve c = random_arc(rng);
    const PlaneBox box = c.box();
    PlaneBox plain = PlaneBox::empty();
    constexpr int n = 4000;
    for (int k = 0; k <= n; ++k) plain.add(c.point(c.t0 + (c.t1 - c.t0) * k / n));
    // Extremes between samples are missed by a h^2 / 8.
    const double h = (c.t1 - c.t0) / n, gap = c.a * h * h;
    for (const double d : {plain.lower.x - box.lower.x, plain.lower.y - box.lower.y,
                           box.upper.x - plain.upper.x, box.upper.y - plain.upper.y}) {
      EXPECT_GT(d, -1e-14 * (2 + c.a));
      EXPECT_LT(d, gap);
    }
  }
}

TEST(CurveOrientation, DecidesWhereDoublesCancel) {
  // Points on the line y = x, one of them a single ulp off it.
  const Vec a{0.5, 0.5}, b{12, 12}, on{24, 24}, above{24, std::nextafter(24.0, 25.0)};
  EXPECT_EQ(orientation(a, b, on), 0);
  EXPECT_GT(orientation(a, b, above), 0);
  EXPECT_LT(orientation(b, a, above), 0);
}

TEST(BoxTree, FindsTheSameNearestBoxAsALoop) {
  Rng rng(8);
  std::vector<PlaneBox> boxes;
  for (int i = 0; i < 500; ++i) {
    PlaneBox box = PlaneBox::empty();
    const Vec p = random_point(rng, 1);
    box.add(p);
    box.add(p + random_point(rng, 0.05));
    boxes.push_back(box);
  }
  const BoxTree tree(boxes);
  for (int i = 0; i < 200; ++i) {
    const Vec p = random_point(rng, 1.5);
    double best = std::numeric_limits<double>::infinity(), plain = best;
    int visits = 0;
    tree.near(p, best, [&](std::uint32_t k) {
      ++visits;
      best = std::min(best, boxes[k].distance(p));
      return best;
    });
    for (const PlaneBox& box : boxes) plain = std::min(plain, box.distance(p));
    EXPECT_EQ(best, plain);
    EXPECT_LT(visits, 250);
  }
}

}  // namespace
}  // namespace cauchy::detail::test_curves
