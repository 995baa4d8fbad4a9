#include <gtest/gtest.h>

#include <cauchy/math/special.hpp>
#include <cmath>
#include <limits>
#include <vector>

namespace cauchy::test_special {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Pair {
  double x, y;
};

/// |got - exact| in units in the last place of exact.
double ulps(double got, double exact) {
  const double next = std::nextafter(std::abs(exact), infinity);
  return std::abs(got - exact) / (next - std::abs(exact));
}

// Exact values to 20 digits, at the doubles nearest to the decimal arguments.
const std::vector<Pair> erfinv_table = {
    {5e-324, 4.3785427828571914344e-324},
    {1e-310, 8.8622692545275530617e-311},
    {1e-300, 8.8622692545275803586e-301},
    {1e-20, 8.8622692545275796504e-21},
    {1e-10, 8.8622692545275804594e-11},
    {1.0000001e-10, 8.8622701407545052783e-11},
    {1e-05, 8.862269254759594528e-6},
    {0.01, 0.0088625012809505980923},
    {0.1, 0.088855990494257691974},
    {0.25, 0.22531205501217810473},
    {0.4999999, 0.47693616494599387672},
    {0.5, 0.47693627620446987338},
    {0.5000001, 0.47693638746295761575},
    {0.6, 0.59511608144999482198},
    {0.75, 0.81341984759761854169},
    {0.9, 1.1630871536766741628},
    {-0.9, -1.1630871536766741628},
    {0.99, 1.8213863677184494559},
    {0.999, 2.3267537655135244939},
    {0.999999, 3.4589107372754987775},
    {0.999999999, 4.3200053881053620459},
    {0.999999999999, 5.0420318985726961301},
    {0.9999999999999998, 5.8050186831934533002},
    {0.9999999999999999, 5.8635847487551679272},
};
const std::vector<Pair> erfcinv_table = {
    {5e-324, 27.213293210812948815}, {1e-320, 27.073153719853040874},
    {1e-310, 26.644806559364764782}, {2.3e-308, 26.542635020108010867},
    {1e-301, 26.253328001562292972}, {1e-299, 26.165538512596578199},
    {1e-200, 21.374783049026257632}, {1e-100, 15.065574702592645704},
    {1e-50, 10.592090169527365189},  {1e-22, 6.9381083753289986174},
    {1e-21, 6.7718919618865674116},  {1e-10, 4.5728249673894852748},
    {1e-05, 3.1234132743408750177},  {0.0019304, 2.1925517940543824431},
    {0.00193, 2.192595187375645876}, {0.01, 1.821386367718449668},
    {0.1, 1.1630871536766740677},    {0.3, 0.73286907795921686905},
    {0.49, 0.48812205051595882241},  {0.5, 0.47693627620446987338},
    {0.75, 0.22531205501217810473},  {1.25, -0.22531205501217810473},
    {1.5, -0.47693627620446987338},  {1.7, -0.73286907795921678488},
    {1.999, -2.3267537655135465806},
};
const std::vector<Pair> normal_cdf_table = {
    {-38.0, 2.8854283600687843084e-316},
    {-30.0, 4.9067139271481870595e-198},
    {-20.5, 1.0764673258790960335e-93},
    {-10.1, 2.7621094717645167894e-24},
    {-5.3, 5.7901340399645941162e-8},
    {-3.0, 0.0013498980316300945267},
    {-1.0, 0.15865525393145705141},
    {-0.1, 0.46017216272297101633},
    {0.0, 0.5},
    {0.5, 0.69146246127401310364},
    {1.5, 0.933192798731141934},
    {3.0, 0.99865010196836990547},
    {6.0, 0.99999999901341235496},
};
const std::vector<Pair> normal_quantile_table = {
    {1e-300, -37.047096299361199237},  {1e-20, -9.2623400897984075796},
    {0.001, -3.0902323061678135354},   {0.025, -1.9599639845400542118},
    {0.25, -0.6744897501960817432},    {0.5, 0.0},
    {0.6, 0.25334710313579974132},     {0.975, 1.9599639845400538556},
    {0.999999, 4.7534243088170877657},
};

TEST(Erfinv, IsWithinFourUlpOfTheExactValues) {
  for (const auto& [y, x] : erfinv_table) {
    EXPECT_LT(ulps(erfinv(y), x), 4) << "y = " << y;
    EXPECT_EQ(erfinv(-y), -erfinv(y));
  }
}

TEST(Erfinv, IsUndoneByErfTo1e15) {
  // 4 ulp of x change erf(x) by at most 4 eps x erf'(x) < 2 eps, plus one rounding of erf.
  double worst = 0;
  for (int i = -100000; i <= 100000; ++i) {
    const double y = i / 100001.0;
    const double error = std::abs(std::erf(erfinv(y)) - y);
    if (!(error <= worst)) worst = error;
  }
  EXPECT_LT(worst, 1e-15);
}

TEST(Erfinv, GrowsAcrossTheSeamsOfItsPieces) {
  for (const double seam : {0.5, 1 - std::exp(-2.5 * 2.5)})
    for (double y = seam - 1e-12; y < seam + 1e-12; y += 1e-14)
      EXPECT_LT(erfinv(y), erfinv(y + 1e-14)) << y;
}

TEST(Erfinv, HasPolesAtOneAndNoValueBeyond) {
  EXPECT_EQ(erfinv(1), infinity);
  EXPECT_EQ(erfinv(-1), -infinity);
  EXPECT_TRUE(std::isnan(erfinv(std::nextafter(1, 2))));
  EXPECT_TRUE(std::isnan(erfinv(std::nan(""))));
  EXPECT_EQ(erfinv(0), 0);
  EXPECT_TRUE(std::signbit(erfinv(-0.0)));
}

TEST(Erfcinv, IsWithinFourUlpOfTheExactValues) {
  for (const auto& [q, x] : erfcinv_table) EXPECT_LT(ulps(erfcinv(q), x), 4) << "q = " << q;
}

TEST(Erfcinv, IsUndoneByErfcInTheWholeTail) {
  // x is good to 4 ulp, and erfc magnifies relative errors by 2 x^2 + 1 for large x.
  for (double q = 0.5; q > 1e-307; q *= 0.37) {
    const double x = erfcinv(q);
    const double tol = (4 * (2 * x * x + 2) + 4) * std::numeric_limits<double>::epsilon();
    EXPECT_LT(std::abs(std::erfc(x) - q) / q, tol) << q;
  }
}

TEST(Erfcinv, HasPolesAtZeroAndTwo) {
  EXPECT_EQ(erfcinv(0), infinity);
  EXPECT_EQ(erfcinv(2), -infinity);
  EXPECT_EQ(erfcinv(1), 0);
  EXPECT_TRUE(std::isnan(erfcinv(-1e-300)));
  EXPECT_TRUE(std::isnan(erfcinv(2.1)));
  EXPECT_TRUE(std::isnan(erfcinv(std::nan(""))));
}

TEST(NormalCdf, KeepsItsRelativeAccuracyInTheTail) {
  // A few ulp of erfc; z^2 = 450 inside exp multiplies the correction only.
  for (const auto& [x, p] : normal_cdf_table) EXPECT_LT(ulps(normal_cdf(x), p), 8) << "x = " << x;
  EXPECT_EQ(normal_cdf(-infinity), 0);
  EXPECT_EQ(normal_cdf(infinity), 1);
  EXPECT_TRUE(std::isnan(normal_cdf(std::nan(""))));
}

TEST(NormalQuantile, MatchesTheExactValues) {
  for (const auto& [p, x] : normal_quantile_table) {
    if (x == 0)
      EXPECT_EQ(normal_quantile(p), 0);
    else
      EXPECT_LT(ulps(normal_quantile(p), x), 5) << "p = " << p;
  }
  EXPECT_EQ(normal_quantile(0), -infinity);
  EXPECT_EQ(normal_quantile(1), infinity);
  EXPECT_TRUE(std::isnan(normal_quantile(-0.1)));
}

TEST(LogBeta, MatchesTheExactValues) {
  // Sums of three logarithms of Gamma, each below 15: 3 * 15 * eps.
  const double tol = 45 * std::numeric_limits<double>::epsilon();
  EXPECT_LT(std::abs(log_beta(0.5, 0.5) - 1.1447298858494001741), tol);
  EXPECT_LT(std::abs(log_beta(2, 3) + 2.4849066497880003102), tol);
  EXPECT_LT(std::abs(log_beta(10.5, 0.25) - 0.70917551904132272275), tol);
  EXPECT_TRUE(std::isnan(log_beta(-1, 2)));
  EXPECT_LT(std::abs(log_gamma(0.5) - 0.57236494292470008707), tol);
}

}  // namespace
}  // namespace cauchy::test_special
