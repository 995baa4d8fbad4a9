#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/math/rbf.hpp>
#include <cauchy/math/spline_interpolation.hpp>
#include <cmath>
#include <vector>

namespace cauchy::test_spline_interpolation {
namespace {

const std::vector<double> uneven{-1, -0.7, -0.55, -0.1, 0, 0.4, 0.5, 0.9, 1.3, 1.4, 2};

template <class F>
std::vector<double> values_of(const std::vector<double>& x, const F& f) {
  std::vector<double> y;
  for (const double v : x) y.push_back(f(v));
  return y;
}

/// sum_j (j + 1) x^j / 2^j, j = 0 ... degree.
double polynomial(double x, int degree, int derivative = 0) {
  double sum = 0;
  for (int j = derivative; j <= degree; ++j) {
    sum += (j + 1) * std::pow(0.5, j) * std::tgamma(j + 1) / std::tgamma(j - derivative + 1) *
           std::pow(x, j - derivative);
  }
  return sum;
}

/// A jump of a derivative at x, in units of the derivative's size.
double jump(const Spline& s, double x, int derivative) {
  const double h = 1e-7;
  const double below = s(x - h, derivative), above = s(x + h, derivative);
  return std::abs(above - below) / (1 + std::abs(above) + std::abs(below));
}

TEST(SplineInterpolation, ReproducesPolynomialsOfItsDegree) {
  for (int k = 1; k <= 7; ++k) {
    const Spline s = interpolate_spline(
        uneven, values_of(uneven, [&](double x) { return polynomial(x, k); }), {.degree = k});
    for (double x = -1.2; x < 2.3; x += 0.07) {  // beyond the ends too
      EXPECT_NEAR(s(x), polynomial(x, k), 1e-10) << k;
      EXPECT_NEAR(s(x, 1), polynomial(x, k, 1), 1e-8) << k;
    }
  }
  const Spline clamped =
      interpolate_spline(uneven, values_of(uneven, [](double x) { return polynomial(x, 5); }),
                         {.degree = 5,
                          .ends = SplineEnds::clamped,
                          .left = {polynomial(-1, 5, 1), polynomial(-1, 5, 2)},
                          .right = {polynomial(2, 5, 1), polynomial(2, 5, 2)}});
  EXPECT_NEAR(clamped(0.77), polynomial(0.77, 5), 1e-11);
}

TEST(SplineInterpolation, IsOnceLessSmoothThanItsDegreeAtTheData) {
  const auto wild = [](double x) { return std::sin(5 * x) + std::abs(x - 0.3); };
  for (const int k : {3, 5}) {
    const Spline s = interpolate_spline(uneven, values_of(uneven, wild),
                                        {.degree = k, .ends = SplineEnds::natural});
    for (std::size_t i = 0; i < uneven.size(); ++i)
      EXPECT_NEAR(s(uneven[i]), wild(uneven[i]), 1e-11);
    double roughest = 0;
    for (std::size_t i = 1; i + 1 < uneven.size(); ++i) {
      for (int q = 0; q < k; ++q) EXPECT_LT(jump(s, uneven[i], q), 1e-3) << k << " " << q;
      roughest = std::max(roughest, jump(s, uneven[i], k));
    }
    EXPECT_GT(roughest, 0.1);
  }
}

TEST(SplineInterpolation, EndsAreWhatTheyAreCalled) {
  const std::vector<double> y = values_of(uneven, [](double x) { return std::exp(x); });
  const Spline natural = interpolate_spline(uneven, y, {.ends = SplineEnds::natural});
  EXPECT_NEAR(natural(-1, 2), 0, 1e-11);
  EXPECT_NEAR(natural(2, 2), 0, 1e-11);
  const Spline clamped =
      interpolate_spline(uneven, y, {.ends = SplineEnds::clamped, .left = {-3}, .right = {4}});
  EXPECT_NEAR(clamped(-1, 1), -3, 1e-11);
  EXPECT_NEAR(clamped(2, 1), 4, 1e-11);
  const Spline free = interpolate_spline(uneven, y);
  EXPECT_LT(jump(free, uneven[1], 3), 1e-6);  // no knot there
  EXPECT_LT(jump(free, uneven[9], 3), 1e-6);
  EXPECT_GT(jump(free, uneven[4], 3), 1e-3);
}

TEST(SplineInterpolation, NaturalCubicSolvesTheClassicalSystemOfMoments) {
  // Moments M_i = s''(x_i) of x = 0, 1, 3, y = 0, 1, 0: 2 (1 + 2) M_1 = 6 (-1/2 - 1), M_1 = -3/2.
  const std::vector<double> x{0, 1, 3}, y{0, 1, 0};
  const Spline s = interpolate_spline(x, y, {.ends = SplineEnds::natural});
  EXPECT_NEAR(s(1, 2), -1.5, 1e-13);
  EXPECT_NEAR(s(0, 1), 1.25, 1e-13);  // 1 - (2 M_0 + M_1) / 6
  EXPECT_NEAR(s(0.5), 0.5 * 1.25 - 1.5 / 6 / 8, 1e-13);
  const std::vector<double> two{0, 1};
  EXPECT_NEAR(interpolate_spline(two, two, {.ends = SplineEnds::natural})(0.25), 0.25, 1e-14);
}

TEST(SplineInterpolation, NaturalCubicIsTheRadialCubicWithALinearTail) {
  const std::vector<double> y = values_of(uneven, [](double x) { return std::cos(4 * x) + x * x; });
  const Spline spline = interpolate_spline(uneven, y, {.ends = SplineEnds::natural});
  const RbfInterpolant radial =
      interpolate_rbf(uneven, 1, y, {.kernel = RbfKernel::cubic, .tail = 1});
  for (double x = -1; x <= 2; x += 0.013) {
    const std::vector<double> at{x};
    EXPECT_NEAR(radial(at), spline(x), 1e-10) << x;
    EXPECT_NEAR(radial.derivative(at, {2}), spline(x, 2), 1e-8) << x;
  }
}

TEST(SplineInterpolation, RefusesWhatHasNoSpline) {
  const std::vector<double> three{0, 1, 2}, back{0, 2, 1}, nan{0, 1, std::nan("")};
  EXPECT_THROW((void)interpolate_spline(three, three), Error);  // cubic needs four
  EXPECT_NO_THROW((void)interpolate_spline(three, three, {.degree = 2}));
  EXPECT_THROW((void)interpolate_spline(back, three, {.degree = 1}), Error);
  EXPECT_THROW((void)interpolate_spline(three, nan, {.degree = 1}), Error);
  EXPECT_THROW((void)interpolate_spline(three, uneven, {.degree = 1}), Error);
  EXPECT_THROW((void)interpolate_spline(uneven, uneven, {.degree = 0}), Error);
  EXPECT_THROW((void)interpolate_spline(uneven, uneven, {.degree = 2, .ends = SplineEnds::natural}),
               Error);
  EXPECT_THROW((void)interpolate_spline(uneven, uneven, {.ends = SplineEnds::clamped}), Error);
  const BSplineBasis basis = BSplineBasis::open_uniform(2, 1, 0, 1);
  EXPECT_THROW(Spline(basis, {1, 2}), Error);
}

}  // namespace
}  // namespace cauchy::test_spline_interpolation
