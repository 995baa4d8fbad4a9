#include <gtest/gtest.h>

#include <cauchy/math/rbf.hpp>
#include <cauchy/math/spline_interpolation.hpp>
#include <cmath>
#include <vector>

namespace cauchy::test_interpolation {
namespace {

double f(double x) { return std::exp(std::sin(3 * x)); }
double slope(double x) { return 3 * std::cos(3 * x) * f(x); }

/// Largest error of the spline through n + 1 points on [0, 2].
double spline_error(int n, const SplineOptions& options, double margin = 0) {
  std::vector<double> x, y;
  for (int i = 0; i <= n; ++i) {
    x.push_back(2.0 * i / n);
    y.push_back(f(x.back()));
  }
  const Spline s = interpolate_spline(x, y, options);
  double worst = 0;
  for (int i = 0; i <= 1000; ++i) {
    const double at = margin + (2 - 2 * margin) * i / 1000;
    worst = std::max(worst, std::abs(s(at) - f(at)));
  }
  return worst;
}

double order_of(const SplineOptions& options, double margin = 0) {
  return std::log2(spline_error(80, options, margin) / spline_error(160, options, margin));
}

TEST(SplineConvergence, DegreeKHasOrderKPlusOne) {
  for (const int k : {1, 2, 3, 5}) {
    EXPECT_NEAR(order_of({.degree = k}, k > 2 ? 0.2 : 0), k + 1, 0.1) << k;
  }
}

TEST(SplineConvergence, CubicHasOrderFourWithKnownSlopesAndTwoAtNaturalEnds) {
  const SplineOptions clamped{.ends = SplineEnds::clamped, .left = {slope(0)}, .right = {slope(2)}};
  EXPECT_NEAR(order_of(clamped), 4, 0.1);
  EXPECT_NEAR(order_of({.ends = SplineEnds::natural}), 2, 0.1);
  EXPECT_NEAR(order_of({.ends = SplineEnds::natural}, 0.5), 4, 0.1);  // the end is not felt inside
}

/// Largest error between n points on [-1, 1] for a fixed shape.
double rbf_error(int n, RbfKernel kernel, double eps) {
  std::vector<double> x, y;
  for (int i = 0; i < n; ++i) {
    x.push_back(-std::cos(3.14159265358979 * i / (n - 1)));
    y.push_back(f(x.back() / 2));
  }
  const RbfInterpolant s = interpolate_rbf(x, 1, y, {.kernel = kernel, .eps = eps});
  double worst = 0;
  for (int i = 0; i <= 300; ++i) {
    const std::vector<double> at{-1 + i / 150.0};
    worst = std::max(worst, std::abs(s(at) - f(at[0] / 2)));
  }
  return worst;
}

TEST(RbfConvergence, SmoothKernelsConvergeFasterThanAnyPower) {
  for (const RbfKernel kernel : {RbfKernel::gaussian, RbfKernel::multiquadric,
                                 RbfKernel::inverse_multiquadric, RbfKernel::inverse_quadratic}) {
    const double coarse = rbf_error(8, kernel, 4), middle = rbf_error(16, kernel, 4),
                 fine = rbf_error(32, kernel, 4);
    const double first = std::log2(coarse / middle), second = std::log2(middle / fine);
    EXPECT_GT(first, 3) << static_cast<int>(kernel);
    EXPECT_GT(second, first + 1) << static_cast<int>(kernel);  // the order grows
  }
}

}  // namespace
}  // namespace cauchy::test_interpolation
