#include <gtest/gtest.h>

#include <cmath>

#include "geometry/meshes/predicates.hpp"

namespace cauchy::test_predicates {
namespace {

TEST(Predicates, TellSidesOfALineToTheLastBit) {
  // Points within some ulp of (1/2, 1/2) and the line y = x: doubles alone give wrong signs here.
  const double q[] = {12, 12}, r[] = {24, 24}, unit = std::exp2(-53);
  int wrong = 0;
  for (int i = 0; i < 64; ++i) {
    for (int j = 0; j < 64; ++j) {
      const double p[] = {0.5 + i * unit, 0.5 + j * unit};
      const double exact = p[1] - p[0];  // exact by Sterbenz
      const double turn = detail::exact_turn(p, q, r);
      EXPECT_EQ(turn > 0, exact > 0) << i << " " << j;
      EXPECT_EQ(turn < 0, exact < 0) << i << " " << j;
      const double plain = (p[0] - r[0]) * (q[1] - r[1]) - (p[1] - r[1]) * (q[0] - r[0]);
      wrong += (plain > 0) != (exact > 0) ? 1 : 0;
    }
  }
  EXPECT_GT(wrong, 0);
}

TEST(Predicates, TellInsideAndOutsideOfACircleToTheLastBit) {
  const double a[] = {1, 0}, b[] = {0, 1}, c[] = {-1, 0};
  const double on[] = {0, -1};
  EXPECT_EQ(detail::exact_in_circle(a, b, c, on), 0);
  const double in[] = {0, std::nextafter(-1.0, 0.0)}, out[] = {0, std::nextafter(-1.0, -2.0)};
  EXPECT_GT(detail::exact_in_circle(a, b, c, in), 0);
  EXPECT_LT(detail::exact_in_circle(a, b, c, out), 0);
  // Four points of a lattice far from the origin lie on one circle.
  const double x = 1e9 + 0.5, d[] = {x, x}, e[] = {x + 1, x}, f[] = {x + 1, x + 1},
               g[] = {x, x + 1};
  EXPECT_EQ(detail::exact_in_circle(d, e, f, g), 0);
}

}  // namespace
}  // namespace cauchy::test_predicates
