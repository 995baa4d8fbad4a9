#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/math/quadrature.hpp>
#include <cauchy/sampling/quadrature_points.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

namespace cauchy::test_quadrature_points {
namespace {

const Coordinate t("t"), x("x");
const Parameter R("R"), nu("nu");
constexpr double eps = std::numeric_limits<double>::epsilon();

using Row = std::span<const double>;

double sum(const Points& points, const std::function<double(Row)>& f) {
  double total = 0;
  for (std::size_t i = 0; i < points.size(); ++i) total += points.weights[i] * f(points.row(i));
  return total;
}

double measure_of(const Points& points) {
  return std::accumulate(points.weights.begin(), points.weights.end(), 0.0);
}

double factorial(int n) { return std::tgamma(n + 1.0); }

TEST(TriangleRule, IsExactForAllMonomialsOfTotalDegree2OrderMinus1) {
  // On the unit triangle the integral of x^a y^b is a! b! / (a + b + 2)!.
  for (std::size_t order = 1; order <= 8; ++order) {
    const CellRule rule = triangle_rule({{{0, 0}, {1, 0}, {0, 1}}}, order);
    ASSERT_EQ(rule.size(), order * order);
    const int degree = 2 * static_cast<int>(order) - 1;
    for (int a = 0; a <= degree + 1; ++a) {
      for (int b = 0; a + b <= degree + 1; ++b) {
        double value = 0;
        for (std::size_t i = 0; i < rule.size(); ++i) {
          value += rule.weights[i] * std::pow(rule.points[2 * i], a) *
                   std::pow(rule.points[2 * i + 1], b);
        }
        const double exact = factorial(a) * factorial(b) / factorial(a + b + 2);
        const double tolerance = 64 * eps;  // of the sum of the weights, which is 1/2
        if (a + b <= degree) {
          EXPECT_LT(std::abs(value - exact), tolerance) << order << ": " << a << ", " << b;
        } else if (a == degree + 1) {
          EXPECT_GT(std::abs(value - exact), tolerance) << "degree " << a << " of order " << order;
        }
      }
    }
  }
}

TEST(TetrahedronRule, IsExactForAllMonomialsOfTotalDegree2OrderMinus1) {
  for (std::size_t order = 1; order <= 5; ++order) {
    const CellRule rule = tetrahedron_rule({{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, order);
    const int degree = 2 * static_cast<int>(order) - 1;
    for (int a = 0; a <= degree; ++a) {
      for (int b = 0; a + b <= degree; ++b) {
        for (int c = 0; a + b + c <= degree; ++c) {
          double value = 0;
          for (std::size_t i = 0; i < rule.size(); ++i) {
            const double* p = &rule.points[3 * i];
            value += rule.weights[i] * std::pow(p[0], a) * std::pow(p[1], b) * std::pow(p[2], c);
          }
          const double exact =
              factorial(a) * factorial(b) * factorial(c) / factorial(a + b + c + 3);
          EXPECT_LT(std::abs(value - exact), 64 * eps) << order << ": " << a << b << c;
        }
      }
    }
  }
}

TEST(SimplexRule, FollowsAnyVertices) {
  // A triangle in space, of area |e x f| / 2, and the centroid as the mean.
  const std::vector<double> v{1, 0, 2, 3, 1, 2, 0, 4, 5};
  const Points points = simplex_points({"x", "y", "z"}, v, 3);
  const double area = 0.5 * std::sqrt(3 * 3 + 6.0 * 6 + 9 * 9);  // e = (2,1,0), f = (-1,4,3)
  EXPECT_LT(std::abs(measure_of(points) - area), 64 * eps * area);
  for (std::size_t k = 0; k < 3; ++k) {
    const double mean = sum(points, [&](Row row) { return row[k]; }) / area;
    EXPECT_LT(std::abs(mean - (v[k] + v[3 + k] + v[6 + k]) / 3), 64 * eps * 5);
  }
  EXPECT_THROW((void)simplex_rule(v, 3, 0), Error);
  EXPECT_THROW((void)simplex_rule(v, 2, 1), Error);
  EXPECT_THROW((void)triangle_rule({{{0, 0}, {1, 1}, {2, 2}}}, 2), Error);
  EXPECT_THROW((void)triangle_rule({{{0, 0}, {1, 1}, {2, std::nan("")}}}, 2), Error);
}

TEST(GaussPoints, OfBoxesAreExactInEachCoordinate) {
  const Domain domain = Rectangle({0, -1}, {2, 1}) * Time(t, 0, 3) * Range(nu, 1, 2);
  for (std::size_t order = 1; order <= 4; ++order) {
    const Points points = gauss_points(domain, order);
    ASSERT_EQ(points.size(), order * order * order * order);
    EXPECT_EQ(points.columns, (std::vector<std::string>{"t", "x", "y", "nu"}));
    const int p = 2 * static_cast<int>(order) - 1;
    // The integral of t^p x^p (1 + y)^p nu^p.
    const double exact = std::pow(3, p + 1) * std::pow(2, p + 1) * std::pow(2, p + 1) *
                         (std::pow(2, p + 1) - 1) / std::pow(p + 1, 4);
    const double value =
        sum(points, [&](Row r) { return std::pow(r[0] * r[1] * (1 + r[2]) * r[3], p); });
    EXPECT_LT(std::abs(value - exact), 64 * eps * exact);
  }
}

TEST(GaussPoints, AreTheGaussLegendreRuleOnALine) {
  const Points points = gauss_points(Interval(-1, 1), 5);
  const Rule rule = gauss_legendre(5);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_LT(std::abs(points.values[i] - rule.nodes[i]), 4 * eps);
    EXPECT_LT(std::abs(points.weights[i] - rule.weights[i]), 4 * eps);
  }
  EXPECT_EQ(gauss_points(Time(t, 0, 1), 3).size(), 3U);
  EXPECT_LT(std::abs(measure_of(gauss_points(Time(t, 0, 2), 3)) - 2), 8 * eps);
}

TEST(GaussPoints, OfTrianglesAndTetrahedraAreExactToTotalDegree2OrderMinus1) {
  // Also after a motion, which must not hide what they are.
  const Region triangle = Triangle({0, 0}, {1, 0}, {0, 1}).rotated(0.7).translated({2, 3});
  const Points points = gauss_points(triangle, 2);
  EXPECT_EQ(points.size(), 4U);
  const double c = std::cos(0.7), s = std::sin(0.7);
  const double value = sum(points, [&](Row r) {
    const double a = c * (r[0] - 2) + s * (r[1] - 3), b = -s * (r[0] - 2) + c * (r[1] - 3);
    return a * a * b;
  });
  EXPECT_LT(std::abs(value - 2.0 / 120), 64 * eps);
  const Region tetrahedron = Tetrahedron({0, 0, 0}, {2, 0, 0}, {0, 2, 0}, {0, 0, 2});
  const Points solid = gauss_points(tetrahedron, 2);
  EXPECT_EQ(solid.size(), 8U);
  const double xyz = sum(solid, [](Row r) { return r[0] * r[1] * r[2]; });
  EXPECT_LT(std::abs(xyz - 64.0 / 720), 64 * eps);
}

TEST(GaussPoints, OfEllipsesAnnuliAndEllipsoidsAreExactToTotalDegree2OrderMinus1) {
  // With x = c + a r cos: the integral of (x - c)^2 over the ellipse is pi a^3 b / 4, of
  // (x - c)^2 (y - d)^2 pi a^3 b^3 / 24; on a ring it is the difference.
  const Points ellipse = gauss_points(Ellipse({1, 2}, 3, 0.5), 3);
  EXPECT_EQ(ellipse.size(), 12U);
  EXPECT_LT(std::abs(measure_of(ellipse) - 1.5 * pi), 64 * eps * 1.5 * pi);
  const auto second = [](Row r) { return (r[0] - 1) * (r[0] - 1); };
  const auto mixed = [](Row r) { return std::pow((r[0] - 1) * (r[1] - 2), 2); };
  EXPECT_LT(std::abs(sum(ellipse, second) - pi * 27 * 0.5 / 4), 64 * eps * 11);
  EXPECT_LT(std::abs(sum(ellipse, mixed) - pi * 27 * 0.125 / 24), 64 * eps * 11);
  const Points ring = gauss_points(Annulus({1, 2}, 0.5, 2), 3);
  EXPECT_LT(std::abs(sum(ring, second) - pi * (16 - 0.0625) / 4), 64 * eps * 13);
  EXPECT_LT(std::abs(sum(ring, mixed) - pi * (64 - 1.0 / 64) / 24), 64 * eps * 13);
  // An eccentric hole has the area of a ring but is none.
  EXPECT_THROW((void)gauss_points(Disk({0, 0}, 2) - Disk({1, 0}, 0.5), 3), Error);
  // Ball of radius 2: integral of x^2 is 4 pi 2^5 / 15, of x^2 y^2 is 4 pi 2^7 / 105.
  const Points ball = gauss_points(Ball({0, 0, 0}, 2), 3);
  EXPECT_LT(std::abs(measure_of(ball) - 32 * pi / 3), 256 * eps * 34);
  EXPECT_LT(std::abs(sum(ball, [](Row r) { return r[0] * r[0]; }) - 128 * pi / 15), 256 * eps * 34);
  EXPECT_LT(std::abs(sum(ball, [](Row r) { return std::pow(r[0] * r[2], 2); }) - 512 * pi / 105),
            256 * eps * 34);
}

TEST(GaussPoints, FollowAShapeThatVariesWithARange) {
  // The integral of 1 over |x| < R, 1 < R < 2 is pi (8 - 1) / 3.
  const Points points = gauss_points(Disk({0, 0}, R) * Range(R, 1, 2), 2);
  EXPECT_LT(std::abs(measure_of(points) - 7 * pi / 3), 64 * eps * 8);
}

TEST(GaussPoints, UseTheMapOfOtherShapes) {
  const Points points = gauss_points(Sector({0, 0}, 2, 0, pi / 3), 12);
  const double area = 2 * pi / 3;
  EXPECT_LT(std::abs(measure_of(points) - area), 64 * eps * area);
  // The integral of x is R^3 / 3 sin(pi / 3); sqrt(u) in the radius costs accuracy near the tip.
  const double value = sum(points, [](Row r) { return r[0]; });
  EXPECT_LT(std::abs(value - 8.0 / 3 * std::sin(pi / 3)), 1e-3);
}

TEST(GaussPoints, RejectBadInput) {
  EXPECT_THROW((void)gauss_points(Interval(0, 1), 0), Error);
  EXPECT_THROW((void)gauss_points(HalfPlane({0, 0}, {1, 0}), 3), Error);
  EXPECT_THROW((void)gauss_points(Disk({0, 0}, R), 3), Error);
}

TEST(BoundaryGaussPoints, IntegrateTheDivergenceTheorem) {
  // Flux of F through the boundary = integral of div F. F = (x^3, y^2 x): div F = 3 x^2 + 2 x y.
  const auto flux = [](const Points& points) {
    double total = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double a = points.row(i)[0], b = points.row(i)[1];
      total += points.weights[i] *
               (a * a * a * points.normals[2 * i] + b * b * a * points.normals[2 * i + 1]);
    }
    return total;
  };
  // Rectangle [0, 2] x [0, 1]: 3 * 8/3 + 2 * 2 * 1/2 = 10; degree 3 needs order 2.
  const Points sides = boundary_gauss_points(Rectangle({0, 0}, {2, 1}), "boundary", 2);
  EXPECT_EQ(sides.size(), 8U);
  EXPECT_EQ(sides.pieces.size(), 4U);
  EXPECT_LT(std::abs(flux(sides) - 10), 64 * eps * 10);
  // Unit disk: 3 pi / 4. Gauss in the angle converges like a Bessel function.
  const Points arc = boundary_gauss_points(Disk({0, 0}, 1), "boundary", 24);
  EXPECT_LT(std::abs(flux(arc) - 0.75 * pi), 1e-13);
  // A rectangle with a bite: the bottom is one piece or two, the rule sees both parts. The bite
  // is the half disk around (1, 0): integral of 3 x^2 is 3 (pi r^2 / 2 + pi r^4 / 8), of 2 x y is
  // 2 * 2 r^3 / 3 (x = 1 + ..., the odd part vanishes).
  const double r = 0.25;
  const Points bitten =
      boundary_gauss_points(Rectangle({0, 0}, {2, 1}) - Disk({1, 0}, r), "boundary", 16);
  const double bite = 3 * (pi * r * r / 2 + pi * r * r * r * r / 8) + 4 * r * r * r / 3;
  EXPECT_LT(std::abs(flux(bitten) - (10 - bite)), 1e-12);
}

TEST(BoundaryGaussPoints, SeeEveryPartOfAPiece) {
  // What is left of the bottom is 0 .. 0.75 and 1.25 .. 2: each part is exact for x^3 by itself,
  // one rule across the gap is not.
  const Points points =
      boundary_gauss_points(Rectangle({0, 0}, {2, 1}) - Disk({1, 0}, 0.25), "bottom", 2);
  EXPECT_EQ(points.size(), 4U);
  const double exact = (std::pow(0.75, 4) + 16 - std::pow(1.25, 4)) / 4;
  EXPECT_LT(std::abs(sum(points, [](Row r) { return r[0] * r[0] * r[0]; }) - exact), 1e-12);
}

TEST(BoundaryGaussPoints, OfSolidsHaveTheFluxOfTheirVolume) {
  // Flux of x / 3 is the volume; exact on flat faces from order 1 on, also with triangles.
  const auto volume = [](const Points& points) {
    double total = 0;
    for (std::size_t i = 0; i < points.values.size(); ++i) {
      total += points.weights[i / 3] * points.values[i] * points.normals[i] / 3;
    }
    return total;
  };
  EXPECT_LT(std::abs(volume(boundary_gauss_points(Box({1, 1, 1}, {2, 3, 4}), "boundary", 1)) - 6),
            64 * eps * 40);
  const Region tetrahedron = Tetrahedron({0, 0, 0}, {2, 0, 0}, {0, 2, 0}, {0, 0, 2});
  const Points faces = boundary_gauss_points(tetrahedron, "boundary", 2);
  EXPECT_EQ(faces.size(), 16U);
  EXPECT_LT(std::abs(volume(faces) - 4.0 / 3), 64 * eps * 2);
  // x^2 over the face x + y + z = 2: sqrt(3) times the integral over the triangle of side 2.
  double square = 0;
  for (std::size_t i = 0; i < faces.size(); ++i) {
    if (faces.row(i)[0] + faces.row(i)[1] + faces.row(i)[2] < 1.9) continue;
    square += faces.weights[i] * faces.row(i)[0] * faces.row(i)[0];
  }
  EXPECT_LT(std::abs(square - std::sqrt(3.0) * 16 * 2 / 24), 64 * eps * 4);
  EXPECT_LT(std::abs(volume(boundary_gauss_points(Ball({0, 0, 0}, 1), "boundary", 8)) - 4 * pi / 3),
            64 * eps * 13);
}

TEST(BoundaryGaussPoints, AreTensorProductsWithTimeAndRanges) {
  const Domain domain = Interval(x, -1, 1) * Time(t, 0, 2) * Range(nu, 0, 3);
  const Points points = boundary_gauss_points(domain, "left", 2);
  ASSERT_EQ(points.size(), 4U);
  EXPECT_LT(std::abs(measure_of(points) - 6), 16 * eps * 6);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(points.row(i)[1], -1);
    EXPECT_EQ(points.normals[i], -1);
    EXPECT_EQ(points.pieces[points.piece[i]], "left");
  }
  const Points circles = boundary_gauss_points(Disk({0, 0}, R) * Range(R, 1, 2), "arc", 3);
  EXPECT_LT(std::abs(measure_of(circles) - 3 * pi), 64 * eps * 10);
}

TEST(BoundaryGaussPoints, TakeWholePiecesOnly) {
  const Region square = Rectangle({0, 0}, {1, 1});
  EXPECT_EQ(boundary_gauss_points(square, "y = 0", 3).size(), 3U);
  EXPECT_EQ(boundary_gauss_points(square, "left or top", 3).size(), 6U);
  try {
    (void)boundary_gauss_points(square, "y = 0 and x > 0.3", 3);
    FAIL() << "a part of a piece was taken";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("boundary_points"), std::string::npos);
    EXPECT_NE(std::string(e.what()).find("bottom"), std::string::npos);
  }
  EXPECT_THROW((void)boundary_gauss_points(square, "left and right", 3), Error);
  EXPECT_THROW((void)boundary_gauss_points(square, "boundary", 0), Error);
  EXPECT_THROW((void)boundary_gauss_points(Time(t, 0, 1), "boundary", 2), Error);
}

}  // namespace
}  // namespace cauchy::test_quadrature_points
