#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <string>

#include <cauchy/base/error.hpp>
#include <cauchy/base/rng.hpp>
#include <cauchy/geometry/shapes/plane.hpp>

#include "support/message_of.hpp"

namespace cauchy::test_plane_combine {
namespace {

using detail::combine_plane;
using detail::transform_plane;

constexpr double pi = std::numbers::pi;
constexpr double inf = std::numeric_limits<double>::infinity();

ShapePtr operator|(const ShapePtr& a, const ShapePtr& b) {
  return combine_plane(Boolean::unite, *a, *b);
}
ShapePtr operator&(const ShapePtr& a, const ShapePtr& b) {
  return combine_plane(Boolean::intersect, *a, *b);
}
ShapePtr operator-(const ShapePtr& a, const ShapePtr& b) {
  return combine_plane(Boolean::subtract, *a, *b);
}

ShapePtr disk(double x, double y, double r) { return ellipse_shape({x, y}, r, r); }
ShapePtr box(double x0, double y0, double x1, double y1) {
  return rectangle_shape({x0, y0}, {x1, y1});
}
ShapePtr turned(const ShapePtr& s, double angle) {
  return transform_plane(*s, Affine::rotation(angle, std::array{0.0, 0.0}));
}

double boundary_length(const Shape& s) {
  double sum = 0;
  for (const Piece& p : s.pieces()) sum += p.measure;
  return sum;
}

double piece_length(const Shape& s, const std::string& name) {
  double sum = 0;
  for (const Piece& p : s.pieces()) {
    if (std::ranges::count(p.labels, name)) sum += p.measure;
  }
  return sum;
}

bool inside(const ShapePtr& s, double x, double y) {
  const double p[2] = {x, y};
  return s->contains(p);
}

double distance(const ShapePtr& s, double x, double y) {
  const double p[2] = {x, y};
  return s->distance(p);
}

#define EXPECT_MESSAGE(call, part)                                          \
  EXPECT_NE(message_of([&] { return call; }).find(part), std::string::npos) \
      << message_of([&] { return call; })

/// Areas and lengths of small closed forms: some tens of roundings of numbers of size 10.
constexpr double tiny = 1e-13;

#define EXPECT_MEASURES(shape, area, length)                    \
  do {                                                          \
    const ShapePtr s_ = shape;                                  \
    EXPECT_LT(std::abs(s_->measure() - (area)), tiny);          \
    EXPECT_LT(std::abs(boundary_length(*s_) - (length)), tiny); \
  } while (false)

TEST(PlaneCombine, LensOfTwoDisksHasTheClosedForm) {
  // Unit circles a distance d = 1 apart: each arc spans 2 acos(1/2).
  const double lens = 2 * std::acos(0.5) - 0.5 * std::sqrt(3.0), arc = 2 * std::acos(0.5);
  const ShapePtr a = disk(0, 0, 1), b = disk(1, 0, 1);
  EXPECT_MEASURES(a & b, lens, 2 * arc);
  EXPECT_MEASURES(a | b, 2 * pi - lens, 4 * pi - 2 * arc);
  EXPECT_MEASURES(a - b, pi - lens, 2 * pi);
  EXPECT_MEASURES(b - a, pi - lens, 2 * pi);
}

TEST(PlaneCombine, RectanglesOverlapTouchAndShareSides) {
  const ShapePtr a = box(0, 0, 2, 2);
  EXPECT_MEASURES(a | box(1, 1, 3, 3), 7, 12);      // overlap
  EXPECT_MEASURES(a - box(1, 1, 2, 2), 3, 8);       // L-shape: flush with a corner
  EXPECT_MEASURES(a - box(1, 1, 3, 3), 3, 8);       // the same, sticking out
  EXPECT_MEASURES(a | box(2, 0, 4, 2), 8, 12);      // a whole side in common
  EXPECT_MEASURES(a | box(2, 0.5, 3, 1.5), 5, 10);  // part of a side in common
  EXPECT_MEASURES(a | box(0, 0, 1, 2), 4, 8);       // inside, flush with three sides
  EXPECT_MEASURES(a & box(0, 0, 1, 2), 2, 6);
  EXPECT_MEASURES(a - box(0, 0, 1, 2), 2, 6);
  EXPECT_MEASURES(a - box(0.5, 0, 1, 2), 3, 11);       // cut in two
  EXPECT_MEASURES(a - box(0.5, 0.5, 1, 1), 3.75, 10);  // hole
  EXPECT_MEASURES(a - box(0.5, 0, 1, 1), 3.5, 10);     // notch flush with the lower side
  EXPECT_MEASURES(a | box(2, 2, 3, 3), 5, 12);         // one corner in common
  EXPECT_MEASURES(a | a, 4, 8);
  EXPECT_MEASURES(a & a, 4, 8);
  EXPECT_MEASURES(a - box(2, 0, 4, 2), 4, 8);  // outside, touching
}

TEST(PlaneCombine, DisksAndRectangles) {
  const ShapePtr square = box(-1, -1, 1, 1);
  EXPECT_MEASURES(square - disk(0, 0, 0.5), 4 - pi / 4, 8 + pi);
  EXPECT_MEASURES(square - disk(1, 1, 0.5), 4 - pi / 16, 8 - 1 + pi / 4);
  EXPECT_MEASURES(disk(0, 0, 2) - disk(0, 0, 1), 3 * pi, 6 * pi);
  EXPECT_MEASURES(disk(0, 0, 1) & box(-2, 0, 2, 2), pi / 2, pi + 2);
  // The inscribed circle touches all four sides.
  EXPECT_MEASURES(square - disk(0, 0, 1), 4 - pi, 8 + 2 * pi);
  EXPECT_MEASURES(square & disk(0, 0, 1), pi, 2 * pi);
  EXPECT_MEASURES(square | disk(0, 0, 1), 4, 8);
  // The circumscribed one meets the corners.
  EXPECT_MEASURES(disk(0, 0, std::sqrt(2.0)) - square, 2 * pi - 4, 8 + 2 * pi * std::sqrt(2.0));
  // Circles that touch from inside and outside.
  EXPECT_MEASURES(disk(0, 0, 1) - disk(0.5, 0, 0.5), 0.75 * pi, 3 * pi);
  EXPECT_MEASURES(disk(0, 0, 1) | disk(2, 0, 1), 2 * pi, 4 * pi);
}

TEST(PlaneCombine, SharedArcsAreKeptOnce) {
  const ShapePtr half = disk(0, 0, 1) & half_plane_shape({0, 0}, {0, -1});
  EXPECT_MEASURES(half, pi / 2, pi + 2);
  EXPECT_MEASURES(disk(0, 0, 1) - half, pi / 2, pi + 2);
  EXPECT_MEASURES(disk(0, 0, 1) | half, pi, 2 * pi);
  EXPECT_MEASURES((disk(0, 0, 1) - half) | half, pi, 2 * pi);
  EXPECT_MEASURES(sector_shape({0, 0}, 1, 0, pi / 2) | sector_shape({0, 0}, 1, pi / 2, pi), pi / 2,
                  pi + 2);
  EXPECT_MEASURES(annulus_shape({0, 0}, 1, 2) | disk(0, 0, 1), 4 * pi, 4 * pi);
  const ShapePtr tilted = turned(ellipse_shape({0, 0}, 2, 1), 0.4);
  EXPECT_MEASURES(tilted | turned(ellipse_shape({0, 0}, 1, 2), 0.4 + pi / 2), 2 * pi,
                  9.6884482205476761984);
}

TEST(PlaneCombine, EllipsesInACrossHaveTheClosedForm) {
  // Half axes 2 and 1, crossed: the overlap is four times the triangle-like part with tan t.
  const double overlap = 4 * 2 * 1 * std::atan(0.5);
  const ShapePtr a = ellipse_shape({0, 0}, 2, 1), b = ellipse_shape({0, 0}, 1, 2);
  for (const double angle : {0.0, 0.3, 1.0}) {
    const ShapePtr p = turned(a, angle), q = turned(b, angle);
    EXPECT_LT(std::abs((p & q)->measure() - overlap), tiny);
    EXPECT_LT(std::abs((p | q)->measure() - (4 * pi - overlap)), tiny);
    EXPECT_LT(std::abs((p - q)->measure() - (2 * pi - overlap)), tiny);
    const double total = 2 * 9.6884482205476761984;
    EXPECT_LT(std::abs(boundary_length(*(p & q)) + boundary_length(*(p | q)) - total), tiny);
  }
}

TEST(PlaneCombine, DistanceOfTheLShapeSeesTheInnerCorner) {
  const ShapePtr s = box(0, 0, 2, 2) - box(1, 1, 2, 2);
  EXPECT_EQ(distance(s, 0.75, 0.75), std::hypot(0.25, 0.25));
  EXPECT_EQ(distance(s, 1.5, 1.25), -0.25);
  EXPECT_EQ(distance(s, 3, 3), -std::hypot(1, 2));
  EXPECT_EQ(distance(s, 0.5, 1.75), 0.25);
  EXPECT_FALSE(inside(s, 1, 1));
  EXPECT_FALSE(inside(s, 1, 1.5));
}

TEST(PlaneCombine, PiecesKeepTheirNamesAndEmptyOnesGo) {
  const ShapePtr s = box(0, 0, 2, 1) - disk(1, 0, 0.5)->renamed("hole");
  EXPECT_LT(std::abs(piece_length(*s, "bottom") - 1), tiny);
  EXPECT_LT(std::abs(piece_length(*s, "hole_arc") - pi / 2), tiny);
  EXPECT_EQ(piece_length(*s, "hole"), piece_length(*s, "hole_arc"));
  const ShapePtr right = box(0, 0, 2, 1) & half_plane_shape({1, 0}, {-1, 0});
  EXPECT_EQ(piece_length(*right, "left"), 0);
  EXPECT_EQ(piece_length(*right, "line"), 1);
  EXPECT_EQ(right->pieces().size(), 4u);
  // Normals point out of the result, also on the boundary of what was taken away.
  const std::size_t arc = s->pieces().size() - 1;
  const double u = 0.3;
  double x[2], n[2];
  EXPECT_TRUE(s->boundary_point(arc, &u, x, n));
  EXPECT_LT(std::hypot(n[0] + 2 * (x[0] - 1), n[1] + 2 * x[1]), tiny);
}

TEST(PlaneCombine, UnboundedShapes) {
  const ShapePtr down = half_plane_shape({0, 0}, {0, 1});
  const ShapePtr s = down - disk(0, -2, 1);
  EXPECT_EQ(s->measure(), inf);
  EXPECT_EQ(s->bounds().upper[1], 0);
  EXPECT_EQ(s->bounds().lower[0], -inf);
  EXPECT_EQ(distance(s, 0, -0.75), 0.25);
  EXPECT_EQ(distance(s, 0, -1.75), -0.75);
  EXPECT_TRUE(inside(s, 100, -100));
  EXPECT_FALSE(inside(s, -100, 100));
  // A bite out of the edge leaves two rays and an arc.
  const ShapePtr bitten = down - disk(0, 0, 1);
  EXPECT_LT(std::abs(piece_length(*bitten, "arc") - pi), tiny);
  EXPECT_EQ(piece_length(*bitten, "line"), inf);
  EXPECT_FALSE(inside(bitten, 0.5, -0.5));
  EXPECT_TRUE(inside(bitten, 2, -0.5));
  EXPECT_EQ(distance(bitten, 3, 4), -4);
  EXPECT_LT(std::abs(distance(bitten, 0, 0) + 1), tiny);
  // A triangle from three half planes, a quadrant, and the plane outside a square.
  const double r = std::sqrt(0.5);
  const ShapePtr quadrant = half_plane_shape({0, 0}, {-1, 0}) & half_plane_shape({0, 0}, {0, -1});
  EXPECT_EQ(quadrant->bounds().lower[0], 0);
  EXPECT_EQ(quadrant->bounds().lower[1], 0);
  EXPECT_EQ(quadrant->bounds().upper[1], inf);
  EXPECT_EQ(quadrant->measure(), inf);
  EXPECT_TRUE(inside(quadrant, 1e6, 1));
  EXPECT_FALSE(inside(quadrant, -1, 1e6));
  EXPECT_MEASURES(quadrant & half_plane_shape({1, 0}, {r, r}), 0.5, 2 + std::sqrt(2.0));
  const ShapePtr outside = (half_plane_shape({1, 0}, {-1, 0}) | half_plane_shape({-1, 0}, {1, 0})) |
                           (half_plane_shape({0, 1}, {0, -1}) | half_plane_shape({0, -1}, {0, 1}));
  EXPECT_LT(std::abs(boundary_length(*outside) - 8), tiny);
  EXPECT_EQ(outside->measure(), inf);
  EXPECT_EQ(outside->bounds().lower[1], -inf);
  EXPECT_EQ(distance(outside, 0, 0.5), -0.5);
  EXPECT_EQ(distance(outside, 5, 0), 4);
  EXPECT_MEASURES(box(-2, -2, 2, 2) & outside, 12, 24);
  EXPECT_MEASURES(box(-2, -2, 2, 2) - outside, 4, 8);
  const ShapePtr strip = half_plane_shape({0, 1}, {0, 1}) & half_plane_shape({0, 0}, {0, -1});
  EXPECT_EQ(strip->bounds().upper[1], 1);
  EXPECT_EQ(strip->bounds().lower[1], 0);
  EXPECT_EQ(strip->bounds().lower[0], -inf);
  EXPECT_TRUE(inside(strip, 1e9, 0.5));
  EXPECT_MESSAGE(down | half_plane_shape({0, 0}, {0, -1}), "whole plane");
  EXPECT_MESSAGE(down & half_plane_shape({0, 0}, {0, -1}), "empty");
}

TEST(PlaneCombine, FarAwayHalfPlanesDoNotBlurSmallShapes) {
  const ShapePtr s = disk(0, 0, 1e-3) & half_plane_shape({0, 1e6}, {-1, 0});
  EXPECT_LT(std::abs(s->measure() / (pi / 2 * 1e-6) - 1), 1e-6);
}

TEST(PlaneCombine, EmptyResultsAreErrors) {
  const ShapePtr a = disk(0, 0, 1);
  EXPECT_MESSAGE(a & disk(5, 0, 1), "empty: the two regions do not overlap");
  EXPECT_MESSAGE(a & disk(2, 0, 1), "empty");
  EXPECT_MESSAGE(a - a, "empty: nothing is left");
  EXPECT_MESSAGE(a - disk(0, 0, 2), "empty");
  EXPECT_MESSAGE(box(0, 0, 1, 1) & box(1, 0, 2, 1), "empty");
  EXPECT_MESSAGE(box(0, 0, 1, 1) - box(0, 0, 2, 1), "empty");
  EXPECT_MESSAGE(turned(ellipse_shape({1, 2}, 3, 1), 0.7) -
                     turned(turned(ellipse_shape({1, 2}, 3, 1), 0.4), 0.3),
                 "empty");
}

TEST(PlaneCombine, SlitSquareHasBothSidesOfTheCut) {
  const std::vector<Point2> line = {{0, 0}, {1, 0}};
  const ShapePtr s = box(-1, -1, 1, 1) - slit_shape(line);
  EXPECT_MEASURES(s, 4, 10);
  EXPECT_EQ(piece_length(*s, "slit_left"), 1);
  EXPECT_EQ(piece_length(*s, "slit"), 2);
  EXPECT_EQ(distance(s, 0.5, 0.125), 0.125);
  EXPECT_EQ(distance(s, 0.5, -0.125), 0.125);
  EXPECT_EQ(distance(s, -0.25, 0), 0.25);
  EXPECT_FALSE(inside(s, 0.5, 0));
  EXPECT_FALSE(inside(s, 0, 0));
  EXPECT_TRUE(inside(s, -0.1, 0));
  for (const double side : {1.0, -1.0}) {
    const double p[2] = {0.5, 0.01 * side};
    double foot[2], n[2];
    const Nearest near = s->nearest(p, foot, n);
    EXPECT_EQ(s->pieces()[near.piece].name, side > 0 ? "slit_left" : "slit_right");
    EXPECT_EQ(n[1], -side);  // into the cut
    EXPECT_EQ(near.distance, 0.01);
  }
}

TEST(PlaneCombine, SlitsAreCutToTheRegionAndLiveOnInTheInterior) {
  const std::vector<Point2> line = {{-2, 0}, {0, 0}, {0, 2}};
  const ShapePtr square = box(-1, -1, 1, 1);
  const ShapePtr s = square - slit_shape(line);
  EXPECT_MEASURES(s, 4, 8 + 4);
  EXPECT_MEASURES(s & half_plane_shape({0, 0.5}, {0, 1}), 3, 7 + 3);
  EXPECT_MEASURES(s - disk(0, 0, 0.5), 4 - pi / 4, 8 + pi + 2);
  EXPECT_MEASURES(s | disk(0, 0, 0.5), 4, 8 + 2);      // filled where the disk is
  EXPECT_MEASURES(s | box(1, -1, 2, 1), 6, 10 + 4);    // untouched by what lies elsewhere
  EXPECT_MEASURES(box(-2, -2, 2, 2) - s, 12, 16 + 8);  // what is taken away has no slit left
  EXPECT_MEASURES(s | s, 4, 8 + 4);                    // neither copy fills it
  EXPECT_MEASURES(s & s, 4, 8 + 4);
  EXPECT_MEASURES(s - slit_shape(line), 4, 8 + 4);  // twice is once
  EXPECT_MEASURES(s - slit_shape(std::vector<Point2>{{0, -1}, {0, 1}}), 4, 8 + 6);
  EXPECT_MEASURES(square - slit_shape(std::vector<Point2>{{-1, -1}, {1, -1}}), 4, 8);
  EXPECT_MEASURES(square - slit_shape(std::vector<Point2>{{3, -1}, {3, 1}}), 4, 8);
  // A box that ends on the cut: the cut stays on the common stretch.
  EXPECT_MEASURES(s | box(-1, 0, 0, 1), 4, 8 + 4);
  // Cuts that the new boundary runs along become plain boundary.
  EXPECT_MEASURES(s - box(-1, 0, 0, 1), 3, 8);
}

TEST(PlaneCombine, SlitsAloneAreNoRegions) {
  const ShapePtr slit = slit_shape(std::vector<Point2>{{0, 0}, {1, 0}});
  EXPECT_EQ(slit->measure(), 0);
  EXPECT_FALSE(inside(slit, 0.5, 0));
  EXPECT_EQ(distance(slit, 0.5, 2), -2);
  EXPECT_MESSAGE(slit | disk(0, 0, 1), "a slit has no area");
  EXPECT_MESSAGE(disk(0, 0, 1) | slit, "subtract it");
  EXPECT_MESSAGE(disk(0, 0, 1) & slit, "a slit has no area");
  EXPECT_MESSAGE(slit - disk(0, 0, 1), "a slit has no area");
}

TEST(PlaneCombine, ReflectionOfACombinationIsTheCombinationOfReflections) {
  const Affine mirror{{-1, 0.2, 0.1, 1}, {0.3, 0.4}};
  const ShapePtr a = ellipse_shape({0, 0}, 2, 1), b = box(0, -0.5, 3, 0.5);
  const ShapePtr p = transform_plane(*(a - b), mirror);
  const ShapePtr q = transform_plane(*a, mirror) - transform_plane(*b, mirror);
  EXPECT_LT(std::abs(p->measure() - q->measure()), tiny);
  EXPECT_LT(std::abs(boundary_length(*p) - boundary_length(*q)), tiny);
  Rng rng(1);
  for (int i = 0; i < 200; ++i) {
    const double x[2] = {rng.uniform(-4, 4), rng.uniform(-4, 4)};
    EXPECT_LT(std::abs(p->distance(x) - q->distance(x)), tiny);
  }
}

TEST(PlaneCombine, CollinearSidesFarFromTheOriginMeetAtTheirEndsOnly) {
  // Directions of sides carry the rounding of their coordinates, so that the crossing of two
  // collinear ones is noise.
  Affine far = Affine::rotation(0.7, std::array{0.0, 0.0});
  far.shift = {1000, 500};
  for (int k = 0; k < 40; ++k) {
    const double x = 0.1 * k;
    const ShapePtr a = transform_plane(*box(-1, -1, x, 0), far);
    const ShapePtr b = transform_plane(*box(x, 0, x + 1.5, 1), far);
    const ShapePtr c = transform_plane(*box(x, -1, x + 0.5, 0), far);
    // Coordinates of 1000 carry roundings of 1e-13.
    EXPECT_LT(std::abs((a | b)->measure() - (x + 2.5)), 1e-11);
    EXPECT_LT(std::abs(((a | b) | c)->measure() - (x + 3)), 1e-11);
    EXPECT_LT(std::abs(boundary_length(*((a | b) | c)) - (2 * x + 9)), 1e-10);
    EXPECT_LT(std::abs((c - b)->measure() - 0.5), 1e-11);
  }
}

TEST(PlaneCombine, HalfPlanesThroughOnePointUpToRounding) {
  const ShapePtr corner = half_plane_shape({0.75, -0.75}, {1, 0}) |
                          half_plane_shape({0.75 + 1e-16, -0.75 + 2e-16}, {0, -1});
  EXPECT_TRUE(inside(corner, -1, 0.5));
  EXPECT_TRUE(inside(corner, 1, 0.5));
  EXPECT_TRUE(inside(corner, -1, -2));
  EXPECT_FALSE(inside(corner, 1, -2));
  EXPECT_EQ((corner | box(-2, 0, 0, 1.5))->pieces().size(), 2u);
}

TEST(PlaneCombine, PointsThatAreNotFiniteAreNowhere) {
  const ShapePtr s = half_plane_shape({0, 0}, {0, 1}) - disk(0, -2, 1);
  const double nan = std::nan("");
  for (const Point2 p : {Point2{nan, 0}, Point2{0, nan}, Point2{-inf, -inf}}) {
    EXPECT_FALSE(s->contains(p.data()));
    EXPECT_TRUE(std::isnan(s->distance(p.data())));
    double foot[2], n[2];
    EXPECT_TRUE(std::isnan(s->nearest(p.data(), foot, n).distance));
  }
}

TEST(PlaneCombine, ManyHolesInAPolygonOfManySides) {
  std::vector<Point2> points;
  constexpr int n = 2000;
  for (int i = 0; i < n; ++i) {
    points.push_back({4 * std::cos(2 * pi * i / n), 4 * std::sin(2 * pi * i / n)});
  }
  ShapePtr s = polygon_shape(points);
  const double whole = s->measure(), rim = boundary_length(*s);
  for (int i = 0; i < 5; ++i) {
    for (int j = 0; j < 5; ++j) s = s - disk(i - 2, j - 2, 0.25);
  }
  EXPECT_LT(std::abs(s->measure() - (whole - 25 * pi / 16)), 1e-12);
  EXPECT_LT(std::abs(boundary_length(*s) - (rim + 25 * pi / 2)), 1e-11);
  EXPECT_LT(std::abs(distance(s, 0.5, 0) - 0.25), 1e-15);
  EXPECT_EQ(s->pieces().size(), 2025u);
}

}  // namespace
}  // namespace cauchy::test_plane_combine
