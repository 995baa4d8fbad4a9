#include <cauchy/networks/multiplicative_filter.hpp>

#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cauchy/base/rng.hpp>
#include <cauchy/networks/initialize.hpp>
#include <cauchy/networks/network.hpp>

#include "support/message_of.hpp"
#include "support/network_oracle.hpp"

namespace cauchy::test_multiplicative_filter {
namespace {

using Filter = MultiplicativeFilter::Filter;
using ::testing::HasSubstr;
const std::vector<std::string> one_field{"u"};

TEST(MultiplicativeFilter, MultipliesFiltersOfTheInput) {
  const std::vector<double> x{0.3, -0.8};
  for (const Filter kind : {Filter::fourier, Filter::gabor}) {
    const auto graph = std::make_shared<const Graph>(make_network(
        MultiplicativeFilter{.width = 4, .depth = 3, .filter = kind}, {"x", "y"}, one_field));
    std::vector<double> theta(graph->n_parameters());
    Rng(5).fill_normal(theta);
    test::OracleLayers layers(*graph, theta);
    const auto filter = [&] {
      std::vector<double> g = layers.affine(x);
      for (double& v : g) v = std::sin(v);
      if (kind == Filter::fourier) return g;
      const std::span<const double> centres = layers.block(), logarithms = layers.block();
      for (std::size_t r = 0; r < 4; ++r) {
        const double dx = x[0] + centres[2 * r], dy = x[1] + centres[2 * r + 1];
        g[r] *= std::exp(-0.5 * std::exp(logarithms[r]) * (dx * dx + dy * dy));
      }
      return g;
    };
    std::vector<double> z = filter();
    for (int i = 1; i < 3; ++i) {
      const std::vector<double> g = filter();
      z = layers.affine(z);
      for (std::size_t r = 0; r < 4; ++r) z[r] *= g[r];
    }
    EXPECT_NEAR(test::outputs_at(graph, theta, x)[0], layers.affine(z)[0], 1e-13);
    EXPECT_TRUE(layers.at_end());
  }
}

TEST(MultiplicativeFilter, StartsWithFrequenciesPhasesAndWindowsOfItsScale) {
  const int w = 400, depth = 3;
  const MultiplicativeFilter network{
      .width = w, .depth = depth, .filter = Filter::gabor, .scale = 20, .alpha = 6};
  const Graph g = make_network(network, {"x"}, one_field);
  const std::vector<double> theta = initial_parameters(g.parameters(), Rng(1));
  test::OracleLayers layers(g, theta);
  const auto v = layers.block(), p = layers.block(), centre = layers.block(),
             logarithm = layers.block();
  double mean = 0, share = 0;
  for (std::size_t r = 0; r < 400; ++r) {
    const double c = std::exp(logarithm[r]);
    mean += c / w;
    EXPECT_LE(std::abs(v[r]), 20 * std::sqrt(c / depth) * (1 + 1e-12));
    share = std::max(share, std::abs(v[r]) / (20 * std::sqrt(c / depth)));
    EXPECT_LE(std::abs(p[r]), 3.1416);
    EXPECT_LE(std::abs(centre[r]), 1);
  }
  EXPECT_GT(share, 0.95);  // of 400 uniform numbers none beyond: 1e-9
  // Gamma numbers of shape 2 have mean 2 and variance 2.
  EXPECT_NEAR(mean, 2, 5 * std::sqrt(2.0 / w));
}

TEST(MultiplicativeFilter, GammaNumbersOfSmallShapesHaveTheirMeanToo) {
  const MultiplicativeFilter network{
      .width = 1000, .depth = 1, .filter = Filter::gabor, .alpha = 0.5};
  const Graph g = make_network(network, {"x"}, one_field);
  const std::vector<double>& logarithms = g.parameters()[3].first;
  ASSERT_EQ(logarithms.size(), 1000u);
  double mean = 0;
  for (const double v : logarithms) mean += std::exp(v) / 1000;
  EXPECT_NEAR(mean, 0.5, 5 * std::sqrt(0.5 / 1000));
}

TEST(MultiplicativeFilter, HasTheParametersOfItsFormulaAndRefusesWhatIsNotPositive) {
  const int n = 2, w = 5, depth = 3;
  const int fourier = depth * w * (n + 1) + (depth - 1) * w * (w + 1) + w + 1;
  const auto count = [&](Filter kind) {
    const MultiplicativeFilter network{.width = w, .depth = depth, .filter = kind};
    return static_cast<int>(make_network(network, {"x", "y"}, one_field).n_parameters());
  };
  EXPECT_EQ(count(Filter::fourier), fourier);
  EXPECT_EQ(count(Filter::gabor), fourier + depth * w * (n + 1));
  EXPECT_EQ(describe(Network(MultiplicativeFilter{.filter = Filter::gabor})),
            "64 x 3 gabor filters");
  const auto message = [](const MultiplicativeFilter& network) {
    return message_of([&] { return make_network(network, {"x"}, one_field); });
  };
  EXPECT_THAT(message({.width = 0}), HasSubstr("width must be 1 to"));
  EXPECT_THAT(message({.scale = 0}), HasSubstr("must be positive, got 0"));
  EXPECT_THAT(message({.alpha = std::nan("")}), HasSubstr("must be positive"));
}

}  // namespace
}  // namespace cauchy::test_multiplicative_filter
