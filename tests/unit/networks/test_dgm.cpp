#include <gtest/gtest.h>

#include <cauchy/base/rng.hpp>
#include <cauchy/engine/host_executor.hpp>
#include <cauchy/networks/dgm.hpp>
#include <cauchy/networks/initialize.hpp>
#include <cauchy/networks/network.hpp>
#include <cauchy/networks/residual_mlp.hpp>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "support/message_of.hpp"
#include "support/plain_network.hpp"

namespace cauchy::test_dgm {
namespace {

using test::Dense;
using test::PlainLayers;

const std::vector<std::string> two_fields{"u", "v"};

std::size_t count(const Network& net, const std::vector<std::string>& fields) {
  return make_network(net, {"t", "x"}, fields).n_parameters();
}

Dense predict(const std::shared_ptr<const Graph>& graph, const Dense& theta, const Dense& at) {
  Dense got(2);
  HostExecutor<double>(graph, {}).predict(std::vector<Expr>{Field("u"), Field("v")}, theta, at,
                                          got);
  return got;
}

Dense beside(Dense a, const Dense& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

TEST(Dgm, HasAsManyParametersAsTheFormulaSays) {
  for (const int w : {1, 6}) {
    for (const int L : {1, 3}) {
      for (const bool first : {true, false}) {
        const int n = 2, m = 2;
        const int formula = (n + 1) * w + 4 * L * (n + w + 1) * w + (w + 1) * m;
        EXPECT_EQ(count(Dgm{.width = w, .layers = L, .first_state = first}, two_fields),
                  static_cast<std::size_t>(formula));
      }
    }
  }
}

TEST(Dgm, IsTheFormulaOfItsGates) {
  for (const bool first_state : {true, false}) {
    const Dgm net{.width = 3, .layers = 3, .first_state = first_state};
    const auto graph = std::make_shared<const Graph>(make_network(net, {"t", "x"}, two_fields));
    Dense theta = initial_parameters(graph->parameters(), Rng(7));
    Rng rng(3);
    for (double& w : theta) w += 0.3 * rng.normal();
    const Dense at{0.7, 0.2};
    PlainLayers layers(*graph, theta);
    const Dense first = layers.tanh(at);
    Dense S = first;
    for (int l = 0; l < 3; ++l) {
      const Dense Z = layers.tanh(beside(at, S));
      const Dense G = layers.tanh(beside(at, first_state ? first : S));
      const Dense R = layers.tanh(beside(at, S));
      Dense SR = S;
      for (std::size_t i = 0; i < 3; ++i) SR[i] *= R[i];
      const Dense H = layers.tanh(beside(at, SR));
      for (std::size_t i = 0; i < 3; ++i) S[i] = (1 - G[i]) * H[i] + Z[i] * S[i];
    }
    const Dense want = layers.linear(S), got = predict(graph, theta, at);
    for (std::size_t i = 0; i < 2; ++i) EXPECT_LT(std::abs(got[i] - want[i]), 1e-14);
  }
}

TEST(Dgm, PassesItsStateOnWhenTheGatesAreOpen) {
  // Z = G = 1: the sigmoid of a large bias. The network is then that of one layer.
  const Dgm net{.width = 3, .layers = 2, .activation = Activation::sigmoid};
  const auto graph = std::make_shared<const Graph>(make_network(net, {"t", "x"}, two_fields));
  Dense theta = initial_parameters(graph->parameters(), Rng(5));
  for (const ParameterBlock& b : graph->parameters()) {
    const bool gate = b.name.starts_with("keep") || b.name.starts_with("forget");
    if (!gate || b.role != ParameterBlock::Role::bias) continue;
    for (int k = 0; k < b.size(); ++k) theta[static_cast<std::size_t>(b.offset + k)] = 100;
  }
  const Dense at{0.7, 0.2};
  PlainLayers layers(*graph, theta);
  Dense S = layers.linear(at);
  for (double& s : S) s = 1 / (1 + std::exp(-s));
  for (int skipped = 0; skipped < 8; ++skipped) (void)layers.linear(Dense(5, 0.0));
  const Dense want = layers.linear(S), got = predict(graph, theta, at);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_LT(std::abs(got[i] - want[i]), 1e-14);
}

TEST(ResidualMlp, HasTheParametersOfTheDeepRitzTable) {
  const std::vector<std::string> one{"u"};
  for (const int n : {3, 4, 5, 6}) {
    EXPECT_EQ(count(ResidualMlp{.width = 10, .blocks = n}, one),
              static_cast<std::size_t>(151 + 220 * (n - 1)));
  }
  EXPECT_EQ(count(ResidualMlp{.width = 10, .blocks = 4}, one), 811u);
  EXPECT_EQ(count(ResidualMlp{.width = 2, .blocks = 1}, two_fields), 6u + 6u + 6u);
}

TEST(ResidualMlp, AddsTheInputOfEveryBlock) {
  for (const int w : {2, 4}) {
    const auto graph = std::make_shared<const Graph>(
        make_network(ResidualMlp{.width = w, .blocks = 3}, {"t", "x"}, two_fields));
    Dense theta = initial_parameters(graph->parameters(), Rng(7));
    Rng rng(3);
    for (double& p : theta) p += 0.3 * rng.normal();
    const Dense at{0.7, 0.2};
    PlainLayers layers(*graph, theta);
    Dense h = at;
    for (int b = 0; b < 3; ++b) {
      const Dense f = layers.tanh(layers.tanh(h));
      h.resize(static_cast<std::size_t>(w), 0.0);
      h = test::operator+(h, f);
    }
    const Dense want = layers.linear(h), got = predict(graph, theta, at);
    for (std::size_t i = 0; i < 2; ++i) EXPECT_LT(std::abs(got[i] - want[i]), 1e-14) << w;
  }
}

TEST(GatedAndResidualNetworks, RefuseNumbersOutOfRangeAndSayWhatTheyAre) {
  const auto message = [](const Network& net) {
    return message_of([&] { (void)make_network(net, {"x", "y"}, two_fields); });
  };
  EXPECT_EQ(message(Dgm{.width = 0}), "[networks.dgm]: width must be positive, got 0");
  EXPECT_EQ(message(Dgm{.layers = 101}), "[networks.dgm]: layers must be at most 100, got 101");
  EXPECT_EQ(message(ResidualMlp{.blocks = 0}),
            "[networks.residual_mlp]: blocks must be positive, got 0");
  EXPECT_EQ(message(ResidualMlp{.width = 1}),
            "[networks.residual_mlp]: 2 inputs are passed on by layers of width 1; make the width "
            "at least the number of inputs");
  EXPECT_EQ(describe(Network(Dgm{})), "3 gated layers of 20 tanh");
  EXPECT_EQ(describe(Network(ResidualMlp{})), "4 residual blocks of 10 tanh");
}

}  // namespace
}  // namespace cauchy::test_dgm
