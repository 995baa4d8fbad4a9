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

namespace cauchy::test_piratenet {
namespace {

using test::Dense;
using test::PlainLayers;

const std::vector<std::string> two_fields{"u", "v"};

/// cos(B x), sin(B x) with the frequencies of a seed.
Dense features_of(const Dense& x, int n, double scale, std::uint64_t seed) {
  Rng rng(seed);
  Dense cosines, sines;
  for (int k = 0; k < n; ++k) {
    double z = 0;
    for (const double v : x) z += scale * rng.normal() * v;
    cosines.push_back(std::cos(z));
    sines.push_back(std::sin(z));
  }
  cosines.insert(cosines.end(), sines.begin(), sines.end());
  return cosines;
}

TEST(Piratenet, HasAsManyParametersAsTheFormulaSays) {
  const int w = 5, L = 3, m = 2, n = 2;
  const auto count = [&](const Piratenet& net) {
    return static_cast<int>(make_network(net, {"t", "x"}, two_fields).n_parameters());
  };
  const auto formula = [&](int e) {
    return 2 * (e + 1) * w + L * ((e + 1) * w + (w + 1) * w + (w + 1) * e + 1) + (e + 1) * m;
  };
  EXPECT_EQ(count({.width = w, .blocks = L, .fourier = 4, .factorized = false}), formula(8));
  EXPECT_EQ(count({.width = w, .blocks = L, .fourier = 0, .factorized = false}),
            formula(w) + (n + 1) * w);
  EXPECT_EQ(count({.width = w, .blocks = L, .fourier = 4}),
            formula(8) + 2 * w + L * (2 * w + 8) + m);
}

TEST(Piratenet, IsTheFormulaOfItsBlocks) {
  for (const int fourier : {0, 2}) {
    const Piratenet net{.width = 3, .blocks = 2, .fourier = fourier, .fourier_scale = 2};
    const auto graph = std::make_shared<const Graph>(make_network(net, {"t", "x"}, two_fields));
    std::vector<double> theta = initial_parameters(graph->parameters(), Rng(7));
    Rng rng(3);
    for (double& p : theta) p += 0.3 * rng.normal();
    std::vector<double> alpha;
    for (const ParameterBlock& b : graph->parameters()) {
      if (b.role == ParameterBlock::Role::scale) {
        alpha.push_back(theta[static_cast<std::size_t>(b.offset)]);
      }
    }
    ASSERT_EQ(alpha.size(), 2u);
    const Dense at{0.7, 0.2};
    PlainLayers layers(*graph, theta);
    Dense h = fourier > 0 ? features_of(at, fourier, 2, 1) : layers.tanh(at);
    const Dense U = layers.tanh(h), V = layers.tanh(h);
    const auto gate = [&](const Dense& z) {
      Dense y(z.size());
      for (std::size_t i = 0; i < z.size(); ++i) y[i] = (1 - z[i]) * U[i] + z[i] * V[i];
      return y;
    };
    for (const double a : alpha) {
      const Dense f = gate(layers.tanh(h)), g = gate(layers.tanh(f)), block = layers.tanh(g);
      for (std::size_t i = 0; i < h.size(); ++i) h[i] = a * block[i] + (1 - a) * h[i];
    }
    const Dense want = layers.linear(h);
    std::vector<double> got(2);
    HostExecutor<double>(graph, {}).predict(std::vector<Expr>{Field("u"), Field("v")}, theta, at,
                                            got);
    for (std::size_t i = 0; i < 2; ++i) EXPECT_LT(std::abs(got[i] - want[i]), 1e-13) << fourier;
  }
}

TEST(Piratenet, StartsAsALinearFunctionOfItsFeatures) {
  const auto graph = std::make_shared<const Graph>(
      make_network(Piratenet{.width = 6, .blocks = 3, .fourier = 4}, {"t", "x"}, two_fields));
  const std::vector<double> theta = initial_parameters(graph->parameters(), Rng(7));
  const Dense at{0.7, 0.2}, features = features_of(at, 4, 1, 1);
  // The last layer has 2 x 8 weights, 2 factors and 2 biases.
  const std::size_t last = theta.size() - 20;
  std::vector<double> got(2);
  HostExecutor<double>(graph, {}).predict(std::vector<Expr>{Field("u"), Field("v")}, theta, at,
                                          got);
  for (std::size_t r = 0; r < 2; ++r) {
    double want = theta[last + 18 + r];
    for (std::size_t k = 0; k < 8; ++k) {
      want += std::exp(theta[last + 16 + r]) * theta[last + 8 * r + k] * features[k];
    }
    EXPECT_LT(std::abs(got[r] - want), 1e-14);
  }
}

TEST(Piratenet, RefusesNumbersOutOfRangeAndSaysWhatItIs) {
  const auto message = [](const Piratenet& net) {
    return message_of([&] { (void)make_network(net, {"x"}, two_fields); });
  };
  EXPECT_EQ(message({.width = 0}), "[networks.piratenet]: width must be positive, got 0");
  EXPECT_EQ(message({.blocks = 0}), "[networks.piratenet]: blocks must be positive, got 0");
  EXPECT_EQ(message({.blocks = 101}), "[networks.piratenet]: blocks must be at most 100, got 101");
  EXPECT_EQ(message({.alpha = INFINITY}), "[networks.piratenet]: alpha must be finite, got inf");
  EXPECT_NE(message({.fourier_scale = -1}), "no error");
  EXPECT_EQ(describe(Network(Piratenet{})),
            "2 residual blocks of 32 tanh, 16 Fourier features, factorised");
}

}  // namespace
}  // namespace cauchy::test_piratenet
