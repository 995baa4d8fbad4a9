#include <cauchy/networks/fourier_network.hpp>

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cauchy/base/rng.hpp>
#include <cauchy/networks/initialize.hpp>
#include <cauchy/networks/network.hpp>

#include "support/message_of.hpp"
#include "support/network_oracle.hpp"

namespace cauchy::test_fourier_network {
namespace {

using test::each;
using test::outputs_at;
using ::testing::HasSubstr;

const std::vector<std::string> two_fields{"u", "v"};
const FourierFeatures few{.kind = FourierFeatures::Kind::harmonics, .count = 2};
const std::vector<double> input{0.3, -0.6};

std::vector<double> plain_features() {
  return {std::cos(0.3), std::cos(0.6), std::cos(0.6),  std::cos(1.2),
          std::sin(0.3), std::sin(0.6), -std::sin(0.6), -std::sin(1.2)};
}

struct Drawn {
  std::shared_ptr<const Graph> graph;
  std::vector<double> theta;

  explicit Drawn(const Network& network)
      : graph(std::make_shared<const Graph>(make_network(network, {"t", "x"}, two_fields))),
        theta(graph->n_parameters()) {
    Rng(3).fill_normal(theta);
  }
  void expect(const std::vector<double>& expected) const {
    const std::vector<double> got = outputs_at(graph, theta, input);
    for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(got[i], expected[i], 1e-13) << i;
  }
};

double tanh_of(double z) { return std::tanh(z); }

TEST(FourierNetwork, ThePlainFormIsLayersOnFeatures) {
  const Drawn d(FourierNetwork{.width = 3, .depth = 2, .features = few});
  test::OracleLayers layers(*d.graph, d.theta);
  std::vector<double> h = plain_features();
  for (int i = 0; i < 2; ++i) h = each(layers.affine(h), tanh_of);
  d.expect(layers.affine(h));
  EXPECT_TRUE(layers.at_end());
}

TEST(FourierNetwork, TheModifiedFormMixesTwoTransforms) {
  const Drawn d(ModifiedFourier{.width = 3, .depth = 2, .features = few});
  test::OracleLayers layers(*d.graph, d.theta);
  const std::vector<double> phi = plain_features();
  const std::vector<double> first = each(layers.affine(phi), tanh_of);
  const std::vector<double> second = each(layers.affine(phi), tanh_of);
  std::vector<double> h = phi;
  for (int i = 0; i < 2; ++i) {
    h = each(layers.affine(h), tanh_of);
    for (std::size_t k = 0; k < 3; ++k) h[k] = (1 - h[k]) * first[k] + h[k] * second[k];
  }
  d.expect(layers.affine(h));
  EXPECT_TRUE(layers.at_end());
}

TEST(FourierNetwork, TheHighwayFormLetsALinearMapPass) {
  const Drawn d(HighwayFourier{.width = 3, .depth = 2, .features = few});
  test::OracleLayers layers(*d.graph, d.theta);
  const std::vector<double> phi = plain_features();
  const auto gate = each(layers.affine(phi), [](double z) { return 1 / (1 + std::exp(-z)); });
  const std::vector<double> bypass = layers.affine(input);
  std::vector<double> h = phi;
  for (int i = 0; i < 2; ++i) {
    h = each(layers.affine(h), tanh_of);
    for (std::size_t k = 0; k < 3; ++k) h[k] = h[k] * gate[k] + (1 - gate[k]) * bypass[k];
  }
  d.expect(layers.affine(h));
  EXPECT_TRUE(layers.at_end());
}

TEST(FourierNetwork, HasAsManyParametersAsTheFormulaSays) {
  const int w = 7, depth = 3, k = 5, n = 3, m = 2, rows = 2 * k;
  const FourierFeatures one{.count = k}, three{.count = k, .scales = {1, 2, 4}};
  const FourierFeatures apart{.count = k, .scales = {1, 2, 4}, .time_scales = {1, 9}};
  const auto count = [&](const Network& network) {
    return static_cast<int>(make_network(network, {"t", "x", "y"}, two_fields).n_parameters());
  };
  const int layers = (rows + 1) * w + (depth - 1) * (w + 1) * w;
  EXPECT_EQ(count(FourierNetwork{w, depth, Activation::tanh, false, one}), layers + (w + 1) * m);
  EXPECT_EQ(count(FourierNetwork{w, depth, Activation::tanh, true, one}),
            layers + (w + 1) * m + depth);
  EXPECT_EQ(count(FourierNetwork{w, depth, Activation::tanh, false, three}),
            layers + (3 * w + 1) * m);
  EXPECT_EQ(count(FourierNetwork{w, depth, Activation::tanh, false, apart}),
            layers + (6 * w + 1) * m);
  EXPECT_EQ(count(ModifiedFourier{w, depth, Activation::tanh, false, three}),
            layers + 2 * (rows + 1) * w + (3 * w + 1) * m);
  EXPECT_EQ(count(HighwayFourier{w, depth, Activation::tanh, false, apart}),
            layers + (rows + 1) * w + (n + 1) * w + (6 * w + 1) * m);
}

TEST(FourierNetwork, SaysWhatItIsAndRefusesSizesThatAreNotPositive) {
  EXPECT_EQ(describe(Network(HighwayFourier{.width = 8})),
            "8 x 3 tanh, highway, 32 Fourier features");
  EXPECT_EQ(describe(Network(FourierNetwork{.features = {.scales = {1, 9}, .time_scales = {1}}})),
            "64 x 3 tanh, 32 Fourier features of 2 scales, 1 in time");
  const auto message = [](const Network& network) {
    return message_of([&] { return make_network(network, {"x"}, two_fields); });
  };
  EXPECT_THAT(message(ModifiedFourier{.width = 0}), HasSubstr("width must be 1 to"));
  EXPECT_THAT(message(FourierNetwork{.depth = 0}), HasSubstr("depth must be 1 to"));
  EXPECT_THAT(message(FourierNetwork{.features = {.count = -1}}), HasSubstr("must be positive"));
  EXPECT_THROW((void)make_network(HighwayFourier{}, {"x"}, {}), Error);
}

}  // namespace
}  // namespace cauchy::test_fourier_network
