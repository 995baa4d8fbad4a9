#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include <cauchy/base/error.hpp>

#include "support/solid_cases.hpp"

namespace cauchy::test_solid_combine {
namespace {

using namespace solid_test;
using std::numbers::pi;

ShapePtr ball(Point3 center, double radius) { return ball_shape(center, radius); }
ShapePtr box(Point3 lower, Point3 upper) { return box_shape(lower, upper); }

std::size_t index_of(const Shape& s, const std::string& name) {
  for (std::size_t k = 0; k < s.pieces().size(); ++k) {
    if (s.pieces()[k].name == name) return k;
  }
  ADD_FAILURE() << "no piece " << name;
  return 0;
}

/// Area of a piece: its carrier times the share of points that are kept, with n^2 midpoints.
double kept_area(const Shape& s, std::size_t piece, std::size_t n) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < n * n; ++i) {
    const double u[2] = {(static_cast<double>(i / n) + 0.5) / static_cast<double>(n),
                         (static_cast<double>(i % n) + 0.5) / static_cast<double>(n)};
    Point3 x{}, normal{};
    kept += s.boundary_point(piece, u, x.data(), normal.data()) ? 1 : 0;
  }
  return s.pieces()[piece].carrier_measure * static_cast<double>(kept) / static_cast<double>(n * n);
}

TEST(SolidCombine, VolumesOfLensAndNapkinRing) {
  // Two balls of radius 1 with centres a distance 1 apart: pi (4 + 1) (2 - 1)^2 / 12.
  const ShapePtr lens = combine(Boolean::intersect, ball({0, 0, 0}, 1), ball({1, 0, 0}, 1));
  Estimate e = monte_carlo_volume(*lens, 20000, 1);
  EXPECT_LT(std::abs(e.value - 5 * pi / 12), 4 * e.deviation);
  EXPECT_GT(lens->bounds().lower[0], -1e-15);
  EXPECT_LT(lens->bounds().upper[0], 1 + 1e-15);
  const ShapePtr both = combine(Boolean::unite, ball({0, 0, 0}, 1), ball({1, 0, 0}, 1));
  e = monte_carlo_volume(*both, 20000, 2);
  EXPECT_LT(std::abs(e.value - (8 * pi / 3 - 5 * pi / 12)), 4 * e.deviation);
  // A drilled ball of remaining height h has volume pi h^3 / 6 whatever its radius.
  const double h = 1.6, radius = std::sqrt(1 - 0.64);
  const ShapePtr ring =
      combine(Boolean::subtract, ball({0, 0, 0}, 1), cylinder_shape({0, 0, -2}, {0, 0, 2}, radius));
  e = monte_carlo_volume(*ring, 20000, 3);
  EXPECT_LT(std::abs(e.value - pi * h * h * h / 6), 4 * e.deviation);
  // Its inner wall has area 2 pi r h, its outer zone 2 pi R h; bottom and top of the drill are
  // gone.
  ASSERT_EQ(ring->pieces().size(), 2u);
  EXPECT_TRUE(std::isnan(ring->measure()));
  EXPECT_TRUE(std::isnan(ring->pieces()[0].measure));
  // Midpoints 1/200 apart in the height: the ends are found to half of that.
  EXPECT_LT(std::abs(kept_area(*ring, 0, 200) - 2 * pi * h), 2 * pi * 2 / 200);
  EXPECT_LT(std::abs(kept_area(*ring, 1, 200) - 2 * pi * radius * h), 2 * pi * radius * 4 / 200);
}

TEST(SolidCombine, NormalsOfASubtractedPieceTurnRound) {
  const ShapePtr ring =
      combine(Boolean::subtract, ball({0, 0, 0}, 1), cylinder_shape({0, 0, -2}, {0, 0, 2}, 0.5));
  Rng rng(4);
  int kept = 0;
  for (int k = 0; k < 400; ++k) {
    const std::size_t piece = k % 2;
    const auto u = random_unit(2, rng);
    std::vector<double> x(3), n(3), foot(3), normal(3);
    if (!ring->boundary_point(piece, u.data(), x.data(), n.data())) continue;
    ++kept;
    EXPECT_LT(std::abs(ring->distance(x.data())), 1e-14);
    EXPECT_TRUE(ring->contains(moved(x, n, -1e-7).data()));
    EXPECT_FALSE(ring->contains(moved(x, n, 1e-7).data()));
    const Nearest near = ring->nearest(moved(x, n, -1e-7).data(), foot.data(), normal.data());
    EXPECT_EQ(near.piece, piece);
    EXPECT_LT(separation(n, normal), 1e-6);
  }
  EXPECT_GT(kept, 200);
}

TEST(SolidCombine, DistanceIsABoundWithTheRightSign) {
  const ShapePtr a = box({-1, -1, -1}, {1, 1, 1}), b = ball({0.8, 0.8, 0.8}, 0.9);
  const ShapePtr c = torus_shape({-0.5, 0, 0}, {0, 0, 1}, 0.8, 0.3);
  for (const Boolean operation : {Boolean::unite, Boolean::intersect, Boolean::subtract}) {
    const ShapePtr s = combine(Boolean::unite, combine(operation, a, b), c);
    EXPECT_FALSE(s->is_exact());
    Rng rng(6);
    std::vector<std::vector<double>> surface;
    for (int k = 0; k < 3000; ++k) {
      const auto u = random_unit(2, rng);
      std::vector<double> x(3), n(3);
      if (s->boundary_point(rng.integer(s->pieces().size()), u.data(), x.data(), n.data())) {
        surface.push_back(x);
      }
    }
    ASSERT_GT(surface.size(), 1000u);
    int exact = 0;
    for (int k = 0; k < 200; ++k) {
      const auto p = random_point(*s, rng, 0.3);
      const bool in_a = a->contains(p.data()), in_b = b->contains(p.data());
      const bool in = c->contains(p.data()) || (operation == Boolean::unite       ? in_a || in_b
                                                : operation == Boolean::intersect ? in_a && in_b
                                                                                  : in_a && !in_b);
      const double distance = s->distance(p.data());
      EXPECT_EQ(distance > 0, in);
      EXPECT_EQ(s->contains(p.data()), in);
      double nearest = INFINITY;
      for (const auto& q : surface) nearest = std::min(nearest, separation(p, q));
      EXPECT_GT(nearest, std::abs(distance) - 1e-12);
      std::vector<double> foot(3), normal(3);
      EXPECT_EQ(s->nearest(p.data(), foot.data(), normal.data()).distance, distance);
      if (distance_is_exact_at(*s, p.data())) {
        ++exact;
        // About 3000 points on an area of 40 leave no hole wider than 0.4.
        EXPECT_LT(nearest, std::abs(distance) + 0.4);
        EXPECT_LT(std::abs(s->distance(foot.data())), 1e-12);
      }
    }
    EXPECT_GT(exact, 80);
  }
}

TEST(SolidCombine, ProvesExactnessOnlyWhereItHolds) {
  const auto proven = [](const ShapePtr& s, Point3 x) {
    return distance_is_exact_at(*s, x.data());
  };
  const ShapePtr a = box({0, 0, 0}, {1, 1, 1}), b = box({0.5, 0.5, 0}, {2, 2, 1});
  const ShapePtr common = combine(Boolean::intersect, a, b);  // [0.5, 1]^2 x [0, 1]
  EXPECT_TRUE(proven(common, {0.7, 0.8, 0.5}));               // inside: always
  EXPECT_TRUE(proven(common, {0.8, 1.3, 0.5}));
  EXPECT_FALSE(proven(common, {1.3, 0.2, 0.5}));  // the true foot is the edge x = 1, y = 0.5
  const Point3 off = {1.3, 0.2, 0.5};
  EXPECT_LT(std::abs(common->distance(off.data())), std::hypot(0.3, 0.3));
  const ShapePtr both = combine(Boolean::unite, a, b);
  EXPECT_TRUE(proven(both, {-1, -1, 3}));         // outside: always
  EXPECT_FALSE(proven(both, {0.75, 0.75, 0.5}));  // deep in the overlap
  EXPECT_TRUE(proven(both, {0.1, 0.1, 0.5}));
  // Two boxes with a face in common: their common face is no boundary.
  const ShapePtr joined = combine(Boolean::unite, a, box({1, 0, 0}, {2, 1, 1}));
  EXPECT_FALSE(proven(joined, {0.9, 0.5, 0.5}));
  EXPECT_TRUE(proven(joined, {0.2, 0.5, 0.5}));
  EXPECT_TRUE(proven(a, {5, 5, 5}));
}

TEST(SolidCombine, CoincidentFacesAreKeptOnce) {
  // A unit box united with one on its right, flush in front: the shared face is gone, and so are
  // the right of the first and the left of the second.
  const ShapePtr a = box({0, 0, 0}, {1, 1, 1});
  const ShapePtr joined = combine(Boolean::unite, a, box({1, 0, 0}, {2, 1, 1})->renamed("b"));
  EXPECT_DOUBLE_EQ(joined->measure(), 2);
  double total = 0;
  for (std::size_t k = 0; k < joined->pieces().size(); ++k) total += kept_area(*joined, k, 20);
  EXPECT_NEAR(total, 10, 1e-12);
  EXPECT_EQ(kept_area(*joined, index_of(*joined, "right"), 20), 0);
  EXPECT_EQ(kept_area(*joined, index_of(*joined, "b_left"), 20), 0);
  // Overlapping with flush faces: [0, 1] and [0.5, 1.5]; faces in common count once.
  const ShapePtr overlap = combine(Boolean::unite, a, box({0.5, 0, 0}, {1.5, 1, 1})->renamed("b"));
  total = 0;
  for (std::size_t k = 0; k < overlap->pieces().size(); ++k) total += kept_area(*overlap, k, 20);
  EXPECT_NEAR(total, 2 + 4 * 1.5, 1e-12);
  const ShapePtr half = combine(Boolean::intersect, a, box({0.5, 0, 0}, {1.5, 1, 1})->renamed("b"));
  total = 0;
  for (std::size_t k = 0; k < half->pieces().size(); ++k) total += kept_area(*half, k, 20);
  EXPECT_NEAR(total, 2 + 4 * 0.5, 1e-12);
  const ShapePtr rest = combine(Boolean::subtract, a, box({0.5, 0, 0}, {1.5, 1, 1})->renamed("b"));
  total = 0;
  for (std::size_t k = 0; k < rest->pieces().size(); ++k) total += kept_area(*rest, k, 20);
  EXPECT_NEAR(total, 2 + 4 * 0.5, 1e-12);
  // The same box twice.
  const ShapePtr same = combine(Boolean::unite, a, box({0, 0, 0}, {1, 1, 1})->renamed("b"));
  total = 0;
  for (std::size_t k = 0; k < same->pieces().size(); ++k) total += kept_area(*same, k, 10);
  EXPECT_NEAR(total, 6, 1e-12);
  // Curved: a cylinder over half of another one of the same radius.
  const ShapePtr pipe = combine(Boolean::unite, cylinder_shape({0, 0, 0}, {0, 0, 2}, 1),
                                cylinder_shape({0, 0, 1}, {0, 0, 3}, 1)->renamed("b"));
  total = 0;
  for (std::size_t k = 0; k < pipe->pieces().size(); ++k) total += kept_area(*pipe, k, 20);
  EXPECT_NEAR(total, 2 * pi * 3 + 2 * pi, 1e-10);
}

TEST(SolidCombine, WholeAndLostPiecesAreKnown) {
  // A hole strictly inside: everything is on the boundary, measures are closed forms.
  const ShapePtr hollow = combine(Boolean::subtract, box({-1, -1, -1}, {1, 1, 1}),
                                  ball({0.2, 0, 0}, 0.5)->renamed("hole"));
  EXPECT_DOUBLE_EQ(hollow->measure(), 8 - pi / 6);
  ASSERT_EQ(hollow->pieces().size(), 7u);
  EXPECT_DOUBLE_EQ(hollow->pieces()[6].measure, pi);
  EXPECT_EQ(hollow->pieces()[6].name, "hole_sphere");
  EXPECT_EQ(hollow->pieces()[6].labels, (std::vector<std::string>{"hole_sphere", "hole"}));
  EXPECT_DOUBLE_EQ(hollow->pieces()[0].measure, 4);
  // A ball that cuts one face: the other five are whole.
  const ShapePtr bitten =
      combine(Boolean::subtract, box({-1, -1, -1}, {1, 1, 1}), ball({1, 0, 0}, 0.5));
  ASSERT_EQ(bitten->pieces().size(), 7u);
  for (std::size_t k = 0; k < 7; ++k) {
    const bool cut = k == 1 || k == 6;
    EXPECT_EQ(std::isnan(bitten->pieces()[k].measure), cut) << k;
  }
  // Lost: a face of the small box inside the large one.
  const ShapePtr knob = combine(Boolean::unite, box({-1, -1, -1}, {1, 1, 1}),
                                box({0.5, -0.5, -0.5}, {2, 0.5, 0.5})->renamed("knob"));
  EXPECT_EQ(knob->pieces().size(), 11u);
  for (const Piece& p : knob->pieces()) EXPECT_NE(p.name, "knob_left");
  // Apart and nested.
  const ShapePtr apart = combine(Boolean::unite, ball({0, 0, 0}, 1), ball({1.5, 1.5, 0}, 1));
  EXPECT_DOUBLE_EQ(apart->measure(), 8 * pi / 3);
  const ShapePtr large = ball({0, 0, 0}, 1), small = ball({0.2, 0, 0}, 0.3);
  EXPECT_EQ(combine(Boolean::unite, large, small), large);
  EXPECT_EQ(combine(Boolean::intersect, large, small), small);
  EXPECT_EQ(combine(Boolean::subtract, large, ball({5, 0, 0}, 1)), large);
  EXPECT_EQ(combine(Boolean::unite, large, large), large);
}

TEST(SolidCombine, TransformationsActOnTheOperands) {
  const ShapePtr ring =
      combine(Boolean::subtract, ball({0, 0, 0}, 1), cylinder_shape({0, 0, -2}, {0, 0, 2}, 0.5))
          ->renamed("ring");
  Affine a = Affine::rotation(Point3{1, 1, 0}, 0.5, Point3{});
  for (double& v : a.linear) v *= 2;
  a.shift = {1, 2, 3};
  const ShapePtr image = transform(ring, a);
  EXPECT_EQ(image->pieces()[1].name, "ring_side");
  Rng rng(8);
  for (int k = 0; k < 200; ++k) {
    const auto x = random_point(*ring, rng, 0.2);
    std::vector<double> y(3);
    a.apply(x.data(), y.data());
    EXPECT_LT(std::abs(image->distance(y.data()) - 2 * ring->distance(x.data())), 1e-13 * 10);
    EXPECT_EQ(distance_is_exact_at(*image, y.data()), distance_is_exact_at(*ring, x.data()));
  }
  // Boxes under uneven stretches stay boxes, so this stays sharp.
  const ShapePtr frame = combine(Boolean::subtract, box({-1, -1, -1}, {1, 1, 1}),
                                 box({-0.5, -0.5, -2}, {0.5, 0.5, 2}));
  const ShapePtr wide = transform(frame, Affine::scaling(Point3{3, 1, 1}, Point3{}));
  const Point3 x = {2.5, 0, 0};
  EXPECT_DOUBLE_EQ(wide->distance(x.data()), 0.5);
  EXPECT_TRUE(distance_is_exact_at(*wide, x.data()));
}

TEST(SolidCombine, EmptyResultsAreErrors) {
  const auto message = [](Boolean operation, const ShapePtr& a, const ShapePtr& b) {
    try {
      (void)combine(operation, a, b);
    } catch (const Error& e) {
      return e.message();
    }
    return std::string("none");
  };
  EXPECT_EQ(message(Boolean::intersect, ball({0, 0, 0}, 1), ball({3, 0, 0}, 1)),
            "the intersection is empty: the regions do not meet");
  // Bounds that overlap while the balls do not.
  EXPECT_EQ(message(Boolean::intersect, ball({0, 0, 0}, 1), ball({1.5, 1.5, 0}, 1)),
            "the intersection is empty: the regions do not meet");
  EXPECT_EQ(message(Boolean::intersect, box({0, 0, 0}, {1, 1, 1}), box({1, 0, 0}, {2, 1, 1})),
            "the intersection is empty: the regions do not meet");
  EXPECT_EQ(message(Boolean::subtract, ball({0, 0, 0}, 0.4), box({-1, -1, -1}, {1, 1, 1})),
            "nothing is left of the region: the subtracted region contains it");
  const ShapePtr a = ball({0, 0, 0}, 1);
  EXPECT_EQ(message(Boolean::subtract, a, a),
            "nothing is left of the region: the subtracted region contains it");
  const std::vector<double> c4(4, 0.0);
  EXPECT_THROW((void)combine(Boolean::unite, a, ball_shape(c4, 1)), Error);
}

}  // namespace
}  // namespace cauchy::test_solid_combine
