#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <fstream>
#include <numbers>

#include <cauchy/networks/fno.hpp>

#include "support/field_checks.hpp"
#include "support/message_of.hpp"

namespace cauchy::test_field_fno {
namespace {

using std::numbers::pi;
using test::largest;
using test::largest_difference;
using test::sampled;
using test::TriedField;
using test::unit_grid;

/// One Fourier layer between unit matrices: the spectral part alone.
Fno bare_layer(int width, std::vector<int> modes) {
  return {.width = width,
          .depth = 1,
          .modes = std::move(modes),
          .projection = 0,
          .coordinates = false,
          .padding = 0,
          .skip = FnoSkip::none};
}

void make_unit_matrix(std::span<double> weights, int n) {
  std::fill(weights.begin(), weights.end(), 0.0);
  for (int i = 0; i < n; ++i) weights[static_cast<std::size_t>(i * n + i)] = 1;
}

/// The network with every parameter 0 but lifting and projection, which do nothing.
TriedField bare(const Fno& fno, const FieldGrid& grid) {
  TriedField tried(fno, grid, fno.width, fno.width);
  std::fill(tried.theta.begin(), tried.theta.end(), 0.0);
  make_unit_matrix(tried.block("lifting"), fno.width);
  make_unit_matrix(tried.block("projection"), fno.width);
  return tried;
}

std::vector<double> noise(std::size_t n) {
  std::vector<double> values(n);
  Rng(21).fill_normal(values);
  return values;
}

TEST(Fno, IsTheIdentityWhenEveryModeHasTheUnitMatrix) {
  for (const std::vector<int>& sizes : {std::vector<int>{8}, {9}, {6, 8}, {5, 7}, {4, 3, 6}}) {
    std::vector<int> modes;
    for (const int n : sizes) modes.push_back((n + 1) / 2);
    modes.back() = sizes.back() / 2 + 1;
    const FieldGrid grid = unit_grid(sizes, true);
    TriedField tried = bare(bare_layer(2, modes), grid);
    const std::span<double> r = tried.block("modes");  // [out][in][mode][2]
    const std::size_t n_modes = r.size() / 8;
    for (std::size_t k = 0; k < n_modes; ++k) r[2 * k] = r[6 * n_modes + 2 * k] = 1;
    const std::vector<double> a = noise(2 * grid.n_points());
    // A sum of n_points numbers of size 1, twice.
    EXPECT_LT(largest_difference(tried.values(a), a), 1e-15 * 16 * std::sqrt(grid.n_points()));
    // Without one frequency it is not: the check can fail.
    r[0] = 0;
    EXPECT_GT(largest_difference(tried.values(a), a), 1e-3);
  }
}

TEST(Fno, PassesWhatItGetsAsTheSkipSays) {
  const FieldGrid grid = unit_grid({6, 8}, true);
  const std::vector<double> a = noise(2 * grid.n_points());
  Fno fno = bare_layer(2, {2});
  EXPECT_EQ(largest(bare(fno, grid).values(a)), 0);
  fno.skip = FnoSkip::identity;
  EXPECT_EQ(largest_difference(bare(fno, grid).values(a), a), 0);
  fno.skip = FnoSkip::linear;
  TriedField twice = bare(fno, grid);
  make_unit_matrix(twice.block("skip"), 2);
  for (double& v : twice.block("skip")) v *= 2;
  std::vector<double> b = a;
  for (double& v : b) v *= 2;
  EXPECT_EQ(largest_difference(twice.values(a), b), 0);
}

TEST(Fno, IsTheHeatSemigroupWithModesThatDecay) {
  // u_t = nu lap u on the unit torus: mode k decays like exp(-nu (2 pi |k|)^2 t).
  const double nu_t = 0.013;
  const FieldGrid grid = unit_grid({12, 16}, true);
  Fno fno = bare_layer(1, {4, 5});
  fno.separable = true;
  TriedField tried = bare(fno, grid);
  const std::span<double> r = tried.block("modes");  // [channel][mode][2]
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < 5; ++j) {
      const int kx = i < 4 ? i : i - 8;
      r[static_cast<std::size_t>(2 * (5 * i + j))] =
          std::exp(-nu_t * 4 * pi * pi * (kx * kx + j * j));
    }
  }
  // Modes (1, 2), (-3, 1), (3, 4): exact after time t, by the formula.
  const auto heat = [](std::span<const double> x, double s) {
    const auto wave = [&](int p, int q, double phase) {
      return std::exp(-s * 4 * pi * pi * (p * p + q * q)) *
             std::cos(2 * pi * (p * x[0] + q * x[1]) + phase);
    };
    return 0.7 + wave(1, 2, 0.3) - 2 * wave(-3, 1, 1.1) + wave(3, 4, 0.2) + wave(2, 0, 0.5);
  };
  const auto start = [&](int, std::span<const double> x) { return heat(x, 0); };
  const auto later = [&](int, std::span<const double> x) { return heat(x, nu_t); };
  EXPECT_LT(largest_difference(tried.values(sampled(grid, 1, start)), sampled(grid, 1, later)),
            1e-13);
  // Twice half the time is the whole time.
  TriedField half = tried;
  for (double& v : half.block("modes")) v = std::sqrt(v);
  EXPECT_LT(largest_difference(half.values(half.values(sampled(grid, 1, start))),
                               tried.values(sampled(grid, 1, start))),
            1e-13);
}

/// values[c][x][y] moved by whole points around the torus.
std::vector<double> rolled(const std::vector<double>& values, int nx, int ny, int bx, int by) {
  std::vector<double> result(values.size());
  const int channels = static_cast<int>(values.size()) / (nx * ny);
  for (int c = 0; c < channels; ++c) {
    for (int i = 0; i < nx; ++i) {
      for (int j = 0; j < ny; ++j) {
        const int to = (c * nx + (i + bx) % nx) * ny + (j + by) % ny;
        result[static_cast<std::size_t>(to)] =
            values[static_cast<std::size_t>((c * nx + i) * ny + j)];
      }
    }
  }
  return result;
}

TEST(Fno, CommutesWithTranslationsOfThePeriodicGrid) {
  const FieldGrid grid = unit_grid({12, 10}, true);
  Fno fno{
      .width = 4, .depth = 3, .modes = {4, 3}, .projection = 6, .coordinates = false, .local = 3};
  const TriedField tried(fno, grid, 1, 2);
  const std::vector<double> a = noise(120), u = tried.values(a);
  EXPECT_LT(largest_difference(tried.values(rolled(a, 12, 10, 5, 3)), rolled(u, 12, 10, 5, 3)),
            1e-12 * largest(u));
  EXPECT_GT(largest_difference(rolled(u, 12, 10, 5, 3), u), 1e-2 * largest(u));
  fno.coordinates = true;  // then it knows where it is
  const TriedField placed(fno, grid, 1, 2);
  EXPECT_GT(largest_difference(placed.values(rolled(a, 12, 10, 5, 3)),
                               rolled(placed.values(a), 12, 10, 5, 3)),
            1e-3);
}

/// The numbers of every second point of a grid of 2 nx x 2 ny.
std::vector<double> every_second(const std::vector<double>& fine, int channels, int nx, int ny) {
  std::vector<double> result;
  for (int c = 0; c < channels; ++c) {
    for (int i = 0; i < nx; ++i) {
      for (int j = 0; j < ny; ++j) {
        result.push_back(fine[static_cast<std::size_t>((c * 2 * nx + 2 * i) * 2 * ny + 2 * j)]);
      }
    }
  }
  return result;
}

TEST(Fno, GivesBandLimitedFunctionsTheSameAnswerOnTwoGrids) {
  // Without an activation the layer is exact on every grid that resolves the function; with one,
  // frequencies above the grid's fold back, less on finer grids.
  const auto answer = [](const Fno& fno, int n) {
    const FieldGrid grid = unit_grid({n, n}, true);
    return TriedField(fno, grid, 2, 2).values(sampled(grid, 2, test::smooth_wave));
  };
  Fno linear{.width = 3, .depth = 1, .modes = {3}, .projection = 0};
  const std::vector<double> coarse = answer(linear, 8);
  EXPECT_LT(largest_difference(every_second(answer(linear, 16), 2, 8, 8), coarse),
            1e-13 * largest(coarse));
  linear.depth = 3;
  linear.projection = 5;
  const std::vector<double> a8 = answer(linear, 8), a16 = answer(linear, 16),
                            a32 = answer(linear, 32);
  const double first = largest_difference(every_second(a16, 2, 8, 8), a8),
               second = largest_difference(every_second(a32, 2, 16, 16), a16);
  EXPECT_GT(first, 1e-8);  // the activation does fold frequencies
  EXPECT_LT(second, 0.05 * first);
}

TEST(Fno, PadsAxesThatEndToTheSamePeriodOnEveryGrid) {
  // 1 + padding lengths: 9, 17 and 33 nodes are 8, 16 and 32 spacings, hence periods of 10, 20, 40.
  for (const int n : {9, 17, 33}) {
    const FieldGrid grid = unit_grid({n}, false);
    const TriedField tried(Fno{.width = 2, .depth = 1, .modes = {2}, .padding = 0.25}, grid);
    bool found = false;
    for (const TensorOperation& op : tried.graph->ops()) {
      if (op.code != TensorOp::spectrum) continue;
      found = true;
      EXPECT_EQ(tried.graph->shape(op.inputs[0]).grid, std::vector<int>{(n - 1) * 5 / 4});
    }
    EXPECT_TRUE(found);
  }
}

TEST(Fno, ConvergesInSecondOrderOnABoxWithEnds) {
  // 33, 65 and 129 nodes, whose periods are 36, 72 and 144 of their spacings.
  const auto step = [](bool trapezoid) {
    std::vector<std::vector<double>> answers;
    for (const int n : {33, 65, 129}) {
      const FieldGrid grid = unit_grid({n}, false);
      TriedField tried(Fno{.width = 6, .depth = 3, .modes = {6}, .trapezoid = trapezoid}, grid);
      const std::vector<double> a = sampled(
          grid, 1, [](int, std::span<const double> p) { return std::cos(3 * p[0]) + p[0]; });
      std::vector<double> common;
      const std::vector<double> all = tried.values(a);
      for (int i = 0; i < 33; ++i) common.push_back(all[static_cast<std::size_t>(i * (n / 32))]);
      answers.push_back(std::move(common));
    }
    return largest_difference(answers[1], answers[2]) / largest_difference(answers[0], answers[1]);
  };
  EXPECT_LT(step(true), 0.35);  // 1/4 and higher orders
  EXPECT_GT(step(false), 0.4);  // 1/2: the check can fail
}

TEST(Fno, MatchesThePublishedCodeInPyTorch) {
  std::ifstream file(CAUCHY_TEST_DATA "/fno_torch.txt");
  ASSERT_TRUE(file);
  std::string comment;
  std::getline(file, comment);
  std::size_t samples = 0, n_parameters = 0;
  int nx = 0, ny = 0, outputs = 0;
  double loss = 0;
  Fno fno{.modes = {0, 0}, .padding = 0.4, .trapezoid = false};
  file >> samples >> nx >> ny >> fno.width >> fno.depth >> fno.modes[0] >> fno.modes[1];
  file >> fno.projection >> outputs >> n_parameters >> loss;
  ASSERT_TRUE(file);
  FieldGrid grid = unit_grid({nx, ny}, false);
  grid.axes[1].periodic = true;
  const std::size_t points = grid.n_points();

  TensorGraph g;
  const int out = add_field_network(g, fno, g.input("a", {1, {nx, ny}}), grid, outputs);
  const int target = g.input("target", {outputs, {nx, ny}});
  const int square = test::mean_square(g, g.subtract(out, target));
  const auto graph = std::make_shared<const TensorGraph>(std::move(g));
  ASSERT_EQ(graph->n_parameters(), n_parameters);
  std::vector<double> theta(n_parameters), a(samples * points),
      t(samples * points * static_cast<std::size_t>(outputs)), answers(t.size()), u(t.size()),
      expected(n_parameters), gradient(n_parameters);
  const auto number = [](std::size_t i) { return static_cast<double>(i); };
  for (std::size_t i = 0; i < theta.size(); ++i) theta[i] = 0.4 * std::sin(1.7 * number(i) + 0.3);
  for (std::size_t i = 0; i < a.size(); ++i)
    a[i] = std::cos(0.9 * number(i) + 0.01 * number(i * i));
  for (std::size_t i = 0; i < t.size(); ++i) t[i] = std::sin(0.7 * number(i));
  for (double& v : answers) file >> v;
  for (double& v : expected) file >> v;
  ASSERT_TRUE(file);

  const auto executor = make_tensor_executor(graph, {{"loss", square, 1}}, test::plain_f64);
  const std::vector<std::span<const double>> inputs{a, t};
  executor->predict(out, theta, samples, inputs, u);
  EXPECT_LT(largest_difference(u, answers), 1e-13);
  executor->set_batch(samples, inputs);
  EXPECT_LT(std::abs(executor->gradient(theta, gradient) - loss), 1e-13);
  EXPECT_LT(largest_difference(gradient, expected), 1e-13);
  EXPECT_GT(largest(expected), 1e-2);
}

TEST(Fno, HasAsManyParametersAsTheFormulaSays) {
  const FieldGrid grid = unit_grid({16, 12, 10}, true);
  const auto count = [&](const Fno& fno) { return TriedField(fno, grid, 2, 3).theta.size(); };
  // 2 inputs and 6 coordinates; M = 2 m_1 2 m_2 m_3 = 8 * 6 * 2.
  const Fno plain{.width = 5, .depth = 4, .modes = {4, 3, 2}, .projection = 7};
  const std::size_t modes = 8 * 6 * 2, ends = (8 + 1) * 5 + (5 + 1) * 7 + (7 + 1) * 3;
  EXPECT_EQ(count(plain), ends + 4 * (2 * 25 * modes + 25 + 5));
  Fno other = plain;
  other.separable = true;
  EXPECT_EQ(count(other), ends + 4 * (2 * 5 * modes + 25 + 5));
  other = plain;
  other.factorization = FnoFactorization::tucker;
  other.rank = 3;
  EXPECT_EQ(count(other), ends + 4 * (2 * (9 * modes + 2 * 5 * 3) + 25 + 5));
  other.factorization = FnoFactorization::cp;
  EXPECT_EQ(count(other), ends + 4 * (2 * (3 * modes + 2 * 5 * 3) + 25 + 5));
  other = plain;
  other.skip = FnoSkip::identity;
  other.local = 3;
  EXPECT_EQ(count(other), ends + 4 * (2 * 25 * modes + 5 + 25 * 27));
}

/// R[out][in][mode] as complex numbers, from blocks of factors.
using Complex = std::complex<double>;
std::vector<Complex> complex_block(std::span<const double> numbers) {
  std::vector<Complex> result;
  for (std::size_t i = 0; i < numbers.size(); i += 2)
    result.emplace_back(numbers[i], numbers[i + 1]);
  return result;
}

TEST(Fno, FactorisedIsTheDenseNetworkWithTheProductsAsWeights) {
  const FieldGrid grid = unit_grid({6, 8}, true);
  const std::size_t w = 3, r = 2, n_modes = 4 * 3;
  for (const auto kind : {FnoFactorization::tucker, FnoFactorization::cp}) {
    Fno fno = bare_layer(3, {2, 3});
    TriedField dense(fno, grid, 3, 3);
    fno.factorization = kind;
    fno.rank = 2;
    TriedField factored(fno, grid, 3, 3);
    for (const char* name : {"lifting", "projection"}) {
      for (const int i : {0, 1}) {
        std::ranges::copy(factored.block(name, i), dense.block(name, i).begin());
      }
    }
    std::ranges::copy(factored.block("bias"), dense.block("bias").begin());
    const std::vector<Complex> in = complex_block(factored.block("modes_in")),
                               core = complex_block(factored.block("modes", 1)),
                               out = complex_block(factored.block("modes_out"));
    const std::span<double> weights = dense.block("modes");
    for (std::size_t o = 0; o < w; ++o) {
      for (std::size_t i = 0; i < w; ++i) {
        for (std::size_t k = 0; k < n_modes; ++k) {
          Complex sum = 0;
          for (std::size_t p = 0; p < r; ++p) {
            if (kind == FnoFactorization::cp) {
              sum += out[o * r + p] * core[p * n_modes + k] * in[p * w + i];
            } else {
              for (std::size_t q = 0; q < r; ++q) {
                sum += out[o * r + p] * core[(p * r + q) * n_modes + k] * in[q * w + i];
              }
            }
          }
          weights[2 * ((o * w + i) * n_modes + k)] = sum.real();
          weights[2 * ((o * w + i) * n_modes + k) + 1] = sum.imag();
        }
      }
    }
    const std::vector<double> a = noise(3 * grid.n_points()), u = dense.values(a);
    EXPECT_LT(largest_difference(factored.values(a), u), 1e-13 * largest(u));
  }
}

TEST(Fno, RefusesWhatDoesNotFit) {
  const auto message = [](const Fno& fno, bool periodic = true) {
    return message_of([&] { return TriedField(fno, unit_grid({16, 10}, periodic)); });
  };
  EXPECT_EQ(message({.modes = {9, 4}}),
            "[networks.fno]: 9 modes along 'x' are more than the 8 frequencies of 16 points; take "
            "fewer modes or a finer grid");
  EXPECT_EQ(message({.modes = {8, 7}}),
            "[networks.fno]: 7 modes along 'y' are more than the 6 frequencies of 10 points; take "
            "fewer modes or a finer grid");
  EXPECT_EQ(message({.modes = {8, 6}}), "no error");
  EXPECT_EQ(message({.modes = {10, 4}, .padding = 0.2}, false),
            "[networks.fno]: 10 modes along 'x' are more than the 9 frequencies of 18 points (with "
            "padding); take fewer modes or a finer grid");
  EXPECT_EQ(
      message({.modes = {2, 2, 2}}),
      "[networks.fno]: modes has 3 numbers for a grid of 2 axes; give one for all axes or one "
      "for each");
  EXPECT_EQ(message({.modes = {0}}), "[networks.fno]: modes must be positive, got 0");
  EXPECT_EQ(message({.width = 0, .modes = {2}}), "[networks.fno]: width must be positive, got 0");
  EXPECT_EQ(message({.depth = 0, .modes = {2}}), "[networks.fno]: depth must be positive, got 0");
  EXPECT_EQ(message({.modes = {2}, .padding = -1}),
            "[networks.fno]: padding must be between 0 and 4, got -1");
  EXPECT_EQ(message({.modes = {2}, .local = 4}),
            "[networks.fno]: a kernel has an odd number of points from 1 to 99, got 4");
  EXPECT_EQ(message({.modes = {2}, .factorization = FnoFactorization::cp, .separable = true}),
            "[networks.fno]: weights are factorised or separable, not both");
  EXPECT_EQ(message({.width = 8, .modes = {2}, .factorization = FnoFactorization::tucker}),
            "[networks.fno]: rank must be at most the width, got 16 and 8");
  EXPECT_EQ(message({.modes = {2}, .activation = Activation::sqrt}),
            "[networks.fno]: sqrt cannot stand between layers of a field network; take gelu");
}

}  // namespace
}  // namespace cauchy::test_field_fno
