#include <gtest/gtest.h>

#include <algorithm>
#include <cauchy/base/error.hpp>
#include <cauchy/math/bspline.hpp>
#include <cmath>
#include <limits>
#include <vector>

namespace cauchy::test_bspline {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

/// The definition, by plain recursion. Intervals are half open; at `closed` (the upper end of the
/// domain, or the last knot) the non-empty interval on the left counts instead.
double cox_de_boor(std::span<const double> t, double closed, std::size_t i, std::size_t p,
                   double x) {
  if (p == 0) {
    if (x == closed) return t[i] < x && t[i + 1] == x ? 1 : 0;
    return t[i] <= x && x < t[i + 1] ? 1 : 0;
  }
  double value = 0;
  if (t[i + p] > t[i])
    value += (x - t[i]) / (t[i + p] - t[i]) * cox_de_boor(t, closed, i, p - 1, x);
  if (t[i + p + 1] > t[i + 1])
    value +=
        (t[i + p + 1] - x) / (t[i + p + 1] - t[i + 1]) * cox_de_boor(t, closed, i + 1, p - 1, x);
  return value;
}

/// k-th derivative by its recursive formula.
double cox_de_boor(std::span<const double> t, double closed, std::size_t i, std::size_t p,
                   std::size_t k, double x) {
  if (k == 0) return cox_de_boor(t, closed, i, p, x);
  if (p == 0) return 0;
  double value = 0;
  if (t[i + p] > t[i]) value += cox_de_boor(t, closed, i, p - 1, k - 1, x) / (t[i + p] - t[i]);
  if (t[i + p + 1] > t[i + 1])
    value -= cox_de_boor(t, closed, i + 1, p - 1, k - 1, x) / (t[i + p + 1] - t[i + 1]);
  return static_cast<double>(p) * value;
}

std::vector<BSplineBasis> bases() {
  std::vector<BSplineBasis> all;
  for (const std::size_t p : {0u, 1u, 2u, 3u, 5u}) {
    all.push_back(BSplineBasis::open_uniform(5, p, -1, 2));
    all.push_back(BSplineBasis::extended_uniform(6, p, -1, 1));
  }
  const std::vector<double> uneven = {0, 0, 0, 0, 0.1, 0.5, 0.5, 0.7, 0.7, 0.7, 1, 1, 1, 1};
  all.emplace_back(uneven, 3);
  const std::vector<double> floating = {-2, -1.5, -0.3, 0, 0.25, 1, 1, 2.5, 3, 4};
  all.emplace_back(floating, 2);
  const std::vector<double> repeated_at_upper_end = {0, 1, 2, 2, 2, 3};
  all.emplace_back(repeated_at_upper_end, 1);
  return all;
}

/// Points in the domain, with all knots and both ends.
std::vector<double> points(const BSplineBasis& b) {
  std::vector<double> x;
  for (int i = 0; i <= 40; ++i) x.push_back(b.lower() + (b.upper() - b.lower()) * (i / 40.0));
  for (const double t : b.knots())
    if (t >= b.lower() && t <= b.upper()) x.push_back(t);
  return x;
}

// A value of degree 5 takes 5 levels of 6 roundings; a k-th derivative is larger by its own scale.
constexpr double tol = 32 * eps;

TEST(BSpline, TriangularAlgorithmMatchesThePlainRecursion) {
  for (const auto& b : bases()) {
    Matrix out(4, b.size());
    std::vector<double> xs = points(b);
    const double width = b.knots().back() - b.knots().front();
    for (int i = -2; i <= 42; ++i) xs.push_back(b.knots().front() + width * (i / 40.0));
    for (const double x : xs) {
      b.evaluate_all(x, out.view());
      const double closed = x <= b.upper() ? b.upper() : b.knots().back();
      for (std::size_t k = 0; k < 4; ++k) {
        double scale = 1;
        for (std::size_t i = 0; i < b.size(); ++i) scale = std::max(scale, std::abs(out(k, i)));
        for (std::size_t i = 0; i < b.size(); ++i)
          EXPECT_LT(std::abs(out(k, i) - cox_de_boor(b.knots(), closed, i, b.degree(), k, x)),
                    tol * scale)
              << "degree " << b.degree() << " function " << i << " order " << k << " x " << x;
      }
    }
  }
}

TEST(BSpline, LocalValuesAreTheNonzeroPartOfTheRow) {
  for (const auto& b : bases()) {
    const std::size_t p = b.degree();
    Matrix row(3, b.size()), local(3, p + 1);
    std::vector<double> values(p + 1);
    for (const double x : points(b)) {
      b.evaluate_all(x, row.view());
      const std::size_t first = b.evaluate(x, local.view());
      EXPECT_EQ(b.evaluate(x, std::span<double>(values)), first);
      for (std::size_t i = 0; i < b.size(); ++i)
        for (std::size_t k = 0; k < 3; ++k) {
          const bool inside = i >= first && i <= first + p;
          EXPECT_EQ(row(k, i), inside ? local(k, i - first) : 0);
          if (inside && k == 0) {
            EXPECT_EQ(values[i - first], row(k, i));
          }
        }
    }
  }
}

TEST(BSpline, IsAPositivePartitionOfUnity) {
  for (const auto& b : bases())
    for (const double x : points(b)) {
      Matrix out(4, b.degree() + 1);
      b.evaluate(x, out.view());
      for (std::size_t k = 0; k < 4; ++k) {
        double sum = 0, size = 1;
        for (std::size_t j = 0; j <= b.degree(); ++j) {
          sum += out(k, j);
          size += std::abs(out(k, j));
          if (k == 0) {
            EXPECT_GE(out(0, j), 0);
          }
        }
        EXPECT_LT(std::abs(sum - (k == 0 ? 1 : 0)), tol * size) << "order " << k;
      }
    }
}

TEST(BSpline, VanishesOutsideItsSupport) {
  for (const auto& b : bases()) {
    Matrix row(1, b.size());
    for (const double x : points(b)) {
      b.evaluate_all(x, row.view());
      for (std::size_t i = 0; i < b.size(); ++i)
        if (x < b.knots()[i] || x > b.knots()[i + b.degree() + 1]) {
          EXPECT_EQ(row(0, i), 0);
        }
    }
    b.evaluate_all(b.knots().back() + 1, row.view());
    for (std::size_t i = 0; i < b.size(); ++i) EXPECT_EQ(row(0, i), 0);
  }
}

TEST(BSpline, DerivativesMatchCentralDifferences) {
  const auto b = BSplineBasis::open_uniform(4, 4, 0, 1);
  Matrix at(4, b.size()), plus(4, b.size()), minus(4, b.size());
  // Away from knots. Error of the difference: h^2/6 f'''' scale 4^5 * 5! plus eps * scale / h.
  const double h = 1e-5;
  for (const double x : {0.05, 0.3, 0.61, 0.9}) {
    b.evaluate_all(x, at.view());
    b.evaluate_all(x + h, plus.view());
    b.evaluate_all(x - h, minus.view());
    for (std::size_t k = 0; k + 1 < 4; ++k) {
      double scale = 1;
      for (std::size_t i = 0; i < b.size(); ++i) scale = std::max(scale, std::abs(at(k + 1, i)));
      for (std::size_t i = 0; i < b.size(); ++i)
        EXPECT_LT(std::abs((plus(k, i) - minus(k, i)) / (2 * h) - at(k + 1, i)), 1e-7 * scale);
    }
  }
}

TEST(BSpline, ReproducesPolynomialsByMarsdensIdentity) {
  // (x - y)^p = sum_i N_i(x) prod_{j=1..p} (t_{i+j} - y) for any y.
  for (const auto& b : bases()) {
    const std::size_t p = b.degree();
    std::vector<double> values(p + 1);
    for (const double y : {-3.0, 0.4})
      for (const double x : points(b)) {
        const std::size_t first = b.evaluate(x, std::span<double>(values));
        double sum = 0, size = 0;
        for (std::size_t j = 0; j <= p; ++j) {
          double product = 1;
          for (std::size_t q = 1; q <= p; ++q) product *= b.knots()[first + j + q] - y;
          sum += values[j] * product;
          size += std::abs(values[j] * product);
        }
        const double exact = std::pow(x - y, static_cast<double>(p));
        EXPECT_LT(std::abs(sum - exact), 2 * tol * (size + std::abs(exact)));
      }
  }
}

TEST(BSpline, GrevilleAbscissaeReproduceTheIdentity) {
  for (const auto& b : bases()) {
    if (b.degree() == 0) continue;
    std::vector<double> values(b.degree() + 1);
    for (const double x : points(b)) {
      const std::size_t first = b.evaluate(x, std::span<double>(values));
      double sum = 0;
      for (std::size_t j = 0; j <= b.degree(); ++j) sum += values[j] * b.greville(first + j);
      EXPECT_LT(std::abs(sum - x), 4 * tol);
    }
  }
}

TEST(BSpline, KnotOfMultiplicityMLeavesDegreeMinusMContinuousDerivatives) {
  const std::vector<double> knots = {0, 0, 0, 0, 0.3, 0.5, 0.5, 0.7, 0.7, 0.7, 1, 1, 1, 1};
  const BSplineBasis b(knots, 3);
  Matrix left(4, b.size()), right(4, b.size());
  struct Knot {
    double t;
    std::size_t multiplicity;
  };
  for (const auto& [t, multiplicity] : {Knot{0.3, 1}, Knot{0.5, 2}, Knot{0.7, 3}}) {
    b.evaluate_all(std::nextafter(t, 0), left.view());
    b.evaluate_all(t, right.view());
    for (std::size_t k = 0; k < 4; ++k) {
      double jump = 0, scale = 1;
      for (std::size_t i = 0; i < b.size(); ++i) {
        jump = std::max(jump, std::abs(left(k, i) - right(k, i)));
        scale = std::max(scale, std::abs(right(k, i)));
      }
      if (k + multiplicity <= 3)
        EXPECT_LT(jump, 100 * tol * scale) << t << " order " << k;
      else
        EXPECT_GT(jump, 0.1) << t << " order " << k;
    }
  }
}

TEST(BSpline, OpenKnotsInterpolateAtBothEnds) {
  const auto b = BSplineBasis::open_uniform(4, 3, 0, 1);
  EXPECT_EQ(b.size(), 7u);
  EXPECT_EQ(b.find_span(0), 3u);
  EXPECT_EQ(b.find_span(1), 6u);
  EXPECT_EQ(b.find_span(0.25), 4u);
  std::vector<double> v(4);
  EXPECT_EQ(b.evaluate(0, std::span<double>(v)), 0u);
  EXPECT_EQ(v, (std::vector<double>{1, 0, 0, 0}));
  EXPECT_EQ(b.evaluate(1, std::span<double>(v)), 3u);
  EXPECT_EQ(v, (std::vector<double>{0, 0, 0, 1}));
}

TEST(BSpline, UniformCubicHasItsKnownValuesAtKnots) {
  const auto b = BSplineBasis::extended_uniform(4, 3, 0, 4);
  EXPECT_EQ(b.size(), 7u);
  EXPECT_EQ(b.knots().front(), -3);
  EXPECT_EQ(b.knots().back(), 7);
  Matrix v(3, 4);
  EXPECT_EQ(b.evaluate(2, v.view()), 2u);
  const Matrix exact{{1.0 / 6, 4.0 / 6, 1.0 / 6, 0}, {-0.5, 0, 0.5, 0}, {1, -2, 1, 0}};
  for (std::size_t k = 0; k < 3; ++k)
    for (std::size_t j = 0; j < 4; ++j) EXPECT_LT(std::abs(v(k, j) - exact(k, j)), tol);
}

TEST(BSpline, RefusesBadKnotsAndPoints) {
  EXPECT_THROW(BSplineBasis(std::vector<double>{0, 1, 0.5, 2}, 1), Error);
  EXPECT_THROW(BSplineBasis(std::vector<double>{0, 1, 2}, 1), Error);
  EXPECT_THROW(BSplineBasis(std::vector<double>{0, 0, 0, 0}, 1), Error);
  EXPECT_THROW(BSplineBasis(std::vector<double>{0, std::nan(""), 1, 2}, 1), Error);
  EXPECT_THROW(BSplineBasis::open_uniform(0, 2, 0, 1), Error);
  EXPECT_THROW(BSplineBasis::open_uniform(3, 16, 0, 1), Error);
  EXPECT_THROW(BSplineBasis::extended_uniform(3, 2, 1, 1), Error);
  const auto b = BSplineBasis::open_uniform(3, 2, 0, 1);
  EXPECT_THROW((void)b.find_span(1.5), Error);
  EXPECT_THROW((void)b.find_span(std::nan("")), Error);
  std::vector<double> wrong(2);
  EXPECT_THROW(b.evaluate(0.5, std::span<double>(wrong)), Error);
  Matrix row(1, 4);
  EXPECT_THROW(b.evaluate_all(0.5, row.view()), Error);
  EXPECT_THROW((void)b.greville(5), Error);
  Matrix all(1, b.size());
  b.evaluate_all(std::nan(""), all.view());
  EXPECT_TRUE(std::isnan(all(0, 0)));
}

}  // namespace
}  // namespace cauchy::test_bspline
