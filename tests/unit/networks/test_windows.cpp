#include <cauchy/networks/windows.hpp>

#include <cmath>
#include <memory>

#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/rng.hpp>
#include <cauchy/engine/host_executor.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/io/option_text.hpp>
#include <cauchy/networks/initialize.hpp>
#include <cauchy/networks/network.hpp>

namespace cauchy::test_windows {
namespace {

const std::vector<std::string> one_field{"u"};

/// Values of expressions of a graph without parameters, point-major.
std::vector<double> values_of(const Graph& graph, const std::vector<Expr>& what,
                              const std::vector<double>& points, std::span<const double> theta) {
  HostExecutor<double> executor(std::make_shared<const Graph>(graph), {}, {.threads = 1});
  std::vector<double> out(points.size() / graph.coordinate_names().size() * what.size());
  executor.predict(what, theta, points, out);
  return out;
}

TEST(WindowsNetwork, WindowsArePositiveAndSumToOneWithVanishingDerivatives) {
  const Coordinate x("x"), y("y");
  const Field sum("sum"), one("one");
  for (const double overlap : {0.2, 1.0, 2.5}) {
    Graph graph({"x", "y"});
    const Windows options{.windows = {5, 3}, .overlap = overlap};
    const int w = add_windows(graph, options, graph.coordinates());
    ASSERT_EQ(graph.rows(w), 15);
    graph.output("sum", graph.row_sum(w));
    for (int k = 0; k < 15; ++k) graph.output("w" + std::to_string(k), w, k);
    std::vector<Expr> wanted{sum, d(sum, x), d(sum, y, y), d(sum, x, x, y)};
    for (int k = 0; k < 15; ++k) wanted.push_back(Field("w" + std::to_string(k)));
    std::vector<double> points;
    for (int i = 0; i <= 20; ++i) {
      for (int j = 0; j <= 6; ++j) points.insert(points.end(), {-1 + 0.1 * i, -1 + j / 3.0});
    }
    const std::vector<double> got = values_of(graph, wanted, points, {});
    const double slope = 2.5 / (overlap * 0.2);  // the steepest one, along x
    for (std::size_t p = 0; p < points.size() / 2; ++p) {
      const double* v = &got[p * wanted.size()];
      EXPECT_NEAR(v[0], 1, 1e-15 * 15);
      EXPECT_NEAR(v[1], 0, 1e-15 * 15 * slope);
      EXPECT_NEAR(v[2], 0, 1e-15 * 15 * slope * slope);
      EXPECT_NEAR(v[3], 0, 1e-15 * 15 * slope * slope * slope);
      for (std::size_t k = 4; k < wanted.size(); ++k) EXPECT_GE(v[k], -1e-16);
    }
  }
}

TEST(WindowsNetwork, AWindowIsTheDifferenceOfTwoSteps) {
  // Three windows of width 2/3 along x: edges at -1/3 and 1/3.
  Graph graph({"x"});
  const int w = add_windows(graph, {.windows = {3}, .overlap = 0.5}, graph.coordinates());
  for (int k = 0; k < 3; ++k) graph.output("w" + std::to_string(k), w, k);
  const auto got = values_of(graph, {Field("w0"), Field("w1"), Field("w2")}, {0.1}, {});
  const double a = std::tanh(2.5 * (0.1 + 1.0 / 3) / (0.5 / 3)),
               b = std::tanh(2.5 * (0.1 - 1.0 / 3) / (0.5 / 3));
  EXPECT_NEAR(got[0], (1 - a) / 2, 1e-15);
  EXPECT_NEAR(got[1], (a - b) / 2, 1e-15);
  EXPECT_NEAR(got[2], (b + 1) / 2, 1e-15);
}

TEST(WindowsNetwork, IsTheBlendOfNetworksInTheirOwnUnits) {
  const Mlp inner{.width = 3, .depth = 1};
  const Windows options{.windows = {2, 2}, .overlap = 0.6, .inner = {inner}};
  const std::vector<std::string> fields{"u", "v"};
  const Graph graph = make_network(options, {"x", "y"}, fields);
  const std::size_t n_inner = make_network(inner, {"x", "y"}, fields).n_parameters();
  ASSERT_EQ(graph.n_parameters(), 4 * n_inner);
  const std::vector<double> theta = initial_parameters(graph.parameters(), Rng(3));
  const double px = 0.15, py = -0.35;
  const auto got = values_of(graph, {Field("u"), Field("v")}, {px, py}, theta);
  double u = 0, v = 0;
  const double half = 1.6 / 2;  // width 1, overlap 0.6
  const auto share = [](double z, bool upper) {
    const double s = std::tanh(2.5 * z / 0.3);
    return upper ? (1 + s) / 2 : (1 - s) / 2;
  };
  for (std::size_t j = 0; j < 4; ++j) {
    const bool right = j / 2 == 1, top = j % 2 == 1;  // the last input runs fastest
    const Graph one = make_network(inner, {"x", "y"}, fields);
    const auto own =
        values_of(one, {Field("u"), Field("v")},
                  {(px - (right ? 0.5 : -0.5)) / half, (py - (top ? 0.5 : -0.5)) / half},
                  std::span(theta).subspan(j * n_inner, n_inner));
    const double w = share(px, right) * share(py, top);
    u += w * own[0];
    v += w * own[1];
  }
  EXPECT_NEAR(got[0], u, 1e-14);
  EXPECT_NEAR(got[1], v, 1e-14);
}

TEST(WindowsNetwork, GradientIsThatOfDifferences) {
  const Coordinate x("x"), y("y");
  const Field u("u");
  const auto graph = std::make_shared<const Graph>(make_network(
      Windows{.windows = {3, 1}, .inner = {Mlp{.width = 3, .depth = 1}}}, {"x", "y"}, one_field));
  const std::vector<double> theta = initial_parameters(graph->parameters(), Rng(5));
  HostExecutor<double> executor(graph, {{"r", {d(u, x, x) + d(u, y, y) + u * u - x}}},
                                {.threads = 1});
  executor.set_points(0, std::vector<double>{0.1, -0.4, 0.7, 0.2, -0.9, 0.9, 0.3, 0.35});
  std::vector<double> gradient(theta.size());
  executor.gradient(theta, gradient);
  const double h = 1e-5;
  for (std::size_t k = 0; k < theta.size(); ++k) {
    std::vector<double> up = theta, down = theta;
    up[k] += h;
    down[k] -= h;
    const double difference = (executor.loss(up) - executor.loss(down)) / (2 * h);
    // Truncation h^2 f'''/6 and rounding eps f / h: about 1e-8 for losses of size 100 here.
    EXPECT_NEAR(gradient[k], difference, 1e-6 * (1 + std::abs(gradient[k]))) << k;
  }
}

TEST(WindowsNetwork, IsWrittenWithItsInnerNetwork) {
  Network network = Windows{.windows = {4, 2}, .inner = {Rbf{.centres = 7}}};
  const std::string text = option_text("network", network);
  EXPECT_NE(text.find("windows = [4, 2]"), std::string::npos) << text;
  EXPECT_NE(text.find("[network.inner]"), std::string::npos) << text;
  EXPECT_NE(text.find("centres = 7"), std::string::npos) << text;
  EXPECT_EQ(describe(network), "4 x 2 windows of 7 gaussian centres");
  EXPECT_EQ(describe(Network(Windows{})), "4 windows of 40 random sin features");
}

TEST(WindowsNetwork, RefusesCountsThatDoNotFit) {
  const auto make = [](const Windows& w) { (void)make_network(w, {"x", "y"}, one_field); };
  EXPECT_THROW(make({.windows = {4, 4, 4}}), Error);  // two inputs
  EXPECT_NO_THROW(make({.windows = {4}}));            // one number for both
  EXPECT_THROW(make({.windows = {4, 0}}), Error);
  EXPECT_THROW(make({.windows = {65, 64}}), Error);  // more than fit
  EXPECT_THROW(make({.windows = {2, 2}, .overlap = 0}), Error);
  EXPECT_THROW(make({.windows = {2, 2}, .inner = {Mlp{}, Mlp{}}}), Error);
  EXPECT_NO_THROW(make({.windows = {2, 2}}));
}

}  // namespace
}  // namespace cauchy::test_windows
