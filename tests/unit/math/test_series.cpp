#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include <cauchy/math/quadrature.hpp>
#include <cauchy/math/series.hpp>

namespace cauchy::test_series {
namespace {

constexpr double pi = std::numbers::pi;

double square_wave(double x) { return x < 0 ? -1 : 1; }

TEST(GeneralizedSeries, FulfilsPythagorasAndParseval) {
  // Sines of (0, 1), f = x (1 - x): c_n = sqrt(2) 4 / (n pi)^3 for odd n.
  const auto basis = [](std::size_t k, double x) {
    return std::sqrt(2.0) * std::sin(static_cast<double>(k + 1) * pi * x);
  };
  const auto s = generalized_series([](double x) { return x * (1 - x); }, basis, 400, 0, 1);
  EXPECT_NEAR(s.squared_norm, 1.0 / 30, 1e-15);
  for (std::size_t k = 0; k < 10; ++k) {
    const double n = static_cast<double>(k + 1) * pi;
    EXPECT_NEAR(s.coefficients[k], k % 2 == 0 ? std::sqrt(2.0) * 4 / (n * n * n) : 0, 1e-14);
  }
  // |x|^2 = |Px|^2 + |Qx|^2: the residual is the norm of the difference itself.
  const Rule rule = scaled(gauss_legendre(200), 0, 1);
  const double direct = rule.integrate([&](double x) {
    double sum = x * (1 - x);
    for (std::size_t k = 0; k < 6; ++k) sum -= s.coefficients[k] * basis(k, x);
    return sum * sum;
  });
  EXPECT_NEAR(s.residual(6), std::sqrt(direct), 1e-9);
  EXPECT_LT(s.residual(400), 1e-7);
}

TEST(FourierCoefficients, DecayAsSmoothAsTheFunctionIs) {
  // Square wave: c_k = -2 i / (pi k) for odd k; |x|: c_k = -2 / (pi k^2) for odd k.
  const double jump[] = {0.0};
  const auto c = fourier_coefficients(square_wave, 41, jump);
  const auto a = fourier_coefficients([](double x) { return std::abs(x); }, 41, jump);
  for (std::size_t k = 1; k <= 41; ++k) {
    const double n = static_cast<double>(k);
    EXPECT_NEAR(c[41 + k].imag(), k % 2 == 1 ? -2 / (pi * n) : 0, 1e-14);
    EXPECT_NEAR(c[41 + k].real(), 0, 1e-15);
    EXPECT_NEAR(a[41 + k].real(), k % 2 == 1 ? -2 / (pi * n * n) : 0, 1e-14);
  }
  EXPECT_NEAR(a[41].real(), pi / 2, 1e-14);
}

TEST(FourierSum, OvershootsAJumpByGibbsNineteenPercentOfOne) {
  // The largest value of the partial sums tends to (2/pi) Si(pi) = 1.178979744...
  const double jump[] = {0.0};
  constexpr std::size_t n = 201;
  const auto c = fourier_coefficients(square_wave, n, jump);
  double top = 0;
  for (int i = 1; i < 4000; ++i) top = std::max(top, fourier_sum(c, pi * i / 4000.0));
  EXPECT_NEAR(top, 1.1789797, 1e-4);
  EXPECT_NEAR(fourier_sum(c, pi / 2), 1, 1e-2);
  EXPECT_NEAR(fourier_sum(c, 0), 0, 1e-13);  // the middle of the jump
}

TEST(HeatKernel, HasMassOneAndIsASemigroup) {
  const double t = 0.07, s = 0.11;
  const Rule line = scaled(gauss_legendre(200), -8, 8);
  EXPECT_NEAR(line.integrate([&](double x) { return heat_kernel(x, t, 1); }), 1, 1e-13);
  const double twice =
      line.integrate([&](double y) { return heat_kernel(0.4 - y, t, 1) * heat_kernel(y, s, 1); });
  EXPECT_NEAR(twice, heat_kernel(0.4, t + s, 1), 1e-13);
  // In the plane, radially.
  const Rule radius = scaled(gauss_legendre(200), 0, 8);
  EXPECT_NEAR(radius.integrate([&](double r) { return 2 * pi * r * heat_kernel(r, t, 2); }), 1,
              1e-12);
}

TEST(HeatKernel, IsAlmostThatOfTheIntervalForSmallTimes) {
  EXPECT_NEAR(interval_heat_kernel(0.5, 0.45, 1e-3, 1), heat_kernel(0.05, 1e-3, 1), 1e-10);
  // Later the ends cool it: the semigroup property holds with the interval.
  const Rule rule = scaled(gauss_legendre(100), 0, 2);
  const double twice = rule.integrate([](double y) {
    return interval_heat_kernel(0.3, y, 0.1, 2) * interval_heat_kernel(y, 1.1, 0.2, 2);
  });
  EXPECT_NEAR(twice, interval_heat_kernel(0.3, 1.1, 0.3, 2), 1e-13);
}

}  // namespace
}  // namespace cauchy::test_series
