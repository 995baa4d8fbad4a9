#include <cmath>
#include <limits>
#include <memory>

#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/rng.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/networks/initialize.hpp>
#include <cauchy/networks/network.hpp>
#include <cauchy/training/loss.hpp>

namespace cauchy::test_loss {
namespace {

const Coordinate x("x");
const Field u("u");

std::unique_ptr<Executor> two_terms(TermForm second) {
  const auto graph = std::make_shared<const Graph>(
      make_network(Mlp{.width = 6, .depth = 2}, {"x"}, std::vector<std::string>{"u"}));
  auto executor = make_executor(
      graph,
      {{"equation", {d(u, x, x) + 1, d(u, x) * u}, 0.5}, {"integral", {u * u}, 3, {}, second}},
      {.threads = 1});
  std::vector<double> points(20);
  for (std::size_t i = 0; i < 20; ++i) points[i] = 0.05 * static_cast<double>(i);
  const Groups halves{
      .offsets = {0, 10, 20},
      .points = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19},
      .weights = std::vector<double>(20, 0.05),
      .targets = {0.25, 0.5}};
  executor->set_points(0, points);
  executor->set_points(1, {.points = points, .groups = &halves});
  return executor;
}

TEST(TrainingLoss, GradientAndRowsFollowWeightsThatChange) {
  const auto executor = two_terms(TermForm::square);
  TrainingLoss loss(*executor);
  const std::vector<double> theta = initial_parameters(executor->graph().parameters(), Rng(2));
  const std::size_t P = loss.size();
  EXPECT_EQ(loss.n_residuals(), 2 * 20 + 2u);
  for (const double factor : {1.0, 2.5}) {
    for (std::size_t t = 0; t < 2; ++t) {
      std::vector<double> w(executor->n_groups(t));
      for (std::size_t i = 0; i < w.size(); ++i) w[i] = factor * static_cast<double>(1 + i % 3);
      executor->set_weights(t, w);
      executor->set_weight(t, factor);
    }
    std::vector<double> g(P), r(42), again(42), j(42 * P), jtr(P), jg(42);
    const double value = loss.gradient(theta, g);
    const std::vector<double> parts(loss.parts().begin(), loss.parts().end());
    loss.residuals(theta, r);
    loss.jacobian(theta, again, j);
    EXPECT_EQ(r, again);
    loss.jacobian_transposed_times(theta, r, jtr);
    loss.jacobian_times(theta, g, jg);
    double sum = 0, largest = 0;
    for (const double v : r) sum += v * v;
    for (const double v : g) largest = std::max(largest, std::abs(v));
    // Sums of 42 rows, in another order: some hundred roundings.
    const double tolerance = 500 * std::numeric_limits<double>::epsilon();
    EXPECT_LT(std::abs(sum - value), tolerance * value);
    EXPECT_LT(std::abs(parts[0] - loss.parts()[0]), tolerance * value);
    EXPECT_LT(std::abs(parts[1] - loss.parts()[1]), tolerance * value);
    EXPECT_LT(std::abs(loss.value(theta) - value), tolerance * value);
    double squares = 0, along = 0;
    for (std::size_t p = 0; p < P; ++p) {
      double slope = 0;
      for (std::size_t i = 0; i < 42; ++i) slope += 2 * j[i * P + p] * r[i];
      EXPECT_LT(std::abs(slope - g[p]), tolerance * largest) << p;
      EXPECT_LT(std::abs(2 * jtr[p] - g[p]), tolerance * largest) << p;
      squares += g[p] * g[p];
    }
    for (std::size_t i = 0; i < 42; ++i) along += 2 * r[i] * jg[i];  // g'g = 2 r'J g
    EXPECT_LT(std::abs(along - squares), tolerance * squares);
  }
}

TEST(TrainingLoss, RefusesFactorsThatAreNoWeights) {
  const auto executor = two_terms(TermForm::square);
  TrainingLoss loss(*executor);
  loss.weigh(1, 4, WeightLayer::balancer);
  EXPECT_EQ(executor->weight(1), 12);
  EXPECT_FALSE(loss.take_refusal());
  constexpr double inf = std::numeric_limits<double>::infinity();
  for (const double bad : {-1.0, inf, std::nan(""), 1e308}) {  // 3 * 1e308 is infinite
    loss.weigh(1, bad, WeightLayer::balancer);
    EXPECT_TRUE(loss.take_refusal()) << bad;
    EXPECT_FALSE(loss.take_refusal()) << "told once";
    EXPECT_EQ(executor->weight(1), 12) << bad;
    EXPECT_EQ(loss.factor(1, WeightLayer::balancer), 4) << bad;
  }
  loss.weigh(1, 0, WeightLayer::balancer);
  EXPECT_EQ(executor->weight(1), 0);
}

TEST(TrainingLoss, OfAnEnergyHasAGradientButNoRows) {
  const auto executor = two_terms(TermForm::identity);
  TrainingLoss loss(*executor);
  const std::vector<double> theta = initial_parameters(executor->graph().parameters(), Rng(2));
  std::vector<double> g(loss.size());
  const double value = loss.gradient(theta, g);
  EXPECT_LT(std::abs(loss.parts()[0] + loss.parts()[1] - value), 1e-15 * std::abs(loss.parts()[0]));
  try {
    (void)loss.n_residuals();
    FAIL();
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(),
                 "term 'integral': an energy is no sum of squares; use an optimiser that needs "
                 "gradients only");
  }
}

}  // namespace
}  // namespace cauchy::test_loss
