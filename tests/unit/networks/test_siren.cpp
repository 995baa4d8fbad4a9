#include <cauchy/networks/siren.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cauchy/base/rng.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/networks/initialize.hpp>
#include <cauchy/networks/network.hpp>

#include "support/message_of.hpp"
#include "support/network_oracle.hpp"

namespace cauchy::test_siren {
namespace {

using ::testing::HasSubstr;
const std::vector<std::string> one_field{"u"};

TEST(Siren, ItsDerivativeIsTheCosineNetwork) {
  const auto graph = std::make_shared<const Graph>(
      make_network(Siren{.width = 5, .depth = 2, .w0 = 3}, {"x", "y"}, one_field));
  const std::vector<double> theta = initial_parameters(graph->parameters(), Rng(4));
  const std::vector<double> point{0.3, -0.8};
  const Field u("u");
  std::vector<double> got(2);
  HostExecutor<double>(graph, {}, {.threads = 1})
      .predict(std::vector<Expr>{u, d(u, Coordinate("y"))}, theta, point, got);
  test::OracleLayers layers(*graph, theta), slopes(*graph, theta);
  std::vector<double> h = point, dh{0, 1};
  for (int i = 0; i < 2; ++i) {
    const std::vector<double> z = layers.affine(h);
    h = test::each(z, [](double v) { return std::sin(v); });
    dh = slopes.product(dh);
    (void)slopes.block();  // the bias
    for (std::size_t k = 0; k < 5; ++k) dh[k] *= std::sin(z[k] + std::acos(-1) / 2);
  }
  EXPECT_NEAR(got[0], layers.affine(h)[0], 1e-13);
  EXPECT_NEAR(got[1], slopes.product(dh)[0], 1e-12);
  EXPECT_TRUE(layers.at_end());
}

TEST(Siren, StartsWithItsOwnLawUnlessAnotherIsNamed) {
  const Graph g = make_network(Siren{.width = 64, .depth = 2, .w0 = 17}, {"x", "y"}, one_field);
  const auto largest = [&](const std::vector<double>& theta, std::size_t block) {
    const ParameterBlock& b = g.parameters()[block];
    double most = 0;
    for (std::ptrdiff_t i = 0; i < b.size(); ++i) {
      most = std::max(most, std::abs(theta[static_cast<std::size_t>(b.offset + i)]));
    }
    return most;
  };
  const std::vector<double> own = initial_parameters(g.parameters(), Rng(1));
  const double root = std::sqrt(6.0 / 64);
  const double bounds[] = {17.0 / 2, 17 / std::sqrt(2), root, 17.0 / 8, root / 17, 1.0 / 8};
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_LE(largest(own, i), bounds[i]) << i;
    // None of 64 uniform numbers beyond 0.8 of the bound: 6e-7; the last bias is a single one.
    if (i < 5) {
      EXPECT_GT(largest(own, i), 0.8 * bounds[i]) << i;
    }
  }
  // The law of that name with the same frequency is the same to the last bit.
  EXPECT_EQ(own, initial_parameters(g.parameters(), Rng(1),
                                    {.weights = Initialization::siren, .siren_w0 = 17}));
  const std::vector<double> named =
      initial_parameters(g.parameters(), Rng(1), {.weights = Initialization::lecun_uniform});
  EXPECT_LE(largest(named, 0), std::sqrt(1.5));
  EXPECT_EQ(largest(named, 1), 0);
}

TEST(Siren, SumsHaveDeviationOneAndSinesVarianceHalfInEveryLayer) {
  const std::size_t depth = 10, rows = 64, n_points = 25;
  auto graph = std::make_shared<Graph>(std::vector<std::string>{"x"});
  (void)add_network(*graph, Siren{.width = 128, .depth = depth}, graph->coordinates(), 1);
  std::vector<const Operation*> layers;
  for (const Operation& op : graph->ops()) {
    if (op.code == OpCode::affine) layers.push_back(&op);
  }
  ASSERT_EQ(layers.size(), depth + 1);
  for (std::size_t i = 1; i < depth; ++i) {
    for (std::size_t r = 0; r < rows; ++r) {
      const auto value = static_cast<int>(layers[i] - graph->ops().data());
      graph->output("z" + std::to_string(i) + "r" + std::to_string(r), value, static_cast<int>(r));
    }
  }
  std::vector<double> points;
  for (std::size_t p = 0; p < n_points; ++p)
    points.push_back(-0.96 + 0.08 * static_cast<double>(p));
  std::vector<double> theta = initial_parameters(graph->parameters(), Rng(6));
  for (const bool biases : {true, false}) {
    if (!biases) {
      for (const ParameterBlock& b : graph->parameters()) {
        if (b.role == ParameterBlock::Role::bias) {
          std::fill_n(theta.begin() + b.offset, b.size(), 0.0);
        }
      }
    }
    const std::vector<double> out = test::outputs_at(graph, theta, points);
    // Biases spread the phases over all of the circle: sines have variance 1/2, and sums of n of
    // them with weights of variance 2 / n have variance 1. Without biases the variance s of the
    // sums is the fixed point of s = 1 - exp(-2 s), the mean of 2 sin^2.
    const double expected = biases ? 1 : 0.7968;
    for (std::size_t i = 0; i + 1 < depth; ++i) {
      double sums = 0, sines = 0;
      for (std::size_t p = 0; p < n_points; ++p) {
        for (std::size_t r = 0; r < rows; ++r) {
          const double z = out[(p * (depth - 1) + i) * rows + r];
          const double bias = theta[static_cast<std::size_t>(layers[i + 1]->bias) + r];
          sums += std::pow(z - bias, 2) / (rows * n_points);
          sines += std::pow(std::sin(z), 2) / (rows * n_points);
        }
      }
      // A point gives the variance of 64 numbers to sqrt(2 / 64) = 0.18; of 25 points some ten are
      // independent: 0.06. Four deviations; a factor sqrt(2) in the law would be 0.4 and more.
      EXPECT_NEAR(sums, expected, 0.24 * expected) << i << biases;
      EXPECT_NEAR(sines, expected / 2, 0.12 * expected) << i << biases;
    }
  }
}

TEST(Siren, HasTheParametersOfItsFormulaAndRefusesWhatIsNotPositive) {
  const int n = 3, w = 7, depth = 4;
  EXPECT_EQ(
      make_network(Siren{.width = w, .depth = depth}, {"t", "x", "y"}, one_field).n_parameters(),
      static_cast<std::size_t>((n + 1) * w + (depth - 1) * (w + 1) * w + w + 1));
  EXPECT_EQ(describe(Network(Siren{})), "64 x 3 siren, w0 = 30");
  const auto message = [](const Siren& s) {
    return message_of([&] { return make_network(s, {"x"}, one_field); });
  };
  EXPECT_THAT(message({.width = 0}), HasSubstr("width must be 1 to"));
  EXPECT_THAT(message({.depth = -2}), HasSubstr("depth must be 1 to"));
  for (const double w0 : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    EXPECT_THAT(message({.w0 = w0}), HasSubstr("w0 must be positive"));
  }
}

}  // namespace
}  // namespace cauchy::test_siren
