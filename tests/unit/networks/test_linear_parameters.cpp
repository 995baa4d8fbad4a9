#include <cauchy/networks/linear_parameters.hpp>

#include <gtest/gtest.h>

#include <cauchy/base/rng.hpp>
#include <cauchy/engine/host_executor.hpp>
#include <cauchy/networks/initialize.hpp>
#include <cauchy/networks/network.hpp>
#include <cmath>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

namespace cauchy::test_linear_parameters {
namespace {

const std::vector<std::string> two_fields{"u", "v"};

TEST(LinearParameters, AreTheLastLayerOfEveryNetworkOfTheTable) {
  const auto count = [](const Network& network) {
    return linear_parameters(make_network(network, {"t", "x"}, two_fields)).size();
  };
  EXPECT_EQ(count(Mlp{.width = 7, .depth = 2}), 2u * 8);
  EXPECT_EQ(count(Mlp{.width = 7, .depth = 2, .factorized = true}), 2u * 8) << "V and b, not s";
  EXPECT_EQ(count(Mlp{.width = 7, .depth = 2, .weight_norm = true}), 2u * 8);
  EXPECT_EQ(count(ModifiedMlp{.width = 7}), 2u * 8);
  EXPECT_EQ(count(Piratenet{.width = 7, .fourier = 4}), 2u * 9);
  EXPECT_EQ(count(Rbf{.centres = 6}), 2u * (6 + 1 + 2)) << "coefficients and the linear tail";
}

TEST(LinearParameters, TheOutputsAreAffineInAllOfThemTogether) {
  for (const NetworkEntry& entry : all_networks()) {
    const auto graph =
        std::make_shared<const Graph>(make_network(entry.options, {"t", "x"}, two_fields));
    const std::vector<std::size_t> at = linear_parameters(*graph);
    ASSERT_FALSE(at.empty()) << entry.name;
    const std::vector<double> first = initial_parameters(graph->parameters(), Rng(3));
    HostExecutor<double> executor(graph, {}, {.threads = 1});
    Rng rng(5);
    std::vector<double> direction(first.size(), 0.0);
    for (const std::size_t i : at) direction[i] = rng.normal();
    const auto value = [&](double step) {
      std::vector<double> theta = first, out(2);
      for (std::size_t i = 0; i < theta.size(); ++i) theta[i] += step * direction[i];
      executor.predict(std::vector<Expr>{Field("u"), Field("v")}, theta, std::vector{0.3, -0.6},
                       out);
      return out;
    };
    const auto a = value(-1), b = value(0), c = value(1);
    for (std::size_t k = 0; k < 2; ++k) {
      // Sums of at most some hundred numbers of size 10.
      EXPECT_LT(std::abs(a[k] - 2 * b[k] + c[k]), 1e-11) << entry.name;
      EXPECT_GT(std::abs(c[k] - b[k]), 1e-6) << entry.name;
    }
  }
}

TEST(LinearParameters, SeeThroughWhatMethodsPutBehindANetwork) {
  Graph g({"x"});
  const int out = add_network(g, Mlp{.width = 4, .depth = 1}, g.coordinates(), 2);
  const Coordinate x("x");
  for (int k = 0; k < 2; ++k) {
    const int scaled = g.multiply(g.slice(out, k, 1), g.number(3));
    g.output(two_fields[static_cast<std::size_t>(k)],
             g.add(g.multiply(scaled, g.expression({x * (1 - x)})), g.expression({x})));
  }
  std::vector<std::size_t> last(10);
  std::iota(last.begin(), last.end(), std::size_t{8});
  EXPECT_EQ(linear_parameters(g), last);
}

TEST(LinearParameters, AreNoneWhereTheOutputIsNotLinear) {
  Graph activated({"x"});
  activated.output(
      "u", activated.activation(activated.affine(activated.coordinates(), 3), Activation::tanh));
  EXPECT_TRUE(linear_parameters(activated).empty());
  // v is a function of u: no set holds for both.
  Graph nested({"x"});
  const int first = add_network(nested, Mlp{.width = 3, .depth = 1}, nested.coordinates(), 1);
  nested.output("u", first);
  nested.output("v", add_network(nested, Mlp{.width = 3, .depth = 1}, first, 1));
  EXPECT_TRUE(linear_parameters(nested).empty());
  // The weight is normalised: no linear function of it.
  Graph normal({"x"});
  normal.output("u", normal.normalized_affine(normal.coordinates(), 1));
  EXPECT_TRUE(linear_parameters(normal).empty());
  // Of a product of two networks the first one is linear while the second is held.
  Graph product({"x"});
  const int a = product.affine(product.coordinates(), 2),
            b = product.affine(product.coordinates(), 2);
  product.output("u", product.row_sum(product.multiply(a, b)));
  EXPECT_EQ(linear_parameters(product), (std::vector<std::size_t>{0, 1, 2, 3}));
}

}  // namespace
}  // namespace cauchy::test_linear_parameters
