#include <gtest/gtest.h>

#include <algorithm>
#include <cauchy/base/error.hpp>
#include <cauchy/sampling/box_points.hpp>
#include <cmath>
#include <limits>
#include <vector>

namespace cauchy {
namespace {

const Box box{{{"t", 0.0, 2.0}, {"x", -1.0, 3.0}, {"y", 5.0, 5.5}}};

/// Chi-square of counts against equal expectations.
double chi_square(const std::vector<int>& counts, std::size_t n) {
  const double expected = static_cast<double>(n) / static_cast<double>(counts.size());
  double sum = 0;
  for (const int c : counts) sum += (c - expected) * (c - expected) / expected;
  return sum;
}

std::size_t cell(const Box::Side& side, double value, std::size_t cells) {
  const double part = (value - side.lower) / (side.upper - side.lower);
  return std::min(cells - 1, static_cast<std::size_t>(part * static_cast<double>(cells)));
}

TEST(BoxPoints, UniformPointsLieInTheBoxAndAreAsManyAsAsked) {
  Rng rng(1);
  for (const std::size_t n : {1u, 7u, 1000u}) {
    const std::vector<double> points = uniform_points(box, n, rng);
    ASSERT_EQ(points.size(), 3 * n);
    for (std::size_t i = 0; i < points.size(); ++i) {
      EXPECT_GE(points[i], box.sides[i % 3].lower);
      EXPECT_LE(points[i], box.sides[i % 3].upper);
    }
  }
}

TEST(BoxPoints, UniformPointsFillEveryPairOfSidesEvenly) {
  Rng rng(2);
  const std::size_t n = 20000;
  const std::vector<double> points = uniform_points(box, n, rng);
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3;
    std::vector<int> counts(100, 0);
    for (std::size_t p = 0; p < n; ++p) {
      ++counts[10 * cell(box.sides[i], points[3 * p + i], 10) +
               cell(box.sides[j], points[3 * p + j], 10)];
    }
    // 99 degrees of freedom: mean 99, deviation 14.1; more than 5 deviations above, or as far
    // below as a grid would be, is not chance.
    EXPECT_LT(chi_square(counts, n), 170) << i;
    EXPECT_GT(chi_square(counts, n), 45) << i;
  }
}

TEST(BoxPoints, TheSameGeneratorGivesTheSamePointsAndGoesOn) {
  Rng a(3), b(3);
  const auto first = uniform_points(box, 10, a);
  EXPECT_EQ(first, uniform_points(box, 10, b));
  EXPECT_NE(first, uniform_points(box, 10, a));
}

TEST(BoxPoints, FacePointsHaveTheExactValueOfTheFaceAndAreUniformOnIt) {
  const std::size_t n = 5000;
  for (std::size_t side = 0; side < 3; ++side) {
    for (const bool upper : {false, true}) {
      Rng rng(4 + side);
      const std::vector<double> points = face_points(box, side, upper, n, rng);
      ASSERT_EQ(points.size(), 3 * n);
      std::vector<std::vector<int>> counts(3, std::vector<int>(20, 0));
      for (std::size_t p = 0; p < n; ++p) {
        EXPECT_EQ(points[3 * p + side], upper ? box.sides[side].upper : box.sides[side].lower);
        for (std::size_t i = 0; i < 3; ++i) ++counts[i][cell(box.sides[i], points[3 * p + i], 20)];
      }
      for (std::size_t i = 0; i < 3; ++i) {
        // 19 degrees of freedom: mean 19, deviation 6.2; the tail is longer than a normal one.
        if (i != side) {
          EXPECT_LT(chi_square(counts[i], n), 60) << side << i;
        }
      }
    }
  }
}

TEST(BoxPoints, GridRunsFastestOverTheLastSide) {
  const std::vector<double> points = grid_points({{{"x", 0.0, 1.0}, {"y", -2.0, 2.0}}}, {2, 3});
  EXPECT_EQ(points, (std::vector<double>{0, -2, 0, 0, 0, 2, 1, -2, 1, 0, 1, 2}));
}

TEST(BoxPoints, GridHasExactEndsAndEqualSteps) {
  Rng rng(5);
  for (int trial = 0; trial < 200; ++trial) {
    const double lower = rng.uniform(-1, 1), upper = lower + rng.uniform(0.1, 3);
    const std::size_t n = 2 + rng.integer(200);
    const std::vector<double> x = grid_points({{{"x", lower, upper}}}, {n});
    ASSERT_EQ(x.size(), n);
    EXPECT_EQ(x.front(), lower);
    EXPECT_EQ(x.back(), upper);
    const double step = (upper - lower) / static_cast<double>(n - 1);
    for (std::size_t k = 0; k < n; ++k) {
      // Five roundings of numbers up to 4.
      const double expected = lower + step * static_cast<double>(k);
      EXPECT_LT(std::abs(x[k] - expected), 4 * 5 * 2.2e-16);
    }
  }
}

TEST(BoxPoints, GridOfThreeSidesHasEveryCombinationOnce) {
  const std::vector<double> points = grid_points(box, {3, 4, 5});
  ASSERT_EQ(points.size(), 3u * 60u);
  for (std::size_t p = 0; p < 60; ++p) {
    const std::size_t k[] = {p / 20, p / 5 % 4, p % 5};
    const double counts[] = {2, 3, 4};
    for (std::size_t i = 0; i < 3; ++i) {
      const Box::Side& s = box.sides[i];
      const double expected = s.lower + (s.upper - s.lower) * static_cast<double>(k[i]) / counts[i];
      EXPECT_LT(std::abs(points[3 * p + i] - expected), 6 * 5 * 2.2e-16);
    }
  }
}

TEST(BoxPoints, RefuseBoxesAndCountsThatMakeNoSense) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Box bad[] = {{},
                     {{{"x", 1.0, 1.0}}},
                     {{{"x", 2.0, 1.0}}},
                     {{{"x", 0.0, infinity}}},
                     {{{"x", -infinity, 0.0}}},
                     {{{"x", 0.0, std::nan("")}}}};
  Rng rng(1);
  for (const Box& b : bad) {
    EXPECT_THROW((void)uniform_points(b, 3, rng), Error);
    EXPECT_THROW((void)face_points(b, 0, true, 3, rng), Error);
    EXPECT_THROW((void)grid_points(b, std::vector<std::size_t>(b.sides.size(), 3)), Error);
  }
  EXPECT_THROW((void)uniform_points(box, 0, rng), Error);
  EXPECT_THROW((void)face_points(box, 0, true, 0, rng), Error);
  EXPECT_THROW((void)face_points(box, 3, true, 5, rng), Error);
  EXPECT_THROW((void)grid_points(box, {3, 3}), Error);
  EXPECT_THROW((void)grid_points(box, {3, 3, 3, 3}), Error);
  EXPECT_THROW((void)grid_points(box, {3, 1, 3}), Error);
  try {
    (void)grid_points(box, {3, 0, 3});
    FAIL() << "a count of 0 was accepted";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("side 'x'"), std::string::npos);
  }
}

}  // namespace
}  // namespace cauchy
