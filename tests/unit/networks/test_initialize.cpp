#include <gtest/gtest.h>

#include <algorithm>
#include <cauchy/base/error.hpp>
#include <cauchy/networks/initialize.hpp>
#include <cauchy/networks/network.hpp>
#include <cmath>
#include <limits>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace cauchy::test_initialize {
namespace {

using Role = ParameterBlock::Role;
const std::vector<std::string> fields{"u"};

std::span<const double> values(const Graph& g, const std::vector<double>& theta, std::size_t i) {
  const ParameterBlock& b = g.parameters()[i];
  return std::span(theta).subspan(static_cast<std::size_t>(b.offset),
                                  static_cast<std::size_t>(b.rows * b.cols));
}

double largest(std::span<const double> v) {
  double m = 0;
  for (const double x : v) m = std::max(m, std::abs(x));
  return m;
}

/// One layer with 200 inputs and 300 outputs, n = 60,000 weights, behind a small first layer.
Graph wide() {
  Graph g({"x"});
  g.output("u", g.affine(g.activation(g.affine(g.coordinates(), 200), Activation::tanh), 300));
  return g;
}

struct Law {
  Initialization kind;
  double variance;
  bool uniform;
};

class WeightLaw : public ::testing::TestWithParam<Law> {};

TEST_P(WeightLaw, HasItsMeanVarianceAndBound) {
  const Graph g = wide();
  const std::vector<double> theta =
      initial_parameters(g.parameters(), Rng(42), {.weights = GetParam().kind});
  const auto w = values(g, theta, 2);
  const auto n = static_cast<double>(w.size());
  ASSERT_EQ(n, 60000);
  double mean = 0, square = 0;
  for (const double x : w) {
    mean += x / n;
    square += x * x / n;
  }
  // The mean deviates by sigma / sqrt(n); the mean square by sqrt((kurtosis - 1) / n) of itself,
  // with kurtosis 3 (normal) or 9/5 (uniform). Five deviations: chance of a false alarm 6e-7.
  const double kurtosis = GetParam().uniform ? 1.8 : 3.0;
  EXPECT_LT(std::abs(mean), 5 * std::sqrt(GetParam().variance / n));
  EXPECT_LT(std::abs(square / GetParam().variance - 1), 5 * std::sqrt((kurtosis - 1) / n));
  const double bound = std::sqrt(3 * GetParam().variance);
  if (GetParam().uniform) {
    EXPECT_LE(largest(w), bound);
    // 60,000 draws come within 1e-3 of the bound, save with probability 0.999^60000 = 1e-26.
    EXPECT_GT(largest(w), 0.999 * bound);
  } else {
    EXPECT_GT(largest(w), 2 * bound);  // 3.46 deviations: 32 of 60,000 normal numbers lie beyond
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, WeightLaw,
                         ::testing::Values(Law{Initialization::glorot_normal, 2.0 / 500, false},
                                           Law{Initialization::glorot_uniform, 2.0 / 500, true},
                                           Law{Initialization::he_normal, 2.0 / 200, false},
                                           Law{Initialization::he_uniform, 2.0 / 200, true},
                                           Law{Initialization::lecun_normal, 1.0 / 200, false},
                                           Law{Initialization::lecun_uniform, 1.0 / 200, true},
                                           Law{Initialization::torch, 1.0 / 600, true}));

TEST(Initialize, BiasesAreZeroAndScalesAndConstantsHaveTheirInitialValue) {
  for (const auto kind : {Initialization::glorot_normal, Initialization::he_uniform}) {
    Graph g({"x"});
    int h = g.activation_with_slope(g.affine(g.coordinates(), 8), Activation::tanh, 1.25);
    h = g.scale(h, -0.5, true);
    g.output("u", g.affine(h, 1));
    g.constant("k", 3.5);
    const std::vector<double> theta = initial_parameters(g.parameters(), Rng(1), {.weights = kind});
    int seen = 0;
    for (std::size_t i = 0; i < g.parameters().size(); ++i) {
      const ParameterBlock& block = g.parameters()[i];
      for (const double value : values(g, theta, i)) {
        if (block.role == Role::weight) {
          EXPECT_NE(value, 0.0);
        } else {
          EXPECT_EQ(value, block.role == Role::bias ? 0.0 : block.initial) << block.name;
          ++seen;
        }
      }
    }
    EXPECT_EQ(seen, 8 + 1 + 8 + 1 + 1);  // biases, slope, scales, bias, constant
    EXPECT_EQ(theta.back(), 3.5);
    EXPECT_EQ(largest(values(g, theta, 2)), 1.25);
    EXPECT_EQ(largest(values(g, theta, 3)), 0.5);
  }
}

/// All values of a block lie in [-bound, bound] and some come near the ends: of 64 uniform numbers
/// none exceeds 0.8 of the bound with probability 0.8^64 = 6e-7.
void expect_fills(std::span<const double> v, double bound, const std::string& name) {
  EXPECT_LE(largest(v), bound) << name;
  if (v.size() >= 64) {
    EXPECT_GT(largest(v), 0.8 * bound) << name;
  }
}

TEST(Initialize, SirenFillsItsBoundsInEveryLayer) {
  for (const Slope slope : {Slope::none, Slope::network, Slope::layer, Slope::neuron}) {
    const double w0 = 17, n = 64;
    const Graph g =
        make_network(Mlp{.width = 64, .depth = 3, .activation = Activation::sin, .slope = slope},
                     {"t", "x"}, fields);
    const std::vector<double> theta = initial_parameters(
        g.parameters(), Rng(5), {.weights = Initialization::siren, .siren_w0 = w0});
    double fan_in = 0;
    int layer = 0;
    for (std::size_t i = 0; i < g.parameters().size(); ++i) {
      const ParameterBlock& block = g.parameters()[i];
      const auto v = values(g, theta, i);
      if (block.role == Role::weight) {
        fan_in = block.cols;
        ++layer;
        const double later = std::sqrt(6 / n);
        expect_fills(v, layer == 1 ? w0 / 2 : layer < 4 ? later : later / w0, block.name);
      } else if (block.role == Role::bias) {
        expect_fills(v, (layer < 4 ? w0 : 1) / std::sqrt(fan_in), block.name);
        EXPECT_GT(largest(v), 0) << block.name;
      } else {
        for (const double a : v) EXPECT_EQ(a, 1.0);
      }
    }
    EXPECT_EQ(layer, 4);
  }
}

TEST(Initialize, ByActivationChoosesTheLawOfEveryLayer) {
  const double n = 64;
  for (const Activation a : all_activations()) {
    if (a == Activation::wavelet) continue;    // two activations in one
    for (const bool normed : {false, true}) {  // what stands between weight and activation
      const Graph g = make_network(Mlp{.width = 64,
                                       .depth = 2,
                                       .activation = a,
                                       .slope = Slope::layer,
                                       .weight_norm = true,
                                       .layer_norm = normed},
                                   {"t"}, fields);
      const std::vector<double> theta =
          initial_parameters(g.parameters(), Rng(5), {.weights = Initialization::by_activation});
      const bool one_sided = a == Activation::relu || a == Activation::relu3 ||
                             a == Activation::elu || a == Activation::silu ||
                             a == Activation::gelu || a == Activation::softplus;
      int layer = 0;
      for (std::size_t i = 0; i < g.parameters().size(); ++i) {
        const ParameterBlock& block = g.parameters()[i];
        if (block.role != Role::weight) continue;
        if (layer == 1) {
          expect_fills(values(g, theta, i), std::sqrt(6 / (one_sided ? n : 2 * n)), block.name);
        }
        if (layer == 2) expect_fills(values(g, theta, i), std::sqrt(6 / (n + 1)), block.name);
        ++layer;
      }
      EXPECT_EQ(layer, 3);
    }
  }
}

TEST(Initialize, BiasesAreUniformWhereTheyAreAskedToBe) {
  for (const bool factorized : {false, true}) {
    for (const bool weight_norm : {false, true}) {
      if (factorized && weight_norm) continue;
      const Graph g = make_network(
          Mlp{.width = 100, .depth = 2, .factorized = factorized, .weight_norm = weight_norm},
          {"t", "x", "y", "z"}, fields);
      const std::vector<double> theta =
          initial_parameters(g.parameters(), Rng(5), {.biases = BiasInitialization::uniform});
      int layer = 0;
      for (std::size_t i = 0; i < g.parameters().size(); ++i) {
        const ParameterBlock& block = g.parameters()[i];
        if (block.role != Role::bias) continue;
        expect_fills(values(g, theta, i), layer == 0 ? 0.5 : 0.1, block.name);
        EXPECT_GT(largest(values(g, theta, i)), 0);
        ++layer;
      }
      EXPECT_EQ(layer, 3);
    }
  }
}

TEST(Initialize, NormsAreThoseOfTheRows) {
  Graph g({"x", "y"});
  g.output("u", g.normalized_affine(g.normalized_affine(g.coordinates(), 5), 3));
  const std::vector<double> theta = initial_parameters(g.parameters(), Rng(4));
  int seen = 0;
  for (std::size_t i = 0; i < g.parameters().size(); ++i) {
    const ParameterBlock& norms = g.parameters()[i];
    if (norms.norms < 0) continue;
    const auto weight = values(g, theta, static_cast<std::size_t>(norms.norms));
    const std::size_t cols = weight.size() / static_cast<std::size_t>(norms.rows);
    for (std::size_t r = 0; r < static_cast<std::size_t>(norms.rows); ++r, ++seen) {
      double square = 0;
      for (const double w : weight.subspan(r * cols, cols)) square += w * w;
      EXPECT_DOUBLE_EQ(values(g, theta, i)[r] * values(g, theta, i)[r], square);
    }
  }
  EXPECT_EQ(seen, 8);
}

TEST(Initialize, SirenKnowsTheFirstLayerOfEveryNetworkOfAGraph) {
  Graph g({"x"});
  const Mlp mlp{.width = 64, .depth = 2, .activation = Activation::sin};
  g.output("u", add_network(g, mlp, g.coordinates(), 1));
  const std::size_t second = g.parameters().size();
  g.output("v", add_network(g, mlp, g.coordinates(), 1));
  const std::vector<double> theta = initial_parameters(
      g.parameters(), Rng(5), {.weights = Initialization::siren, .siren_w0 = 30});
  expect_fills(values(g, theta, 0), 30, "first");
  expect_fills(values(g, theta, second), 30, "second");
}

TEST(Initialize, TheSameSeedGivesTheSameBitsAndAnotherSeedOthers) {
  const Graph g = make_network(Mlp{.width = 12, .depth = 3}, {"t", "x"}, fields);
  for (const auto kind :
       {Initialization::glorot_normal, Initialization::lecun_uniform, Initialization::siren}) {
    const auto a = initial_parameters(g.parameters(), Rng(9), {.weights = kind});
    EXPECT_EQ(a, initial_parameters(g.parameters(), Rng(9), {.weights = kind}));
    Rng drawn(9);
    drawn.uniform();  // what was drawn before does not matter
    EXPECT_EQ(a, initial_parameters(g.parameters(), drawn, {.weights = kind}));
    const auto b = initial_parameters(g.parameters(), Rng(10), {.weights = kind});
    const auto first_a = values(g, a, 0), first_b = values(g, b, 0);
    for (std::size_t i = 0; i < first_a.size(); ++i) EXPECT_NE(first_a[i], first_b[i]);
  }
}

TEST(Initialize, AGroupedLayerHasTheFansOfOneGroup) {
  Graph g({"x"});
  const int x = g.tile(g.coordinates(), 100);
  g.output("u", g.grouped_affine(x, 25, 100, false));
  const std::vector<double> theta =
      initial_parameters(g.parameters(), Rng(3), {.weights = Initialization::glorot_uniform});
  ASSERT_EQ(theta.size(), 400u);  // uniform in +-sqrt(6 / (4 + 4)), and close to the bound
  EXPECT_LE(largest(theta), std::sqrt(0.75));
  EXPECT_GT(largest(theta), 0.95 * std::sqrt(0.75));
}

TEST(Initialize, BlocksOfTheSameShapeDiffer) {
  const Graph g = make_network(Mlp{.width = 12, .depth = 4}, {"t", "x"}, fields);
  const auto theta = initial_parameters(g.parameters(), Rng(9));
  for (const std::size_t i : {2u, 4u}) {
    const auto a = values(g, theta, i), b = values(g, theta, i + 2);
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NE(a[k], b[k]);
  }
}

TEST(Initialize, ALaterLayerDoesNotChangeTheStreamsOfEarlierBlocks) {
  const auto network = [](int depth) {
    Graph g({"t", "x"});
    int h = g.coordinates();
    for (int i = 0; i < depth; ++i) h = g.activation(g.affine(h, 12), Activation::tanh);
    g.output("u", h);
    return g;
  };
  const auto shallow = initial_parameters(network(2).parameters(), Rng(9));
  const auto deep = initial_parameters(network(3).parameters(), Rng(9));
  ASSERT_EQ(deep.size(), shallow.size() + 12 * 13);
  EXPECT_TRUE(std::equal(shallow.begin(), shallow.end(), deep.begin()));
}

TEST(Initialize, EveryKindHasItsOwnName) {
  EXPECT_EQ(all_initializations().size(), 10u);
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < all_initializations().size(); ++i) {
    const Initialization kind = all_initializations()[i];
    EXPECT_EQ(static_cast<std::size_t>(kind), i);  // the table is indexed by the enumeration
    EXPECT_TRUE(names.insert(to_string(kind)).second) << to_string(kind);
  }
  EXPECT_EQ(to_string(Initialization::glorot_normal), "glorot_normal");
  EXPECT_EQ(to_string(Initialization::lecun_uniform), "lecun_uniform");
}

TEST(Initialize, NeedsBlocksOnlyAndRefusesGaps) {
  EXPECT_TRUE(initial_parameters({}, Rng(1)).empty());
  const std::vector<ParameterBlock> blocks{
      {.name = "a", .role = Role::scale, .rows = 2, .initial = 0.5},
      {.name = "b", .role = Role::shift, .offset = 2, .rows = 1, .initial = -3}};
  EXPECT_EQ(initial_parameters(blocks, Rng(1)), (std::vector<double>{0.5, 0.5, -3}));
  EXPECT_THROW((void)initial_parameters(std::span(blocks).subspan(1), Rng(1)), Error);
}

TEST(Initialize, NumbersOfTheNetworkStayAndItsBoundsGiveWayToALawThatIsNamed) {
  const std::vector<ParameterBlock> blocks{
      {.name = "w", .role = Role::weight, .rows = 2, .first = {7, -8}},
      {.name = "v", .role = Role::weight, .offset = 2, .rows = 40, .bound = 1e-3},
      {.name = "b", .role = Role::bias, .offset = 42, .rows = 40, .bound = 5}};
  const auto own = initial_parameters(blocks, Rng(1));
  const auto named = initial_parameters(blocks, Rng(1), {.weights = Initialization::he_normal});
  for (const auto& theta : {own, named})
    EXPECT_EQ((std::vector{theta[0], theta[1]}), (std::vector<double>{7, -8}));
  EXPECT_LE(largest(std::span(own).subspan(2, 40)), 1e-3);
  EXPECT_GT(largest(std::span(own).subspan(2, 40)), 8e-4);
  EXPECT_GT(largest(std::span(own).subspan(42, 40)), 4);
  EXPECT_GT(largest(std::span(named).subspan(2, 40)), 1);
  EXPECT_EQ(largest(std::span(named).subspan(42, 40)), 0);
  const std::vector<ParameterBlock> wrong{
      {.name = "w", .role = Role::weight, .rows = 2, .first = {7}}};
  EXPECT_THROW((void)initial_parameters(wrong, Rng(1)), Error);
  // Where a network asks for nothing, the default is what it was.
  const Graph g = make_network(Mlp{}, {"x"}, fields);
  EXPECT_EQ(initial_parameters(g.parameters(), Rng(1)),
            initial_parameters(g.parameters(), Rng(1), {.weights = Initialization::glorot_normal}));
}

TEST(Initialize, SirenRefusesAFrequencyThatIsNotPositive) {
  const Graph g = make_network(Mlp{}, {"x"}, fields);
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double w0 : {0.0, -30.0, infinity, std::nan("")}) {
    EXPECT_THROW((void)initial_parameters(g.parameters(), Rng(1),
                                          {.weights = Initialization::siren, .siren_w0 = w0}),
                 Error)
        << w0;
    EXPECT_NO_THROW((void)initial_parameters(g.parameters(), Rng(1), {.siren_w0 = w0}));
  }
}

}  // namespace
}  // namespace cauchy::test_initialize
