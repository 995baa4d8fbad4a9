#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/rng.hpp>
#include <cauchy/engine/host_executor.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/networks/initialize.hpp>
#include <cauchy/networks/network.hpp>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

namespace cauchy::test_mlp {
namespace {

using Role = ParameterBlock::Role;
const std::vector<std::string> two_fields{"u", "v"};

TEST(Mlp, HasAsManyParametersAsTheFormulaSays) {
  for (const int n : {1, 3}) {
    for (const int w : {1, 7, 20}) {
      for (const int depth : {1, 2, 5}) {
        std::vector<std::string> coordinates;
        for (int i = 0; i < n; ++i) coordinates.push_back("x" + std::to_string(i));
        const int m = 2;
        const int expected = (n + 1) * w + (depth - 1) * (w + 1) * w + (w + 1) * m;
        const Graph plain = make_network(Mlp{.width = w, .depth = depth}, coordinates, two_fields);
        EXPECT_EQ(plain.n_parameters(), static_cast<std::size_t>(expected));
      }
    }
  }
}

TEST(Mlp, HasAWeightAndABiasPerLayerAndOneActivationPerHiddenLayer) {
  const Graph g = make_network(Mlp{.width = 5, .depth = 3, .activation = Activation::sin},
                               {"t", "x"}, two_fields);
  const std::vector<OpCode> expected{OpCode::coordinates, OpCode::affine,     OpCode::activation,
                                     OpCode::affine,      OpCode::activation, OpCode::affine,
                                     OpCode::activation,  OpCode::affine};
  ASSERT_EQ(g.ops().size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(g.ops()[i].code, expected[i]) << i;
    if (expected[i] == OpCode::activation) {
      EXPECT_EQ(g.ops()[i].activation, Activation::sin);
    }
    if (i > 0) {
      EXPECT_EQ(g.ops()[i].inputs, std::vector<int>{static_cast<int>(i) - 1});
    }
  }
  const int shapes[][2] = {{5, 2}, {5, 5}, {5, 5}, {2, 5}};
  ASSERT_EQ(g.parameters().size(), 8u);
  std::ptrdiff_t offset = 0;
  for (std::size_t layer = 0; layer < 4; ++layer) {
    const ParameterBlock& weight = g.parameters()[2 * layer];
    const ParameterBlock& bias = g.parameters()[2 * layer + 1];
    EXPECT_EQ(weight.role, Role::weight);
    EXPECT_EQ(weight.rows, shapes[layer][0]);
    EXPECT_EQ(weight.cols, shapes[layer][1]);
    EXPECT_EQ(weight.after, layer < 3 ? Activation::sin : Activation::identity);
    EXPECT_EQ(weight.offset, offset);
    offset += weight.rows * weight.cols;
    EXPECT_EQ(bias.role, Role::bias);
    EXPECT_EQ(bias.rows, weight.rows);
    EXPECT_EQ(bias.offset, offset);
    offset += bias.rows;
  }
  ASSERT_EQ(g.outputs().size(), 2u);
  for (int i = 0; i < 2; ++i) {
    const Graph::Output& out = g.outputs()[static_cast<std::size_t>(i)];
    EXPECT_EQ(out.field, two_fields[static_cast<std::size_t>(i)]);
    EXPECT_EQ(out.value, 7);
    EXPECT_EQ(out.row, i);
  }
}

TEST(Mlp, StacksOnAnyValueOfAGraph) {
  Graph g({"x"});
  const int features = g.affine(g.coordinates(), 6);
  const int out = add_network(g, Mlp{.width = 4, .depth = 1}, features, 3);
  EXPECT_EQ(g.rows(out), 3);
  EXPECT_EQ(g.parameters()[2].cols, 6);
  EXPECT_EQ(g.n_parameters(), 12u + 28u + 15u);
}

TEST(Mlp, RefusesMoreLayersThanAPlanCanBear) {
  const std::vector<std::string> fields{"u"};
  EXPECT_NO_THROW((void)make_network(Mlp{.width = 1, .depth = Mlp::max_depth}, {"x"}, fields));
  EXPECT_THROW((void)make_network(Mlp{.width = 1, .depth = 100'000}, {"x"}, fields), Error);
  Graph g({"x"});
  int value = g.coordinates();
  EXPECT_THROW(
      for (int i = 0; i < 100;
           ++i) { value = add_network(g, Mlp{.width = 1, .depth = Mlp::max_depth}, value, 1); },
      Error);
}

TEST(Mlp, RefusesSizesThatAreNotPositive) {
  const std::vector<std::string> fields{"u"};
  EXPECT_THROW((void)make_network(Mlp{.width = 0}, {"x"}, fields), Error);
  EXPECT_THROW((void)make_network(Mlp{.depth = 0}, {"x"}, fields), Error);
  EXPECT_THROW((void)make_network(Mlp{}, {"x"}, {}), Error);
  EXPECT_THROW((void)make_network(Mlp{}, {}, fields), Error);
  Graph g({"x"});
  EXPECT_THROW(add_network(g, Mlp{}, 0, 1), Error);  // there is no value 0 yet
  const int x = g.coordinates();
  EXPECT_THROW(add_network(g, Mlp{}, x, 0), Error);
  try {
    add_network(g, Mlp{.width = -3}, x, 1);
    FAIL() << "a width of -3 was accepted";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("width must be positive, got -3"), std::string::npos);
  }
}

TEST(Mlp, FourierFeaturesAndFactorsHaveTheParametersOfTheFormula) {
  const int w = 7, depth = 3, k = 4, m = 2;
  const auto count = [&](const Mlp& mlp) {
    return static_cast<int>(make_network(mlp, {"t", "x", "y"}, two_fields).n_parameters());
  };
  const int features = (2 * k + 1) * w + (depth - 1) * (w + 1) * w + (w + 1) * m;
  EXPECT_EQ(count({.width = w, .depth = depth, .fourier = k}), features);
  EXPECT_EQ(count({.width = w, .depth = depth, .fourier = k, .factorized = true}),
            features + depth * w + m);
}

TEST(Mlp, FourierFeaturesAreCosinesAndSinesOfFixedFrequencies) {
  // One hidden layer of the identity: u = sum_k a_k cos(B_k x) + b_k sin(B_k x) + c.
  Mlp mlp{.width = 1, .depth = 1, .activation = Activation::identity};
  mlp.fourier = 3;
  mlp.fourier_scale = 2;
  mlp.fourier_seed = 9;
  const auto g =
      std::make_shared<const Graph>(make_network(mlp, {"t", "x"}, std::vector<std::string>{"u"}));
  std::vector<double> theta(g->n_parameters(), 0.0);
  const double a[] = {0.3, -0.2, 0.7, 1.1, 0.4, -0.6};  // cosines, then sines
  std::copy(std::begin(a), std::end(a), theta.begin());
  theta[7] = 1;  // of the output
  Rng rng(9);
  double b[6];
  for (double& v : b) v = 2 * rng.normal();
  const double t = 0.4, x = -0.9;
  double value = 0, slope = 0;
  for (int k = 0; k < 3; ++k) {
    const double z = b[2 * k] * t + b[2 * k + 1] * x;
    value += a[k] * std::cos(z) + a[3 + k] * std::sin(z);
    slope += b[2 * k + 1] * (a[3 + k] * std::cos(z) - a[k] * std::sin(z));
  }
  std::vector<double> out(2);
  HostExecutor<double>(g, {}).predict(std::vector<Expr>{Field("u"), d(Field("u"), Coordinate("x"))},
                                      theta, std::vector<double>{t, x}, out);
  EXPECT_LT(std::abs(out[0] - value), 1e-14);
  EXPECT_LT(std::abs(out[1] - slope), 1e-13);
}

TEST(Mlp, AFactorisedNetworkStartsAsAPlainOne) {
  const Mlp plain{.width = 40, .depth = 2};
  Mlp factorized = plain;
  factorized.factorized = true;
  const Graph p = make_network(plain, {"t", "x"}, two_fields);
  const Graph f = make_network(factorized, {"t", "x"}, two_fields);
  const std::vector<double> theta = initial_parameters(f.parameters(), Rng(3));
  // Blocks of a layer: V, s, b. diag(exp(s)) V has the law of the weights of a plain layer, and
  // even its numbers where it is the same block.
  double mean = 0, square = 0;
  std::size_t n_factors = 0;
  for (std::size_t i = 0; i < f.parameters().size(); i += 3) {
    const ParameterBlock &v = f.parameters()[i], &s = f.parameters()[i + 1];
    const ParameterBlock& b = f.parameters()[i + 2];
    ASSERT_EQ(v.role, Role::weight);
    EXPECT_EQ(s.divides, static_cast<int>(i));
    EXPECT_EQ(v.activated, i < 6) << "the output has no activation";
    EXPECT_EQ(v.first_layer, i == 0);
    std::vector<ParameterBlock> alone(f.parameters().begin(),
                                      f.parameters().begin() + static_cast<std::ptrdiff_t>(i) + 1);
    const std::vector<double> drawn = initial_parameters(alone, Rng(3));
    for (int row = 0; row < v.rows; ++row) {
      const double factor = theta[static_cast<std::size_t>(s.offset + row)];
      mean += factor;
      square += (factor - 0.5) * (factor - 0.5);
      ++n_factors;
      EXPECT_EQ(theta[static_cast<std::size_t>(b.offset + row)], 0);
      for (int col = 0; col < v.cols; ++col) {
        const auto at = static_cast<std::size_t>(v.offset + row * v.cols + col);
        EXPECT_LT(std::abs(std::exp(factor) * theta[at] - drawn[at]), 1e-15) << i;
      }
    }
  }
  // 82 normal numbers: the mean deviates by 0.1 / sqrt(82), the variance by sqrt(2 / 82) of it.
  EXPECT_LT(std::abs(mean / static_cast<double>(n_factors) - 0.5), 5 * 0.1 / 9);
  EXPECT_LT(std::abs(square / static_cast<double>(n_factors) - 0.01), 5 * 0.01 * 0.157);
  EXPECT_EQ(p.n_parameters() + n_factors, f.n_parameters());
}

TEST(Mlp, SaysWhatItIsMadeOf) {
  EXPECT_EQ(describe(Mlp{.width = 64, .fourier = 32, .factorized = true}),
            "64 x 4 tanh, 32 Fourier features, factorised");
  Graph g({"x"});
  EXPECT_THROW(add_network(g, Mlp{.fourier = -1}, g.coordinates(), 1), Error);
  EXPECT_THROW(add_network(g, Mlp{.fourier = 2, .fourier_scale = 0}, g.coordinates(), 1), Error);
}

}  // namespace
}  // namespace cauchy::test_mlp
