#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include <cauchy/base/threads.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/expr/parse.hpp>
#include <cauchy/math/fft.hpp>
#include <cauchy/sampling/random_field.hpp>

#include "support/random_field_checks.hpp"

namespace cauchy::test_random_field {
namespace {

constexpr double pi = std::numbers::pi;
constexpr auto periodic = FieldBoundary::periodic;
constexpr auto dirichlet = FieldBoundary::dirichlet;
constexpr auto neumann = FieldBoundary::neumann;

TEST(RandomField, DirichletFieldsVanishOnAllSides) {
  for (std::size_t d = 1; d <= 3; ++d) {
    const auto field = make_random_field("matern(nu = 1.5)", unit_axes(d, dirichlet));
    const std::vector<double> x = linspace(0, 1, 9);
    const auto u = field->sample(Rng(1), 0, RandomField::Nodes(d, x));
    double largest = 0;
    for (std::size_t i = 0; i < u.size(); ++i) {
      bool boundary = false;
      for (std::size_t a = 0, rest = i; a < d; ++a, rest /= 9) {
        boundary = boundary || rest % 9 == 0 || rest % 9 == 8;
      }
      EXPECT_TRUE(!boundary || u[i] == 0) << d << " " << i;
      largest = std::max(largest, std::abs(u[i]));
    }
    EXPECT_GT(largest, 0.5);
  }
}

TEST(RandomField, SlopesAtTheEndsAreThoseOfTheBoundary) {
  const double h = 1e-5;
  const RandomField::Nodes nodes = {{0, h, 1 - h, 1}};
  const auto slopes = [&](FieldBoundary boundary) {
    const auto u = make_random_field("gaussian(length = 0.2)", unit_axes(1, boundary))
                       ->sample(Rng(4), 2, nodes);
    return std::array<double, 4>{(u[1] - u[0]) / h, (u[3] - u[2]) / h, u[0], u[3]};
  };
  const auto flat = slopes(neumann), round = slopes(periodic), open = slopes(FieldBoundary::free);
  // u(h) - u(0) = h^2 u'' / 2 with |u''| below 5 deviations of sqrt(3) / length^2.
  EXPECT_LT(std::abs(flat[0]), 250 * h);
  EXPECT_LT(std::abs(flat[1]), 250 * h);
  EXPECT_LT(std::abs(round[2] - round[3]), 1e-14);
  EXPECT_LT(std::abs(round[0] - round[1]), 500 * h);
  EXPECT_GT(std::abs(round[0]), 0.1);
  EXPECT_GT(std::abs(open[0]), 0.1);
  EXPECT_GT(std::abs(open[0] - open[1]), 0.1);
}

TEST(RandomField, SpectraFallByTheOrderOfTheOperator) {
  const std::size_t n = 256;
  for (const double alpha : {1.5, 2.5}) {
    const auto sampler =
        make_random_field(GrfField{.alpha = alpha, .tau = 1, .basis = {.modes = 100}},
                          unit_axes(1, periodic))
            ->on_grid({linspace(0, 1, n + 1, false)});
    const RealFft<double> fft({n});
    std::vector<double> u(n), power(n / 2 + 1);
    std::vector<std::complex<double>> c(n / 2 + 1);
    for (std::uint64_t number = 0; number < 500; ++number) {
      sampler->sample(Rng(2), number, u);
      fft.forward(u, c);
      for (std::size_t k = 0; k < c.size(); ++k) power[k] += std::norm(c[k]);
    }
    // Sums of 2 x 500 squares over bands of octaves: relative deviation below 1 / sqrt(500 * 8).
    double low = 0, high = 0;
    for (std::size_t k = 8; k < 16; ++k) {
      low += power[k] * std::pow(static_cast<double>(k), 2 * alpha);
      high += power[4 * k] * std::pow(4.0 * static_cast<double>(k), 2 * alpha);
    }
    EXPECT_LT(std::abs(std::log(high / low)), 5 * std::sqrt(2.0 / (500 * 8))) << alpha;
    for (std::size_t k = 101; k < c.size(); ++k) EXPECT_LT(power[k], 1e-20 * power[1]);
  }
}

TEST(RandomField, AllGridsShowTheSameFunction) {
  for (const RandomFieldEntry& entry : all_random_fields()) {
    for (std::size_t d = 1; d <= 3; ++d) {
      const std::size_t n = d == 3 ? 4 : 64;
      const auto field = make_random_field(entry.name, unit_axes(d, neumann));
      EXPECT_EQ(field->dimension(), d);
      const auto coarse = field->sample(Rng(7), 1, RandomField::Nodes(d, linspace(0, 1, n + 1)));
      const auto fine = field->sample(Rng(7), 1, RandomField::Nodes(d, linspace(0, 1, 2 * n + 1)));
      double largest = 0, worst = 0;
      for (std::size_t i = 0; i < coarse.size(); ++i) {
        std::size_t at = 0, rest = i, stride = 1;
        for (std::size_t a = 0; a < d; ++a, rest /= n + 1, stride *= 2 * n + 1) {
          at += 2 * (rest % (n + 1)) * stride;
        }
        worst = std::max(worst, std::abs(coarse[i] - fine[at]));
        largest = std::max(largest, std::abs(coarse[i]));
      }
      EXPECT_GT(largest, 0.01) << entry.name;
      EXPECT_LT(worst, 1e-12 * (1 + largest)) << entry.name << " in " << d;
    }
  }
}

TEST(RandomField, PointsAndGridsAgree) {
  for (std::size_t d = 1; d <= 3; ++d) {
    // Axes of different lengths and numbers of modes: an axis in the wrong place would show.
    std::vector<RandomFieldAxis> axes = {{0, 1, neumann}, {-1, 2, periodic}, {0, 0.5, dirichlet}};
    RandomField::Nodes nodes = {{0.2, 0.7, 0.9}, {-0.5, 1.5}, {0.1, 0.2, 0.3, 0.35}};
    axes.resize(d);
    nodes.resize(d);
    const auto field = make_random_field("matern(nu = 2.5, length = 0.5)", axes);
    const auto on_grid = field->sample(Rng(1), 9, nodes);
    std::vector<double> points;
    for (std::size_t i = 0; i < on_grid.size(); ++i) {
      std::vector<double> point(d);
      for (std::size_t a = d, rest = i; a-- > 0; rest /= nodes[a].size()) {
        point[a] = nodes[a][rest % nodes[a].size()];
      }
      points.insert(points.end(), point.begin(), point.end());
    }
    const auto sampler = field->on_points(points);
    ASSERT_EQ(sampler->size(), on_grid.size());
    std::vector<double> on_points(on_grid.size());
    sampler->sample(Rng(1), 9, on_points);
    for (std::size_t i = 0; i < on_grid.size(); ++i) {
      EXPECT_LT(std::abs(on_points[i] - on_grid[i]), 1e-12) << d << " " << i;
    }
  }
}

TEST(RandomField, MoreModesLeaveThoseThatWereThere) {
  const RandomField::Nodes nodes(2, linspace(0, 1, 33, false));
  const auto few = make_random_field("grf(modes = 3)", unit_axes(2, periodic));
  const auto more = make_random_field("grf(modes = 8)", unit_axes(2, periodic));
  const auto u = few->sample(Rng(1), 4, nodes), v = more->sample(Rng(1), 4, nodes);
  const Fft<double> fft({32, 32});
  std::vector<std::complex<double>> difference(u.size());
  for (std::size_t i = 0; i < u.size(); ++i) difference[i] = v[i] - u[i];
  fft.forward(difference, difference);
  double high = 0;
  for (std::size_t i = 0; i < 32; ++i) {
    for (std::size_t j = 0; j < 32; ++j) {
      const std::size_t k = std::max(std::min(i, 32 - i), std::min(j, 32 - j));
      const double size = std::abs(difference[i * 32 + j]);
      EXPECT_TRUE(k > 3 || size < 1e-11) << i << " " << j << " " << size;
      high = std::max(high, size);
    }
  }
  EXPECT_GT(high, 1e-2);
}

TEST(RandomField, DrawsDependOnSeedStreamAndNumberAlone) {
  const auto field = make_random_field("grf(tau = 4)", unit_axes(2, neumann));
  const auto sampler = field->on_grid(RandomField::Nodes(2, linspace(0, 1, 17)));
  const auto draw = [&](const Rng& rng, std::uint64_t number) {
    std::vector<double> u(sampler->size());
    sampler->sample(rng, number, u);
    return u;
  };
  Rng used(1);
  for (int i = 0; i < 5; ++i) (void)used.normal();
  const auto u = draw(Rng(1), 3);
  EXPECT_EQ(u, draw(used, 3));
  EXPECT_NE(u, draw(Rng(1), 4));
  EXPECT_NE(u, draw(Rng(2), 3));
  EXPECT_NE(u, draw(Rng(1, 1), 3));
  std::vector<std::vector<double>> all(24);
  for (const int n : {1, 2, 3}) {
    Threads threads(n);
    threads.run(24, [&](std::size_t i, int) { all[i] = draw(Rng(1), i); });
    for (std::size_t i = 0; i < 24; ++i) EXPECT_EQ(all[i], draw(Rng(1), i)) << n;
  }
}

TEST(RandomField, SeriesHaveTheirCoefficients) {
  const RandomField::Nodes ends = {{-1, 0.5, 2}};  // t = 0, 1/2, 1
  const std::vector<RandomFieldAxis> axis = {{-1, 2, neumann}};
  const auto variance = [](double t) {
    double sum = 0;
    for (int i = 0; i < 6; ++i) sum += std::pow(std::cos(i * std::acos(2 * t - 1)), 2);
    return 4.0 / 3 * sum;  // of a uniform number in [-2, 2]
  };
  const auto chebyshev = make_random_field("chebyshev(n = 6, size = 2)", axis)
                             ->on_points(std::vector<double>{-1, 0.1, 0.5, 2});
  std::vector<double> square(4), u(4);
  const std::uint64_t n = 20000;
  for (std::uint64_t i = 0; i < n; ++i) {
    chebyshev->sample(Rng(5), i, u);
    for (std::size_t k = 0; k < 4; ++k) {
      EXPECT_LT(std::abs(u[k]), 12);
      square[k] += u[k] * u[k] / static_cast<double>(n);
    }
  }
  const double places[] = {0, 1.1 / 3, 0.5, 1};
  for (std::size_t k = 0; k < 4; ++k) {
    // Squares have a deviation of at most sqrt(2) variances: the kurtosis is below the normal one.
    const double v = variance(places[k]);
    EXPECT_LT(std::abs(square[k] - v), 5 * v * std::sqrt(2.0 / static_cast<double>(n))) << k;
  }

  // A polynomial of degree n - 1: its n-th differences vanish, the one before is a_(n-1) (n-1)!
  // h^(n-1).
  const auto cubic =
      make_random_field("polynomial(n = 4)", axis)->sample(Rng(1), 2, {linspace(-1, 2, 6)});
  EXPECT_LT(std::abs(cubic[0] - 4 * cubic[1] + 6 * cubic[2] - 4 * cubic[3] + cubic[4]), 1e-14);
  const double lead = (cubic[3] - 3 * cubic[2] + 3 * cubic[1] - cubic[0]) / (6 * std::pow(0.2, 3));
  EXPECT_GT(std::abs(lead), 1e-3);
  EXPECT_LT(std::abs(lead), 1);

  const auto sines = make_random_field("sines(n = 3, size = 2, decay = 2)", axis);
  const auto s = sines->sample(Rng(1), 0, ends);
  EXPECT_EQ(s[0], 0);
  EXPECT_EQ(s[2], 0);
  expect_covariance(
      *sines, {-0.5, 0.5, 1},
      [](const double* x, const double* y) {
        double sum = 0;
        for (int k = 1; k <= 3; ++k) {
          sum += 4 * std::pow(k, -4) * std::sin(k * pi * (x[0] + 1) / 3) *
                 std::sin(k * pi * (y[0] + 1) / 3);
        }
        return sum;
      },
      20000);

  double mean = 0;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const auto c =
        make_random_field("constant(lower = 3, upper = 5)", axis)->sample(Rng(1), i, ends);
    EXPECT_EQ(c[0], c[2]);
    EXPECT_GE(c[0], 3);
    EXPECT_LE(c[0], 5);
    mean += c[0] / 2000;
  }
  EXPECT_LT(std::abs(mean - 4), 5 / std::sqrt(3.0 * 2000));
}

TEST(RandomField, MapsMakeThresholdsAndLognormalFields) {
  const auto g = make_random_field("grf", unit_axes(2, neumann))
                     ->sample(Rng(1), 0, RandomField::Nodes(2, linspace(0, 1, 33)));
  Context context;
  context.add_parameter("g");
  const Expr threshold = parse("where(g > 0, 12, 3)", context),
             lognormal = parse("exp(g)", context);
  std::size_t n_high = 0;
  for (const double v : g) {
    const Values values = Values().set(*context.find("g"), v);
    EXPECT_EQ(evaluate(threshold, values), v > 0 ? 12 : 3);
    EXPECT_EQ(evaluate(lognormal, values), std::exp(v));
    n_high += v > 0 ? 1 : 0;
  }
  EXPECT_GT(n_high, g.size() / 10);
  EXPECT_LT(n_high, g.size() * 9 / 10);
}

}  // namespace
}  // namespace cauchy::test_random_field
