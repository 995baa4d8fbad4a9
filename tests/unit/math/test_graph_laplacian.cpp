#include <cmath>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cauchy/base/rng.hpp>
#include <cauchy/math/graph_laplacian.hpp>

#include "support/message_of.hpp"

namespace cauchy::test_graph_laplacian {
namespace {

constexpr double pi = std::numbers::pi;

TEST(GraphSpectrum, HasTheEigenvaluesOfPathCycleAndCompleteGraph) {
  constexpr std::size_t n = 9;
  const auto path = graph_spectrum(WeightedGraph::path(n)).values;
  auto cycle = graph_spectrum(WeightedGraph::cycle(n)).values;
  const auto complete = graph_spectrum(WeightedGraph::complete(n)).values;
  std::vector<double> expected;
  for (std::size_t k = 0; k < n; ++k) {
    EXPECT_NEAR(path[k], 2 - 2 * std::cos(static_cast<double>(k) * pi / n), 1e-13);
    expected.push_back(2 - 2 * std::cos(2 * pi * static_cast<double>(k) / n));
    EXPECT_NEAR(complete[k], k == 0 ? 0.0 : 9.0, 1e-13);
  }
  std::sort(expected.begin(), expected.end());
  for (std::size_t k = 0; k < n; ++k) EXPECT_NEAR(cycle[k], expected[k], 1e-13);
}

TEST(WeightedGraph, HasAsManyZerosAsComponents) {
  const WeightedGraph g(7, {{0, 1}, {1, 2}, {3, 4, 0.5}, {5, 6}});
  EXPECT_EQ(g.n_components(), 3u);
  std::size_t zeros = 0;
  for (const double v : graph_spectrum(g).values) zeros += std::abs(v) < 1e-12 ? 1 : 0;
  EXPECT_EQ(zeros, 3u);
}

TEST(WeightedGraph, EnergyCountsEveryEdgeOnce) {
  // Two vertices: u' L u = (u0 - u1)^2, without a factor of one half.
  const std::vector<double> u = {3, 1};
  EXPECT_EQ(WeightedGraph::path(2).energy(u), 4);
  EXPECT_EQ(WeightedGraph::path(2).rayleigh(u), 0.4);
  const WeightedGraph g = WeightedGraph::grid(3, 4);
  Rng rng(3);
  std::vector<double> x(12), lx(12);
  for (double& v : x) v = rng.uniform();
  g.laplacian().multiply(x, lx);
  double quadratic = 0;
  for (std::size_t i = 0; i < 12; ++i) quadratic += x[i] * lx[i];
  EXPECT_NEAR(g.energy(x), quadratic, 1e-14);
}

TEST(WeightedGraph, LaplacianOfAPathIsTheNegativeSecondDifferenceWithNoFluxAtTheEnds) {
  const SparseMatrix l = WeightedGraph::path(5).laplacian();
  const std::vector<double> u = {0, 1, 4, 9, 16};
  std::vector<double> lu(5);
  l.multiply(u, lu);
  EXPECT_EQ(lu, (std::vector<double>{-1, -2, -2, -2, 7}));
}

TEST(GraphFilter, SolvesTheHeatEquationAndKeepsTheSum) {
  const WeightedGraph g = WeightedGraph::grid(4, 4);
  const auto s = graph_spectrum(g);
  std::vector<double> u(16);
  u[5] = 1;
  const double alpha = 0.7, t = 0.3;
  const auto heat = [&](double time) {
    return graph_filter(s, u, [&](double lambda) { return std::exp(-alpha * lambda * time); });
  };
  double sum = 0;
  for (const double v : heat(t)) sum += v;
  EXPECT_NEAR(sum, 1, 1e-14);
  // d/dt by a central difference against -alpha L u.
  constexpr double h = 1e-4;
  const auto plus = heat(t + h), minus = heat(t - h), now = heat(t);
  std::vector<double> lu(16);
  g.laplacian().multiply(now, lu);
  for (std::size_t i = 0; i < 16; ++i) {
    EXPECT_NEAR((plus[i] - minus[i]) / (2 * h), -alpha * lu[i], 1e-7);
  }
}

TEST(GraphConvolution, CommutesWithTheLaplacianAndIsCircularForSymmetricSignals) {
  constexpr std::size_t n = 8;
  const WeightedGraph g = WeightedGraph::cycle(n);
  const auto s = graph_spectrum(g);
  // Filters, not bases, are independent of the choice in the eigenspaces: a filter of a cycle is a
  // circular convolution with what it makes of a unit impulse.
  const auto f = [](double lambda) { return 1 / (1 + lambda); };
  std::vector<double> impulse(n), x(n);
  impulse[0] = 1;
  Rng rng(5);
  for (double& v : x) v = rng.uniform();
  const auto kernel = graph_filter(s, impulse, f), y = graph_filter(s, x, f);
  for (std::size_t i = 0; i < n; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < n; ++j) sum += kernel[(i + n - j) % n] * x[j];
    EXPECT_NEAR(y[i], sum, 1e-14);
  }
  std::vector<double> lx(n), ly(n);
  g.laplacian().multiply(x, lx);
  g.laplacian().multiply(graph_convolution(s, x, kernel), ly);
  const auto other = graph_convolution(s, lx, kernel);
  for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(ly[i], other[i], 1e-13);
}

TEST(ChebyshevFilter, IsThePolynomialOfTheLaplacian) {
  const WeightedGraph g = WeightedGraph::grid(3, 3);
  const auto s = graph_spectrum(g);
  std::vector<double> x(9);
  for (std::size_t i = 0; i < 9; ++i) x[i] = std::sin(static_cast<double>(i));
  const std::vector<double> c = {0.5, -1, 0.25, 2};
  const double top = 8;
  const auto exact = graph_filter(s, x, [&](double lambda) {
    const double z = 2 * lambda / top - 1;
    return c[0] + c[1] * z + c[2] * (2 * z * z - 1) + c[3] * (4 * z * z * z - 3 * z);
  });
  const auto fast = chebyshev_filter(g, x, c, top);
  for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(fast[i], exact[i], 1e-13);
}

/// A sheet rolled up: the angle and the height, and the points in space.
struct SwissRoll {
  Matrix points;
  std::vector<double> angle;
};
SwissRoll swiss_roll(std::size_t along, std::size_t across) {
  SwissRoll roll{Matrix(along * across, 3), {}};
  for (std::size_t i = 0; i < along; ++i) {
    for (std::size_t j = 0; j < across; ++j) {
      const double a = 1.5 * pi * (1 + 2.0 * static_cast<double>(i) / static_cast<double>(along));
      const std::size_t k = i * across + j;
      roll.points(k, 0) = a * std::cos(a);
      roll.points(k, 1) = static_cast<double>(j);
      roll.points(k, 2) = a * std::sin(a);
      roll.angle.push_back(a);
    }
  }
  return roll;
}

TEST(LaplacianEigenmap, UnrollsASheet) {
  const SwissRoll roll = swiss_roll(60, 5);
  const WeightedGraph g = WeightedGraph::nearest(roll.points, 6, 0.1);
  ASSERT_EQ(g.n_components(), 1u);
  const Matrix place = laplacian_eigenmap(g, 1);
  // The first coordinate follows the sheet: monotone in the angle, along every line.
  const double direction = place(place.rows() - 1, 0) > place(0, 0) ? 1 : -1;
  for (std::size_t i = 1; i < 60; ++i) {
    EXPECT_GT(direction * (place(i * 5 + 2, 0) - place((i - 1) * 5 + 2, 0)), 0) << i;
  }
}

TEST(RandomWalkSpectrum, IsGeneralisedAndOrthonormalInTheDegrees) {
  const SwissRoll roll = swiss_roll(12, 3);
  const WeightedGraph g = WeightedGraph::nearest(roll.points, 4, 0.05);
  const auto s = random_walk_spectrum(g);
  const auto d = g.degrees();
  const std::size_t n = g.size();
  const SparseMatrix l = g.laplacian();
  for (std::size_t k = 0; k < n; ++k) {
    std::vector<double> v(n), lv(n);
    for (std::size_t i = 0; i < n; ++i) v[i] = s.vectors(i, k);
    l.multiply(v, lv);
    for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(lv[i], s.values[k] * d[i] * v[i], 1e-12);
    for (std::size_t m = 0; m <= k; ++m) {
      double product = 0;
      for (std::size_t i = 0; i < n; ++i) product += v[i] * d[i] * s.vectors(i, m);
      EXPECT_NEAR(product, m == k ? 1 : 0, 1e-12);
    }
  }
}

TEST(WeightedGraph, SaysWhatIsNoGraph) {
  EXPECT_THAT(message_of([] { WeightedGraph(2, {{0, 0}}); }), ::testing::HasSubstr("is no edge"));
  EXPECT_THAT(message_of([] { WeightedGraph(2, {{0, 1, -1}}); }), ::testing::HasSubstr("weight"));
  EXPECT_THAT(message_of([] {
                (void)laplacian_eigenmap(WeightedGraph(3, {{0, 1}}), 1);
              }),
              ::testing::HasSubstr("connected"));
}

}  // namespace
}  // namespace cauchy::test_graph_laplacian
