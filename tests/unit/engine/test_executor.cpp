#include <gtest/gtest.h>

#include <algorithm>
#include <cauchy/base/cpu.hpp>
#include <cauchy/base/error.hpp>
#include <cauchy/base/rng.hpp>
#include <cauchy/engine/host_executor.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/networks/initialize.hpp>
#include <cauchy/networks/network.hpp>
#include <cmath>
#include <fstream>
#include <functional>
#include <memory>
#include <numeric>

#include "support/allocation_counter.hpp"
#include "support/message_of.hpp"

namespace cauchy::test_executor {
namespace {

const Coordinate t("t"), x("x"), y("y");
const Field u("u"), v("v");
const Parameter nu("nu"), lambda("lambda");

Expr burgers_residual() { return d(u, t) + lambda * u * d(u, x) - nu * d(u, x, x); }

/// Burgers with an unknown factor of the nonlinear term; two terms with different jets.
template <class T>
struct Burgers {
  std::shared_ptr<const Graph> graph;
  std::unique_ptr<HostExecutor<T>> executor;
  std::vector<double> theta;

  explicit Burgers(ExecutorOptions options, std::size_t n = 333) {
    Graph g({"t", "x"});
    g.output("u", add_network(g, Mlp{.width = 11, .depth = 3}, g.coordinates(), 1));
    g.constant("lambda", 0.8);
    graph = std::make_shared<const Graph>(std::move(g));
    options.known = {{"nu", 0.05}};
    executor = std::make_unique<HostExecutor<T>>(
        graph,
        std::vector<Term>{{"equation", {burgers_residual()}, 1.0},
                          {"initial values at the start", {u + sin(pi * x)}, 2.5}},
        options);
    Rng rng(3);
    std::vector<double> inside(2 * n), start(2 * 40, 0.0);
    for (std::size_t p = 0; p < n; ++p) {
      inside[2 * p] = rng.uniform();
      inside[2 * p + 1] = 2 * rng.uniform() - 1;
    }
    for (std::size_t p = 0; p < 40; ++p) start[2 * p + 1] = 2 * rng.uniform() - 1;
    executor->set_points(0, inside);
    executor->set_points(1, start);
    theta = initial_parameters(graph->parameters(), Rng(7));
  }
};

double largest(const std::vector<double>& a) {
  double m = 0;
  for (const double value : a) m = std::max(m, std::abs(value));
  return m;
}

double difference(const std::vector<double>& a, const std::vector<double>& b) {
  double m = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!(std::abs(a[i] - b[i]) <= m)) m = std::abs(a[i] - b[i]);  // NaN stays
  }
  return m;
}

TEST(Executor, GradientMatchesCentralDifferencesOfTheLoss) {
  Burgers<double> b({.threads = 1});
  std::vector<double> g(b.theta.size());
  const double loss = b.executor->gradient(b.theta, g);
  EXPECT_EQ(loss, b.executor->loss(b.theta));
  const double h = 1e-5;  // truncation h^2 |L'''| and rounding eps |L| / h are both about 1e-10
  for (std::size_t i = 0; i < g.size(); i += 7) {
    std::vector<double> moved = b.theta;
    moved[i] += h;
    const double above = b.executor->loss(moved);
    moved[i] -= 2 * h;
    const double below = b.executor->loss(moved);
    EXPECT_LT(std::abs((above - below) / (2 * h) - g[i]), 1e-7 * (1 + largest(g))) << i;
  }
  const std::size_t last = g.size() - 1;  // the unknown constant
  std::vector<double> moved = b.theta;
  moved[last] += h;
  const double above = b.executor->loss(moved);
  moved[last] -= 2 * h;
  EXPECT_LT(std::abs((above - b.executor->loss(moved)) / (2 * h) - g[last]),
            1e-7 * (1 + largest(g)));
  EXPECT_GT(std::abs(g[last]), 1e-6);
}

TEST(Executor, BitsAreTheSameOnOneTwoThreeAndSevenThreads) {
  std::vector<double> expected;
  double expected_loss = 0;
  for (const int threads : {1, 2, 3, 7}) {
    Burgers<double> b({.threads = threads, .block = 16}, 2000);
    std::vector<double> g(b.theta.size());
    const double loss = b.executor->gradient(b.theta, g);
    if (threads == 1) {
      expected = g;
      expected_loss = loss;
    }
    EXPECT_EQ(loss, expected_loss) << threads;
    EXPECT_EQ(g, expected) << threads;
    Burgers<float> f({.threads = threads}, 2000);
    static std::vector<double> expected_float;
    f.executor->gradient(f.theta, g);
    if (threads == 1) expected_float = g;
    EXPECT_EQ(g, expected_float) << threads;
  }
}

template <class T>
void compare_with_reference(double tolerance) {
  Burgers<double> exact({.threads = 1, .backend = BackendKind::reference});
  std::vector<double> expected(exact.theta.size()), g(exact.theta.size());
  const double loss = exact.executor->gradient(exact.theta, expected);
  for (const Target target : available_targets()) {
    force_target(target);
    Burgers<T> b({.threads = 2});
    EXPECT_LT(std::abs(b.executor->gradient(b.theta, g) - loss), tolerance * loss)
        << to_string(target);
    EXPECT_LT(difference(g, expected), tolerance * largest(expected)) << to_string(target);
  }
  reset_target();
}

// 373 points, 3 layers: sums of about 1e4 products; errors add like a random walk of that length.
TEST(Executor, EveryInstructionSetAgreesWithTheReferenceInDouble) {
  compare_with_reference<double>(64 * 2.2e-16 * 100);
}
TEST(Executor, EveryInstructionSetAgreesWithTheReferenceInFloat) {
  compare_with_reference<float>(64 * 1.2e-7 * 10);
}

TEST(Executor, BlockSizeChangesOnlyTheLastBits) {
  std::vector<double> a, b;
  for (const std::size_t block : {8u, 24u, 64u, 128u}) {
    Burgers<double> burgers({.threads = 1, .block = block});
    std::vector<double> g(burgers.theta.size());
    burgers.executor->gradient(burgers.theta, g);
    if (a.empty()) a = g;
    b = g;
    EXPECT_LT(difference(a, b), 64 * 2.2e-16 * 100 * largest(a)) << block;
  }
}

TEST(Executor, LossIsTheWeightedMeanOfSquaredResiduals) {
  Burgers<double> b({.threads = 2});
  std::vector<double> r0(b.executor->n_residuals(0)), r1(b.executor->n_residuals(1));
  b.executor->residuals(0, b.theta, r0);
  b.executor->residuals(1, b.theta, r1);
  const auto mean_square = [](const std::vector<double>& r) {
    return std::inner_product(r.begin(), r.end(), r.begin(), 0.0) / static_cast<double>(r.size());
  };
  const double loss = b.executor->loss(b.theta);
  EXPECT_LT(std::abs(loss - mean_square(r0) - 2.5 * mean_square(r1)), 1e-13 * loss);
  EXPECT_LT(std::abs(b.executor->last_terms()[1] - 2.5 * mean_square(r1)), 1e-13 * loss);
}

TEST(Executor, PointWeightsScaleTheSquares) {
  Burgers<double> b({.threads = 1});
  std::vector<double> r(b.executor->n_residuals(0)), w(r.size());
  for (std::size_t p = 0; p < w.size(); ++p) w[p] = static_cast<double>(p % 3);
  b.executor->residuals(0, b.theta, r);
  b.executor->set_weights(0, w);
  double expected = 0;
  for (std::size_t p = 0; p < w.size(); ++p) expected += w[p] * r[p] * r[p];
  expected /= static_cast<double>(w.size());
  b.executor->loss(b.theta);
  EXPECT_LT(std::abs(b.executor->last_terms()[0] - expected), 1e-13 * expected);
}

class JacobianProducts : public ::testing::TestWithParam<BackendKind> {};

TEST_P(JacobianProducts, AgreeWithTheDenseJacobian) {
  Burgers<double> b({.threads = 2, .backend = GetParam()}, 101);
  HostExecutor<double>& e = *b.executor;
  const std::size_t N = e.n_residuals(0), P = e.n_parameters();
  std::vector<double> J(N * P), r(N), direction(P), w(N), Jv(N), JTw(P), norms(N), g(P);
  e.jacobian(0, b.theta, J);
  e.residuals(0, b.theta, r);
  Rng rng(5);
  for (double& value : direction) value = rng.normal();
  for (double& value : w) value = rng.normal();
  e.jacobian_times(0, b.theta, direction, Jv);
  e.jacobian_transposed_times(0, b.theta, w, JTw);
  e.gradient_norms(0, b.theta, norms);
  e.set_weight(1, 0);
  e.gradient(b.theta, g);
  std::vector<double> Jv2(N, 0), JTw2(P, 0), norms2(N, 0), g2(P, 0);
  for (std::size_t i = 0; i < N; ++i) {
    for (std::size_t j = 0; j < P; ++j) {
      const double a = J[i * P + j];
      Jv2[i] += a * direction[j];
      JTw2[j] += a * w[i];
      norms2[i] += a * a;
      g2[j] += 2 * a * r[i] / static_cast<double>(N);
    }
  }
  const double tolerance = 64 * 2.2e-16 * std::sqrt(static_cast<double>(P + N)) * 10;
  EXPECT_LT(difference(Jv, Jv2), tolerance * largest(Jv2));
  EXPECT_LT(difference(JTw, JTw2), tolerance * largest(JTw2));
  EXPECT_LT(difference(norms, norms2), tolerance * largest(norms2));
  EXPECT_LT(difference(g, g2), tolerance * largest(g2));
  EXPECT_GT(largest(g), 0);
}

INSTANTIATE_TEST_SUITE_P(Backends, JacobianProducts,
                         ::testing::Values(BackendKind::cpu, BackendKind::reference));

TEST(Executor, JacobianRowsAreDerivativesOfTheResiduals) {
  Burgers<double> b({.threads = 1}, 20);
  const std::size_t N = 20, P = b.theta.size();
  std::vector<double> J(N * P), above(N), below(N);
  b.executor->jacobian(0, b.theta, J);
  const double h = 1e-5;
  for (const std::size_t j : {std::size_t{0}, std::size_t{25}, P / 2, P - 1}) {
    std::vector<double> moved = b.theta;
    moved[j] += h;
    b.executor->residuals(0, moved, above);
    moved[j] -= 2 * h;
    b.executor->residuals(0, moved, below);
    for (std::size_t i = 0; i < N; ++i) {
      EXPECT_LT(std::abs((above[i] - below[i]) / (2 * h) - J[i * P + j]), 1e-7 * (1 + largest(J)));
    }
  }
}

TEST(Executor, CollapseChangesTheNumberOfComponentsButNotTheResult) {
  // 2-D Navier-Stokes momentum and a plate equation: second and fourth order, several fields.
  const Field p("p");
  const std::vector<Expr> momentum{
      u * d(u, x) + v * d(u, y) + d(p, x) - 0.01 * (d(u, x, x) + d(u, y, y)),
      u * d(v, x) + v * d(v, y) + d(p, y) - 0.01 * (d(v, x, x) + d(v, y, y)), d(u, x) + d(v, y)};
  const std::vector<Expr> plate{d_n(u, x, 4) + 2 * d(u, x, x, y, y) + d_n(u, y, 4) - 1};
  for (const auto& residuals : {momentum, plate}) {
    const auto graph = std::make_shared<const Graph>(make_network(
        Mlp{.width = 9, .depth = 2}, {"x", "y"}, std::vector<std::string>{"u", "v", "p"}));
    const std::vector<double> theta = initial_parameters(graph->parameters(), Rng(11));
    std::vector<double> points(2 * 77);
    Rng rng(2);
    for (double& c : points) c = rng.uniform();
    HostExecutor<double> on(graph, {{"on", residuals}}, {.threads = 1, .collapse = true});
    HostExecutor<double> off(graph, {{"off", residuals}}, {.threads = 1, .collapse = false});
    EXPECT_LT(on.form(0).jets.size(), off.form(0).jets.size());
    on.set_points(0, points);
    off.set_points(0, points);
    std::vector<double> a(theta.size()), b(theta.size());
    const double loss = on.gradient(theta, a);
    EXPECT_LT(std::abs(loss - off.gradient(theta, b)), 1e-12 * loss);
    EXPECT_LT(difference(a, b), 1e-12 * largest(b));
  }
}

TEST(Executor, PredictsFieldsDerivativesAndExpressions) {
  Burgers<double> b({.threads = 2});
  const std::vector<double> points{0.3, 0.2, 0.7, -0.4, 0.1, 0.9};
  const std::vector<Expr> wanted{u, d(u, x), d(u, x, x), u * d(u, t) + x};
  std::vector<double> out(3 * 4), shifted(3);
  b.executor->predict(wanted, b.theta, points, out);
  const double h = 1e-4;
  std::vector<double> moved = points, above(3), below(3), centre(3);
  const std::vector<Expr> field{u};
  b.executor->predict(field, b.theta, points, centre);
  for (std::size_t p = 0; p < 3; ++p) moved[2 * p + 1] = points[2 * p + 1] + h;
  b.executor->predict(field, b.theta, moved, above);
  for (std::size_t p = 0; p < 3; ++p) moved[2 * p + 1] = points[2 * p + 1] - h;
  b.executor->predict(field, b.theta, moved, below);
  for (std::size_t p = 0; p < 3; ++p) {
    EXPECT_EQ(out[4 * p], centre[p]);
    EXPECT_LT(std::abs((above[p] - below[p]) / (2 * h) - out[4 * p + 1]), 1e-7);
    EXPECT_LT(std::abs((above[p] - 2 * centre[p] + below[p]) / (h * h) - out[4 * p + 2]), 1e-6);
  }
}

TEST(Executor, PrecisionsHaveTheirWords) {
  ASSERT_EQ(all_precisions().size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(static_cast<std::size_t>(all_precisions()[i]), i);
  EXPECT_EQ(to_string(Precision::f64), "f64");
  EXPECT_EQ(to_string(Precision::f32), "f32");
}

TEST(Executor, AllocatesNothingInATrainingStep) {
  Burgers<double> b({.threads = 2}, 1000);
  std::vector<double> g(b.theta.size());
  b.executor->gradient(b.theta, g);
  const std::size_t before = AllocationCounter::total();
  for (int i = 0; i < 5; ++i) {
    b.executor->gradient(b.theta, g);
    b.executor->loss(b.theta);
  }
  EXPECT_EQ(AllocationCounter::total() - before, 0u);
  ::operator delete(::operator new(8));
  EXPECT_GT(AllocationCounter::total(), before);  // the counter counts
}

TEST(Executor, ProductsAndPredictionsAllocateAtTheirFirstCallOnly) {
  Burgers<double> b({.threads = 2}, 200);
  const std::size_t n = b.executor->n_residuals(0), P = b.theta.size();
  const std::vector<double> points{0.3, 0.2, 0.7, -0.4};
  const std::vector<Expr> wanted{u, d(u, x)};
  std::vector<double> r(n), rows(n * P), g(P), out(4);
  const auto all = [&] {
    b.executor->residuals(0, b.theta, r);
    b.executor->gradient_norms(0, b.theta, r);
    b.executor->jacobian(0, b.theta, rows);
    b.executor->jacobian_times(0, b.theta, b.theta, r);
    b.executor->jacobian_transposed_times(0, b.theta, r, g);
    b.executor->predict(wanted, b.theta, points, out);
  };
  all();
  const std::size_t before = AllocationCounter::total();
  all();
  EXPECT_EQ(AllocationCounter::total() - before, 0u);
}

TEST(Executor, RefusesBadInputWithTheTermAndTheFix) {
  const auto graph = std::make_shared<const Graph>(
      make_network(Mlp{.width = 3, .depth = 1}, {"t", "x"}, std::vector<std::string>{"u"}));
  const auto make = [&](const Expr& residual) {
    return HostExecutor<double>(graph, {{"wave", {residual}}}, {.threads = 1});
  };
  EXPECT_EQ(message_of([&] { make(d(v, x)); }),
            "term 'wave': unknown field 'v' in a residual; did you mean 'u'?");
  EXPECT_EQ(message_of([&] { make(d(u, y)); }),
            "term 'wave': unknown coordinate 'y' in a residual; did you mean 't'?");
  EXPECT_EQ(
      message_of([&] { make(nu * u); }),
      "term 'wave': parameter 'nu' has no number; give its value, or declare it as an unknown "
      "constant");
  HostExecutor<double> e = make(d(u, t));
  std::vector<double> theta = initial_parameters(graph->parameters(), Rng(1));
  EXPECT_EQ(message_of([&] { e.loss(theta); }),
            "term 'wave': no points are set; call set_points first");
  EXPECT_EQ(message_of([&] { e.set_points(0, std::vector<double>{}); }),
            "term 'wave': the point set is empty; give at least one point");
  const std::vector<double> bad{0, 1, 0, std::nan("")};
  EXPECT_EQ(message_of([&] { e.set_points(0, bad); }),
            "term 'wave': coordinate 'x' of point 1 is nan; coordinates must be finite");
  EXPECT_EQ(message_of([&] {
              add_network(*std::make_unique<Graph>(std::vector<std::string>{"x"}), Mlp{.width = 0},
                          0, 1);
            }),
            "[networks.mlp]: width must be positive, got 0");
}

TEST(Executor, IsMadeForAPrecisionAndADevice) {
  const auto graph = std::make_shared<const Graph>(
      make_network(Mlp{.width = 3, .depth = 1}, {"x"}, std::vector<std::string>{"u"}));
  const auto pool = std::make_shared<Threads>(2);
  const auto make = [&](ExecutorOptions options) {
    options.pool = pool;
    return make_executor(graph, {{"wave", {d(u, x)}}}, options);
  };
  const auto f64 = make({}), f32 = make({.precision = Precision::f32});
  EXPECT_NE(dynamic_cast<HostExecutor<double>*>(f64.get()), nullptr);
  EXPECT_NE(dynamic_cast<HostExecutor<float>*>(f32.get()), nullptr);
  EXPECT_EQ(f64->pool(), pool);
  EXPECT_EQ(f32->pool(), pool);
  EXPECT_EQ(message_of([&] { (void)make({.device = Device::cuda}); }),
            "[engine.executor]: this build has no CUDA back end; use device host");
}

TEST(Executor, KeepsWhatATermHadWhenNewPointsAreRefused) {
  Burgers<double> b({.threads = 1}, 20);
  std::vector<double> w(20, 2.0);
  b.executor->set_weights(0, w);
  const double before = b.executor->loss(b.theta);
  const std::vector<double> points(8, 0.5), few(3, 1.0), negative{1, 1, -1, 1};
  EXPECT_EQ(message_of([&] { b.executor->set_points(0, {.points = points, .weights = few}); }),
            "term 'equation': 4 point weights are needed, got 3");
  EXPECT_EQ(message_of([&] { b.executor->set_points(0, {.points = points, .weights = negative}); }),
            "term 'equation': the weight of point 2 is -1; weights are finite and not negative");
  EXPECT_EQ(b.executor->loss(b.theta), before);
  EXPECT_TRUE(std::ranges::equal(b.executor->weights(0), w));
  b.executor->set_points(0, points);
  EXPECT_TRUE(std::ranges::equal(b.executor->weights(0), std::vector<double>(4, 1.0)));
}

TEST(Executor, WarnsWhenTheActivationHasNoSecondDerivative) {
  const auto graph = std::make_shared<const Graph>(
      make_network(Mlp{.width = 3, .depth = 1, .activation = Activation::relu}, {"x"},
                   std::vector<std::string>{"u"}));
  const HostExecutor<double> e(graph, {{"poisson", {d(u, x, x) + 1}}}, {.threads = 1});
  ASSERT_EQ(e.warnings().size(), 1u);
  EXPECT_EQ(e.warnings()[0],
            "term 'poisson' needs derivatives of order 2, but derivatives of 'relu' beyond order 1 "
            "vanish");
}

/// Loss and gradient of a small Burgers network in PyTorch; tools/write_torch_gradient.py.
TEST(Executor, BurgersGradientMatchesPyTorch) {
  std::ifstream file(CAUCHY_TEST_DATA "/burgers_torch_gradient.txt");
  ASSERT_TRUE(file);
  std::string comment;
  std::getline(file, comment);
  std::size_t n_points = 0, n_parameters = 0;
  int width = 0, depth = 0;
  double loss = 0;
  file >> width >> depth >> n_points >> n_parameters >> loss;
  std::vector<double> points(2 * n_points), theta(n_parameters), expected(n_parameters),
      g(n_parameters);
  for (double& value : points) file >> value;
  for (double& value : theta) file >> value;
  for (double& value : expected) file >> value;
  ASSERT_TRUE(file);
  const auto graph = std::make_shared<const Graph>(
      make_network(Mlp{.width = width, .depth = depth}, {"t", "x"}, std::vector<std::string>{"u"}));
  ASSERT_EQ(graph->n_parameters(), n_parameters);
  HostExecutor<double> e(graph, {{"burgers", {d(u, t) + u * d(u, x) - nu * d(u, x, x)}}},
                         {.threads = 1, .known = {{"nu", 0.01 / pi}}});
  e.set_points(0, points);
  EXPECT_LT(std::abs(e.gradient(theta, g) - loss), 1e-13 * loss);
  EXPECT_LT(difference(g, expected), 1e-12 * largest(expected));
}

}  // namespace
}  // namespace cauchy::test_executor
