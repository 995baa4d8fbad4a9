#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/rng.hpp>
#include <cauchy/engine/host_executor.hpp>
#include <cauchy/networks/initialize.hpp>
#include <cauchy/networks/network.hpp>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "support/message_of.hpp"
#include "support/plain_network.hpp"

namespace cauchy::test_modified_mlp {
namespace {

using test::Dense;
using test::PlainLayers;

const std::vector<std::string> two_fields{"u", "v"};

TEST(ModifiedMlp, HasAsManyParametersAsTheFormulaSays) {
  for (const int n : {1, 3}) {
    for (const int w : {1, 6}) {
      for (const int depth : {1, 3}) {
        std::vector<std::string> coordinates;
        for (int i = 0; i < n; ++i) coordinates.push_back("x" + std::to_string(i));
        const int m = 2, k = 4;
        const auto formula = [&](int inputs) {
          return 3 * (inputs + 1) * w + (depth - 1) * (w + 1) * w + (w + 1) * m;
        };
        const auto count = [&](const ModifiedMlp& net) {
          return static_cast<int>(make_network(net, coordinates, two_fields).n_parameters());
        };
        EXPECT_EQ(count({.width = w, .depth = depth}), formula(n));
        EXPECT_EQ(count({.width = w, .depth = depth, .fourier = k, .factorized = true}),
                  formula(2 * k) + (depth + 2) * w + m);
      }
    }
  }
}

TEST(ModifiedMlp, ChoosesBetweenItsEncodersInEveryLayer) {
  for (const bool factorized : {false, true}) {
    const auto graph = std::make_shared<const Graph>(make_network(
        ModifiedMlp{.width = 3, .depth = 2, .factorized = factorized}, {"t", "x"}, two_fields));
    std::vector<double> theta = initial_parameters(graph->parameters(), Rng(7));
    Rng rng(3);
    for (double& w : theta) w += 0.3 * rng.normal();
    const Dense at{0.7, 0.2};
    PlainLayers layers(*graph, theta);
    const Dense U = layers.tanh(at), V = layers.tanh(at);
    Dense h = at;
    for (int layer = 0; layer < 2; ++layer) {
      const Dense z = layers.tanh(h);
      h.resize(3);
      for (std::size_t i = 0; i < 3; ++i) h[i] = (1 - z[i]) * U[i] + z[i] * V[i];
    }
    const Dense want = layers.linear(h);
    std::vector<double> got(2);
    HostExecutor<double>(graph, {}).predict(std::vector<Expr>{Field("u"), Field("v")}, theta, at,
                                            got);
    for (std::size_t i = 0; i < 2; ++i) EXPECT_LT(std::abs(got[i] - want[i]), 1e-14);
  }
}

TEST(ModifiedMlp, RefusesNumbersOutOfRangeAndSaysWhatItIs) {
  const auto message = [](const ModifiedMlp& net) {
    return message_of([&] { (void)make_network(net, {"x"}, two_fields); });
  };
  EXPECT_EQ(message({.width = 0}), "[networks.modified_mlp]: width must be positive, got 0");
  EXPECT_EQ(message({.depth = -2}), "[networks.modified_mlp]: depth must be positive, got -2");
  EXPECT_EQ(message({.depth = 1001}),
            "[networks.modified_mlp]: depth must be at most 1000, got 1001");
  EXPECT_NE(message({.fourier = -1}), "no error");
  EXPECT_NE(message({.factor_mean = std::nan("")}), "no error");
  EXPECT_EQ(describe(Network(ModifiedMlp{.fourier = 8})),
            "20 x 4 tanh between two encoders, 8 Fourier features");
}

}  // namespace
}  // namespace cauchy::test_modified_mlp
