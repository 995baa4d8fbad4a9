#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/sampling/integrate.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace cauchy::test_integrate {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();
const Coordinate t("t"), x("x"), y("y");
const Parameter R("R"), nu("nu");

using Row = std::span<const double>;

SamplerOptions random_points(std::uint64_t seed) {
  return {.kind = SamplerKind::uniform, .seed = seed};
}

TEST(Integrate, IsUnbiasedAndItsErrorIsHonestForRandomPoints) {
  // The integral of x^2 over the unit disk is pi / 4. Over many seeds the mean of the results must
  // be within 4 of its standard errors, and the deviations in units of the estimated error must
  // have mean square 1 (each has variance 2 / trials).
  const Domain disk = Disk({0, 0}, 1);
  constexpr std::size_t trials = 400, n = 200;
  double mean = 0, square = 0, variance = 0;
  for (std::uint64_t seed = 0; seed < trials; ++seed) {
    const Estimate e = integrate([](Row r) { return r[0] * r[0]; }, disk, n, random_points(seed));
    EXPECT_EQ(e.n, n);
    EXPECT_FALSE(e.exact);
    const double deviation = e.value - pi / 4;
    mean += deviation / trials;
    variance += deviation * deviation / trials;
    square += deviation * deviation / (e.error * e.error) / trials;
  }
  EXPECT_LT(std::abs(mean), 4 * std::sqrt(variance / trials));
  EXPECT_LT(std::abs(square - 1), 4 * std::sqrt(2.0 / trials));
  // Var(I_N) = |D|^2 Var(f) / N with Var(x^2) = 1/8 - 1/16.
  EXPECT_LT(std::abs(variance * n / (pi * pi / 16) - 1), 4 * std::sqrt(2.0 / trials));
}

TEST(Integrate, ErrsLikeOneOverTheRootOfNForRandomPoints) {
  // Root mean squares over `trials` seeds at N and 256 N: log_256 of their ratio is the slope.
  // A root mean square of T trials has relative deviation 1 / sqrt(2 T), so the slope has
  // sqrt(2 / (2 T)) / log(256).
  constexpr std::size_t trials = 100;
  const auto rms = [](std::size_t n) {
    double sum = 0;
    for (std::uint64_t seed = 0; seed < trials; ++seed) {
      const double value =
          integrate(exp(x), Interval(x, 0, 1), n, random_points(seed + 1000 * n)).value;
      sum += std::pow(value - (std::exp(1.0) - 1), 2) / trials;
    }
    return std::sqrt(sum);
  };
  const double slope = std::log(rms(64 * 256) / rms(64)) / std::log(256.0);
  EXPECT_LT(std::abs(slope + 0.5), 4 / std::sqrt(trials) / std::log(256.0));
}

TEST(Integrate, IsMoreAccurateWithQuasiRandomPoints) {
  const Domain square = Rectangle({0, 0}, {1, 1});
  const Expr f = exp(x) * cos(3 * y);
  const double exact = (std::exp(1.0) - 1) * std::sin(3.0) / 3;
  constexpr std::size_t n = 1U << 12U;
  const Estimate random = integrate(f, square, n, random_points(1));
  for (const SamplerKind kind :
       {SamplerKind::sobol, SamplerKind::halton, SamplerKind::lattice, SamplerKind::hammersley,
        SamplerKind::faure, SamplerKind::r_sequence, SamplerKind::latin_hypercube}) {
    const Estimate e = integrate(f, square, n, {.kind = kind, .seed = 5});
    EXPECT_EQ(e.n, n);
    EXPECT_LT(e.error, random.error / 2) << sampler_name(kind);
    // Student's t with 15 degrees of freedom exceeds 5 once in 6,000.
    EXPECT_LT(std::abs(e.value - exact), 5 * e.error) << sampler_name(kind);
  }
  EXPECT_LT(integrate(f, square, n).error, random.error / 20);
  EXPECT_LT(std::abs(random.value - exact), 5 * random.error);
}

TEST(Integrate, TakesTimeRangesAndVaryingShapes) {
  // t x over (0, 1) x (0, 2) x nu in (1, 3): 1/2 * 2 * 2.
  const Domain box = Interval(x, 0, 2) * Time(t, 0, 1) * Range(nu, 1, 3);
  const Estimate a = integrate(t * x * nu / 2, box, 1U << 12U);
  EXPECT_LT(std::abs(a.value - 2), 5 * a.error);
  EXPECT_LT(a.error, 1e-3);
  // The integral of R over |x| < R, 1 < R < 2 is pi (16 - 1) / 4.
  const Domain cone = Disk({0, 0}, R) * Range(R, 1, 2);
  const Estimate b = integrate([](Row r) { return r[2]; }, cone, 1U << 12U);
  EXPECT_LT(std::abs(b.value - 15 * pi / 4), 5 * b.error);
  EXPECT_LT(b.error, 0.05);
  const Estimate c = integrate([](Row r) { return r[2]; }, cone, 4000, random_points(3));
  EXPECT_LT(std::abs(c.value - 15 * pi / 4), 5 * c.error);
  // Without a closed form of the volume.
  const Region bitten = Box({0, 0, 0}, {1, 1, 1}) - Ball({0, 0, 0}, 0.5);
  const Estimate d = integrate(1, bitten, 1U << 12U);
  EXPECT_LT(std::abs(d.value - (1 - pi / 48)), 5 * d.error + 64 * eps);
  const Estimate e = integrate(t, Time(t, 0, 2), 1U << 8U);
  EXPECT_LT(std::abs(e.value - 2), 5 * e.error + 64 * eps);
}

TEST(Integrate, GivesTheSameBitsForAFunctionAndItsExpression) {
  const Domain disk = Disk({0, 0}, 1) * Time(t, 0, 1);
  const Estimate a = integrate(t * x * x, disk, 512);
  const Estimate b = integrate([](Row r) { return r[0] * (r[1] * r[1]); }, disk, 512);
  EXPECT_LT(std::abs(a.value - b.value), 16 * eps);
  EXPECT_EQ(a.value, integrate(t * x * x, disk, 512).value);
}

TEST(IntegrateImportance, HasNoVarianceWhenTheDensityIsProportionalToTheFunction) {
  // f = 3 x^2 / 7 has the density 3 x^2 on (0, 1), drawn by x = u^(1/3).
  const auto f = [](Row r) { return 3 * r[0] * r[0] / 7; };
  const auto pdf = [](Row r) { return 3 * r[0] * r[0]; };
  const auto draw = [](Rng& rng, std::span<double> row) { row[0] = std::cbrt(rng.uniform()); };
  const Estimate e = integrate_importance(f, pdf, draw, 1, 100);
  EXPECT_LT(std::abs(e.value - 1.0 / 7), 4 * eps);
  EXPECT_LT(e.error, 4 * eps);
}

TEST(IntegrateImportance, IsUnbiasedAndBeatsUniformPointsWhereTheDensityFits) {
  // The integral of exp(-10 x) over (0, 1) with the density 5 exp(-5 x) / (1 - exp(-5)).
  const double exact = (1 - std::exp(-10.0)) / 10, mass = 1 - std::exp(-5.0);
  const auto f = [](Row r) { return std::exp(-10 * r[0]); };
  const auto pdf = [&](Row r) { return 5 * std::exp(-5 * r[0]) / mass; };
  const auto draw = [&](Rng& rng, std::span<double> row) {
    row[0] = -std::log(1 - mass * rng.uniform()) / 5;
  };
  constexpr std::size_t trials = 200, n = 500;
  double mean = 0, error = 0;
  for (std::uint64_t seed = 0; seed < trials; ++seed) {
    const Estimate e = integrate_importance(f, pdf, draw, 1, n, seed);
    mean += (e.value - exact) / trials;
    error += e.error / trials;
  }
  EXPECT_LT(std::abs(mean), 4 * error / std::sqrt(trials));
  EXPECT_LT(error, 0.5 * integrate(f, Interval(x, 0, 1), n, random_points(1)).error);

  std::vector<double> rows(n);
  Rng rng(0);
  for (double& r : rows) draw(rng, {&r, 1});
  EXPECT_EQ(integrate_importance(f, pdf, rows, 1).value,
            integrate_importance(f, pdf, draw, 1, n, 0).value);
}

TEST(IntegrateHitOrMiss, IsUnbiasedAlsoForFunctionsWithBothSigns) {
  // x y^2 + 1 over the unit disk is pi; x over the half disk x > 0 is 2/3.
  const Domain disk = Disk({0, 0}, 1);
  const Domain half = Disk({0, 0}, 1) & Rectangle({0, -2}, {2, 2});
  constexpr std::size_t trials = 200, n = 500;
  double mean = 0, error = 0, half_mean = 0, half_error = 0;
  for (std::uint64_t seed = 0; seed < trials; ++seed) {
    const auto f = [](Row r) { return r[0] * r[1] * r[1] + 1; };
    const Estimate e = integrate_hit_or_miss(f, disk, -0.5, 2, n, seed);
    mean += (e.value - pi) / trials;
    error += e.error / trials;
    const Estimate h = integrate_hit_or_miss([](Row r) { return r[0]; }, half, 0, 1, n, seed);
    half_mean += (h.value - 2.0 / 3) / trials;
    half_error += h.error / trials;
  }
  EXPECT_LT(std::abs(mean), 4 * error / std::sqrt(trials));
  EXPECT_LT(std::abs(half_mean), 4 * half_error / std::sqrt(trials));
  // Hits are binomial: p = (2/3) / 2, error 2 sqrt(p (1 - p) / n).
  EXPECT_NEAR(half_error, 2 * std::sqrt(2.0 / 9 / n), 0.02 * half_error);
}

TEST(Integrate, RejectsBadInput) {
  const Domain disk = Disk({0, 0}, 1);
  const auto one = [](Row) { return 1.0; };
  EXPECT_THROW((void)integrate(one, disk, 0), Error);
  EXPECT_THROW((void)integrate(one, disk, 1, random_points(0)), Error);
  EXPECT_THROW((void)integrate(one, disk, 100, {}, 1), Error);
  EXPECT_THROW((void)integrate(one, HalfPlane({0, 0}, {1, 0}), 100), Error);
  EXPECT_THROW((void)integrate(t, disk, 100), Error);
  EXPECT_THROW((void)integrate_hit_or_miss(one, disk, 0, 0.5, 100), Error);
  EXPECT_THROW((void)integrate_hit_or_miss(one, disk, 2, 1, 100), Error);
  const auto zero = [](Row) { return 0.0; };
  const std::vector<double> rows{0.1, 0.2};
  EXPECT_THROW((void)integrate_importance(one, zero, rows, 1), Error);
  EXPECT_THROW((void)integrate_importance(one, one, rows, 0), Error);
  EXPECT_THROW((void)integrate_importance(one, one, rows, 2), Error);
}

}  // namespace
}  // namespace cauchy::test_integrate
