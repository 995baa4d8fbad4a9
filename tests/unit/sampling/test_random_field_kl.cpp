#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

#include <cauchy/math/quadrature.hpp>
#include <cauchy/math/roots.hpp>

#include "sampling/random_fields/karhunen_loeve.hpp"
#include "support/random_field_checks.hpp"

namespace cauchy::test_random_field_kl {
namespace {

constexpr double pi = std::numbers::pi;

/// Eigenvalues of exp(-|x - y|) on [0, size]: 2 / (1 + w^2) where w solves 1 = w tan(w size / 2)
/// for the even functions and w = -tan(w size / 2) for the odd ones, in turns.
std::vector<double> exponential_values(double size, int n) {
  std::vector<double> values;
  const double half = size / 2;
  for (int i = 0; i < n; ++i) {
    // Written without poles; one root between each two multiples of pi / 2 of w size / 2.
    const auto f = [&](double w) {
      return i % 2 == 0 ? std::cos(w * half) - w * std::sin(w * half)
                        : w * std::cos(w * half) + std::sin(w * half);
    };
    const double a = i * pi / 2 / half, b = (i + 1) * pi / 2 / half;
    const RootResult root = find_root(f, std::max(a, 1e-12), b);
    EXPECT_EQ(root.status, RootStatus::converged);
    values.push_back(2 / (1 + root.root * root.root));
  }
  return values;
}

TEST(RandomFieldKl, EigenvaluesOfTheExponentialKernelSolveTheirEquation) {
  for (const double size : {0.5, 1.0, 5.0, 40.0}) {
    const auto kl = detail::karhunen_loeve([](double r) { return std::exp(-r); }, size, 30);
    const std::vector<double> exact = exponential_values(size, 30);
    ASSERT_EQ(kl.values.size(), 30u);
    // Rounding of a matrix of norm value_0, with some 80 polynomials.
    for (std::size_t i = 0; i < 30; ++i) {
      EXPECT_LT(std::abs(kl.values[i] - exact[i]), 1e-13 * exact[0]) << size << " " << i;
    }
  }
}

TEST(RandomFieldKl, EigenvaluesAddUpToTheLength) {
  const auto gaussian = [](double r) { return std::exp(-r * r / 2); };
  for (const double size : {0.3, 5.0, 20.0}) {
    const auto kl = detail::karhunen_loeve(gaussian, size, 60);
    EXPECT_LT(std::abs(std::accumulate(kl.values.begin(), kl.values.end(), 0.0) - size),
              1e-13 * size)
        << size;
    for (std::size_t i = 1; i < 60; ++i) EXPECT_LE(kl.values[i], kl.values[i - 1]);
  }
  // Those of exp(-r) behind term n fall as 2 size / (pi i)^2 * size and add up to about
  // 2 size^2 / (pi^2 n).
  const auto kl = detail::karhunen_loeve([](double r) { return std::exp(-r); }, 2, 100);
  const double rest = 2 - std::accumulate(kl.values.begin(), kl.values.end(), 0.0);
  const double expected = 8 / (pi * pi * 100);
  EXPECT_LT(std::abs(rest - expected), 0.02 * expected);
}

TEST(RandomFieldKl, FunctionsAreOrthonormalAndSolveTheIntegralEquation) {
  const double size = 3;
  const auto correlation = [](double r) { return (1 + r) * std::exp(-r); };
  const auto kl = detail::karhunen_loeve(correlation, size, 12);
  const Rule rule = scaled(gauss_legendre(80), 0, size);
  std::vector<std::vector<double>> phi(rule.size(), std::vector<double>(12));
  for (std::size_t q = 0; q < rule.size(); ++q) {
    kl.functions->evaluate(rule.nodes[q] / size, phi[q]);
  }
  for (std::size_t i = 0; i < 12; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double product = 0;
      for (std::size_t q = 0; q < rule.size(); ++q) {
        product += rule.weights[q] * phi[q][i] * phi[q][j];
      }
      EXPECT_LT(std::abs(product - (i == j ? 1 : 0)), 1e-13) << i << " " << j;
    }
  }
  // At a point the kernel is cut in two smooth pieces.
  const double x = 1.1;
  std::vector<double> at_x(12), at_y(12);
  kl.functions->evaluate(x / size, at_x);
  for (std::size_t i = 0; i < 12; ++i) {
    const auto integrand = [&](double y) {
      kl.functions->evaluate(y / size, at_y);
      return correlation(std::abs(x - y)) * at_y[i];
    };
    const double integral = scaled(gauss_legendre(40), 0, x).integrate(integrand) +
                            scaled(gauss_legendre(40), x, size).integrate(integrand);
    EXPECT_LT(std::abs(integral - kl.values[i] * at_x[i]), 1e-13) << i;
  }
  kl.functions->evaluate(0, at_x);
  for (const double value : at_x) EXPECT_GT(value, 0);
}

TEST(RandomFieldKl, GaussianProcessHasItsCovarianceUpToTheEnds) {
  const auto one = make_random_field("gp(length = 0.3, sigma = 2)", {{1, 2}});
  expect_covariance(
      *one, {1, 1.1, 1.5, 2},
      [](const double* x, const double* y) {
        return 4 * std::exp(-std::pow((x[0] - y[0]) / 0.3, 2) / 2);
      },
      20000, 1e-6);
  const auto two = make_random_field("gp(length = [0.3, 0.6])", {{0, 1}, {0, 1}});
  expect_covariance(
      *two, {0, 0, 0.3, 0, 0, 0.3, 0.2, 0.9, 1, 1},
      [](const double* x, const double* y) {
        const double u = (x[0] - y[0]) / 0.3, v = (x[1] - y[1]) / 0.6;
        return std::exp(-(u * u + v * v) / 2);
      },
      10000, 1e-6);
}

TEST(RandomFieldKl, TermsCutTheSeries) {
  // One term: all draws are multiples of the first function.
  const auto field = make_random_field("kl(kernel = exponential, length = 1, terms = 1)", {{0, 1}});
  const RandomField::Nodes nodes = {linspace(0, 1, 5)};
  const auto u = field->sample(Rng(1), 0, nodes), v = field->sample(Rng(1), 1, nodes);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_LT(std::abs(u[i] * v[0] - v[i] * u[0]), 1e-14);
  // cos(w (x - 1/2)) with w tan(w / 2) = 1.
  const double w = std::sqrt(2 / exponential_values(1, 1)[0] - 1);
  EXPECT_LT(std::abs(u[0] / u[2] - std::cos(w / 2)), 1e-13);

  const auto kernels = {"kl(kernel = exponential)", "kl(kernel = matern, nu = 1.5)",
                        "kl(kernel = matern, nu = 0.8, length = 0.4)", "kl(kernel = gaussian)"};
  for (const char* text : kernels) {
    const auto many = make_random_field(text, {{0, 1}})->on_points(std::vector<double>{0, 0.5, 1});
    std::vector<double> square(3), value(3);
    for (std::uint64_t n = 0; n < 4000; ++n) {
      many->sample(Rng(1), n, value);
      for (std::size_t i = 0; i < 3; ++i) square[i] += value[i] * value[i] / 4000;
    }
    // 5 sqrt(2 / 4000), and at most 2 % of the variance behind 128 terms (at the ends twice).
    for (const double s : square) EXPECT_LT(std::abs(s - 1), 0.112 + 0.02) << text;
  }
}

}  // namespace
}  // namespace cauchy::test_random_field_kl
