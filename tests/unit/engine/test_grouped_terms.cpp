// Terms whose points stand in groups, against differences, other forms of the same loss and misuse.
// Every product against the definition: tests/conformance/test_executor_core.cpp.
#include <cmath>
#include <functional>
#include <memory>

#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/rng.hpp>
#include <cauchy/engine/host_executor.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/networks/initialize.hpp>
#include <cauchy/networks/network.hpp>

#include "support/allocation_counter.hpp"

namespace cauchy::test_grouped_terms {
namespace {

const Coordinate x("x"), y("y");
const Field u("u");
const Parameter k("k");

constexpr std::size_t n_points = 150;

std::vector<double> some_points(std::size_t n, std::uint64_t seed) {
  std::vector<double> points(2 * n);
  Rng rng(seed);
  for (double& c : points) c = rng.uniform(-1, 1);
  return points;
}

/// 12 test functions over neighbouring points; every point but the last ones is in two of them.
Groups test_functions() {
  Groups groups{.offsets = {0}, .points = {}, .weights = {}};
  Rng rng(4);
  for (std::size_t g = 0; g < 12; ++g) {
    for (std::size_t p = 11 * g; p < 11 * g + 22; ++p) {
      groups.points.push_back(p);
      groups.weights.push_back(rng.normal());
    }
    groups.offsets.push_back(groups.points.size());
    groups.targets.push_back(rng.normal());
  }
  return groups;
}

/// Every kind of term: collocation, squares of groups, energy of groups, energy of points.
template <class T = double>
struct Mixed {
  std::shared_ptr<const Graph> graph;
  std::unique_ptr<HostExecutor<T>> executor;
  std::vector<double> theta;

  explicit Mixed(ExecutorOptions options) {
    Graph g({"x", "y"});
    g.output("u", add_network(g, Mlp{.width = 9, .depth = 2}, g.coordinates(), 1));
    g.constant("k", 0.7);
    graph = std::make_shared<const Graph>(std::move(g));
    const Expr energy = (d(u, x) * d(u, x) + k * d(u, y) * d(u, y)) / 2 - u;
    executor = std::make_unique<HostExecutor<T>>(
        graph,
        std::vector<Term>{{"points", {d(u, x, x) + k * d(u, y, y) - 1}, 0.5},
                          {"weak", {d(u, x) * x + k * u * u}, 2},
                          {"energy", {energy}, 1.5, {}, TermForm::identity},
                          {"mean over the whole domain", {k * u}, 0.25, {}, TermForm::identity}},
        options);
    const std::vector<double> points = some_points(n_points, 2);
    const Groups groups = test_functions();
    executor->set_points(0, points);
    executor->set_points(1, {.points = points, .groups = &groups});
    executor->set_points(2, {.points = points, .groups = &groups});
    executor->set_points(3, some_points(20, 3));
    for (std::size_t t = 0; t < 4; ++t) {
      std::vector<double> w(executor->n_groups(t));
      for (std::size_t i = 0; i < w.size(); ++i) w[i] = 0.5 + static_cast<double>(i % 4);
      executor->set_weights(t, w);
    }
    theta = initial_parameters(graph->parameters(), Rng(7));
  }
};

double largest(const std::vector<double>& a) {
  double m = 0;
  for (const double value : a) m = std::max(m, std::abs(value));
  return m;
}

TEST(GroupedTerms, GradientsMatchCentralDifferencesOfEveryTerm) {
  Mixed m({.threads = 1});
  const std::size_t P = m.theta.size();
  std::vector<double> g(P), each(4 * P);
  m.executor->gradient(m.theta, g, {.terms = each});
  const double h = 1e-5;  // truncation h^2 |L'''| and rounding eps |L| / h are both about 1e-10
  std::vector<std::size_t> some{P - 1};  // the unknown constant, and every seventh weight
  for (std::size_t i = 0; i < P; i += 7) some.push_back(i);
  for (const std::size_t i : some) {
    std::vector<double> moved = m.theta, above, below;
    moved[i] += h;
    m.executor->loss(moved);
    above.assign(m.executor->last_terms().begin(), m.executor->last_terms().end());
    moved[i] -= 2 * h;
    m.executor->loss(moved);
    below.assign(m.executor->last_terms().begin(), m.executor->last_terms().end());
    double sum = 0;
    for (std::size_t t = 0; t < 4; ++t) {
      EXPECT_LT(std::abs((above[t] - below[t]) / (2 * h) - each[t * P + i]),
                1e-7 * (1 + largest(each)))
          << t << " " << i;
      sum += each[t * P + i];
    }
    EXPECT_LT(std::abs(sum - g[i]), 1e-13 * largest(each));
  }
  for (std::size_t t = 0; t < 4; ++t) EXPECT_GT(std::abs(each[(t + 1) * P - 1]), 1e-4) << t;
}

TEST(GroupedTerms, GroupsOfOnePointAreCollocation) {
  Mixed m({.threads = 1});
  const std::vector<double> points = some_points(n_points, 2);
  Groups single{.offsets = {0}, .points = {}, .weights = std::vector<double>(n_points, 1.0)};
  for (std::size_t p = 0; p < n_points; ++p) {
    single.points.push_back(p);
    single.offsets.push_back(p + 1);
  }
  for (const TermForm form : {TermForm::square, TermForm::identity}) {
    HostExecutor<double> e(
        m.graph, {{"points", {d(u, x) + k}, 3, {}, form}, {"groups", {d(u, x) + k}, 3, {}, form}});
    e.set_points(0, points);
    e.set_points(1, {.points = points, .groups = &single});
    std::vector<double> g(m.theta.size()), each(2 * m.theta.size());
    e.gradient(m.theta, g, {.terms = each});
    // 150 summands in another order.
    const double tolerance = 150 * 2.2e-16 * 10;
    EXPECT_LT(std::abs(e.last_terms()[0] - e.last_terms()[1]), tolerance * e.last_terms()[0]);
    for (std::size_t i = 0; i < g.size(); ++i) {
      EXPECT_LT(std::abs(each[i] - each[g.size() + i]), tolerance * largest(each));
    }
  }
}

TEST(GroupedTerms, HaveTheSameBitsOnOneTwoAndThreeThreads) {
  std::vector<std::vector<double>> expected;
  for (const int threads : {1, 2, 3}) {
    Mixed<double> m({.threads = threads, .block = 16});
    Mixed<float> f({.threads = threads, .block = 16});
    const std::size_t P = m.theta.size();
    std::vector<double> g(P + 1), each(4 * P), h(P + 1), r(m.executor->n_residuals());
    g[P] = m.executor->gradient(m.theta, std::span(g).first(P), {.terms = each, .residuals = r});
    h[P] = f.executor->gradient(f.theta, std::span(h).first(P));
    const std::vector<std::vector<double>> now{g, each, r, h};
    if (expected.empty()) expected = now;
    EXPECT_EQ(now, expected) << threads;
  }
}

TEST(GroupedTerms, PowersOfMeansAreSumsOfSquaresWithTheirGradient) {
  Graph g({"x", "y"});
  const int out = add_network(g, Mlp{.width = 4, .depth = 1}, g.coordinates(), 2);
  g.output("u", out, 0);
  g.output("v", out, 1);
  const auto graph = std::make_shared<const Graph>(std::move(g));
  const std::vector<double> points = some_points(n_points, 2);
  Groups all{.offsets = {0, n_points}, .points = {}, .weights = {}};
  for (std::size_t p = 0; p < n_points; ++p) all.points.push_back(p);
  all.weights.assign(n_points, 1.0 / n_points);
  HostExecutor<double> e(graph,
                         {{.name = "power",
                           .residuals = {exp(u), -exp(Field("v"))},
                           .weight = 3,
                           .form = TermForm::power,
                           .power = 0.25}},
                         {.threads = 1});
  e.set_points(0, {.points = points, .groups = &all});
  const std::vector<double> theta = initial_parameters(graph->parameters(), Rng(7));
  const std::size_t P = theta.size();
  std::vector<double> r(2 * n_points), gradient(P), rows(2), jacobian(2 * P), product(P);
  e.residuals(0, theta, r);
  double expected = 0;
  for (std::size_t i = 0; i < 2; ++i) {
    double mean = 0;
    for (std::size_t p = 0; p < n_points; ++p) mean += r[2 * p + i] / n_points;
    expected += 3 * std::pow(std::abs(mean), 0.25);
  }
  const double loss = e.gradient(theta, gradient);
  EXPECT_NEAR(loss, expected, 1e-13 * expected);
  // |rows|^2 is the loss, and 2 J' rows its gradient, in all three forms of J.
  e.rows(theta, rows);
  EXPECT_NEAR(rows[0] * rows[0] + rows[1] * rows[1], expected, 1e-13 * expected);
  e.rows_jacobian(theta, jacobian);
  e.rows_jacobian_transposed_times(theta, rows, product);
  std::vector<double> direction(P), moved(2);
  for (std::size_t i = 0; i < P; ++i) direction[i] = std::sin(static_cast<double>(i));
  e.rows_jacobian_times(theta, direction, moved);
  const double h = 1e-5;
  double along[2] = {0, 0};
  for (std::size_t i = 0; i < P; ++i) {
    const double dense = 2 * (jacobian[i] * rows[0] + jacobian[P + i] * rows[1]);
    EXPECT_NEAR(dense, gradient[i], 1e-12) << i;
    EXPECT_NEAR(2 * product[i], gradient[i], 1e-12) << i;
    std::vector<double> up = theta, down = theta;
    up[i] += h;
    down[i] -= h;
    EXPECT_NEAR(gradient[i], (e.loss(up) - e.loss(down)) / (2 * h), 1e-8) << i;
    for (std::size_t row = 0; row < 2; ++row) along[row] += jacobian[row * P + i] * direction[i];
  }
  for (std::size_t row = 0; row < 2; ++row) EXPECT_NEAR(moved[row], along[row], 1e-12);
  EXPECT_THROW(e.set_points(0, points), Error);  // of points there are no powers
  EXPECT_THROW(
      HostExecutor<double>(
          graph, {{.name = "power", .residuals = {u}, .form = TermForm::power, .power = -1}}),
      Error);
}

TEST(GroupedTerms, AllocateNothingInATrainingStep) {
  Mixed m({.threads = 2});
  std::vector<double> g(m.theta.size()), each(4 * m.theta.size()), r(m.executor->n_residuals());
  m.executor->gradient(m.theta, g);
  const std::size_t before = AllocationCounter::total();
  for (int i = 0; i < 3; ++i) {
    m.executor->gradient(m.theta, g);
    m.executor->gradient(m.theta, g, {.terms = each, .residuals = r});
    m.executor->loss(m.theta);
  }
  EXPECT_EQ(AllocationCounter::total() - before, 0u);
}

TEST(GroupedTerms, GroupsGoAwayWithTheirPoints) {
  Mixed m({.threads = 1});
  EXPECT_EQ(m.executor->n_groups(1), 12u);
  EXPECT_EQ(m.executor->weights(1).size(), 12u);
  ASSERT_NE(m.executor->groups(1), nullptr);
  EXPECT_EQ(m.executor->groups(1)->points, test_functions().points);
  m.executor->set_points(1, some_points(5, 1));
  EXPECT_EQ(m.executor->groups(1), nullptr);
  EXPECT_EQ(m.executor->n_groups(1), 5u);
  HostExecutor<double> plain(m.graph, {{"weak", {d(u, x) * x + k * u * u}, 2}});
  plain.set_points(0, some_points(5, 1));
  m.executor->loss(m.theta);
  EXPECT_EQ(m.executor->last_terms()[1], plain.loss(m.theta));
}

TEST(GroupedTerms, RefuseBadGroupsAndKeepTheOldOnes) {
  Mixed m({.threads = 1});
  const double before = m.executor->loss(m.theta);
  const std::vector<double> points = some_points(n_points, 2);
  const auto message = [&](const std::function<void(Groups&)>& spoil) {
    Groups groups = test_functions();
    spoil(groups);
    try {
      m.executor->set_points(1, {.points = points, .groups = &groups});
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(message([](Groups& g) { g = {}; }), "term 'weak': there are no groups");
  EXPECT_EQ(message([](Groups& g) { g.points[3] = n_points; }),
            "term 'weak': a group holds a point that the term does not have");
  EXPECT_EQ(message([](Groups& g) { g.weights[3] = NAN; }),
            "term 'weak': factors and targets of groups must be finite");
  EXPECT_EQ(message([](Groups& g) { g.targets.pop_back(); }),
            "term 'weak': the targets of the groups must be one per group and residual, or none");
  EXPECT_EQ(message([](Groups& g) { g.weights.pop_back(); }),
            "term 'weak': every point of a group needs one factor in Groups::weights");
  EXPECT_EQ(
      message([](Groups& g) { std::swap(g.offsets[1], g.offsets[2]); }),
      "term 'weak': the offsets of the groups must rise from 0 to the number of their points");
  const std::vector<double> weights(11, 1.0);
  try {
    m.executor->set_weights(1, weights);
    FAIL();
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(), "term 'weak': 12 group weights are needed, got 11");
  }
  EXPECT_EQ(m.executor->loss(m.theta), before);
}

TEST(GroupedTerms, ATermOfWeightZeroIsNotEvaluated) {
  Mixed<> m({.threads = 2});
  const std::size_t P = m.theta.size();
  std::vector<double> g(P), each(4 * P), rest(P), parts(4 * P);
  (void)m.executor->gradient(m.theta, g, {.terms = each});
  const std::vector<double> terms(m.executor->last_terms().begin(), m.executor->last_terms().end());
  for (std::size_t t = 0; t < 4; ++t) {
    const double weight = m.executor->weight(t);
    m.executor->set_weight(t, 0);
    std::vector<double> residuals(m.executor->n_residuals());
    (void)m.executor->gradient(m.theta, rest, {.terms = parts});
    for (std::size_t i = 0; i < 4 * P; ++i) EXPECT_EQ(parts[i], i / P == t ? 0 : each[i]);
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(m.executor->last_terms()[i], i == t ? 0 : terms[i]);
    }
    (void)m.executor->gradient(m.theta, rest, {.residuals = residuals});
    std::size_t at = 0;
    for (std::size_t i = 0; i < t; ++i) at += m.executor->n_residuals(i);
    EXPECT_NE(residuals[at], 0) << "residuals that are asked for come all the same";
    m.executor->set_weight(t, weight);
  }
  // Whatever such a term would be does not matter.
  HostExecutor<double> broken(m.graph, {{"fine", {u}}, {"broken", {sqrt(-1 - u * u)}, 0}});
  broken.set_points(0, some_points(9, 2));
  broken.set_points(1, some_points(9, 3));
  EXPECT_TRUE(std::isfinite(broken.gradient(m.theta, g)));
  for (const double e : g) EXPECT_TRUE(std::isfinite(e));
}

}  // namespace
}  // namespace cauchy::test_grouped_terms
