// What the options of fully connected networks make of the plain one.
#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/rng.hpp>
#include <cauchy/engine/host_executor.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/networks/initialize.hpp>
#include <cauchy/networks/network.hpp>
#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "support/message_of.hpp"
#include "support/plain_network.hpp"

namespace cauchy::test_mlp_options {
namespace {

using Role = ParameterBlock::Role;
using test::Dense;
using test::plain_parameters;
using test::PlainLayers;
using test::operator+;

const std::vector<std::string> one_field{"u"};
const Coordinate t("t"), x("x");
const Field u("u");

std::shared_ptr<const Graph> network_of(const Network& options) {
  return std::make_shared<const Graph>(make_network(options, {"t", "x"}, one_field));
}

std::vector<double> values_at(const std::shared_ptr<const Graph>& graph,
                              std::span<const double> theta, std::span<const double> points) {
  const std::vector<Expr> wanted{u, d(u, t), d(u, x, x)};
  std::vector<double> out(points.size() / 2 * 3);
  HostExecutor<double>(graph, {{"u", {u}}}, {.threads = 1}).predict(wanted, theta, points, out);
  return out;
}

const std::vector<double> some_points{0.1, -0.4, 0.7, 0.2, 1.0, 0.9};

TEST(MlpOptions, EveryOptionHasTheParametersOfTheFormula) {
  const auto count = [](const Mlp& mlp) {
    return static_cast<int>(make_network(mlp, {"t", "x"}, one_field).n_parameters());
  };
  const std::vector<int> widths{5, 7, 5};
  const int plain = 3 * 5 + 6 * 7 + 8 * 5 + 6, hidden = 17, layers = 3;
  EXPECT_EQ(count({.widths = widths}), plain);
  EXPECT_EQ(count({.width = 99, .depth = 99, .widths = widths}), plain) << "the list decides";
  EXPECT_EQ(count({.widths = widths, .slope = Slope::network}), plain + 1);
  EXPECT_EQ(count({.widths = widths, .slope = Slope::layer}), plain + layers);
  EXPECT_EQ(count({.widths = widths, .slope = Slope::neuron}), plain + hidden);
  EXPECT_EQ(count({.widths = widths, .factorized = true}), plain + hidden + 1);
  EXPECT_EQ(count({.widths = widths, .weight_norm = true}), plain + hidden);
  EXPECT_EQ(count({.widths = widths, .layer_norm = true}), plain + 2 * hidden);
  EXPECT_EQ(count({.widths = widths, .skip = 2}), plain);
}

TEST(MlpOptions, SlopesFactorsAndNormsStartAsThePlainNetwork) {
  const Mlp base{.width = 9, .depth = 3};
  const auto plain = network_of(base);
  const auto expect_same = [&](const Mlp& options, double tolerance) {
    const auto graph = network_of(options);
    std::vector<double> theta = initial_parameters(graph->parameters(), Rng(2));
    const std::vector<double> a = values_at(plain, plain_parameters(*graph, theta), some_points);
    const std::vector<double> b = values_at(graph, theta, some_points);
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_LE(std::abs(a[i] - b[i]), tolerance) << i;
    // And it is another network as soon as a new parameter moves.
    for (const ParameterBlock& block : graph->parameters()) {
      if (block.role == Role::weight || block.role == Role::bias) continue;
      std::vector<double> moved = theta;
      moved[static_cast<std::size_t>(block.offset)] += 0.5;
      const std::vector<double> c = values_at(graph, moved, some_points);
      for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NE(a[i], c[i]) << block.name;
    }
  };
  for (const Slope slope : {Slope::network, Slope::layer, Slope::neuron}) {
    Mlp options = base;
    options.slope = slope;
    expect_same(options, 0);  // a product with 1 is exact
  }
  Mlp factorized = base, normalised = base;
  factorized.factorized = true;
  normalised.weight_norm = true;
  expect_same(factorized, 1e-13);  // some 10 roundings of numbers below 10
  expect_same(normalised, 1e-13);
}

TEST(MlpOptions, AWeightNormDoesNotDependOnTheLengthOfItsDirection) {
  const auto graph = network_of(Mlp{.width = 6, .depth = 2, .weight_norm = true});
  std::vector<double> theta = initial_parameters(graph->parameters(), Rng(2));
  const std::vector<double> a = values_at(graph, theta, some_points);
  const ParameterBlock& v = graph->parameters()[0];
  ASSERT_EQ(v.role, Role::weight);
  for (int i = 0; i < v.size(); ++i) theta[static_cast<std::size_t>(v.offset + i)] *= 3;
  const std::vector<double> b = values_at(graph, theta, some_points);
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_LT(std::abs(a[i] - b[i]), 1e-13);
}

TEST(MlpOptions, SkipConnectionsAddTheLayerBeforeThem) {
  const auto graph = network_of(Mlp{.width = 3, .depth = 4, .skip = 2});
  std::vector<double> theta = initial_parameters(graph->parameters(), Rng(7));
  Rng rng(3);
  for (double& w : theta) w += 0.3 * rng.normal();  // biases too
  PlainLayers layers(*graph, theta);
  const Dense h1 = layers.tanh({0.7, 0.2});
  const Dense h3 = h1 + layers.tanh(layers.tanh(h1));
  const Dense out = layers.linear(layers.tanh(h3));  // the fourth layer ends no connection
  EXPECT_LT(std::abs(values_at(graph, theta, std::vector{0.7, 0.2})[0] - out[0]), 1e-14);
}

TEST(MlpOptions, LayerNormGivesFeaturesOfMeanZeroAndVarianceOne) {
  const auto graph = network_of(Mlp{.width = 5, .depth = 1, .layer_norm = true});
  std::vector<double> theta = initial_parameters(graph->parameters(), Rng(7));
  PlainLayers layers(*graph, theta);
  Dense z = layers.linear({0.7, 0.2});
  double mean = 0, variance = 0;
  for (const double v : z) mean += v / 5;
  for (const double v : z) variance += (v - mean) * (v - mean) / 5;
  for (double& v : z) v = std::tanh((v - mean) / std::sqrt(variance + 1e-5));
  const double want = layers.linear(z)[0];
  EXPECT_LT(std::abs(values_at(graph, theta, std::vector{0.7, 0.2})[0] - want), 1e-14);
}

/// Gradient of (w . p + b - 1)^2 / 2 by w, for the step of a factorised weight.
std::vector<double> slope_by_weight(std::span<const double> w, double b,
                                    std::span<const double> p) {
  const double r = w[0] * p[0] + w[1] * p[1] + b - 1;
  return {r * p[0], r * p[1]};
}

TEST(MlpOptions, AStepOnFactorsMovesTheWeightByTheirMatrixAndNotByANumber) {
  // w = f(s) v: a step of gradient descent on s and v moves w by -eta M g + O(eta^2), with
  //   f = exp(s): M = e^{2 s} (I + v v'),   f = s: M = s^2 I + v v'
  // and not by (s^2 + |v|^2) g, unless g is parallel to v.
  const double eta = 1e-6, s = 0.4;
  const std::vector<double> v{0.8, -0.5}, p{0.3, 0.9};
  for (const bool logarithm : {true, false}) {
    Graph g({"t", "x"});
    if (logarithm) {
      g.output("u", g.factorized_affine(g.coordinates(), 1, 0, 0));  // blocks V, s, b
    } else {
      g.output("u", g.shift(g.scale(g.affine(g.coordinates(), 1, false), 1, true), 0));
    }
    std::vector<double> theta{v[0], v[1], s, 0.1}, gradient(4);
    HostExecutor<double> executor(std::make_shared<const Graph>(g), {{"u", {u - 1}, 0.5}},
                                  {.threads = 1});
    executor.set_points(0, p);
    (void)executor.gradient(theta, gradient);
    const auto f = [&](double factor) { return logarithm ? std::exp(factor) : factor; };
    const std::vector<double> w{f(s) * v[0], f(s) * v[1]};
    const std::vector<double> slope = slope_by_weight(w, 0.1, p);
    const double along = v[0] * slope[0] + v[1] * slope[1], own = f(s) * f(s);
    const double rank_one = logarithm ? own : 1;
    for (std::size_t i = 0; i < 2; ++i) {
      const double moved = f(s - eta * gradient[2]) * (v[i] - eta * gradient[i]);
      const double rate = (moved - w[i]) / eta;
      EXPECT_LT(std::abs(rate + own * slope[i] + rank_one * v[i] * along), 1e-5) << logarithm;
      const double printed = (own + v[0] * v[0] + v[1] * v[1]) * slope[i];
      EXPECT_GT(std::abs(rate + printed), 0.01) << logarithm;
    }
  }
}

TEST(MlpOptions, ASlopeChangesTheKernelByMoreThanItsSquare) {
  // y = tanh(a (w x + b)): dy/dw = a tanh'(a z) x; the kernel sum (dy/dtheta)^2 is not a^2 times
  // the one of a = 1.
  Graph g({"x"});
  const int slope = g.scale(g.affine(g.coordinates(), 1), 1, false, "slope");
  g.output("u", g.activation(slope, Activation::tanh));
  const double w = 0.8, b = 0.2, at = 0.5, z = w * at + b;
  std::vector<double> kernel;
  for (const double a : {1.0, 1.7}) {
    const std::vector<double> theta{w, b, a};
    std::vector<double> jacobian(3);
    HostExecutor<double> executor(std::make_shared<const Graph>(g), {{"u", {u}}}, {.threads = 1});
    executor.set_points(0, std::vector{at});
    executor.jacobian(0, theta, jacobian);
    const double derivative = 1 - std::tanh(a * z) * std::tanh(a * z);
    EXPECT_LT(std::abs(jacobian[0] - a * derivative * at), 1e-15);
    EXPECT_LT(std::abs(jacobian[1] - a * derivative), 1e-15);
    EXPECT_LT(std::abs(jacobian[2] - derivative * z), 1e-15);
    kernel.push_back(jacobian[0] * jacobian[0] + jacobian[1] * jacobian[1]);
  }
  EXPECT_GT(std::abs(kernel[1] - 1.7 * 1.7 * kernel[0]), 0.3 * kernel[1]);
}

TEST(MlpOptions, OneSlopeServesAllLayers) {
  const auto graph = network_of(Mlp{.width = 3, .depth = 2, .slope = Slope::network});
  std::vector<double> theta = initial_parameters(graph->parameters(), Rng(7));
  for (const ParameterBlock& block : graph->parameters()) {
    if (block.role == Role::scale) theta[static_cast<std::size_t>(block.offset)] = 1.5;
  }
  PlainLayers layers(*graph, theta);
  const Dense h = layers.tanh(layers.tanh({0.7, 0.2}, 1.5), 1.5);
  const double want = layers.linear(h)[0];
  EXPECT_LT(std::abs(values_at(graph, theta, std::vector{0.7, 0.2})[0] - want), 1e-14);
}

TEST(MlpOptions, WhatDoesNotFitIsRefusedInOneSentence) {
  const auto message = [](const Mlp& mlp) {
    return message_of([&] { (void)make_network(mlp, {"x"}, one_field); });
  };
  EXPECT_EQ(message({.widths = {4, 0}}),
            "[networks.mlp]: every one of the widths must be positive, got 0");
  EXPECT_EQ(message({.widths = {4, 5, 6}, .skip = 2}),
            "[networks.mlp]: skip = 2 joins hidden layers 1 and 3, of widths 4 and 6");
  EXPECT_EQ(message({.depth = 2, .skip = 2}),
            "[networks.mlp]: skip = 2 needs at least 3 hidden layers, there are 2");
  EXPECT_EQ(message({.skip = -1}), "[networks.mlp]: skip must be at least 0, got -1");
  EXPECT_EQ(message({.factorized = true, .weight_norm = true}),
            "[networks.mlp]: weights are factorised or normalised, not both");
  EXPECT_EQ(
      message({.widths = {4, 1}, .layer_norm = true}),
      "[networks.mlp]: layer_norm needs layers of at least two features: one alone becomes 0");
  EXPECT_EQ(describe(Mlp{.widths = {64, 32}, .slope = Slope::layer, .weight_norm = true}),
            "64-32 tanh, trainable slopes, normalised weights");
}

}  // namespace
}  // namespace cauchy::test_mlp_options
