#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <vector>

#include <cauchy/sampling/random_field.hpp>

#include "support/random_field_checks.hpp"

namespace cauchy::test_random_field_covariance {
namespace {

constexpr double pi = std::numbers::pi;
constexpr auto periodic = FieldBoundary::periodic;
constexpr auto dirichlet = FieldBoundary::dirichlet;
constexpr auto neumann = FieldBoundary::neumann;

TEST(RandomFieldCovariance, DarcyFieldHasTheCovarianceOfItsOperator) {
  // (-Laplace + 9)^-2 with zero slopes, scaled by tau^(alpha - 1) = 3, without its mean.
  const auto field =
      make_random_field("grf(alpha = 2, tau = 3, modes = 12)", unit_axes(2, neumann));
  const auto covariance = [](const double* x, const double* y) {
    double sum = 0;
    for (int i = 0; i <= 12; ++i) {
      for (int j = 0; j <= 12; ++j) {
        if (i == 0 && j == 0) continue;
        const double norm = (i == 0 ? 1 : 2) * (j == 0 ? 1 : 2);
        sum += 9 * std::pow(pi * pi * (i * i + j * j) + 9, -2) * norm * std::cos(i * pi * x[0]) *
               std::cos(i * pi * y[0]) * std::cos(j * pi * x[1]) * std::cos(j * pi * y[1]);
      }
    }
    return sum;
  };
  expect_covariance(*field, {0.1, 0.2, 0.5, 0.9, 0.7, 0.3, 0, 0, 1, 0.5}, covariance, 8000);
}

TEST(RandomFieldCovariance, BurgersAndNavierStokesFieldsHaveTheCovarianceOfTheirOperators) {
  const auto burgers =
      make_random_field("grf(alpha = 2, tau = 5, sigma = 25, modes = 40)", unit_axes(1, periodic));
  expect_covariance(
      *burgers, {0, 0.05, 0.3, 0.8},
      [](const double* x, const double* y) {
        double sum = 0;
        for (int k = 1; k <= 40; ++k) {
          sum += 2 * 625 * std::pow(4 * pi * pi * k * k + 25, -2) *
                 std::cos(2 * pi * k * (x[0] - y[0]));
        }
        return sum;
      },
      20000);
  const auto vorticity =
      make_random_field("grf(alpha = 2.5, tau = 7, modes = 6)", unit_axes(2, periodic));
  expect_covariance(
      *vorticity, {0, 0, 0.1, 0.3, 0.7, 0.2},
      [](const double* x, const double* y) {
        double sum = 0;
        for (int i = -6; i <= 6; ++i) {
          for (int j = -6; j <= 6; ++j) {
            if (i == 0 && j == 0) continue;
            sum += std::pow(7, 3) * std::pow(4 * pi * pi * (i * i + j * j) + 49, -2.5) *
                   std::cos(2 * pi * (i * (x[0] - y[0]) + j * (x[1] - y[1])));
          }
        }
        return sum;
      },
      8000);
}

TEST(RandomFieldCovariance, BoundariesAreMirrorImagesOfTheCovariance) {
  // Over [-1, 2] with length 0.3: images at distances of 3 and 6 are below 1e-20.
  const double length = 0.3, sigma = 1.7, a = -1, b = 2;
  const auto k = [&](double r) { return sigma * sigma * std::exp(-r * r / (2 * length * length)); };
  for (const FieldBoundary boundary : {periodic, dirichlet, neumann, FieldBoundary::free}) {
    const double mirror = boundary == dirichlet ? -1 : boundary == neumann ? 1 : 0;
    const double wrap = boundary == periodic ? 1 : 0;
    const auto field =
        make_random_field(GaussianField{.length = {length}, .sigma = sigma}, {{a, b, boundary}});
    expect_covariance(
        *field, {-1, -0.9, 0.3, 0.5, 1.8, 2},
        [&](const double* x, const double* y) {
          return k(x[0] - y[0]) + mirror * (k(x[0] + y[0] - 2 * a) + k(x[0] + y[0] - 2 * b)) +
                 wrap * (k(x[0] - y[0] + b - a) + k(x[0] - y[0] - b + a));
        },
        20000);
  }
}

TEST(RandomFieldCovariance, FreeBoundariesLeaveTheCovarianceAsItIs) {
  struct Case {
    RandomFieldOptions options;
    std::function<double(double)> correlation;
    double lost;  // variance of the modes that are left out
  };
  FieldModes free = {.boundary = FieldBoundary::free};
  FieldModes many = {.boundary = FieldBoundary::free, .modes = 400};
  const std::vector<Case> cases = {
      {GaussianField{.length = {0.4}, .basis = free}, [](double r) { return std::exp(-r * r / 2); },
       1e-6},
      {ExponentialField{.length = {0.4}, .basis = many}, [](double r) { return std::exp(-r); },
       2 / (pi * 0.4 * 2 * pi * 400 / 6.6)},
      {MaternField{.nu = 1.5, .length = {0.4}, .basis = free},
       [](double r) { return (1 + std::sqrt(3) * r) * std::exp(-std::sqrt(3) * r); }, 1e-4},
      // A smoothness without a closed form: the integral K_nu(z) over cosh.
      {MaternField{.nu = 0.8, .length = {0.4}, .basis = many},
       [](double r) {
         const double z = std::sqrt(1.6) * r;
         double bessel = 0;
         for (int i = 0; i < 4000; ++i) {
           const double t = (i + 0.5) * 0.005;
           bessel += 0.005 * std::exp(-z * std::cosh(t)) * std::cosh(0.8 * t);
         }
         return r == 0 ? 1 : std::pow(2, 0.2) / std::tgamma(0.8) * std::pow(z, 0.8) * bessel;
       },
       4e-3},
  };
  for (const Case& c : cases) {
    const auto field = make_random_field(c.options, {{0, 1, neumann}});
    expect_covariance(
        *field, {0, 0.1, 0.5, 1},
        [&](const double* x, const double* y) {
          return c.correlation(std::abs(x[0] - y[0]) / 0.4);
        },
        5000, c.lost);
  }
}

TEST(RandomFieldCovariance, LengthsPerAxisStretchTheCovariance) {
  const auto field = make_random_field("gaussian(length = [0.5, 1], sigma = 2, boundary = free)",
                                       {{0, 1, neumann}, {0, 2, neumann}});
  expect_covariance(
      *field, {0, 0, 0.5, 0, 0, 1, 0.4, 0.9, 1, 2},
      [](const double* x, const double* y) {
        const double u = (x[0] - y[0]) / 0.5, v = x[1] - y[1];
        return 4 * std::exp(-(u * u + v * v) / 2);
      },
      6000);
}

TEST(RandomFieldCovariance, ThreeDimensionsHaveTheCovarianceToo) {
  const auto field =
      make_random_field("gaussian(length = 0.25, sigma = 1.5)", unit_axes(3, periodic));
  expect_covariance(
      *field, {0, 0, 0, 0.2, 0, 0, 0, 0.2, 0, 0, 0, 0.3, 0.9, 0.9, 0.1},
      [](const double* x, const double* y) {
        double product = 2.25;
        for (int a = 0; a < 3; ++a) {
          double sum = 0;
          for (int n = -3; n <= 3; ++n) {
            const double r = (x[a] - y[a] + n) / 0.25;
            sum += std::exp(-r * r / 2);
          }
          product *= sum;
        }
        return product;
      },
      2000);
}

TEST(RandomFieldCovariance, MaternOfSmoothnessOneHalfIsExponential) {
  for (std::size_t d = 1; d <= 3; ++d) {
    const FieldModes basis = {.modes = 7};
    const auto a =
        make_random_field(MaternField{.nu = 0.5, .length = {0.3}, .sigma = 2, .basis = basis},
                          unit_axes(d, periodic));
    const auto b = make_random_field(ExponentialField{.length = {0.3}, .sigma = 2, .basis = basis},
                                     unit_axes(d, periodic));
    const RandomField::Nodes nodes(d, {0.0, 0.21, 0.5, 0.77});
    const auto u = a->sample(Rng(3), 5, nodes), v = b->sample(Rng(3), 5, nodes);
    // Sums of at most 15^d terms of some 1.
    for (std::size_t i = 0; i < u.size(); ++i) EXPECT_LT(std::abs(u[i] - v[i]), 1e-12) << d;
  }
}

TEST(RandomFieldCovariance, GrfIsTheMaternFieldOfItsScale) {
  // nu = alpha - d/2, length = sqrt(2 nu) / tau, the same variance.
  const double alpha = 2, tau = 6, nu = 1;
  const double variance = std::tgamma(nu) / std::tgamma(alpha) / (4 * pi) * std::pow(tau, -2 * nu);
  const FieldModes basis = {.modes = 9};
  const auto a = make_random_field(GrfField{.alpha = alpha, .tau = tau, .sigma = 1, .basis = basis},
                                   unit_axes(2, neumann));
  const auto b = make_random_field(MaternField{.nu = nu,
                                               .length = {std::sqrt(2 * nu) / tau},
                                               .sigma = std::sqrt(variance),
                                               .basis = basis},
                                   unit_axes(2, neumann));
  const RandomField::Nodes nodes = {{0, 0.3, 1}, {0.1, 0.6}};
  const auto u = a->sample(Rng(1), 0, nodes), v = b->sample(Rng(1), 0, nodes);
  for (std::size_t i = 0; i < u.size(); ++i) EXPECT_LT(std::abs(u[i] - v[i]), 1e-13);
}

}  // namespace
}  // namespace cauchy::test_random_field_covariance
