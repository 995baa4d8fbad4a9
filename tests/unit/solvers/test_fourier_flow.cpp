#include "solvers/spectral/fourier_flow.hpp"

#include <cmath>
#include <complex>
#include <numbers>

#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/simplify.hpp>

#include "support/fourier_problems.hpp"

namespace cauchy::detail::test_fourier_flow {
namespace {

using Complex = std::complex<double>;

/// Numbers without any pattern.
double scattered(std::size_t i) {
  return std::fmod(0.618033988749895 * static_cast<double>(i + 1), 1.0) - 0.5;
}

FourierGrid small_grid() { return {{-1, 0.5}, {2, 3}, {9, 10}, {3, 4}}; }

TEST(FourierGrid, TransformsAgreeWithPlainSums) {
  const FourierGrid grid = small_grid();
  FourierGrid::Scratch scratch = grid.scratch();
  ASSERT_EQ(grid.n_modes(), 7u * 5u);
  std::vector<double> values(grid.n_points());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = scattered(i);
  Modes modes(grid.n_modes());
  grid.to_modes(values, modes, scratch);
  const double pi = std::numbers::pi;
  for (std::size_t k = 0; k < modes.size(); ++k) {
    Complex sum = 0;
    for (int i = 0; i < 9; ++i) {
      for (int j = 0; j < 10; ++j) {
        const double phase = 2 * pi *
                             (static_cast<double>(grid.index(k, 0)) * i / 9 +
                              static_cast<double>(grid.index(k, 1)) * j / 10);
        sum += values[static_cast<std::size_t>(10 * i + j)] * std::polar(1.0, -phase) / 90.0;
      }
    }
    EXPECT_LT(std::abs(modes[k] - sum), 1e-15) << k;
  }
  // u_xyy at the points from the sum over all modes, the ones that are not stored too.
  std::vector<double> derivative(grid.n_points());
  const int orders[] = {1, 2};
  grid.to_points(modes, grid.derivative(orders), derivative, scratch);
  const Points points = grid.points({"x", "y"});
  for (std::size_t i = 0; i < derivative.size(); ++i) {
    double sum = 0, value = 0;
    for (std::size_t k = 0; k < modes.size(); ++k) {
      const double a = pi * static_cast<double>(grid.index(k, 0)),
                   b = 2 * pi / 3 * static_cast<double>(grid.index(k, 1));
      const Complex wave =
          modes[k] * std::polar(1.0, a * (points.row(i)[0] + 1) + b * (points.row(i)[1] - 0.5));
      sum += (grid.index(k, 1) == 0 ? 1 : 2) * (Complex(0, a) * -b * b * wave).real();
      value += (grid.index(k, 1) == 0 ? 1 : 2) * wave.real();
    }
    EXPECT_NEAR(derivative[i], sum, 1e-12);
    EXPECT_NEAR(grid.value_at(modes, points.row(i)), value, 1e-14);
  }
}

TEST(FourierGrid, RefusesMoreModesThanPoints) {
  EXPECT_THROW(FourierGrid({0}, {1}, {8}, {4}), Error);
}

/// All modes of a function, |k| <= highest in both directions, by their numbers.
struct AllModes {
  const FourierGrid& grid;
  std::span<const Complex> stored;
  Complex operator()(long a, long b) const {
    for (std::size_t k = 0; k < stored.size(); ++k) {
      if (grid.index(k, 0) == a && grid.index(k, 1) == b) return stored[k];
      if (grid.index(k, 0) == -a && grid.index(k, 1) == -b) return std::conj(stored[k]);
    }
    return 0;
  }
};

TEST(FourierFlow, AdvectionOfVorticityIsTheConvolutionOfModes) {
  const Coordinate x("x"), y("y");
  const Problem problem = periodic_vorticity(0.1, 1, sin(x));
  const SpectralForm form = fourier_form(problem);
  EXPECT_EQ(form.n_evolved, 1u);
  EXPECT_EQ(form.degree, 2);
  Threads one(1);
  FourierFlow flow(problem, form, FourierGrid(form.lower, form.length, {10, 10}, {3, 3}), one);
  EXPECT_EQ(flow.n_transforms(), 5u);
  const FourierGrid& grid = flow.grid();
  // Any vorticity of mean zero; that of a real function.
  Modes w(grid.n_modes());
  for (std::size_t k = 1; k < w.size(); ++k) w[k] = {scattered(2 * k), scattered(2 * k + 1)};
  for (std::size_t k = 0; k < w.size(); ++k) {
    for (std::size_t l = 0; l < w.size(); ++l) {
      if (grid.index(k, 1) == 0 && grid.index(l, 1) == 0 && grid.index(l, 0) == -grid.index(k, 0)) {
        w[l] = std::conj(w[k]);
      }
    }
  }
  Modes rest(w.size());
  flow.rest(0, w, rest);
  const AllModes all{grid, w};
  Complex energy = 0, enstrophy = 0;
  for (std::size_t k = 0; k < w.size(); ++k) {
    const long a = grid.index(k, 0), b = grid.index(k, 1);
    Complex sum = 0;  // of -(p_y w_x - p_x w_y), with p = w / k^2
    for (long i = -3; i <= 3; ++i) {
      for (long j = -3; j <= 3; ++j) {
        if (i == 0 && j == 0) continue;
        const double turn = static_cast<double>(j * (a - i) - i * (b - j));
        sum += turn / static_cast<double>(i * i + j * j) * all(i, j) * all(a - i, b - j);
      }
    }
    EXPECT_LT(std::abs(rest[k] - sum), 1e-13) << a << " " << b;
    const double square = static_cast<double>(a * a + b * b);
    enstrophy += grid.weight(k) * std::conj(w[k]) * rest[k];
    if (k > 0) energy += grid.weight(k) * std::conj(w[k]) / square * rest[k];
  }
  // Without aliases, neither energy nor enstrophy is made.
  EXPECT_LT(std::abs(energy.real()), 1e-12);
  EXPECT_LT(std::abs(enstrophy.real()), 1e-12);
}

TEST(FourierFlow, PressureProjectsOntoFlowsWithoutDivergence) {
  const Coordinate x("x"), y("y");
  const Problem problem = periodic_flow(0.1, 1, sin(y), cos(x));
  const SpectralForm form = fourier_form(problem);
  Threads one(1);
  FourierFlow flow(problem, form, FourierGrid(form.lower, form.length, {12, 12}, {3, 3}), one);
  const FourierSystem& system = flow.system();
  ASSERT_TRUE(system.failure.empty()) << system.failure;
  ASSERT_EQ(system.open.size(), 1u);  // the mean of the pressure
  EXPECT_EQ(form.columns[system.open[0].column].field, "p");
  for (std::size_t k = 1; k < flow.grid().n_modes(); ++k) {
    const double a = flow.grid().wave_number(k, 0), b = flow.grid().wave_number(k, 1);
    const double square = a * a + b * b;
    // B f = f - k (k.f) / k^2, and p = -i k.f / k^2.
    EXPECT_LT(std::abs(system.B.at(0, 0, k) - (1 - a * a / square)), 1e-14);
    EXPECT_LT(std::abs(system.B.at(0, 1, k) + a * b / square), 1e-14);
    EXPECT_LT(std::abs(system.G.at(0, 1, k) - Complex(0, -b / square)), 1e-14);
    // A flow without divergence decays by viscosity alone.
    const Complex u = b, v = -a;
    const Complex rate = system.L.at(0, 0, k) * u + system.L.at(0, 1, k) * v;
    EXPECT_LT(std::abs(rate + 0.1 * square * u), 1e-12);
    // A gradient is taken out of initial values.
    EXPECT_LT(std::abs(system.projection.at(0, 0, k) * a + system.projection.at(0, 1, k) * b),
              1e-14);
  }
}

TEST(SpectralForm, SplitsOffWhatIsLinearWithConstantCoefficients) {
  const Coordinate t("t"), x("x");
  const Field u("u");
  Problem p = periodic_interval(0, 1, 1);
  const Parameter a("a");
  p.parameters = {{"a", 2.5}};
  p.equation = {2 * d(u, t, t) + a * (d(u, x, x) - 3) * u + sin(2 * pi * x) * d(u, x) ==
                d(u, x, x) + a * (u - u * u * u) - 7};
  p.condition.push_back(at(t == 0, u == sin(2 * pi * x)));
  p.condition.push_back(at(t == 0, 2 * d(u, t) == x + t));
  const SpectralForm form = fourier_form(p);
  ASSERT_EQ(form.columns.size(), 2u);
  EXPECT_EQ(form.n_evolved, 2u);
  EXPECT_EQ(form.degree, 3);
  EXPECT_EQ(form.constants[0], 7);
  double rate = 0, plain = 0, second = 0;
  for (const FourierTerm& term : form.terms) {
    if (term.row != 0) continue;
    if (term.rate) {
      EXPECT_EQ(term.column, 1u);
      rate += term.coefficient;
    } else if (term.orders[0] == 0) {
      plain += term.coefficient;
    } else {
      EXPECT_EQ(term.orders[0], 2);
      second += term.coefficient;
    }
  }
  EXPECT_EQ(rate, 2);
  EXPECT_EQ(plain, -3 * 2.5 - 2.5);
  EXPECT_EQ(second, -1);
  EXPECT_TRUE(same(expand(form.initial[1]), expand((x + t) / 2)));
}

}  // namespace
}  // namespace cauchy::detail::test_fourier_flow
