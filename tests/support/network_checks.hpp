#pragma once

#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <cauchy/base/rng.hpp>
#include <cauchy/engine/host_executor.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/networks/initialize.hpp>
#include <cauchy/networks/network.hpp>

// What the tests of networks share: values at points, and the gradient of a loss by differences.

namespace cauchy::test {

/// A graph with parameters that are first ones moved a little, so that nothing is zero.
struct TriedNetwork {
  std::shared_ptr<const Graph> graph;
  std::vector<double> theta;

  explicit TriedNetwork(Graph g, double moved = 0.2)
      : graph(std::make_shared<const Graph>(std::move(g))),
        theta(initial_parameters(graph->parameters(), Rng(5))) {
    Rng draw(7);
    for (double& v : theta) v += moved * draw.normal();
  }
  TriedNetwork(const Network& network, std::vector<std::string> coordinates,
               const std::vector<std::string>& fields, double moved = 0.2)
      : TriedNetwork(make_network(network, std::move(coordinates), fields), moved) {}

  /// Row-major points x expressions.
  [[nodiscard]] std::vector<double> values(const std::vector<Expr>& what,
                                           std::span<const double> points) const {
    HostExecutor<double> executor(graph, {}, {.threads = 1});
    const std::size_t n = points.size() / graph->coordinate_names().size();
    std::vector<double> out(n * what.size());
    executor.predict(what, theta, points, out);
    return out;
  }
};

/// The gradient of u_xx + u_yy + u^2 - x, squared, by every parameter of a network of x and y.
inline void expect_gradient_of_differences(const Network& network) {
  const Coordinate x("x"), y("y");
  const Field u("u");
  const TriedNetwork tried(network, {"x", "y"}, {"u"});
  HostExecutor<double> executor(tried.graph, {{"r", {d(u, x, x) + d(u, y, y) + u * u - x}}},
                                {.threads = 1});
  executor.set_points(0, std::vector<double>{0.1, -0.4, 0.7, 0.2, -0.9, 0.9, 0.3, 0.35});
  std::vector<double> gradient(tried.theta.size());
  const double loss = executor.gradient(tried.theta, gradient);
  ASSERT_TRUE(std::isfinite(loss));
  const double h = 1e-5;
  for (std::size_t k = 0; k < gradient.size(); ++k) {
    std::vector<double> up = tried.theta, down = tried.theta;
    up[k] += h;
    down[k] -= h;
    const double difference = (executor.loss(up) - executor.loss(down)) / (2 * h);
    // Truncation h^2 f''' / 6 and rounding eps f / h: about 1e-8 of losses of this size.
    EXPECT_NEAR(gradient[k], difference, 1e-6 * (1 + loss + std::abs(gradient[k]))) << k;
  }
}

}  // namespace cauchy::test
