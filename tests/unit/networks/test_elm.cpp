#include <gtest/gtest.h>

#include <algorithm>
#include <cauchy/base/error.hpp>
#include <cauchy/math/lapack.hpp>
#include <cauchy/networks/elm.hpp>
#include <cauchy/networks/linear_parameters.hpp>
#include <cauchy/optimizers/gauss_newton.hpp>
#include <cauchy/training/loss.hpp>
#include <cmath>
#include <numbers>

#include "support/message_of.hpp"
#include "support/network_checks.hpp"

namespace cauchy::test_elm {
namespace {

const std::vector<std::string> one_field{"u"};

TEST(Elm, TrainsTheLastLayerAlone) {
  const std::vector<std::string> fields{"u", "v"};
  for (const int depth : {1, 3}) {
    const Graph graph = make_network(Elm{.features = 9, .depth = depth}, {"x", "y", "z"}, fields);
    EXPECT_EQ(graph.n_parameters(), 10u * 2);
    EXPECT_EQ(linear_parameters(graph).size(), 20u);
  }
  EXPECT_EQ(describe(Network(Elm{})), "400 random sin features");
  EXPECT_EQ(describe(Network(Elm{.depth = 2})), "400 random sin features of 2 layers");
}

TEST(Elm, EveryFeatureTurnsWithinTheInputsWhateverTheScale) {
  // A tanh that is flat on [-1, 1]^2 is a constant for the answer: none of them is.
  for (const double scale : {0.5, 5.0, 50.0}) {
    Graph graph = make_network(Elm{.features = 40, .activation = Activation::tanh, .scale = scale},
                               {"x", "y"}, one_field);
    std::vector<double> points;
    for (int i = 0; i < 41; ++i) {
      for (int j = 0; j < 41; ++j) points.insert(points.end(), {i / 20.0 - 1, j / 20.0 - 1});
    }
    test::TriedNetwork tried(std::move(graph), 0);
    for (std::size_t k = 0; k < 40; ++k) {
      std::fill(tried.theta.begin(), tried.theta.end(), 0.0);
      tried.theta[k] = 1;
      const std::vector<double> values = tried.values({Field("u")}, points);
      const auto [low, high] = std::minmax_element(values.begin(), values.end());
      EXPECT_LE(*low, 0.1) << scale << " " << k;
      EXPECT_GE(*high, -0.1) << scale << " " << k;
      EXPECT_GT(*high - *low, 1e-3) << scale << " " << k;
    }
  }
}

TEST(Elm, TheSeedGivesTheFeaturesAndLawsDiffer) {
  const std::vector<double> point{0.3, -0.2};
  const auto value = [&](const Elm& elm) {
    test::TriedNetwork tried(elm, {"x", "y"}, one_field, 0);
    std::fill(tried.theta.begin(), tried.theta.end(), 1.0);
    return tried.values({Field("u")}, point)[0];
  };
  const Elm small{.features = 8};
  EXPECT_EQ(value(small), value(small));
  EXPECT_NE(value(small), value({.features = 8, .seed = 2}));
  EXPECT_NE(value(small), value({.features = 8, .law = FeatureLaw::normal}));
  EXPECT_NE(value(small), value({.features = 8, .activation = Activation::tanh}));
  EXPECT_GT(automatic_scale({.features = 4000}, 2), automatic_scale({.features = 40}, 2));
  EXPECT_GT(automatic_scale({.features = 400}, 1), automatic_scale({.features = 400}, 3));
  EXPECT_NEAR(automatic_scale({.features = 400}, 2), 5.4, 1e-12);
  EXPECT_NEAR(automatic_scale({.features = 400, .activation = Activation::tanh}, 2), 1.4, 1e-12);
}

TEST(Elm, AStretchedAxisIsOneThatIsSeenFromAfar) {
  // w_1 (s x_1) = (s w_1) x_1, whatever the law.
  const auto value = [&](const Elm& elm, const std::vector<double>& at) {
    test::TriedNetwork tried(elm, {"x", "y"}, one_field, 0);
    std::fill(tried.theta.begin(), tried.theta.end(), 1.0);
    return tried.values({Field("u")}, at)[0];
  };
  for (const FeatureLaw law : {FeatureLaw::uniform, FeatureLaw::normal}) {
    const Elm plain{.features = 8, .law = law, .scale = 3};
    Elm stretched = plain;
    stretched.stretch = {0.25, 1};
    // Eight sines of phases up to 20, rounded in another order.
    EXPECT_LT(std::abs(value(stretched, {0.8, -0.3}) - value(plain, {0.2, -0.3})), 1e-13);
    EXPECT_GT(std::abs(value(stretched, {0.8, -0.3}) - value(plain, {0.8, -0.3})), 1e-3);
  }
  const auto refused = [&](std::vector<double> stretch) {
    return message_of([&] { (void)value({.stretch = std::move(stretch)}, {0, 0}); });
  };
  EXPECT_EQ(
      refused({1, 2, 3}),
      "[networks.elm]: stretch has 3 numbers for 2 inputs (a periodic coordinate is several)");
  EXPECT_EQ(refused({1, 0}), "[networks.elm]: stretch must be positive, got 0");
}

TEST(Elm, OneStepOfGaussNewtonIsTheLeastSquaresAnswer) {
  // u'' + 4 u = sin(3 x), u(-1) = u(1) = 0.
  const Coordinate x("x");
  const Field u("u");
  const auto graph =
      std::make_shared<const Graph>(make_network(Elm{.features = 7, .scale = 2}, {"x"}, one_field));
  HostExecutor<double> executor(
      graph, {{"equation", {d(u, x, x) + 4 * u - sin(3 * x)}}, {"end", {u}}}, {.threads = 1});
  std::vector<double> inside;
  for (int i = 0; i < 30; ++i) inside.push_back(-0.97 + 2 * 0.97 * i / 29.0);
  executor.set_points(0, inside);
  executor.set_points(1, std::vector<double>{-1, 1});
  TrainingLoss loss(executor);
  std::vector<double> theta = initial_parameters(graph->parameters(), Rng(1));
  GaussNewton method;
  EXPECT_EQ(method.step(loss, theta).status, StepStatus::progress);
  Matrix a(executor.n_rows(), 8), b(executor.n_rows(), 1);
  const std::vector<double> zero(8, 0.0);
  executor.rows_jacobian(zero, {a.data(), a.size()});
  executor.rows(zero, {b.data(), b.size()});
  for (std::size_t i = 0; i < b.rows(); ++i) b(i, 0) = -b(i, 0);
  const LeastSquaresSolution<double> best = least_squares_svd(a.view(), b.view());
  double least = 0, rounding = 0;  // of a sum of terms that nearly cancel
  for (std::size_t i = 0; i < b.rows(); ++i) {
    double r = -b(i, 0), size = 0;
    for (std::size_t k = 0; k < 8; ++k) {
      r += a(i, k) * best.x(k, 0);
      size += std::abs(a(i, k) * best.x(k, 0));
    }
    least += r * r;
    rounding += 2 * std::abs(r) * 8 * 1.2e-16 * size;
  }
  // The sums of squares agree, not the weights: nearly dependent features leave those open. The
  // weights of both are rounded, and so are the sums with them.
  EXPECT_NEAR(loss.value(theta), least, 4 * rounding);
  EXPECT_LT(rounding, 0.01 * least);
  EXPECT_GT(least, 1e-20);
}

TEST(Elm, GradientIsThatOfDifferences) {
  test::expect_gradient_of_differences(Elm{.features = 5});
  test::expect_gradient_of_differences(
      Elm{.features = 4, .depth = 2, .activation = Activation::gaussian});
}

TEST(Elm, RefusesNumbersOutOfRange) {
  const auto make = [](const Elm& elm) { (void)make_network(elm, {"x"}, one_field); };
  EXPECT_THROW(make({.features = 0}), Error);
  EXPECT_THROW(make({.depth = 0}), Error);
  EXPECT_THROW(make({.scale = -1}), Error);
  EXPECT_THROW(make({.scale = NAN}), Error);
  EXPECT_THROW(make({.activation = Activation::wavelet}), Error);
  EXPECT_THROW((void)make_network(Elm{}, {"x"}, {}), Error);
}

}  // namespace
}  // namespace cauchy::test_elm
