#include <gtest/gtest.h>

#include <cauchy/base/rng.hpp>
#include <cauchy/engine/host_executor.hpp>
#include <cauchy/networks/initialize.hpp>
#include <cauchy/networks/kan_model.hpp>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "support/message_of.hpp"

namespace cauchy::test_kan_model {
namespace {

std::vector<double> random_numbers(std::size_t n, std::uint64_t seed, double size = 1) {
  Rng rng(seed);
  std::vector<double> all(n);
  for (double& a : all) a = size * (2 * rng.uniform() - 1);
  return all;
}

std::shared_ptr<const Graph> graph_of(const Network& network) {
  const std::vector<std::string> fields{"u", "v"};
  return std::make_shared<const Graph>(make_network(network, {"x", "y", "z"}, fields));
}

KanModel random_model(const Network& network, std::uint64_t seed, double size = 1) {
  return {network, 3, 2, random_numbers(graph_of(network)->n_parameters(), seed, size)};
}

TEST(KanModel, IsTheNetworkTakenApart) {
  const std::vector<Network> networks{Kan{.hidden = {4}}, Kan{.hidden = {4, 2}, .edges = true},
                                      FastKan{.hidden = {4}, .layer_norm = false},
                                      ChebyshevKan{.hidden = {2, 3}}, JacobiKan{.hidden = {3}}};
  const std::vector<double> points = random_numbers(15, 1);
  for (const Network& network : networks) {
    const KanModel model = random_model(network, 2);
    HostExecutor<double> executor(graph_of(network), {}, {.threads = 1});
    std::vector<double> expected(10);
    const std::vector<Expr> wanted{Field("u"), Field("v")};
    executor.predict(wanted, model.theta(), points, expected);
    const auto features = model.features(points);
    ASSERT_EQ(features.size(), model.n_layers() + 1);
    for (std::size_t k = 0; k < 10; ++k) EXPECT_NEAR(features.back()[k], expected[k], 1e-12);
    // The sum over the edges of the last layer.
    const std::size_t l = model.n_layers() - 1, n = model.n_features(l);
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += model.edge(l, 1, i, features[l][n + i]);
    EXPECT_NEAR(sum, expected[3], 1e-12);
  }
}

TEST(KanModel, NormsAreMeansOfTheMagnitudes) {
  const KanModel model = random_model(Kan{.hidden = {2}}, 3);
  const std::vector<double> points = random_numbers(12, 4);
  const auto features = model.features(points);
  const auto norms = model.norms(features);
  double mean = 0;
  for (std::size_t p = 0; p < 4; ++p) mean += std::abs(model.edge(0, 1, 2, points[3 * p + 2])) / 4;
  EXPECT_NEAR(norms[0][1 * 3 + 2], mean, 1e-14);
  EXPECT_EQ(norms[0].size(), 6u);
  EXPECT_EQ(norms[1].size(), 4u);
}

TEST(KanModel, PruningTakesNodesWithoutInputOrWithoutOutput) {
  // Node 0 gets nothing, node 1 passes nothing on, node 2 does both; 3 inputs and 2 outputs.
  const Kan kan{.hidden = {3}, .grid = 3, .edges = true};
  const std::size_t m = 6;
  std::vector<double> theta = random_numbers(graph_of(kan)->n_parameters(), 5);
  const auto silence = [&](std::size_t first, std::size_t n_edges, std::size_t e) {
    for (std::size_t j = 0; j < m; ++j) theta[first + e * m + j] = 0;
    theta[first + n_edges * (m + 1) + e] = 0;  // base
  };
  for (std::size_t i = 0; i < 3; ++i) silence(0, 9, 0 * 3 + i);
  for (std::size_t o = 0; o < 2; ++o) {
    silence(9 * (m + 2), 6, o * 3 + 1);
    silence(9 * (m + 2), 6, o * 3 + 0);  // phi(0) of the first node, which is a constant
  }
  const KanModel model(kan, 3, 2, theta);
  const std::vector<double> points = random_numbers(60, 6);
  const KanModel small = model.pruned(points);
  EXPECT_EQ(std::get<Kan>(small.network()).hidden, std::vector<int>{1});
  const auto a = model.features(points).back(), b = small.features(points).back();
  for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], 1e-13);
  // One node stays whatever the threshold, and it is the live one.
  const auto c = model.pruned(points, 1e9).features(points).back();
  for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], c[k], 1e-13);
  EXPECT_EQ(std::get<Kan>(model.pruned(points, 0).network()).hidden, std::vector<int>{1});
}

TEST(KanModel, AFinerGridThatHoldsTheOldOneIsTheSameFunction) {
  // One layer: the grid stays [-1, 1], and 4 intervals become 8 equal ones.
  const KanModel model = random_model(Kan{.hidden = {}, .grid = 4}, 7);
  const std::vector<double> points = random_numbers(300, 8);
  const KanModel fine = model.regridded(8, points, 1);
  EXPECT_EQ(std::get<Kan>(fine.network()).grid, 8);
  EXPECT_EQ(std::get<Kan>(fine.network()).knots.size(), 3u * 9);
  for (const double at : {-1.0, -0.37, 0.2, 0.75, 1.0}) {
    for (std::size_t o = 0; o < 2; ++o) {
      EXPECT_NEAR(fine.edge(0, o, 1, at), model.edge(0, o, 1, at), 1e-12);
    }
  }
  const KanModel again = fine.regridded(8, points, 1);
  const auto a = model.features(points).back(), b = again.features(points).back();
  for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], 1e-12);
}

TEST(KanModel, NewGridsKeepTheFunctionToTheToleranceOfTheFit) {
  const KanModel model = random_model(Kan{.hidden = {4}, .grid = 5, .edges = true}, 9, 0.5);
  const std::vector<double> points = random_numbers(600, 10);
  const auto before = model.features(points).back();
  double last = 1e9;
  for (const int grid : {10, 30, 90}) {
    const auto after = model.regridded(grid, points, 0.3).features(points).back();
    double worst = 0, largest = 0;
    for (std::size_t k = 0; k < after.size(); ++k) {
      worst = std::max(worst, std::abs(after[k] - before[k]));
      largest = std::max(largest, std::abs(before[k]));
    }
    worst /= largest;
    EXPECT_LT(worst, 0.2 * last) << grid;  // 3 x finer: h^3 where third derivatives jump
    last = worst;
  }
  EXPECT_LT(last, 2e-4);
}

TEST(KanModel, GridsFollowTheQuantiles) {
  const KanModel model = random_model(Kan{.hidden = {}, .grid = 4}, 7);
  std::vector<double> points;
  for (int k = 0; k < 101; ++k) {  // x: dense near 1
    const double s = k / 100.0;
    points.insert(points.end(), {1 - 2 * s * s * s * s, 2 * s - 1, 0});
  }
  const KanModel moved = model.regridded(4, points, 1e-9);
  const std::vector<double>& knots = std::get<Kan>(moved.network()).knots;
  const double expected[] = {-1, 1 - 2 * std::pow(0.75, 4), 1 - 2 * std::pow(0.5, 4),
                             1 - 2 * std::pow(0.25, 4), 1};
  for (std::size_t k = 0; k < 5; ++k) {
    EXPECT_NEAR(knots[k], expected[k], 1e-6);
    EXPECT_NEAR(knots[5 + k], -1 + 0.5 * static_cast<double>(k), 1e-6);  // evenly spread
  }
}

TEST(KanModel, EntropyLiesBetweenOneEdgeAndEqualEdges) {
  EXPECT_EQ(edge_entropy(std::vector<double>{0, 3, 0, 0}), 0);
  EXPECT_NEAR(edge_entropy(std::vector<double>(6, 0.1)), std::log(6), 1e-14);
  for (std::uint64_t seed = 1; seed < 20; ++seed) {
    auto norms = random_numbers(12, seed);
    for (double& n : norms) n = std::abs(n);
    EXPECT_GT(edge_entropy(norms), 0);
    EXPECT_LT(edge_entropy(norms), std::log(12));
  }
  EXPECT_EQ(edge_entropy(std::vector<double>{0, 0}), 0);
}

TEST(KanPenalty, IsTheSumOfTheDefinitionWithItsGradient) {
  const Kan kan{.hidden = {2}, .grid = 2, .order = 1, .sparsity = 0.3, .entropy = 1.5};
  const std::size_t n = graph_of(kan)->n_parameters(), offset = 2;
  std::vector<double> theta = random_numbers(n + offset, 11);
  const KanPenalty penalty(kan, 3, 2, offset);
  double expected = 0;
  const double* at = theta.data() + offset;
  for (const std::size_t n_edges : {6u, 4u}) {
    std::vector<double> norms(n_edges);
    double sum = 0;
    for (std::size_t e = 0; e < n_edges; ++e) {
      norms[e] = std::abs(at[n_edges * 3 + e]) / 4;
      for (std::size_t j = 0; j < 3; ++j) norms[e] += std::abs(at[e * 3 + j]) / 4;
      sum += norms[e];
    }
    expected += 0.3 * (sum + 1.5 * edge_entropy(norms));
    at += n_edges * 4;
  }
  std::vector<double> g(theta.size(), 1.0);
  EXPECT_NEAR(penalty(theta, g), expected, 1e-7);  // |w| is smoothed by 1e-8
  EXPECT_EQ(penalty(theta, {}), penalty(theta, g = std::vector<double>(theta.size(), 1.0)));
  EXPECT_EQ(g[0], 1);
  EXPECT_EQ(g[1], 1);
  for (std::size_t k = offset; k < theta.size(); k += 3) {
    const double h = 1e-6, here = theta[k];
    theta[k] = here + h;
    const double up = penalty(theta, {});
    theta[k] = here - h;
    const double down = penalty(theta, {});
    theta[k] = here;
    EXPECT_NEAR(g[k] - 1, (up - down) / (2 * h), 1e-8) << k;
  }
}

TEST(KanModel, SaysWhatItCannotTakeApart) {
  const auto message = [](const Network& network, std::size_t n) {
    return message_of([&] { return KanModel(network, 3, 2, std::vector<double>(n)).n_layers(); });
  };
  EXPECT_NE(message(Mlp{}, 5).find("'mlp' is no Kolmogorov-Arnold network"), std::string::npos);
  EXPECT_NE(message(FastKan{}, 5).find("layer_norm"), std::string::npos);
  EXPECT_NE(message(Kan{}, 5).find("parameters, got 5"), std::string::npos);
  const KanModel polynomials = random_model(ChebyshevKan{.hidden = {2}}, 1);
  const std::vector<double> points(3, 0.0);
  EXPECT_NE(message_of([&] {
              return polynomials.regridded(5, points).n_layers();
            }).find("'chebyshev_kan' has no grid"),
            std::string::npos);
  const KanModel splines = random_model(Kan{}, 1);
  EXPECT_NE(message_of([&] { return splines.regridded(5, points, 0).n_layers(); }).find("(0, 1]"),
            std::string::npos);
  EXPECT_NE(message_of([&] { return splines.features(std::vector<double>(4)); }).find("no points"),
            std::string::npos);
}

}  // namespace
}  // namespace cauchy::test_kan_model
