#include <gtest/gtest.h>

#include <algorithm>
#include <cauchy/base/error.hpp>
#include <cauchy/base/rng.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/sampling/domain_points.hpp>
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "support/message_of.hpp"

namespace cauchy::test_domain_points {
namespace {

const Coordinate t("t"), x("x");
const Parameter R("R"), nu("nu");

const SamplerKind kinds[] = {
    SamplerKind::uniform, SamplerKind::grid,       SamplerKind::lattice,
    SamplerKind::halton,  SamplerKind::sobol,      SamplerKind::hammersley,
    SamplerKind::faure,   SamplerKind::r_sequence, SamplerKind::latin_hypercube};

struct Case {
  std::string name;
  Domain domain;
};

/// With and without a map, with time, with ranges, with shapes that vary.
std::vector<Case> cases() {
  const Region annulus = Annulus({0, 0}, 0.5, 1);
  const Region plate = Rectangle({0, 0}, {2, 1}) - Disk({0.5, 0.5}, 0.25);
  const Region ball_with_hole = Ball({0, 0, 0}, 1) - Box({0, 0, 0}, {2, 2, 2});
  return {{"interval", Interval(-1, 3)},
          {"rectangle", Rectangle({0, 0}, {3, 0.5})},
          {"disk", Disk({1, -2}, 0.5)},
          {"annulus", annulus},
          {"plate with a hole", plate},
          {"triangle", Triangle({0, 0}, {1, 0}, {0.2, 0.7})},
          {"ball without an octant", ball_with_hole},
          {"ball in 5 dimensions", Ball({0, 0, 0, 0, 0}, 2)},
          {"interval and time", Interval(x, -1, 1) * Time(t, 0, 2)},
          {"plate, time and a range", plate * Time(t, 1, 2) * Range(nu, 0.01, 0.1)},
          {"time alone", Time(t, 0, 5)},
          {"time and a range", Domain(Time(t, 0, 5)) * Range(nu, 1, 2)},
          {"disk of variable radius", Disk({0, 0}, R) * Range(R, 0.5, 2)},
          {"variable hole", (Rectangle({-3, -3}, {3, 3}) - Disk({0, 0}, R)) * Range(R, 0.5, 2)}};
}

std::vector<double> range_values(const Domain& domain, std::span<const double> row) {
  return {row.end() - static_cast<std::ptrdiff_t>(domain.ranges().size()), row.end()};
}

void expect_inside(const Domain& domain, const Points& points) {
  ASSERT_EQ(points.columns, domain.columns());
  ASSERT_EQ(points.values.size(), points.size() * points.columns.size());
  ShapePtr shape;
  std::vector<double> last;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::span<const double> row = points.row(i);
    if (const Time* time = domain.time()) {
      ASSERT_GE(row[0], time->lower);
      ASSERT_LE(row[0], time->upper);
    }
    const std::vector<double> values = range_values(domain, row);
    for (std::size_t k = 0; k < values.size(); ++k) {
      ASSERT_GE(values[k], domain.ranges()[k].lower);
      ASSERT_LE(values[k], domain.ranges()[k].upper);
    }
    if (domain.space() == nullptr) continue;
    if (!shape || values != last) shape = domain.shape(values);
    last = values;
    ASSERT_TRUE(shape->contains(&row[domain.space_column()])) << "row " << i;
  }
}

TEST(InteriorPoints, AreExactlyNAndInsideForEverySamplerAndRegion) {
  for (const Case& c : cases()) {
    for (const SamplerKind kind : kinds) {
      for (const std::size_t n : {1UL, 7UL, 100UL, 257UL}) {
        SCOPED_TRACE(c.name + ", " + std::string(sampler_name(kind)) + ", " + std::to_string(n));
        const Points points = interior_points(c.domain, n, {.kind = kind, .seed = 3});
        ASSERT_EQ(points.size(), n);
        EXPECT_TRUE(points.normals.empty());
        EXPECT_TRUE(points.weights.empty());
        expect_inside(c.domain, points);
      }
    }
  }
}

TEST(InteriorPoints, RandomisedSetsAreInsideToo) {
  const Domain domain = (Disk({0, 0}, 1) - Disk({0.5, 0}, 0.3)) * Time(t, 0, 1);
  for (const SamplerKind kind : {SamplerKind::grid, SamplerKind::lattice, SamplerKind::sobol}) {
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      const Points points =
          interior_points(domain, 100, {.kind = kind, .randomize = Randomize::shift, .seed = seed});
      ASSERT_EQ(points.size(), 100U);
      expect_inside(domain, points);
    }
  }
}

TEST(InteriorPoints, HaveTheMomentsOfTheUniformDistribution) {
  // Unit disk: E x = 0, E x^2 = 1/4 with Var x = 1/4, Var x^2 = E x^4 - 1/16 = 1/8 - 1/16. With a
  // hole of radius 1/2 (area ratio 1/4): E x^2 = (1 + 1/4) / 4, E x^4 = (1 + 1/4 + 1/16) / 8.
  struct Shape2 {
    Region region;
    double square, fourth;
  };
  const Shape2 shapes[] = {{Disk({0, 0}, 1), 0.25, 0.125},
                           {Disk({0, 0}, 1) - Disk({0, 0}, 0.5), 1.25 / 4, 1.3125 / 8}};
  constexpr std::size_t n = 20000;
  for (const Shape2& s : shapes) {
    for (const SamplerKind kind : kinds) {
      SCOPED_TRACE(std::string(sampler_name(kind)) + s.region.str());
      const Points points = interior_points(s.region, n, {.kind = kind, .seed = 11});
      double mean = 0, square = 0, mixed = 0;
      for (std::size_t i = 0; i < n; ++i) {
        const double a = points.row(i)[0], b = points.row(i)[1];
        mean += a / n;
        square += a * a / n;
        mixed += a * b / n;
      }
      // Five standard deviations of independent points; the other sets are more even than that.
      EXPECT_LT(std::abs(mean), 5 * std::sqrt(s.square / n));
      EXPECT_LT(std::abs(square - s.square), 5 * std::sqrt((s.fourth - s.square * s.square) / n));
      EXPECT_LT(std::abs(mixed), 5 * std::sqrt(s.fourth / 3 / n));  // E x^2 y^2 = E x^4 / 3
    }
  }
}

TEST(InteriorPoints, OfSobolAreMoreEvenThanRandomOnes) {
  // Sobol has errors near 1 / n instead of n^(-1/2), through the map and through rejection.
  constexpr std::size_t n = 4096;
  for (const Region& region :
       {Region(Disk({0, 0}, 1)), Disk({0, 0}, 1) - Rectangle({-0.1, -2}, {0.1, 2})}) {
    const Points points = interior_points(region, n);
    double mean = 0;
    for (std::size_t i = 0; i < n; ++i) mean += points.row(i)[1] / n;
    EXPECT_LT(std::abs(mean), 0.1 * 0.5 / std::sqrt(n));
  }
}

TEST(InteriorPoints, KeepEveryBinOfASobolNetInARectangle) {
  // 2^m points of the first two coordinates: one in each dyadic rectangle of area 2^-m, also the
  // one of the origin, whose point is moved off the corner.
  const Points points = interior_points(Rectangle({0, 0}, {2, 4}), 64);
  for (int k = 0; k <= 6; ++k) {
    std::vector<int> count(64, 0);
    for (std::size_t i = 0; i < 64; ++i) {
      const auto a = static_cast<std::size_t>(points.row(i)[0] / 2 * (1 << k));
      const auto b = static_cast<std::size_t>(points.row(i)[1] / 4 * (1 << (6 - k)));
      ++count[a * (std::size_t{1} << (6 - k)) + b];
    }
    EXPECT_EQ(count, std::vector<int>(64, 1)) << k;
  }
}

TEST(InteriorPoints, OfASequenceAreAPrefixOfMorePoints) {
  const Region region = Rectangle({0, 0}, {1, 1}) - Disk({0, 0}, 0.9);
  for (const SamplerKind kind :
       {SamplerKind::uniform, SamplerKind::sobol, SamplerKind::halton, SamplerKind::faure}) {
    const Points few = interior_points(region, 37, {.kind = kind, .seed = 5});
    const Points many = interior_points(region, 5000, {.kind = kind, .seed = 5});
    EXPECT_TRUE(std::equal(few.values.begin(), few.values.end(), many.values.begin()));
  }
}

TEST(InteriorPoints, DependOnTheSeedAndOnNothingElse) {
  const Domain domain = Disk({0, 0}, R) * Range(R, 1, 2);
  for (const SamplerKind kind : {SamplerKind::uniform, SamplerKind::latin_hypercube}) {
    const auto draw = [&](std::uint64_t seed) {
      return interior_points(domain, 50, {.kind = kind, .seed = seed}).values;
    };
    EXPECT_EQ(draw(1), draw(1));
    EXPECT_NE(draw(1), draw(2));
  }
}

TEST(InteriorPoints, OfAGridAreRegular) {
  // A square of 100: the cell centres. In a rectangle of 4 x 1 the cells are squares.
  const Points square =
      interior_points(Rectangle({0, 0}, {1, 1}), 100, {.kind = SamplerKind::grid});
  for (std::size_t i = 0; i < 100; ++i) {
    EXPECT_NEAR(square.row(i)[0], 0.1 * (static_cast<double>(i / 10) + 0.5), 1e-15);
    EXPECT_NEAR(square.row(i)[1], 0.1 * (static_cast<double>(i % 10) + 0.5), 1e-15);
  }
  const Points flat = interior_points(Rectangle({0, 0}, {4, 1}), 36, {.kind = SamplerKind::grid});
  std::map<double, int> columns;
  for (std::size_t i = 0; i < 36; ++i) ++columns[flat.row(i)[0]];
  EXPECT_EQ(columns.size(), 12U);
  // 101 points come from 11 x 10; the surplus of 9 is left out all over, at most one of each row.
  const Points thinned =
      interior_points(Rectangle({0, 0}, {1, 1}), 101, {.kind = SamplerKind::grid});
  std::map<double, int> rows;
  for (std::size_t i = 0; i < 101; ++i) ++rows[thinned.row(i)[0]];
  EXPECT_EQ(rows.size(), 11U);
  for (const auto& [at, count] : rows) EXPECT_GE(count, 9) << at;
  // In a disk the points are those of one tensor grid: few distinct coordinates on each axis.
  const Points disk = interior_points(Disk({0, 0}, 1), 400, {.kind = SamplerKind::grid});
  std::map<double, int> x_values, y_values;
  for (std::size_t i = 0; i < 400; ++i) {
    ++x_values[disk.row(i)[0]];
    ++y_values[disk.row(i)[1]];
  }
  // 400 / (pi / 4) cells are 22.6^2.
  EXPECT_LE(x_values.size(), 24U);
  EXPECT_LE(y_values.size(), 24U);
}

TEST(InteriorPoints, TakeEveryValueOfARangeWithEqualRight) {
  // The volume of the ball grows 64-fold over the range; half of the points still have R < 1.25.
  const Domain domain = Ball({0, 0, 0}, R) * Range(R, 0.5, 2);
  constexpr std::size_t n = 4096;
  const Points points = interior_points(domain, n);
  std::size_t small = 0;
  double radius = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const auto row = points.row(i);
    small += row[3] < 1.25 ? 1 : 0;
    radius += std::hypot(row[0], row[1], row[2]) / row[3] / n;
  }
  EXPECT_EQ(small, n / 2);  // a Sobol coordinate has exactly half of 2^m points below the middle
  // E |x| / R = 3/4 with variance 3/5 - 9/16 = 0.0375.
  EXPECT_LT(std::abs(radius - 0.75), 5 * std::sqrt(0.0375 / n));
}

TEST(InteriorPoints, ThatAreDrawnAgainStayUniformInTheShapeOfTheirParameter) {
  // No map: a square with a hole of radius R. The area left is 36 - pi R^2.
  const Domain domain = (Rectangle({-3, -3}, {3, 3}) - Disk({0, 0}, R)) * Range(R, 2.9, 2.9 + 1e-9);
  constexpr std::size_t n = 8000;
  const Points points = interior_points(domain, n, {.kind = SamplerKind::uniform, .seed = 8});
  double square = 0;
  for (std::size_t i = 0; i < n; ++i) square += points.row(i)[0] * points.row(i)[0] / n;
  const double r = 2.9, area = 36 - pi * r * r;
  const double exact = (108 - pi * r * r * r * r / 4) / area;  // 36 * 3 - integral over the disk
  const double fourth = (36 * 81.0 / 5 - pi * std::pow(r, 6) / 8) / area;
  EXPECT_LT(std::abs(square - exact), 5 * std::sqrt((fourth - exact * exact) / n));
}

TEST(SlicePoints, HaveTheTimeExactly) {
  const Domain domain = Disk({0, 0}, 1) * Time(t, 0.1, 2.3) * Range(nu, 1, 2);
  for (const SamplerKind kind : kinds) {
    const Points first = initial_points(domain, 40, {.kind = kind});
    ASSERT_EQ(first.size(), 40U);
    for (std::size_t i = 0; i < 40; ++i) EXPECT_EQ(first.row(i)[0], 0.1);
    expect_inside(domain, first);
    const Points later = slice_points(domain, 2.3, 40, {.kind = kind});
    for (std::size_t i = 0; i < 40; ++i) EXPECT_EQ(later.row(i)[0], 2.3);
  }
}

TEST(SlicePoints, OfTimeAloneAreOnePoint) {
  const Domain ode = Time(t, 0.5, 2);
  EXPECT_EQ(initial_points(ode, 1).values, std::vector<double>{0.5});
  EXPECT_THROW((void)initial_points(ode, 2), Error);
  const Points family = initial_points(ode * Range(nu, 1, 2), 16);
  ASSERT_EQ(family.size(), 16U);
  for (std::size_t i = 0; i < 16; ++i) EXPECT_EQ(family.row(i)[0], 0.5);
}

TEST(SlicePoints, RejectDomainsWithoutTimeAndTimesOutside) {
  EXPECT_THROW((void)initial_points(Disk({0, 0}, 1), 3), Error);
  const Domain domain = Disk({0, 0}, 1) * Time(t, 0, 1);
  EXPECT_THROW((void)slice_points(domain, 1.5, 3), Error);
  EXPECT_THROW((void)slice_points(domain, std::nan(""), 3), Error);
  EXPECT_THROW((void)initial_points(domain, 0), Error);
}

TEST(GridPoints, OfABoxAreTheTensorGridWithExactEnds) {
  const Domain domain = Interval(x, -1, 3) * Time(t, 0, 0.3) * Range(nu, 0.1, 0.7);
  const Points points = grid_points(domain, {4, 5, 3});
  ASSERT_EQ(points.size(), 60U);
  EXPECT_EQ(points.columns, (std::vector<std::string>{"t", "x", "nu"}));
  for (std::size_t p = 0; p < 60; ++p) {
    const std::size_t k[] = {p / 15, p / 3 % 5, p % 3};
    EXPECT_NEAR(points.row(p)[0], 0.1 * static_cast<double>(k[0]), 1e-15);
    EXPECT_NEAR(points.row(p)[1], static_cast<double>(k[1]) - 1, 1e-15);
    EXPECT_NEAR(points.row(p)[2], 0.1 + 0.3 * static_cast<double>(k[2]), 1e-15);
  }
  EXPECT_EQ(points.row(59)[0], 0.3);
  EXPECT_EQ(points.row(59)[1], 3);
  EXPECT_EQ(points.row(59)[2], 0.7);
}

TEST(GridPoints, HaveExactEndsForAnyNumbers) {
  Rng rng(4);
  for (int trial = 0; trial < 200; ++trial) {
    const double lower = rng.normal() * std::exp(10 * rng.normal());
    const double upper = lower + std::abs(rng.normal()) * std::exp(10 * rng.normal());
    if (!(lower < upper)) continue;
    const auto n = static_cast<std::size_t>(2 + rng.integer(100));
    const Points points = grid_points(Time(t, lower, upper), {n});
    EXPECT_EQ(points.values.front(), lower);
    EXPECT_EQ(points.values.back(), upper);
    // Where the step is above the rounding of the ends, the points ascend.
    if ((upper - lower) / static_cast<double>(n) > 1e-15 * (std::abs(lower) + std::abs(upper))) {
      EXPECT_TRUE(std::is_sorted(points.values.begin(), points.values.end()));
    }
  }
}

TEST(GridPoints, OfOtherRegionsKeepTheClosedRegion) {
  // x^2 + y^2 <= 1 on the grid of step 1/2: the axes' ends are on the boundary.
  const Points disk = grid_points(Disk({0, 0}, 1), {5, 5});
  EXPECT_EQ(disk.size(), 13U);
  // The box follows the radius: as many points for each.
  const Points disks = grid_points(Disk({0, 0}, R) * Range(R, 1, 3), {5, 5, 3});
  EXPECT_EQ(disks.size(), 39U);
}

TEST(GridPoints, RejectBadCounts) {
  const Domain domain = Interval(x, 0, 1) * Time(t, 0, 1);
  EXPECT_THROW((void)grid_points(domain, {3}), Error);
  EXPECT_THROW((void)grid_points(domain, {3, 3, 3}), Error);
  EXPECT_THROW((void)grid_points(domain, {3, 1}), Error);
  EXPECT_THROW((void)grid_points(domain, {0, 3}), Error);
  EXPECT_THROW((void)grid_points(Disk({0, 0}, 1), {2, 2}), Error);  // four corners
}

TEST(InteriorPoints, RejectBadInputWithOneClearError) {
  const auto message = [](const Domain& domain, std::size_t n, const SamplerOptions& options) {
    return message_of([&] { return interior_points(domain, n, options); });
  };
  EXPECT_NE(message(Disk({0, 0}, 1), 0, {}).find("positive"), std::string::npos);
  EXPECT_NE(message(HalfPlane({0, 0}, {1, 0}), 5, {}).find("no end in x"), std::string::npos);
  EXPECT_NE(message(HalfPlane({0, 0}, {1, 0}), 5, {}).find("intersect"), std::string::npos);
  EXPECT_NE(message(Disk({0, 0}, R), 5, {}).find("R"), std::string::npos);
  // Two corners of a box of area 1, each with 1e-8 of it.
  const Region corners = Rectangle({0, 0}, {1e-4, 1e-4}) | Rectangle({1 - 1e-4, 1 - 1e-4}, {1, 1});
  if (!corners.shape()->has_map()) {
    for (const SamplerKind kind : {SamplerKind::uniform, SamplerKind::hammersley}) {
      EXPECT_NE(message(corners, 5, {.kind = kind}).find("no volume"), std::string::npos);
    }
  }
  // Faure in this many dimensions, scrambling of a lattice: the sampler objects.
  EXPECT_NE(
      message(Disk({0, 0}, 1), 5, {.kind = SamplerKind::lattice, .randomize = Randomize::scramble}),
      "no error");
  EXPECT_NE(
      message(Disk({0, 0}, 1), 5, {.kind = SamplerKind::grid, .randomize = Randomize::scramble}),
      "no error");
}

}  // namespace
}  // namespace cauchy::test_domain_points
