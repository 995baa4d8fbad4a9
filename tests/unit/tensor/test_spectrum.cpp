// Identities of spectra: what any implementation has to satisfy, whatever its transforms are.
#include <cmath>
#include <complex>
#include <numbers>

#include <gtest/gtest.h>

#include <cauchy/tensor/graph.hpp>

#include "support/tensor_run.hpp"

namespace cauchy::test_spectrum {
namespace {

using test::distance;
using test::random_numbers;
using test::run_tensor;

/// All modes of a grid.
std::vector<int> all_modes(const std::vector<int>& grid) {
  std::vector<int> modes;
  for (std::size_t a = 0; a < grid.size(); ++a) {
    modes.push_back(a + 1 == grid.size() ? grid[a] / 2 + 1 : (grid[a] + 1) / 2);
  }
  return modes;
}

const std::vector<std::vector<int>> grids = {{8},    {7},    {1},       {2},       {6, 8},   {5, 8},
                                             {6, 7}, {5, 7}, {4, 6, 4}, {3, 5, 7}, {4, 5, 6}};

TEST(TensorSpectrum, AllModesGiveTheFunctionBack) {
  for (const std::vector<int>& grid : grids) {
    TensorGraph g;
    const int x = g.input("x", {2, grid});
    const int y = g.from_spectrum(g.spectrum(x, all_modes(grid)), grid);
    const std::vector<double> in = random_numbers(g.shape(x).size(), 1);
    EXPECT_LT(distance(run_tensor(g, y, {in}), in), 1e-13) << to_string(g.shape(x));
  }
}

TEST(TensorSpectrum, KeepsTheMeanSquare) {
  // Parseval: mean x^2 = sum |c_k|^2 over all frequencies; along the last axis each k stands for -k
  // too, and an odd axis has one mode twice.
  for (const std::vector<int>& grid : grids) {
    TensorGraph g;
    const int x = g.input("x", {1, grid});
    const int c = g.spectrum(x, all_modes(grid));
    const std::vector<double> in = random_numbers(g.shape(x).size(), 2);
    const std::vector<double> out = run_tensor(g, c, {in});
    const std::vector<int>& modes = g.shape(c).grid;
    const std::size_t n = g.shape(c).points();
    double left = 0, right = 0;
    for (const double v : in) left += v * v / static_cast<double>(in.size());
    for (std::size_t i = 0; i < n; ++i) {
      std::size_t rest = i;
      double times = 1;
      for (std::size_t a = grid.size(); a-- > 0;) {
        const int k = static_cast<int>(rest % static_cast<std::size_t>(modes[a]));
        rest /= static_cast<std::size_t>(modes[a]);
        if (a + 1 == grid.size()) {
          times *= k == 0 || 2 * k == grid[a] ? 1 : 2;
        } else if (grid[a] % 2 == 1 && k == modes[a] / 2) {
          times = 0;
        }
      }
      right += times * (out[i] * out[i] + out[n + i] * out[n + i]);
    }
    EXPECT_LT(std::abs(left - right), 1e-13 * left) << to_string(g.shape(x));
  }
}

TEST(TensorSpectrum, APlaneWaveHasOneCoefficient) {
  // cos(2 pi (2 y - 1 x) + 0.3) on 8 x 6: k = (-1, 2), c = exp(0.3 i) / 2, the only one kept.
  TensorGraph g;
  const int x = g.input("x", {1, {8, 6}});
  const int c = g.spectrum(x, {3, 3});
  std::vector<double> in;
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < 6; ++j) {
      in.push_back(std::cos(2 * std::numbers::pi * (-i / 8.0 + 2 * j / 6.0) + 0.3));
    }
  }
  const std::vector<double> out = run_tensor(g, c, {in});
  ASSERT_EQ(out.size(), 2u * 6 * 3);
  for (std::size_t i = 0; i < 18; ++i) {
    const bool it = i == 5 * 3 + 2;  // -1 is the last of 0 1 2 -3 -2 -1
    EXPECT_NEAR(out[i], it ? std::cos(0.3) / 2 : 0, 1e-15) << i;
    EXPECT_NEAR(out[18 + i], it ? std::sin(0.3) / 2 : 0, 1e-15) << i;
  }
}

TEST(TensorSpectrum, TheHighestFrequencyCountsOnce) {
  TensorGraph g;
  const int x = g.input("x", {1, {6}});
  const int c = g.spectrum(x, {4});
  const std::vector<double> in = {1, -1, 1, -1, 1, -1};
  const std::vector<double> out = run_tensor(g, c, {in});
  EXPECT_NEAR(out[3], 1, 1e-15);
  EXPECT_LT(distance(run_tensor(g, g.from_spectrum(c, {6}), {in}), in), 1e-15);
}

TEST(TensorSpectrum, ImaginaryPartsThatNoRealFunctionHasAreIgnored) {
  TensorGraph g;
  const int c = g.input("c", {2, {3}});
  const int y = g.from_spectrum(c, {4});
  // Re: 1 at k = 0; Im: 5 at k = 0 and 7 at k = 2 = n / 2.
  EXPECT_LT(distance(run_tensor(g, y, {{1, 0, 0, 5, 0, 7}}), std::vector<double>(4, 1)), 1e-14);
}

TEST(TensorSpectrum, ABandLimitedFunctionIsTheSameOnEveryGrid) {
  const auto f = [](double x, double y) {
    return 0.5 + std::cos(2 * std::numbers::pi * (x + 2 * y)) -
           2 * std::sin(2 * std::numbers::pi * (2 * x - y)) + std::sin(2 * std::numbers::pi * x);
  };
  const auto on = [&](int n, int m) {
    std::vector<double> values;
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < m; ++j) values.push_back(f(1.0 * i / n, 1.0 * j / m));
    }
    return values;
  };
  TensorGraph g;
  const int x = g.input("x", {1, {8, 7}});
  const int y = g.from_spectrum(g.spectrum(x, {3, 3}), {13, 10});
  EXPECT_LT(distance(run_tensor(g, y, {on(8, 7)}), on(13, 10)), 1e-13);
}

TEST(TensorSpectrum, DecayingModesAreTheHeatSemigroup) {
  // u_t = nu u_xx on a circle: R_k = exp(-nu (2 pi k)^2 t), applied to t and to 2 t / 2.
  const double nu = 0.02, t = 0.5;
  const int n = 16, m = 9;
  TensorGraph g;
  const int x = g.input("x", {1, {n}});
  const int once = g.from_spectrum(g.mode_linear(g.spectrum(x, {m}), 1), {n});
  const int twice = g.again(once, x, once);
  const auto decay = [&](double time) {
    std::vector<double> r;
    for (int k = 0; k < m; ++k) {
      r.push_back(std::exp(-nu * std::pow(2 * std::numbers::pi * k, 2) * time));
      r.push_back(0);
    }
    return r;
  };
  std::vector<double> in, want;
  const auto u = [&](double at, double time) {
    const double w = 2 * std::numbers::pi;
    return 1 + std::exp(-nu * w * w * time) * std::sin(w * at) +
           0.5 * std::exp(-nu * 9 * w * w * time) * std::cos(3 * w * at + 1);
  };
  for (int i = 0; i < n; ++i) {
    in.push_back(u(1.0 * i / n, 0));
    want.push_back(u(1.0 * i / n, t));
  }
  EXPECT_LT(distance(run_tensor(g, once, {in}, decay(t)), want), 1e-14);
  EXPECT_LT(distance(run_tensor(g, twice, {in}, decay(t / 2)), want), 1e-14);
}

TEST(TensorSpectrum, LayersCommuteWithTranslations) {
  TensorGraph g;
  const int x = g.input("x", {2, {6, 5}});
  const int y = g.from_spectrum(g.mode_linear(g.spectrum(x, {2, 3}), 3), {6, 5});
  const int before = g.again(y, x, g.roll(x, {2, -1})), behind = g.roll(y, {2, -1});
  const std::vector<double> in = random_numbers(60, 5), theta = random_numbers(g.n_parameters(), 6);
  const std::vector<double> a = run_tensor(g, before, {in}, theta);
  EXPECT_LT(distance(a, run_tensor(g, behind, {in}, theta)), 1e-14);
  EXPECT_GT(distance(a, run_tensor(g, y, {in}, theta)), 0.1);
}

TEST(TensorSpectrum, AUnitMatrixForEveryModeIsTheIdentity) {
  const std::vector<int> grid = {5, 6};
  TensorGraph g;
  const int x = g.input("x", {2, grid});
  const int y = g.from_spectrum(g.mode_linear(g.spectrum(x, all_modes(grid)), 2), grid);
  std::vector<double> theta(g.n_parameters(), 0.0);
  const std::size_t modes = 6 * 4;
  for (std::size_t o = 0; o < 2; ++o) {
    for (std::size_t k = 0; k < modes; ++k) theta[((o * 2 + o) * modes + k) * 2] = 1;
  }
  const std::vector<double> in = random_numbers(60, 7);
  EXPECT_LT(distance(run_tensor(g, y, {in}, theta), in), 1e-14);
}

}  // namespace
}  // namespace cauchy::test_spectrum
