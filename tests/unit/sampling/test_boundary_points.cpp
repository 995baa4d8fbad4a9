#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/sampling/domain_points.hpp>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "support/message_of.hpp"

namespace cauchy::test_boundary_points {
namespace {

const Coordinate t("t"), x("x"), y("y");
const Parameter R("R"), nu("nu");

const SamplerKind kinds[] = {
    SamplerKind::uniform, SamplerKind::grid,       SamplerKind::lattice,
    SamplerKind::halton,  SamplerKind::sobol,      SamplerKind::hammersley,
    SamplerKind::faure,   SamplerKind::r_sequence, SamplerKind::latin_hypercube};

/// Points on the boundary to rounding, unit normals that lead outside.
void expect_on_boundary(const Domain& domain, const Points& points, double size) {
  const std::size_t d = domain.space()->dimension(), x0 = domain.space_column();
  ASSERT_EQ(points.columns, domain.columns());
  ASSERT_EQ(points.normals.size(), points.size() * d);
  ASSERT_EQ(points.piece.size(), points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::span<const double> row = points.row(i);
    const std::vector<double> ranges(
        row.end() - static_cast<std::ptrdiff_t>(domain.ranges().size()), row.end());
    const ShapePtr shape = domain.shape(ranges);
    const double* normal = &points.normals[i * d];
    // A point of a circle is off by a few roundings of its size; so is the length of a normal.
    ASSERT_LT(std::abs(shape->distance(&row[x0])), 1e-13 * size);
    double length = 0;
    std::vector<double> out(d);
    for (std::size_t k = 0; k < d; ++k) length += normal[k] * normal[k];
    ASSERT_LT(std::abs(length - 1), 1e-13);
    // Away from corners a small step along the normal leaves by its length.
    const double step = 1e-6 * size;
    for (std::size_t k = 0; k < d; ++k) out[k] = row[x0 + k] + step * normal[k];
    ASSERT_LT(shape->distance(out.data()), -0.99 * step);
    ASSERT_LT(points.piece[i], points.pieces.size());
  }
}

TEST(BoundaryPoints, LieOnTheBoundaryWithOutwardUnitNormalsForEverySampler) {
  const struct {
    Domain domain;
    double size;
  } cases[] = {{Interval(x, -1, 2), 3},
               {Rectangle({0, 0}, {2, 1}), 2},
               {Disk({1, 1}, 2), 4},
               {Annulus({0, 0}, 0.5, 1), 2},
               {Triangle({0, 0}, {1, 0}, {0.2, 0.7}), 1},
               {Box({0, 0, 0}, {1, 2, 3}), 3},
               {Ball({0, 0, 0}, 1.5), 3},
               {Interval(x, -1, 2) * Time(t, 0, 1), 3},
               {Disk({1, 1}, 2) * Time(t, 0, 1) * Range(nu, 1, 2), 4},
               {Disk({0, 0}, R) * Range(R, 1, 2), 4}};
  for (const auto& c : cases) {
    for (const SamplerKind kind : kinds) {
      for (const std::size_t n : {1UL, 50UL}) {
        SCOPED_TRACE(c.domain.space()->str() + std::string(sampler_name(kind)));
        // A shift keeps the points of grids and lattices off the corners.
        const bool shift = kind == SamplerKind::grid || kind == SamplerKind::lattice ||
                           kind == SamplerKind::r_sequence;
        const Points points = boundary_points(
            c.domain, "boundary", n,
            {.kind = kind,
             .randomize = shift ? Randomize::shift
                          : kind == SamplerKind::uniform || kind == SamplerKind::latin_hypercube
                              ? Randomize::none
                              : Randomize::scramble,
             .seed = 2});
        ASSERT_EQ(points.size(), n);
        expect_on_boundary(c.domain, points, c.size);
      }
    }
  }
}

TEST(BoundaryPoints, GoToThePiecesInProportionToTheirMeasure) {
  // Perimeter 2 (2 + 0.5) plus a circle of radius 0.2.
  const Region region = Rectangle({0, 0}, {2, 0.5}) - Disk({1, 0.25}, 0.2).named("hole");
  const std::map<std::string, double> lengths{
      {"left", 0.5}, {"right", 0.5}, {"bottom", 2}, {"top", 2}, {"hole_arc", 0.4 * pi}};
  const double total = 5 + 0.4 * pi;
  constexpr std::size_t n = 1024;
  for (const SamplerKind kind : kinds) {
    SCOPED_TRACE(sampler_name(kind));
    const Points points = boundary_points(region, "boundary", n, {.kind = kind, .seed = 1});
    std::map<std::string, double> count;
    for (const std::uint32_t p : points.piece) ++count[points.pieces[p]];
    ASSERT_EQ(count.size(), lengths.size());
    for (const auto& [name, length] : lengths) {
      const double share = length / total;
      double bound = 5 * std::sqrt(n * share * (1 - share));  // binomial
      // 2^10 points of a coordinate that has one in each interval k / 2^10, ...: each end of a
      // piece cuts one such interval.
      if (kind == SamplerKind::sobol || kind == SamplerKind::grid ||
          kind == SamplerKind::latin_hypercube || kind == SamplerKind::hammersley ||
          kind == SamplerKind::lattice) {
        bound = 2;
      }
      EXPECT_LE(std::abs(count[name] - n * share), bound) << name;
    }
  }
}

TEST(BoundaryPoints, OfAnIntervalAreSharedEvenly) {
  const Domain domain = Interval(x, -1, 1) * Time(t, 0, 1);
  const Points points = boundary_points(domain, "boundary", 64);
  std::size_t left = 0;
  double mean = 0;
  for (std::size_t i = 0; i < 64; ++i) {
    const bool is_left = points.row(i)[1] == -1;
    left += is_left ? 1 : 0;
    EXPECT_EQ(points.normals[i], is_left ? -1 : 1);
    EXPECT_EQ(points.pieces[points.piece[i]], is_left ? "left" : "right");
    mean += points.row(i)[0] / 64;
  }
  EXPECT_EQ(left, 32U);
  EXPECT_NEAR(mean, 0.5, 1.0 / 64);
  const Points right = boundary_points(domain, "right", 5);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(right.row(i)[1], 1);
}

TEST(BoundaryPoints, FulfilNamesAndConditions) {
  const Region region = Rectangle({0, 0}, {2, 1}) - Disk({1, 0}, 0.25).named("hole");
  struct Expected {
    const char* where;
    bool (*holds)(double a, double b);
  };
  const Expected all[] = {
      {"left or right", [](double a, double) { return a == 0 || a == 2; }},
      {"y = 0 and x > 0.3", [](double a, double b) { return b == 0 && a > 0.3; }},
      {"hole", [](double a, double b) { return std::abs(std::hypot(a - 1, b) - 0.25) < 1e-14; }},
      {"not hole and y < 0.5",
       [](double a, double b) { return (a == 0 || a == 2 || b == 0) && b < 0.5; }},
      {"top and x > 1.9", [](double a, double b) { return b == 1 && a > 1.9; }}};
  for (const Expected& e : all) {
    for (const SamplerKind kind : kinds) {
      SCOPED_TRACE(std::string(e.where) + ", " + std::string(sampler_name(kind)));
      const Points points =
          boundary_points(region * Time(t, 0, 1), e.where, 60, {.kind = kind, .seed = 7});
      ASSERT_EQ(points.size(), 60U);
      for (std::size_t i = 0; i < 60; ++i) {
        EXPECT_TRUE(e.holds(points.row(i)[1], points.row(i)[2]))
            << points.row(i)[1] << ", " << points.row(i)[2];
      }
    }
  }
}

TEST(BoundaryPoints, AreUniformOnTheSelectedPart) {
  // The bottom without the hole is 0 .. 0.75 and 1.25 .. 2, of which 0.3 .. is selected.
  const Region region = Rectangle({0, 0}, {2, 1}) - Disk({1, 0}, 0.25);
  constexpr std::size_t n = 6000;
  const Points points =
      boundary_points(region, "y = 0 and x > 0.3", n, {.kind = SamplerKind::uniform, .seed = 9});
  double mean = 0;
  for (std::size_t i = 0; i < n; ++i) mean += points.row(i)[0] / n;
  const double exact = ((0.75 * 0.75 - 0.09) / 2 + (4 - 1.25 * 1.25) / 2) / (0.45 + 0.75);
  EXPECT_LT(std::abs(mean - exact), 5 * 0.6 / std::sqrt(n));  // the deviation is below 0.6
}

TEST(BoundaryPoints, OnTrimmedSolidsAreUniformOverAllThatIsLeft) {
  // A unit cube with a ball of radius 1/2 around a corner taken out: three squares without a
  // quarter disk of area pi / 16, three squares, an octant of the sphere of area pi / 8.
  const Region region = Box({0, 0, 0}, {1, 1, 1}) - Ball({0, 0, 0}, 0.5).named("bite");
  constexpr std::size_t n = 4000;
  const Points points = boundary_points(region, "boundary", n, {.kind = SamplerKind::uniform});
  expect_on_boundary(region, points, 1);
  double bite = 0;
  for (const std::uint32_t p : points.piece) bite += points.pieces[p] == "bite_sphere" ? 1 : 0;
  const double share = pi / 8 / (6 - 3 * pi / 16 + pi / 8);
  EXPECT_LT(std::abs(bite - n * share), 5 * std::sqrt(n * share * (1 - share)));
}

TEST(BoundaryPoints, DoNotDependOnTheSizeOfAVaryingBoundary) {
  const Domain domain = Disk({0, 0}, R) * Range(R, 0.5, 2);
  const Points points = boundary_points(domain, "boundary", 1024);
  std::size_t small = 0;
  for (std::size_t i = 0; i < 1024; ++i) {
    const auto row = points.row(i);
    small += row[2] < 1.25 ? 1 : 0;
    EXPECT_LT(std::abs(std::hypot(row[0], row[1]) - row[2]), 1e-14);
  }
  EXPECT_EQ(small, 512U);
  // Conditions may speak of the parameter, and rejected rows keep theirs.
  const Points upper = boundary_points(domain, "y > R/2", 256);
  std::size_t below = 0;
  for (std::size_t i = 0; i < 256; ++i) {
    EXPECT_GT(upper.row(i)[1], upper.row(i)[2] / 2);
    below += upper.row(i)[2] < 1.25 ? 1 : 0;
  }
  EXPECT_EQ(below, 128U);
}

TEST(BoundaryPoints, KnowTheValuesOfParameters) {
  const Domain domain = Domain(Disk({0, 0}, R)).with({{"R", 2}});
  const Points points = boundary_points(domain, "x > R/2", 30);
  for (std::size_t i = 0; i < 30; ++i) EXPECT_GT(points.row(i)[0], 1);
}

TEST(BoundaryPoints, AreAPrefixOfMorePointsAndDependOnTheSeed) {
  const Region region = Disk({0, 0}, 1) - Rectangle({0, 0}, {2, 2});
  const SamplerOptions options{.kind = SamplerKind::uniform, .seed = 4};
  const Points few = boundary_points(region, "x > 0", 20, options);
  const Points many = boundary_points(region, "x > 0", 9000, options);
  EXPECT_TRUE(std::equal(few.values.begin(), few.values.end(), many.values.begin()));
  EXPECT_TRUE(std::equal(few.normals.begin(), few.normals.end(), many.normals.begin()));
  EXPECT_TRUE(std::equal(few.piece.begin(), few.piece.end(), many.piece.begin()));
  const Points other = boundary_points(region, "x > 0", 20, {SamplerKind::uniform, {}, 5});
  EXPECT_NE(few.values, other.values);
}

TEST(BoundaryPoints, RejectBadInputWithOneClearError) {
  const auto message = [](const Domain& domain, std::string_view where, std::size_t n) {
    return message_of([&] { return boundary_points(domain, where, n); });
  };
  const Region square = Rectangle({0, 0}, {1, 1});
  EXPECT_NE(message(square, "boundary", 0).find("positive"), std::string::npos);
  EXPECT_NE(message(square, "left and right", 5).find("selects no part"), std::string::npos);
  EXPECT_NE(message(square, "left and right", 5).find("left, right, bottom, top"),
            std::string::npos);
  EXPECT_NE(message(square, "x > 2", 5).find("left, right, bottom, top"), std::string::npos);
  EXPECT_NE(message(square, "nowhere", 5), "no error");
  EXPECT_NE(message(HalfPlane({0, 0}, {1, 0}), "boundary", 5).find("no end"), std::string::npos);
  EXPECT_NE(message(Time(t, 0, 1), "boundary", 5).find("without space"), std::string::npos);
}

TEST(BoundaryPoints, TimeMaySelectWithEverySampler) {
  const Domain plate = Domain(Rectangle({0, 0}, {2, 1})) * Time(t, 0, 4);
  for (const SamplerKind kind : kinds) {
    const Points points =
        boundary_points(plate, "left and t > 3 or top and t < 1", 64, {.kind = kind});
    expect_on_boundary(plate, points, 2);
    std::size_t late = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const bool left = points.row(i)[1] == 0;
      EXPECT_TRUE(left ? points.row(i)[0] > 3 : points.row(i)[0] < 1);
      late += left ? 1 : 0;
    }
    // A third of the length; 64 independent points miss their mean, 21, by 4 standard deviations of
    // 3.8 once in 15,000 cases.
    EXPECT_NEAR(static_cast<double>(late), 64.0 / 3, 16);
  }
}

TEST(BoundaryPoints, TimeMaySelectOnShapesThatVary) {
  const Domain disks = Domain(Disk({0, 0}, R)) * Time(t, 0, 4) * Range(R, 1, 2);
  const Points points = boundary_points(disks, "x > 0 and t > 3.5", 100);
  expect_on_boundary(disks, points, 4);
  for (std::size_t i = 0; i < points.size(); ++i) {
    EXPECT_GT(points.row(i)[0], 3.5);
    EXPECT_GT(points.row(i)[1], 0);
  }
  EXPECT_NE(message_of([&] {
              return boundary_points(disks, "t > 5", 100);
            }).find("selects no part of the boundary"),
            std::string::npos);
}

}  // namespace
}  // namespace cauchy::test_boundary_points
