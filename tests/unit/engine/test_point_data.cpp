#include <cmath>
#include <memory>

#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/rng.hpp>
#include <cauchy/engine/host_executor.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/networks/initialize.hpp>
#include <cauchy/networks/mlp.hpp>

#include "support/message_of.hpp"

namespace cauchy::test_point_data {
namespace {

const Coordinate x("x"), y("y");
const Field u("u");
const Parameter k("k");
const Symbol normal("normal");
const DataFunction a("a");

/// The same residual with numbers given per point, and with their formulas.
struct Pair {
  std::shared_ptr<const Graph> graph;
  std::vector<double> points, data, theta;
  Expr with_data = normal * d(u, x) + k * a(x, y) * u - d(u, y, y);
  Expr with_formulas = cos(y) * d(u, x) + k * (1 + x * x) * u - d(u, y, y);

  Pair() {
    Graph g({"x", "y"});
    g.output("u", add_network(g, Mlp{.width = 7, .depth = 2}, g.coordinates(), 1));
    g.constant("k", 0.7);
    graph = std::make_shared<const Graph>(std::move(g));
    theta = initial_parameters(graph->parameters(), Rng(1));
    Rng rng(2);
    for (int i = 0; i < 77; ++i) {  // not a multiple of any block
      const double vx = rng.uniform(-1, 1), vy = rng.uniform(-1, 1);
      points.insert(points.end(), {vx, vy});
      data.insert(data.end(), {std::cos(vy), 1 + vx * vx});
    }
  }
};

class PointData : public ::testing::TestWithParam<BackendKind> {};
INSTANTIATE_TEST_SUITE_P(Backends, PointData,
                         ::testing::Values(BackendKind::cpu, BackendKind::reference));

TEST_P(PointData, GiveTheSameLossGradientAndProductsAsTheirFormulas) {
  const Pair p;
  const ExecutorOptions options{.backend = GetParam()};
  HostExecutor<double> data(p.graph, {Term{"data", {p.with_data}, 1.5, {normal, a(x, y)}}},
                            options);
  HostExecutor<double> formulas(p.graph, {Term{"formulas", {p.with_formulas}, 1.5}}, options);
  data.set_points(0, {.points = p.points, .data = p.data});
  formulas.set_points(0, p.points);
  const std::size_t P = p.theta.size(), n = 77;
  std::vector<double> g1(P), g2(P), r1(n), r2(n), j1(n * P), j2(n * P), t1(P), t2(P);
  // Sums of 77 terms of order 1 whose summands differ in the last bits.
  constexpr double tolerance = 77 * 64 * 2.2e-16;
  EXPECT_LT(std::abs(data.gradient(p.theta, g1) - formulas.gradient(p.theta, g2)), tolerance);
  data.residuals(0, p.theta, r1);
  formulas.residuals(0, p.theta, r2);
  data.jacobian(0, p.theta, j1);
  formulas.jacobian(0, p.theta, j2);
  data.jacobian_transposed_times(0, p.theta, r1, t1);
  formulas.jacobian_transposed_times(0, p.theta, r1, t2);
  for (std::size_t i = 0; i < n; ++i) EXPECT_LT(std::abs(r1[i] - r2[i]), tolerance);
  for (std::size_t i = 0; i < n * P; ++i) EXPECT_LT(std::abs(j1[i] - j2[i]), tolerance);
  for (std::size_t i = 0; i < P; ++i) {
    EXPECT_LT(std::abs(g1[i] - g2[i]), tolerance);
    EXPECT_LT(std::abs(t1[i] - t2[i]), 10 * tolerance);
  }
}

TEST(PointDataErrors, AreAskedForByName) {
  const Pair p;
  HostExecutor<double> executor(p.graph, {Term{"wall", {p.with_data}, 1, {normal, a(x, y)}}});
  EXPECT_EQ(message_of([&] { executor.set_points(0, p.points); }),
            "term 'wall': the point data are missing; give TermPoints::data with the points");
  std::vector<double> bad = p.data;
  bad[3] = NAN;
  EXPECT_EQ(message_of([&] { executor.set_points(0, {.points = p.points, .data = bad}); }),
            "term 'wall': 'a(x, y)' of point 1 is nan; point data must be finite");
  bad.pop_back();
  EXPECT_EQ(message_of([&] { executor.set_points(0, {.points = p.points, .data = bad}); }),
            "term 'wall': the data of 77 points need 154 numbers, got 153");
  EXPECT_EQ(message_of([&] { (void)executor.loss(p.theta); }),
            "term 'wall': no points are set; call set_points first");
  EXPECT_EQ(message_of([&] {
              HostExecutor<double>(p.graph, {Term{"wall", {a(x, y) * u}}});
            }),
            "term 'wall': data function 'a' has no values here; list its call in the data of the "
            "term");
  EXPECT_EQ(message_of([&] {
              HostExecutor<double>(p.graph, {Term{"wall", {normal * u}}});
            }),
            "term 'wall': 'normal' is not a field, coordinate or parameter");
}

}  // namespace
}  // namespace cauchy::test_point_data
