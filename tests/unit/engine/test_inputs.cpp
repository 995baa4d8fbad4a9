// Inputs of a graph through the executor: rows per point or shared, gradients by them.
#include <algorithm>
#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/rng.hpp>
#include <cauchy/engine/host_executor.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/networks/initialize.hpp>
#include <cauchy/networks/mlp.hpp>

namespace cauchy::test_inputs {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t n_points = 150, n_sets = 7;

/// u = sum over two rows of branch(sample) * trunk(x) + offset; the branch takes three numbers.
std::shared_ptr<const Graph> operator_network() {
  Graph g({"x"});
  const int sample = g.input("sample", 3), offset = g.input("offset", 1);
  const int branch = add_network(g, Mlp{.width = 5, .depth = 1}, sample, 2);
  const int trunk = add_network(g, Mlp{.width = 5, .depth = 1}, g.coordinates(), 2);
  g.output("u", g.add(g.row_sum(g.multiply(branch, trunk)), offset));
  return std::make_shared<const Graph>(std::move(g));
}

std::vector<double> draw(unsigned seed, std::size_t n) {
  Rng rng(seed);
  std::vector<double> x(n);
  for (double& v : x) v = 2 * rng.uniform() - 1;
  return x;
}

struct OperatorCase {
  std::shared_ptr<const Graph> graph = operator_network();
  std::vector<double> theta = initial_parameters(graph->parameters(), Rng(3));
  std::vector<double> points = draw(1, n_points), samples = draw(2, n_sets * 3),
                      offsets = draw(3, n_points);
  std::vector<int> set_of_point;
  Groups groups;  ///< of a term of integrals: every third point, twice
  std::vector<Term> terms;

  OperatorCase() {
    for (std::size_t p = 0; p < n_points; ++p) {
      set_of_point.push_back(
          static_cast<int>(p * p % n_sets));  // not sorted; some sets have no point
    }
    const Coordinate x("x");
    const Field u("u");
    terms = {{"equation", {d(u, x, x) + u * u - sin(x)}, 2.0},
             {"value", {u - x}},
             {"integral", {u * u}}};
    groups.offsets = {0};
    for (std::size_t g = 0; g < 2; ++g) {
      for (std::size_t p = g; p < n_points; p += 3) {
        groups.points.push_back(p);
        groups.weights.push_back(0.02 * static_cast<double>(1 + p % 2));
      }
      groups.offsets.push_back(groups.points.size());
    }
  }
  template <class T>
  HostExecutor<T> executor(int threads = 1) const {
    HostExecutor<T> e(graph, terms, {.threads = threads, .block = 16});
    for (std::size_t t = 0; t < 2; ++t) e.set_points(t, points);
    e.set_points(2, {.points = points, .groups = &groups});
    set_inputs(e);
    return e;
  }
  void set_inputs(Executor& e) const {
    for (std::size_t t = 0; t < 3; ++t) {
      e.set_input(t, "sample", samples, set_of_point);
      e.set_input(t, "offset", offsets);
    }
  }
};

TEST(Inputs, GradientByInputsMatchesDifferences) {
  OperatorCase s;
  HostExecutor<double> e = s.executor<double>();
  std::vector<double> g(s.theta.size()), by_sample(n_sets * 3), by_offset(n_points);
  e.gradient(s.theta, g);
  for (std::size_t t = 0; t < 3; ++t) {
    std::vector<double> part(n_sets * 3), offset_part(n_points);
    e.input_gradient(t, "sample", part);
    e.input_gradient(t, "offset", offset_part);
    for (std::size_t i = 0; i < part.size(); ++i) by_sample[i] += part[i];
    for (std::size_t i = 0; i < n_points; ++i) by_offset[i] += offset_part[i];
    // Every term takes part: its largest derivative is far above the errors below.
    EXPECT_GT(*std::max_element(part.begin(), part.end()), 1e-4) << "term " << t;
  }
  const auto check = [&](double got, double& moved) {
    const double h = 1.0 / 1024, at = moved;
    const auto loss_at = [&](double value) {
      moved = value;
      s.set_inputs(e);
      return e.loss(s.theta);
    };
    const auto difference = [&](double step) {
      return (loss_at(at + step) - loss_at(at - step)) / (2 * step);
    };
    // Truncation h^4 = 1e-12, rounding eps / h = 2e-13, times a loss of about 1.
    const double want = (4 * difference(h) - difference(2 * h)) / 3;
    moved = at;
    EXPECT_LT(std::abs(got - want), 1e-9);
    return std::abs(want);
  };
  double largest = 0;
  for (std::size_t i = 0; i < s.samples.size(); ++i) {
    largest = std::max(largest, check(by_sample[i], s.samples[i]));
  }
  for (std::size_t i = 0; i < n_points; i += 13) {
    check(by_offset[i], s.offsets[i]);
  }
  EXPECT_GT(largest, 1e-3);
}

TEST(Inputs, ParametersOfBranchesHaveGradients) {
  OperatorCase s;
  HostExecutor<double> e = s.executor<double>();
  std::vector<double> g(s.theta.size());
  e.gradient(s.theta, g);
  for (std::size_t i = 0; i < g.size(); ++i) {
    const auto loss_at = [&](double step) {
      std::vector<double> moved = s.theta;
      moved[i] += step;
      return e.loss(moved);
    };
    const double h = 1.0 / 1024;
    const auto difference = [&](double step) {
      return (loss_at(step) - loss_at(-step)) / (2 * step);
    };
    EXPECT_LT(std::abs(g[i] - (4 * difference(h) - difference(2 * h)) / 3), 1e-9) << i;
  }
}

TEST(Inputs, SharedRowsGiveTheSameAsRowsOfEveryPoint) {
  OperatorCase s;
  HostExecutor<double> grouped = s.executor<double>(), single = s.executor<double>();
  std::vector<double> rows;
  for (const int g : s.set_of_point) {
    for (std::size_t r = 0; r < 3; ++r)
      rows.push_back(s.samples[static_cast<std::size_t>(g) * 3 + r]);
  }
  for (std::size_t t = 0; t < 3; ++t) single.set_input(t, "sample", rows);
  std::vector<double> a(s.theta.size()), b(s.theta.size());
  EXPECT_EQ(grouped.gradient(s.theta, a), single.gradient(s.theta, b));
  EXPECT_EQ(a, b);
  std::vector<double> by_set(n_sets * 3), by_point(n_points * 3), sums(n_sets * 3);
  grouped.input_gradient(0, "sample", by_set);
  single.input_gradient(0, "sample", by_point);
  for (std::size_t i = 0; i < by_point.size(); ++i) {
    sums[static_cast<std::size_t>(s.set_of_point[i / 3]) * 3 + i % 3] += by_point[i];
  }
  for (std::size_t i = 0; i < sums.size(); ++i) {
    // The same numbers in another order: at most n_points roundings of sums below 1.
    EXPECT_LT(std::abs(sums[i] - by_set[i]), n_points * std::numeric_limits<double>::epsilon());
  }
}

TEST(Inputs, AnyNumberOfThreadsGivesTheSameBits) {
  OperatorCase s;
  std::vector<std::vector<double>> seen;
  for (const int threads : {1, 3}) {
    HostExecutor<float> e = s.executor<float>(threads);
    std::vector<double> g(s.theta.size()), by_sample(n_sets * 3);
    e.gradient(s.theta, g);
    e.input_gradient(0, "sample", by_sample);
    g.insert(g.end(), by_sample.begin(), by_sample.end());
    seen.push_back(g);
  }
  EXPECT_EQ(seen[0], seen[1]);
}

TEST(Inputs, ProductsAndPredictionsSeeThem) {
  OperatorCase s;
  HostExecutor<double> e = s.executor<double>();
  std::vector<double> r(n_points), u(n_points), J(n_points * s.theta.size()), v(n_points);
  e.residuals(1, s.theta, r);
  e.set_input(Executor::prediction, "sample", s.samples, s.set_of_point);
  e.set_input(Executor::prediction, "offset", s.offsets);
  e.predict(std::vector<Expr>{Field("u")}, s.theta, s.points, u);
  for (std::size_t p = 0; p < n_points; ++p) {
    EXPECT_LT(std::abs(u[p] - s.points[p] - r[p]), 8 * std::numeric_limits<double>::epsilon());
  }
  e.jacobian(1, s.theta, J);
  const std::vector<double> direction = draw(9, s.theta.size());
  e.jacobian_times(1, s.theta, direction, v);
  for (std::size_t p = 0; p < n_points; ++p) {
    double want = 0;
    for (std::size_t i = 0; i < direction.size(); ++i) {
      want += J[p * direction.size() + i] * direction[i];
    }
    EXPECT_LT(std::abs(v[p] - want),
              64 * static_cast<double>(direction.size()) * std::numeric_limits<double>::epsilon());
  }
}

TEST(Inputs, ANetworkMayHaveInputsAndNoParameters) {
  Graph g({"x"});
  g.output("u", g.multiply(g.input("a", 1), g.coordinates()));
  HostExecutor<double> e(std::make_shared<const Graph>(std::move(g)), {{"t", {Field("u")}}});
  e.set_points(0, std::vector<double>{2, 3});
  e.set_input(0, "a", std::vector<double>{5}, std::vector<int>{0, 0});
  std::vector<double> by_a(1);
  EXPECT_EQ(e.gradient({}, {}), (100 + 225) / 2.0);
  e.input_gradient(0, "a", by_a);
  EXPECT_EQ(by_a[0], 5 * (4 + 9));
}

template <class Body>
std::string inputs_error(Body body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Inputs, RefusesWhatDoesNotFit) {
  OperatorCase s;
  HostExecutor<double> e(s.graph, s.terms, {.threads = 1});
  const auto set = [&](std::size_t t, std::string_view name, std::vector<double> rows,
                       std::vector<int> sets = {}) {
    return inputs_error([&] { e.set_input(t, name, rows, sets); });
  };
  EXPECT_THAT(set(0, "sample", {1, 2, 3}), HasSubstr("no points are set"));
  for (std::size_t t = 0; t < 3; ++t) e.set_points(t, std::vector<double>{0, 1});
  EXPECT_THAT(inputs_error([&] { e.loss(s.theta); }), HasSubstr("input 'sample' is not set"));
  EXPECT_THAT(set(0, "smple", {1, 2, 3}), HasSubstr("inputs are: sample, offset"));
  EXPECT_THAT(set(0, "sample", {1, 2}), HasSubstr("3 rows per set, got 2 numbers"));
  EXPECT_THAT(set(0, "sample", {}), HasSubstr("got 0 numbers"));
  EXPECT_THAT(set(0, "sample", {1, 2, std::nan("")}), HasSubstr("row 2 of set 0"));
  EXPECT_THAT(set(0, "sample", {1, 2, 3}, {0, 1}), HasSubstr("point 1 takes set 1"));
  EXPECT_THAT(set(0, "sample", {1, 2, 3}, {-1, 0}), HasSubstr("point 0 takes set -1"));
  EXPECT_THAT(set(7, "sample", {1, 2, 3}), HasSubstr("no term 7"));
  EXPECT_EQ(set(0, "sample", {1, 2, 3}), "no error");
  EXPECT_EQ(set(0, "offset", {1, 2}), "no error");
  EXPECT_THAT(inputs_error([&] { e.loss(s.theta); }), HasSubstr("for 1 points instead of 2"));
  EXPECT_EQ(set(0, "sample", {1, 2, 3}, {0, 0}), "no error");
  EXPECT_THAT(inputs_error([&] { e.loss(s.theta); }), HasSubstr("term 'value'"));
  std::vector<double> out(3);
  EXPECT_THAT(inputs_error([&] { e.input_gradient(0, "sample", out); }), HasSubstr("no gradient"));
  EXPECT_THAT(inputs_error([&] {
                std::vector<double> u(1);
                e.predict(std::vector<Expr>{Field("u")}, s.theta, std::vector<double>{0}, u);
              }),
              HasSubstr("not set"));
  e.set_points(0, std::vector<double>{0, 1});  // other points: the inputs must come again
  EXPECT_THAT(inputs_error([&] { e.residuals(0, s.theta, out); }), HasSubstr("is not set"));
}

}  // namespace
}  // namespace cauchy::test_inputs
