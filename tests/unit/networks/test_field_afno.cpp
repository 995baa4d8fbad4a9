#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include <cauchy/networks/afno.hpp>

#include "networks/fields/afno_mixer.hpp"
#include "support/field_checks.hpp"
#include "support/message_of.hpp"

namespace cauchy::test_field_afno {
namespace {

using test::largest;
using test::largest_difference;
using test::TriedField;
using test::unit_grid;

std::vector<double> normal_numbers(std::size_t n) {
  std::vector<double> values(n);
  Rng(8).fill_normal(values);
  return values;
}

TEST(Afno, MixerWithoutWeightsLeavesTheTokensAsTheyAre) {
  TriedField tried({4, {4, 6}}, [](TensorGraph& g, int z) {
    return g.add(z, detail::add_afno_mixer(g, z, 2, 0.01, 1));
  });
  std::ranges::fill(tried.theta, 0.0);
  const std::vector<double> z = normal_numbers(4 * 24);
  EXPECT_EQ(largest_difference(tried.values(z), z), 0);
}

TEST(Afno, KeepsTheLowFrequenciesOfBothBandsOfEveryAxis) {
  EXPECT_EQ(detail::afno_modes({8, 12}, 1), (std::vector<int>{4, 7}));
  EXPECT_EQ(detail::afno_modes({8, 12}, 0.5), (std::vector<int>{2, 4}));
  EXPECT_EQ(detail::afno_modes({7, 9}, 1), (std::vector<int>{4, 5}));
  EXPECT_EQ(detail::afno_modes({8, 12}, 0.01), (std::vector<int>{1, 1}));
  // Weights that pass what they get, as far as relu lets them: (x) = relu(x) - relu(-x) in two
  // blocks would do, here a bias lifts everything above 0 and the second one takes it off.
  const int n = 8;
  const auto passed = [&](double kept) {
    TriedField tried({1, {n, n}}, [&](TensorGraph& g, int z) {
      return detail::add_afno_mixer(g, z, 1, 0, kept);
    });
    std::ranges::fill(tried.theta, 0.0);
    tried.block("mixer", 0)[0] = 1;  // W_1 = 1
    for (double& b : tried.block("mixer", 1)) b = 10;
    tried.block("mixer", 2)[0] = 1;  // W_2 = 1
    for (double& b : tried.block("mixer", 3)) b = -10;
    return tried;
  };
  const auto wave = [&](int p, int q) {
    return test::sampled(unit_grid({n, n}, true), 1, [&](int, std::span<const double> x) {
      return std::cos(2 * std::numbers::pi * (p * x[0] + q * x[1]) + 0.4);
    });
  };
  const TriedField all = passed(1), half = passed(0.5);
  for (const auto& [p, q] :
       std::vector<std::pair<int, int>>{{1, 1}, {-1, 2}, {-2, 1}, {3, 0}, {3, 3}}) {
    EXPECT_LT(largest_difference(all.values(wave(p, q)), wave(p, q)), 1e-13);
  }
  EXPECT_LT(largest_difference(half.values(wave(1, 2)), wave(1, 2)), 1e-13);
  EXPECT_LT(largest_difference(half.values(wave(-1, 2)), wave(-1, 2)), 1e-13);
  EXPECT_LT(largest(half.values(wave(3, 1))), 1e-13);   // high along the first axis
  EXPECT_LT(largest(half.values(wave(-3, 1))), 1e-13);  // and in its other band
  EXPECT_LT(largest(half.values(wave(1, 3))), 1e-13);   // high along the last one
}

using Complex = std::complex<double>;

/// The mixer by its formula: plain sums, complex numbers.
std::vector<double> mixed_by_hand(const std::vector<double>& z, int channels, int n, int blocks,
                                  double lambda, std::span<const double> theta) {
  const int size = channels / blocks;
  const auto weight = [&](std::size_t offset, int o, int i) {
    const std::size_t at = offset + 2 * static_cast<std::size_t>(o * size + i);
    return Complex(theta[at], theta[at + 1]);
  };
  const auto shrunk = [&](double x) {
    return std::copysign(std::max(std::abs(x) - lambda, 0.0), x);
  };
  const auto numbers = static_cast<std::size_t>(2 * channels * size);
  const std::size_t b1 = numbers, w2 = b1 + 2 * static_cast<std::size_t>(channels),
                    b2 = w2 + numbers;
  std::vector<double> result(z.size(), 0.0);
  for (int k = 0; k <= n / 2; ++k) {
    const auto phase = [&](int j) { return std::polar(1.0, -2 * std::numbers::pi * k * j / n); };
    std::vector<Complex> c(static_cast<std::size_t>(channels)), h = c, y = c;
    for (int i = 0; i < channels; ++i) {
      for (int j = 0; j < n; ++j) {
        c[static_cast<std::size_t>(i)] +=
            z[static_cast<std::size_t>(i * n + j)] * phase(j) / static_cast<double>(n);
      }
    }
    const auto layer = [&](const std::vector<Complex>& x, std::size_t w, std::size_t b, int o) {
      Complex sum(theta[b + 2 * static_cast<std::size_t>(o)],
                  theta[b + 2 * static_cast<std::size_t>(o) + 1]);
      for (int i = 0; i < size; ++i) {
        sum += weight(w, o, i) * x[static_cast<std::size_t>(o / size * size + i)];
      }
      return sum;
    };
    for (int o = 0; o < channels; ++o) {
      const Complex v = layer(c, 0, b1, o);
      h[static_cast<std::size_t>(o)] = {std::max(v.real(), 0.0), std::max(v.imag(), 0.0)};
    }
    for (int o = 0; o < channels; ++o) {
      const Complex v = layer(h, w2, b2, o);
      y[static_cast<std::size_t>(o)] = {shrunk(v.real()), shrunk(v.imag())};
      for (int j = 0; j < n; ++j) {
        const double twice = k == 0 || 2 * k == n ? 1 : 2;
        result[static_cast<std::size_t>(o * n + j)] +=
            twice * (y[static_cast<std::size_t>(o)] * std::conj(phase(j))).real();
      }
    }
  }
  return result;
}

TEST(Afno, MixerIsItsFormulaByHand) {
  const int channels = 6, n = 10, blocks = 3;
  const double lambda = 0.05;
  TriedField tried({channels, {n}}, [&](TensorGraph& g, int z) {
    return detail::add_afno_mixer(g, z, blocks, lambda, 1);
  });
  Rng draw(4);
  for (double& v : tried.theta) v += 0.3 * draw.normal();
  const std::vector<double> z = normal_numbers(channels * n);
  const std::vector<double> expected = mixed_by_hand(z, channels, n, blocks, lambda, tried.theta);
  EXPECT_LT(largest_difference(tried.values(z), expected), 1e-13);
  EXPECT_GT(largest_difference(mixed_by_hand(z, channels, n, blocks, 0, tried.theta), expected),
            1e-2);  // the threshold acts
}

TEST(Afno, ThresholdIsTheSolutionOfTheSparseProblem) {
  // S_lambda minimises |y - x|^2 / 2 + lambda |y|; without the factor 1/2 it would be S_{lambda/2}.
  const double lambda = 0.3;
  TriedField shrink({1, {7}}, [&](TensorGraph& g, int x) { return g.soft_shrink(x, lambda); });
  const std::vector<double> x{-1.2, -0.31, -0.1, 0, 0.2, 0.35, 2}, y = shrink.values(x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto cost = [&](double v) { return (v - x[i]) * (v - x[i]) / 2 + lambda * std::abs(v); };
    for (double v = -2.5; v < 2.5; v += 1e-3) EXPECT_LE(cost(y[i]), cost(v) + 1e-12);
  }
}

TEST(Afno, SeesPositionsByHarmonicsAndByTheMixerAlone) {
  Afno afno{.width = 8, .depth = 2, .patch = {2, 3}, .blocks = 2, .hidden = 6, .positions = 0};
  const FieldGrid grid = unit_grid({8, 12}, true);
  TriedField tried(afno, grid);
  const std::vector<double> a = normal_numbers(96);
  const auto moved = [](const std::vector<double>& v, std::size_t bx, std::size_t by) {
    std::vector<double> result(v.size());
    for (std::size_t i = 0; i < 8; ++i) {
      for (std::size_t j = 0; j < 12; ++j)
        result[(i + bx) % 8 * 12 + (j + by) % 12] = v[i * 12 + j];
    }
    return result;
  };
  const auto differs = [&](const TriedField& network, std::size_t bx, std::size_t by) {
    return largest_difference(network.values(moved(a, bx, by)), moved(network.values(a), bx, by));
  };
  // A translation turns a coefficient by a phase, which relu of its parts does not respect.
  EXPECT_GT(differs(tried, 4, 3), 1e-3);
  for (int l = 0; l < 2; ++l) {
    for (int i = 0; i < 4; ++i) std::ranges::fill(tried.block("mixer", 4 * l + i), 0.0);
  }
  EXPECT_LT(differs(tried, 4, 3), 1e-12);  // by patches
  EXPECT_GT(differs(tried, 1, 0), 1e-3);   // not by parts of them
  afno.positions = 2;
  TriedField placed(afno, grid);
  for (int l = 0; l < 2; ++l) {
    for (int i = 0; i < 4; ++i) std::ranges::fill(placed.block("mixer", 4 * l + i), 0.0);
  }
  EXPECT_GT(differs(placed, 4, 3), 1e-3);
}

TEST(Afno, HasAsManyParametersAsTheFormulaSays) {
  const Afno afno{
      .width = 8, .depth = 3, .patch = {2, 4}, .blocks = 4, .hidden = 5, .positions = 2};
  const std::size_t w = 8, h = 5, q = 8, p = 2 * (1 + 4);
  EXPECT_EQ(TriedField(afno, unit_grid({8, 8}, false), 3, 2).theta.size(),
            (3 * q + 1) * w + p * w + 3 * (4 * w * w / 4 + 4 * w + 2 * w * h + h + w + 4 * w) +
                2 * w + (w + 1) * 2 * q);
}

TEST(Afno, RefusesWhatDoesNotFit) {
  const auto message = [](const Afno& afno) {
    return message_of([&] { return TriedField(afno, unit_grid({8, 12}, false)); });
  };
  EXPECT_EQ(message({.patch = {8}}),
            "[networks.afno]: patches need a multiple of 8 points along 'y', the grid has 12");
  EXPECT_EQ(message({.width = 20, .blocks = 8}),
            "[networks.afno]: blocks must divide width, got 8 and 20");
  EXPECT_EQ(message({.width = 0}), "[networks.afno]: width must be positive, got 0");
  EXPECT_EQ(message({.sparsity = -1}), "[networks.afno]: sparsity must not be negative, got -1");
  EXPECT_EQ(message({.kept = 0}), "[networks.afno]: kept must be in (0, 1], got 0");
  EXPECT_EQ(message({.dropout = 1}), "[networks.afno]: dropout must be in [0, 1), got 1");
}

}  // namespace
}  // namespace cauchy::test_field_afno
