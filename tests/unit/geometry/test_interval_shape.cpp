#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include <cauchy/base/error.hpp>
#include <cauchy/base/rng.hpp>
#include <cauchy/geometry/shapes/interval.hpp>

#include "support/message_of.hpp"

namespace cauchy::test_interval_shape {
namespace {

using detail::combine_intervals;
using detail::transform_intervals;

double distance(const Shape& s, double x) { return s.distance(&x); }

TEST(IntervalShape, HasExactDistanceNormalsAndMeasure) {
  const ShapePtr s = interval_shape(-1, 3);
  EXPECT_EQ(s->dimension(), 1u);
  EXPECT_EQ(s->measure(), 4);
  EXPECT_EQ(distance(*s, 0), 1);
  EXPECT_EQ(distance(*s, 2.5), 0.5);
  EXPECT_EQ(distance(*s, 5), -2);
  EXPECT_EQ(distance(*s, -4), -3);
  EXPECT_EQ(distance(*s, 3), 0);
  double x = 2, foot = 0, normal = 0;
  EXPECT_EQ(s->nearest(&x, &foot, &normal).piece, 1u);
  EXPECT_EQ(foot, 3);
  EXPECT_EQ(normal, 1);
  x = -7;
  EXPECT_EQ(s->nearest(&x, &foot, &normal).piece, 0u);
  EXPECT_EQ(normal, -1);
  EXPECT_FALSE(s->contains(&foot));
}

TEST(IntervalShape, NamesItsEndsLeftAndRight) {
  const ShapePtr s = interval_shape(0, 1);
  ASSERT_EQ(s->pieces().size(), 2u);
  EXPECT_EQ(s->pieces()[0].name, "left");
  EXPECT_EQ(s->pieces()[1].name, "right");
  EXPECT_EQ(s->pieces()[0].measure, 1);
  double x = 0, normal = 0;
  EXPECT_TRUE(s->boundary_point(1, nullptr, &x, &normal));
  EXPECT_EQ(x, 1);
  EXPECT_EQ(normal, 1);
}

TEST(IntervalShape, CombinesToAListOfIntervals) {
  const ShapePtr a = interval_shape(0, 4), hole = interval_shape(1, 2);
  const ShapePtr s = combine_intervals(Boolean::subtract, *a, *hole);
  EXPECT_EQ(s->measure(), 3);
  ASSERT_EQ(s->pieces().size(), 4u);
  // The ends of the hole keep their names: its left end is the right end of (0, 1).
  const char* names[4] = {"left", "left", "right", "right"};
  const double normals[4] = {-1, 1, -1, 1}, points[4] = {0, 1, 2, 4};
  for (std::size_t i = 0; i < 4; ++i) {
    double x = 0, n = 0;
    s->boundary_point(i, nullptr, &x, &n);
    EXPECT_EQ(s->pieces()[i].name, names[i]);
    EXPECT_EQ(x, points[i]);
    EXPECT_EQ(n, normals[i]);
  }
  EXPECT_EQ(distance(*s, 1.25), -0.25);
  EXPECT_EQ(distance(*s, 2.25), 0.25);
}

TEST(IntervalShape, UnionOfTouchingIntervalsIsOneInterval) {
  const ShapePtr s =
      combine_intervals(Boolean::unite, *interval_shape(0, 1), *interval_shape(1, 2));
  EXPECT_EQ(s->pieces().size(), 2u);
  EXPECT_EQ(s->measure(), 2);
  EXPECT_EQ(distance(*s, 1), 1);
}

TEST(IntervalShape, MembershipOfCombinationsIsThatOfTheParts) {
  Rng rng(1);
  const Boolean operations[3] = {Boolean::unite, Boolean::intersect, Boolean::subtract};
  int combined = 0;
  for (int i = 0; i < 300; ++i) {
    ShapePtr s = interval_shape(-1, 1);
    std::vector<std::pair<ShapePtr, Boolean>> steps;
    for (int k = 0; k < 4; ++k) {
      const double l = rng.uniform(-2, 2);
      const ShapePtr b = interval_shape(l, l + rng.uniform(0.1, 2));
      const Boolean op = operations[rng.integer(3)];
      try {
        s = combine_intervals(op, *s, *b);
      } catch (const Error&) {
        continue;  // empty
      }
      steps.emplace_back(b, op);
      ++combined;
    }
    double brute = 0;
    constexpr int n = 400;
    for (int k = 0; k < n; ++k) {
      const double x = -4 + 8 * (k + 0.5) / n;
      bool inside = std::abs(x) < 1;
      for (const auto& [b, op] : steps) {
        const bool in = b->contains(&x);
        inside = op == Boolean::unite       ? inside || in
                 : op == Boolean::intersect ? inside && in
                                            : inside && !in;
      }
      EXPECT_EQ(s->contains(&x), inside);
      brute += inside ? 8.0 / n : 0;
    }
    // Each end is off by at most one cell.
    EXPECT_LT(std::abs(brute - s->measure()), 8.0 / n * static_cast<double>(s->pieces().size()));
  }
  EXPECT_GT(combined, 600);
}

TEST(IntervalShape, MapKeepsLengths) {
  const ShapePtr s =
      combine_intervals(Boolean::unite, *interval_shape(0, 1), *interval_shape(2, 5));
  ASSERT_TRUE(s->has_map());
  double u = 0.125, x = 0;
  s->map(&u, &x);
  EXPECT_EQ(x, 0.5);
  u = 0.5;
  s->map(&u, &x);
  EXPECT_EQ(x, 3);
  u = 1;
  s->map(&u, &x);
  EXPECT_EQ(x, 5);
}

TEST(IntervalShape, ReflectionKeepsTheNamesOfThePoints) {
  const ShapePtr s = transform_intervals(*interval_shape(1, 2), Affine{{-2}, {1}});
  EXPECT_EQ(s->bounds().lower[0], -3);
  EXPECT_EQ(s->bounds().upper[0], -1);
  EXPECT_EQ(s->pieces()[0].name, "right");
  double x = 0, n = 0;
  s->boundary_point(0, nullptr, &x, &n);
  EXPECT_EQ(x, -3);
  EXPECT_EQ(n, -1);
}

TEST(IntervalShape, RefusesBadInput) {
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_NE(message_of([] { return interval_shape(1, 1); }).find("lower < upper"),
            std::string::npos);
  EXPECT_NE(message_of([] { return interval_shape(2, 1); }).find("got 2 and 1"), std::string::npos);
  EXPECT_NE(message_of([&] { return interval_shape(0, inf); }).find("finite"), std::string::npos);
  EXPECT_NE(message_of([&] { return interval_shape(std::nan(""), 1); }).find("finite"),
            std::string::npos);
  const ShapePtr a = interval_shape(0, 1), b = interval_shape(2, 3);
  EXPECT_NE(message_of([&] { return combine_intervals(Boolean::intersect, *a, *b); }).find("empty"),
            std::string::npos);
  EXPECT_NE(message_of([&] { return combine_intervals(Boolean::subtract, *a, *a); }).find("empty"),
            std::string::npos);
  EXPECT_NE(message_of([&] {
              return transform_intervals(*a, Affine{{0}, {1}});
            }).find("scale factor"),
            std::string::npos);
  EXPECT_NE(
      message_of([&] { return a->boundary_point(2, nullptr, nullptr, nullptr); }).find("piece 2"),
      std::string::npos);
}

}  // namespace
}  // namespace cauchy::test_interval_shape
