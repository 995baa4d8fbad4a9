// The products of a DeepONet against the jet graph of the whole.
#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include <cauchy/base/rng.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/networks/initialize.hpp>

#include "operators/deeponet/deeponet_executor.hpp"
#include "operators/deeponet/deeponet_target.hpp"
#include "operators/deeponet/trained_deeponet.hpp"
#include "support/allocation_counter.hpp"
#include "support/message_of.hpp"
#include "support/operator_cases.hpp"
#include "support/symbolic_graph.hpp"

namespace cauchy::test_deeponet_executor {
namespace {

constexpr std::size_t n_functions = 5, n_points = 70, n_sensors = 4;

std::vector<double> draw(std::uint64_t seed, std::size_t n) {
  Rng rng(seed);
  std::vector<double> x(n);
  for (double& v : x) v = 2 * rng.uniform() - 1;
  return x;
}

/// Two fields of (t, x), four sensors, hard factor on one of them.
detail::DeepOnetMap small_map() {
  detail::DeepOnetMap map;
  map.method.branch = Network(Mlp{.width = 6, .depth = 1});
  map.method.trunk = Mlp{.width = 5, .depth = 2};
  map.method.width = 3;
  map.method.precision = Precision::f64;
  map.grid = map.sensors = FieldGrid{.axes = {{"x", n_sensors, 0, 1, false}}};
  map.inputs = {"a"};
  map.outputs = {"u", "v"};
  map.axes = {{"t", 0, 2, false, true}, {"x", 0, 1, true, false}};
  map.fields = {{.name = "u", .scale = 2, .offset = 0.5},
                {.name = "v", .factor = Coordinate("t"), .extension = sin(Coordinate("x"))}};
  map.input_mean = {0};
  map.input_deviation = {1};
  map.interpolation = {TableInterpolation::cubic};
  return map;
}

std::vector<Term> terms_of() {
  const Coordinate t("t"), x("x");
  const Field u("u"), v("v");
  const Symbol a("a"), b("b"), c("c");
  return {
      {"equation", {d(u, t) - 0.3 * d(u, x, x) - u * u * v - a * x, d(v, x, t) + b}, 1.5, {a, b}},
      {"value", {(u - a) * c}, 0.7, {a, c}}};
}

struct ProductCase {
  detail::DeepOnetMap map = small_map();
  std::vector<double> rows = draw(1, n_functions*n_sensors), points = draw(2, n_points * 2),
                      pair = draw(3, n_functions*n_points), point = draw(4, n_points),
                      sample = draw(5, n_functions), weights;
  std::vector<double> theta = initial_parameters(map.whole_graph().parameters(), Rng(7));

  ProductCase() {
    for (std::size_t i = 0; i < n_points; ++i) weights.push_back(1 + 0.01 * static_cast<double>(i));
    Rng rng(9);
    for (double& w : theta) w += 0.3 * rng.normal();
  }

  std::unique_ptr<detail::DeepOnetExecutor> aligned(int threads = 1,
                                                    Precision precision = Precision::f64) const {
    auto e = detail::make_deeponet_executor(map, terms_of(), std::make_shared<Threads>(threads),
                                            precision);
    using Per = detail::AlignedData::Per;
    e->set_samples(rows);
    const detail::AlignedData first[] = {{Per::pair, pair}, {Per::point, point}};
    e->set_aligned(0, {.points = points, .data = first, .weights = weights});
    const detail::AlignedData second[] = {{Per::pair, std::span(pair).first(2 * n_points)},
                                          {Per::sample, std::span(sample).first(2)}};
    const int some[] = {4, 1};
    e->set_aligned(1, {.points = points, .data = second, .samples = some});
    return e;
  }

  /// All pairs one by one, into an executor of either kind.
  void put_pairs(Executor& e) const {
    std::vector<double> p, d0, d1, w;
    std::vector<double> p1;
    std::vector<int> of, of1;
    for (std::size_t s = 0; s < n_functions; ++s) {
      for (std::size_t i = 0; i < n_points; ++i) {
        p.insert(p.end(), {points[2 * i], points[2 * i + 1]});
        d0.insert(d0.end(), {pair[s * n_points + i], point[i]});
        w.push_back(weights[i]);
        of.push_back(static_cast<int>(s));
      }
    }
    const int some[] = {4, 1};
    for (std::size_t s = 0; s < 2; ++s) {
      for (std::size_t i = 0; i < n_points; ++i) {
        p1.insert(p1.end(), {points[2 * i], points[2 * i + 1]});
        d1.insert(d1.end(), {pair[s * n_points + i], sample[s]});
        of1.push_back(some[s]);
      }
    }
    e.set_points(0, {.points = p, .data = d0, .weights = w});
    e.set_input(0, "sensors", rows, of);
    e.set_points(1, {.points = p1, .data = d1});
    e.set_input(1, "sensors", rows, of1);
  }

  std::unique_ptr<Executor> plain() const {
    auto e = make_executor(std::make_shared<const Graph>(map.whole_graph()), terms_of(),
                           {.threads = 1, .backend = BackendKind::reference});
    put_pairs(*e);
    return e;
  }
};

double distance(std::span<const double> a, std::span<const double> b) {
  double worst = 0, size = 0;
  EXPECT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = std::abs(a[i] - b[i]);
    if (!(difference <= worst)) worst = difference;
    size = std::max(size, std::abs(b[i]));
  }
  return worst / size;
}

/// Everything that both compute; sums of some hundred products of numbers of size 1 to 10.
void expect_same(Executor& fast, Executor& plain, const std::vector<double>& theta, double tol) {
  const std::size_t n = theta.size();
  std::vector<double> g(n), h(n), gt(2 * n), ht(2 * n), r(fast.n_residuals()),
      q(plain.n_residuals());
  const double a = fast.gradient(theta, g, {.terms = gt, .residuals = r});
  const double b = plain.gradient(theta, h, {.terms = ht, .residuals = q});
  EXPECT_LT(std::abs(a - b), tol * std::abs(b));
  EXPECT_LT(std::abs(fast.loss(theta) - b), tol * std::abs(b));
  EXPECT_LT(distance(g, h), tol);
  EXPECT_LT(distance(gt, ht), tol);
  EXPECT_LT(distance(r, q), tol);
  EXPECT_LT(distance(fast.last_terms(), plain.last_terms()), tol);
  for (std::size_t t = 0; t < 2; ++t) {
    const std::vector<double> w = draw(11 + t, fast.n_residuals(t));
    fast.jacobian_transposed_times(t, theta, w, g);
    plain.jacobian_transposed_times(t, theta, w, h);
    EXPECT_LT(distance(g, h), tol) << t;
  }
}

TEST(DeepOnetExecutor, ProductsAreThoseOfTheJetGraph) {
  const ProductCase c;
  const auto plain = c.plain();
  expect_same(*c.aligned(), *plain, c.theta, 1e-12);
  expect_same(*c.aligned(1, Precision::f32), *plain, c.theta, 3e-5);
}

TEST(DeepOnetExecutor, PairsOneByOneAreTheSame) {
  const ProductCase c;
  const auto pairs = detail::make_deeponet_executor(c.map, terms_of(), std::make_shared<Threads>(1),
                                                    Precision::f64);
  c.put_pairs(*pairs);
  expect_same(*pairs, *c.plain(), c.theta, 1e-12);
}

TEST(DeepOnetExecutor, StackedAndProductBranchesAreTheSame) {
  ProductCase c;
  c.map.method.stacked = true;
  c.map.method.bias = false;
  c.theta = initial_parameters(c.map.whole_graph().parameters(), Rng(7));
  // 6 networks of 4 inputs, one layer of 6 and one output.
  EXPECT_EQ(c.theta.size(), 6u * (5 * 6 + 7) + (4 * 5 + 6 * 5 + 6 * 6));
  expect_same(*c.aligned(), *c.plain(), c.theta, 1e-12);
  ProductCase two;
  two.map.inputs = {"a", "b"};
  two.map.method.product = true;
  two.map.grid = two.map.sensors = FieldGrid{.axes = {{"x", 2, 0, 1, false}}};
  two.theta = initial_parameters(two.map.whole_graph().parameters(), Rng(7));
  expect_same(*two.aligned(), *two.plain(), two.theta, 1e-12);
}

TEST(DeepOnetExecutor, AShortcutIsALinearMapBesideTheBranch) {
  ProductCase c;
  const std::size_t without = c.theta.size();
  c.map.method.shortcut = true;
  c.theta = initial_parameters(c.map.whole_graph().parameters(), Rng(7));
  EXPECT_EQ(c.theta.size(), without + c.map.branch_inputs() * c.map.n_products());
  expect_same(*c.aligned(), *c.plain(), c.theta, 1e-12);
}

TEST(DeepOnetExecutor, TheBitsDoNotDependOnTheThreads) {
  const ProductCase c;
  std::vector<double> one(c.theta.size()), other(c.theta.size());
  const double a = c.aligned(1)->gradient(c.theta, one);
  for (const int threads : {2, 3}) {
    EXPECT_EQ(c.aligned(threads)->gradient(c.theta, other), a);
    EXPECT_EQ(other, one);
  }
}

TEST(DeepOnetExecutor, DerivativesAreThoseOfTheSymbolicLayer) {
  ProductCase c;
  detail::DeepOnetPredictor predictor(c.map, std::make_shared<Threads>(1));
  const Coordinate t("t"), x("x");
  const Field u("u"), v("v");
  const Expr wanted[] = {u, d(u, x, x), d(v, t), d(v, t, x, x)};
  const std::vector<double> points{0.3, 0.8, 1.7, 0.1};
  const std::vector<double> got = predictor(c.theta, c.rows, wanted, points);
  // The branch as numbers, the trunk as an expression.
  const auto branch = detail::make_branch(c.map, std::make_shared<Threads>(1), Precision::f64);
  std::vector<double> b(n_functions * 6);
  branch->set(c.rows);
  const std::size_t n = branch->n_parameters();
  branch->forward(std::span(c.theta).first(n), b);
  const auto graph = std::make_shared<const Graph>(c.map.trunk_graph());
  const std::vector<double> own(c.theta.begin() + static_cast<std::ptrdiff_t>(n), c.theta.end());
  const auto values = test::symbolic_values(*graph, own);
  std::map<std::string, Expr> fields;
  for (const Graph::Output& output : graph->outputs()) {
    fields.insert_or_assign(
        output.field,
        values[static_cast<std::size_t>(output.value)][static_cast<std::size_t>(output.row)]);
  }
  for (std::size_t s = 0; s < n_functions; ++s) {
    for (std::size_t f = 0; f < 2; ++f) {
      const std::string name = f == 0 ? "u" : "v";
      Expr whole = fields.at(detail::DeepOnetMap::offset_name(name));
      for (std::size_t k = 0; k < 3; ++k) {
        whole += b[s * 6 + f * 3 + k] * fields.at(detail::DeepOnetMap::product_name(name, k));
      }
      const std::vector<Expr> exact = f == 0 ? std::vector<Expr>{whole, d(whole, x, x)}
                                             : std::vector<Expr>{d(whole, t), d(whole, t, x, x)};
      for (std::size_t e = 0; e < 2; ++e) {
        for (std::size_t i = 0; i < 2; ++i) {
          Values at;
          at.set(t, points[2 * i]);
          at.set(x, points[2 * i + 1]);
          const double truth = evaluate(exact[e], at);
          const double found = got[(s * 4 + 2 * f + e) * 2 + i];
          EXPECT_LT(std::abs(found - truth), 1e-10 * (1 + std::abs(truth))) << s << f << e << i;
        }
      }
    }
  }
}

TEST(DeepOnetExecutor, AStepAllocatesNothing) {
  const ProductCase c;
  std::vector<double> g(c.theta.size());
  const auto aligned = c.aligned();
  const auto pairs = detail::make_deeponet_executor(c.map, terms_of(), std::make_shared<Threads>(1),
                                                    Precision::f64);
  c.put_pairs(*pairs);
  for (detail::DeepOnetExecutor* e : {aligned.get(), pairs.get()}) {
    const double first = e->gradient(c.theta, g);
    const AllocationCounter counter;
    EXPECT_EQ(e->gradient(c.theta, g), first);
    EXPECT_EQ(e->loss(c.theta), first);
    EXPECT_EQ(counter.count(), 0u);
  }
}

TEST(DeepOnetExecutor, NorDoesAStepOfTheTrainingWithItsBatch) {
  // Functions and points are drawn anew at every step; data on a grid and as triples.
  DataSet data = heat_data(16, 12);
  DeepOnet m;
  m.branch = Network(Mlp{.width = 8, .depth = 1});
  m.trunk = Mlp{.width = 8, .depth = 1};
  m.width = 5;
  m.batch = 4;
  m.points = 9;
  for (const bool triples : {false, true}) {
    if (triples) {
      data.triples = {.coordinates = {"x"}, .fields = {"u"}};
      for (std::size_t i = 0; i < 12 * 16; ++i) {
        data.triples.sample.push_back(i / 16);
        data.triples.points.push_back(data.grid.axes[0].node(static_cast<int>(i % 16)));
        data.triples.values.push_back(data.out[i]);
      }
    }
    const OperatorProblem problem = heat_problem(12, 0, 0);
    const auto pool = std::make_shared<Threads>(2);
    detail::DeepOnetMap map = detail::make_deeponet_map(problem, data, m);
    const detail::DeepOnetSamples samples =
        detail::make_deeponet_samples(map, problem, data, data.triples, 12, 12, *pool);
    const auto executor =
        detail::make_deeponet_executor(map, {samples.pools[0].term}, pool, Precision::f32);
    detail::DeepOnetTarget target(*executor, samples, m, {});
    std::vector<double> theta = initial_parameters(map.whole_graph().parameters(), Rng(3));
    const std::unique_ptr<Optimizer> adam = make_optimizer(AdamOptions{});
    target.start();
    target.begin_stage(0, false);
    const auto step = [&](std::uint64_t i) {
      (void)target.ask({.step_in_stage = i, .step = i, .theta = theta});
      (void)adam->step(target.objective(), theta);
    };
    for (std::uint64_t i = 0; i < 6; ++i) step(i);
    const std::size_t before = AllocationCounter::total();
    for (std::uint64_t i = 6; i < 12; ++i) step(i);
    EXPECT_EQ(AllocationCounter::total(), before) << triples;
  }
}

TEST(DeepOnetExecutor, WhatDoesNotFitIsSaid) {
  const ProductCase c;
  const auto e = c.aligned();
  EXPECT_NE(message_of([&] {
              e->set_samples(std::span(c.rows).first(3));
            }).find("3 numbers are no whole number of functions with 4 values"),
            std::string::npos);
  e->set_samples(std::span(c.rows).first(2 * n_sensors));
  EXPECT_NE(message_of([&] { (void)e->loss(c.theta); }).find("there is no function 2, 2 are set"),
            std::string::npos);
  e->set_samples(draw(1, 6 * n_sensors));
  EXPECT_NE(message_of([&] { (void)e->loss(c.theta); }).find("call set_aligned after set_samples"),
            std::string::npos);
  std::vector<double> out(e->n_residuals(0));
  EXPECT_NE(
      message_of([&] { e->gradient_norms(0, c.theta, out); }).find("another balancer than ntk"),
      std::string::npos);
}

}  // namespace
}  // namespace cauchy::test_deeponet_executor
