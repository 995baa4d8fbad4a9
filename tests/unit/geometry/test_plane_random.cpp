#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include <cauchy/base/error.hpp>
#include <cauchy/base/rng.hpp>
#include <cauchy/geometry/shapes/plane.hpp>

// Combinations of random shapes against the set operations on memberships.

namespace cauchy::test_plane_random {
namespace {

using detail::combine_plane;
using detail::transform_plane;

constexpr double pi = std::numbers::pi;

double boundary_length(const Shape& s) {
  double sum = 0;
  for (const Piece& p : s.pieces()) sum += p.measure;
  return sum;
}

/// How the shapes of a test are laid out.
///   scattered  anywhere, at any angle: boundaries cross
///   grid       on a coarse grid at right angles: sides and arcs coincide and touch
///   moved      the same, but scaled, rotated and shifted, so that they coincide up to rounding
///   only
enum class Layout { scattered, grid, moved };

Affine frame(Layout layout) {
  Affine m = Affine::identity(2);
  if (layout != Layout::moved) return m;
  m = Affine::rotation(0.7, std::array{0.0, 0.0});
  for (double& x : m.linear) x *= 3;
  m.shift = {100, 50};
  return m;
}

Point2 random_point(Rng& rng, const Affine& m, double reach) {
  const double p[2] = {rng.uniform(-reach, reach), rng.uniform(-reach, reach)};
  Point2 q;
  m.apply(p, q.data());
  return q;
}

ShapePtr random_shape(Rng& rng, Layout layout) {
  const bool on_grid = layout != Layout::scattered;
  const auto number = [&](double low, double high) {
    const double x = rng.uniform(low, high);
    return on_grid ? std::round(4 * x) / 4 : x;
  };
  const double x = number(-1, 1), y = number(-1, 1);
  const double w = 0.25 + std::abs(number(0, 1)), h = 0.25 + std::abs(number(0, 1));
  ShapePtr s;
  switch (rng.integer(7)) {
    case 0:
      s = rectangle_shape({x, y}, {x + 2 * w, y + 2 * h});
      break;
    case 1:
      s = ellipse_shape({x, y}, w, w);
      break;
    case 2:
      s = ellipse_shape({x, y}, w, h);
      break;
    case 3:
      s = sector_shape({x, y}, 2 * w, on_grid ? 0 : 0.3, on_grid ? 1.5 * pi : 2.5);
      break;
    case 4:
      s = annulus_shape({x, y}, w / 2, w);
      break;
    case 5:
      s = polygon_shape(
          std::vector<Point2>{{x, y}, {x + 2 * w, y}, {x + w, y + h}, {x, y + 2 * h}});
      break;
    default:
      s = half_plane_shape({x, y}, {w, on_grid ? 0 : h});
  }
  const double angle = on_grid ? pi / 2 * static_cast<double>(rng.integer(4)) : rng.uniform(0, 6);
  s = transform_plane(*s, Affine::rotation(angle, std::array{0.0, 0.0}));
  return transform_plane(*s, frame(layout));
}

bool apply(Boolean op, bool a, bool b) {
  return op == Boolean::unite ? a || b : op == Boolean::intersect ? a && b : a && !b;
}

void check_random_combinations(Layout layout, std::uint64_t seed, int rounds) {
  const Affine m = frame(layout);
  Rng rng(seed);
  int done = 0;
  for (int round = 0; round < rounds; ++round) {
    ShapePtr s = random_shape(rng, layout);
    std::vector<ShapePtr> parts = {s};
    std::vector<Boolean> operations;
    const std::uint64_t n = 2 + rng.integer(3);
    for (std::uint64_t k = 0; k < n; ++k) {
      const ShapePtr b = random_shape(rng, layout);
      const Boolean op = rng.integer(2) == 0   ? Boolean::unite
                         : rng.integer(3) == 0 ? Boolean::intersect
                                               : Boolean::subtract;
      try {
        s = combine_plane(op, *s, *b);
      } catch (const Error& e) {
        const bool fair = e.message().find("empty") != std::string::npos ||
                          e.message().find("whole plane") != std::string::npos;
        EXPECT_TRUE(fair) << e.what() << " round " << round;
        continue;
      }
      parts.push_back(b);
      operations.push_back(op);
      ++done;
    }
    constexpr int points = 200;
    for (int i = 0; i < points; ++i) {
      const Point2 q = random_point(rng, m, 3);
      const double* p = q.data();
      bool expected = parts[0]->contains(p);
      double nearest = std::abs(parts[0]->distance(p));
      for (std::size_t k = 0; k < operations.size(); ++k) {
        expected = apply(operations[k], expected, parts[k + 1]->contains(p));
        nearest = std::min(nearest, std::abs(parts[k + 1]->distance(p)));
      }
      if (nearest < 1e-6) continue;
      ASSERT_EQ(s->contains(p), expected) << "round " << round << " at " << p[0] << " " << p[1];
      const double d = s->distance(p);
      ASSERT_EQ(d > 0, expected);
      // The boundary of the result is part of the boundaries of the parts.
      ASSERT_GT(std::abs(d), nearest - 1e-7) << "round " << round;
      double foot[2], normal[2];
      s->nearest(p, foot, normal);
      ASSERT_LT(std::abs(std::hypot(p[0] - foot[0], p[1] - foot[1]) - std::abs(d)), 1e-12);
    }
    if (std::isfinite(s->measure())) {
      const Bounds& b = s->bounds();
      const double area = (b.upper[0] - b.lower[0]) * (b.upper[1] - b.lower[1]);
      int hits = 0;
      for (int i = 0; i < points; ++i) {
        const double p[2] = {rng.uniform(b.lower[0], b.upper[0]),
                             rng.uniform(b.lower[1], b.upper[1])};
        hits += s->contains(p);
      }
      const double share = s->measure() / area;
      // Five standard deviations, for some hundred shapes.
      ASSERT_LT(std::abs(static_cast<double>(hits) / points - share),
                5 * std::sqrt(std::max(share * (1 - share), 1.0 / points) / points));
    }
    for (std::size_t k = 0; k < s->pieces().size(); ++k) {
      if (!std::isfinite(s->pieces()[k].measure)) continue;
      for (int i = 0; i < 3; ++i) {
        const double u = rng.uniform();
        double x[2], n2[2];
        s->boundary_point(k, &u, x, n2);
        ASSERT_LT(std::abs(s->distance(x)), 1e-12);
        constexpr double h = 1e-8;
        const double in[2] = {x[0] - h * n2[0], x[1] - h * n2[1]};
        const double out[2] = {x[0] + h * n2[0], x[1] + h * n2[1]};
        // In corners and where boundaries touch, another curve is nearer than h.
        if (std::abs(std::abs(s->distance(in)) - h) > 1e-10) continue;
        if (std::abs(std::abs(s->distance(out)) - h) > 1e-10) continue;
        ASSERT_TRUE(s->contains(in)) << "round " << round;
        ASSERT_FALSE(s->contains(out)) << "round " << round;
      }
    }
  }
  EXPECT_GT(done, rounds);
}

TEST(PlaneRandom, ScatteredShapesCombineToTheMembershipOfTheirParts) {
  check_random_combinations(Layout::scattered, 11, 150);
}

TEST(PlaneRandom, ShapesOnAGridDoToo) { check_random_combinations(Layout::grid, 12, 250); }

TEST(PlaneRandom, ShapesOnARotatedGridDoToo) { check_random_combinations(Layout::moved, 13, 250); }

TEST(PlaneRandom, SlitsStayWhereTheResultIsAroundThem) {
  Rng rng(14);
  int done = 0;
  for (int i = 0; i < 120; ++i) {
    const ShapePtr a = random_shape(rng, Layout::scattered),
                   b = random_shape(rng, Layout::scattered);
    const Affine still = Affine::identity(2);
    const Point2 from = random_point(rng, still, 1.5), to = random_point(rng, still, 1.5);
    const Boolean op = i % 3 == 0   ? Boolean::unite
                       : i % 3 == 1 ? Boolean::intersect
                                    : Boolean::subtract;
    ShapePtr s;
    try {
      const ShapePtr cut =
          combine_plane(Boolean::subtract, *a, *slit_shape(std::vector<Point2>{from, to}));
      s = combine_plane(op, *cut, *b);
    } catch (const Error&) {
      continue;  // empty
    }
    ++done;
    constexpr int n = 2000;
    int kept = 0;
    for (int k = 0; k < n; ++k) {
      const double f = (k + 0.5) / n;
      const double p[2] = {from[0] + f * (to[0] - from[0]), from[1] + f * (to[1] - from[1])};
      kept += a->contains(p) && (op == Boolean::intersect) == b->contains(p);
    }
    double left = 0, right = 0;
    for (const Piece& p : s->pieces()) {
      if (p.name == "slit_left") left += p.measure;
      if (p.name == "slit_right") right += p.measure;
    }
    const double length = std::hypot(to[0] - from[0], to[1] - from[1]);
    // At most eight ends of stretches, each off by half a step.
    EXPECT_LT(std::abs(left - length * kept / n), 4 * length / n + 1e-12) << i;
    EXPECT_LT(std::abs(left - right), 1e-13) << i;
  }
  EXPECT_GT(done, 80);
}

TEST(PlaneRandom, DeMorganHoldsForAreasAndMembership) {
  Rng rng(13);
  const ShapePtr square = rectangle_shape({-5, -5}, {5, 5});
  int done = 0;
  for (int i = 0; i < 60; ++i) {
    const ShapePtr a = random_shape(rng, i % 2 ? Layout::grid : Layout::scattered),
                   b = random_shape(rng, i % 2 ? Layout::grid : Layout::scattered);
    ShapePtr left, right;
    try {
      left = combine_plane(Boolean::subtract, *square, *combine_plane(Boolean::unite, *a, *b));
      right = combine_plane(Boolean::intersect, *combine_plane(Boolean::subtract, *square, *a),
                            *combine_plane(Boolean::subtract, *square, *b));
    } catch (const Error&) {
      continue;
    }
    ++done;
    EXPECT_LT(std::abs(left->measure() - right->measure()), 1e-10);
    EXPECT_LT(std::abs(boundary_length(*left) - boundary_length(*right)), 1e-7);
    for (int k = 0; k < 50; ++k) {
      const double p[2] = {rng.uniform(-5, 5), rng.uniform(-5, 5)};
      EXPECT_LT(std::abs(left->distance(p) - right->distance(p)), 1e-8);
    }
  }
  EXPECT_GT(done, 40);
}

}  // namespace
}  // namespace cauchy::test_plane_random
