#include <cauchy/tensor/executor.hpp>

#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include <cauchy/networks/initialize.hpp>

#include "support/allocation_counter.hpp"
#include "support/message_of.hpp"
#include "support/tensor_run.hpp"

namespace cauchy::test_executor {
namespace {

using test::distance;
using test::random_numbers;

using Arrays = std::vector<std::vector<double>>;
std::vector<std::span<const double>> spans(const Arrays& a) { return {a.begin(), a.end()}; }

/// A small Fourier network with a relative error as its loss.
struct Small {
  std::shared_ptr<TensorGraph> graph = std::make_shared<TensorGraph>();
  int y, error, norm;
  std::vector<double> theta;
  static constexpr std::size_t n = 7;
  Arrays batch{random_numbers(n * 2 * 8, 1), random_numbers(n * 8, 2)};

  Small() {
    TensorGraph& g = *graph;
    const int x = g.input("x", {2, {8}}), u = g.input("u", {1, {8}});
    const int v = g.linear(x, 3, Activation::tanh);
    const int s = g.from_spectrum(g.mode_linear(g.spectrum(v, {3}), 3), {8});
    y = g.linear(g.linear(v, 3, Activation::gelu, true, "skip", s), 1);
    const int d = g.reduce(g.function(g.subtract(y, u), ElementFunction::square));
    error = g.activation(g.divide(d, g.reduce(g.function(u, ElementFunction::square))),
                         Activation::sqrt);
    norm = g.reduce(g.function(y, ElementFunction::square));
    theta = initial_parameters(g.parameters(), Rng(3));
  }
  [[nodiscard]] std::unique_ptr<TensorExecutor> executor(
      TensorExecutorOptions o = {.backend = BackendKind::reference}) const {
    auto e = make_tensor_executor(graph, {{"error", error, 1}, {"norm", norm, 0.5}}, o);
    e->set_batch(n, spans(batch));
    return e;
  }
};

TEST(TensorExecutor, LossIsTheWeightedMeanOfTheTermsOverTheSamples) {
  const Small net;
  const auto e =
      net.executor({.threads = 1, .precision = Precision::f64, .backend = BackendKind::reference});
  std::vector<double> errors(Small::n), norms(Small::n);
  e->sample_losses(0, net.theta, errors);
  e->sample_losses(1, net.theta, norms);
  const auto mean = [](const std::vector<double>& v) {
    return std::accumulate(v.begin(), v.end(), 0.0) / static_cast<double>(v.size());
  };
  const double want = mean(errors) + 0.5 * mean(norms);
  EXPECT_NEAR(e->loss(net.theta), want, 1e-14);
  EXPECT_NEAR(e->last_terms()[1], 0.5 * mean(norms), 1e-15);
  e->set_weight(1, 0);
  EXPECT_NEAR(e->loss(net.theta), mean(errors), 1e-14);
  EXPECT_EQ(e->terms()[1].weight, 0);
}

TEST(TensorExecutor, BatchesOfDifferentSizesFollowOneAnother) {
  const Small net;
  for (const Precision p : all_precisions()) {
    const auto e = net.executor({.threads = 2,
                                 .precision = p,
                                 .backend = BackendKind::reference,
                                 .parts = 3,
                                 .poison = true});
    std::vector<double> gradient(net.theta.size()), sum(net.theta.size(), 0.0);
    const double whole = e->gradient(net.theta, gradient);
    double total = 0;
    for (std::size_t s = 0; s < Small::n; ++s) {
      const Arrays one = {{net.batch[0].begin() + static_cast<std::ptrdiff_t>(s * 16),
                           net.batch[0].begin() + static_cast<std::ptrdiff_t>(s * 16 + 16)},
                          {net.batch[1].begin() + static_cast<std::ptrdiff_t>(s * 8),
                           net.batch[1].begin() + static_cast<std::ptrdiff_t>(s * 8 + 8)}};
      e->set_batch(1, spans(one));
      std::vector<double> part(net.theta.size());
      total += e->gradient(net.theta, part) / Small::n;
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += part[i] / Small::n;
    }
    const double eps = p == Precision::f64 ? 1e-13 : 1e-4;
    EXPECT_NEAR(total, whole, eps);
    EXPECT_LT(distance(sum, gradient), eps);
    e->set_batch(Small::n, spans(net.batch));
    std::vector<double> again(net.theta.size());
    EXPECT_EQ(e->gradient(net.theta, again), whole);
    EXPECT_EQ(again, gradient);
  }
}

TEST(TensorExecutor, StepsAllocateNothing) {
  const Small net;
  for (const BackendKind backend : {BackendKind::reference, BackendKind::cpu}) {
    for (const auto& [p, threads] : {std::pair{Precision::f64, 1}, std::pair{Precision::f32, 2}}) {
      const auto e =
          net.executor({.threads = threads, .precision = p, .backend = backend, .parts = 3});
      std::vector<double> gradient(net.theta.size()), terms(2 * net.theta.size());
      const auto inputs = spans(net.batch);
      e->gradient(net.theta, gradient, terms);
      e->loss(net.theta);
      const std::size_t before = AllocationCounter::total();
      for (int i = 0; i < 3; ++i) {
        e->set_batch(Small::n, inputs);
        e->gradient(net.theta, gradient, terms);
        e->gradient(net.theta, gradient);
        e->loss(net.theta);
      }
      EXPECT_EQ(AllocationCounter::total(), before) << threads << " threads";
    }
  }
}

TEST(TensorExecutor, AStepOfAFourierOperatorFitsIntoMemory) {
  // Width 32, 4 layers, 12 x 12 modes, 64 x 64 points, 20 samples, single precision, 2 workers.
  auto graph = std::make_shared<TensorGraph>();
  TensorGraph& g = *graph;
  int v = g.linear(g.input("a", {3, {64, 64}}), 32);
  for (int l = 0; l < 4; ++l) {
    const int s = g.from_spectrum(g.mode_linear(g.spectrum(v, {12, 12}), 32), {64, 64});
    v = g.linear(v, 32, l < 3 ? Activation::gelu : Activation::identity, true, "skip", s);
  }
  const int y = g.linear(g.linear(v, 128, Activation::gelu), 1);
  const int loss = g.reduce(g.function(y, ElementFunction::square));
  const auto e = make_tensor_executor(graph, {{"loss", loss, 1}},
                                      {.threads = 2, .backend = BackendKind::reference});
  EXPECT_EQ(g.n_parameters(), 4u * (2 * 288 * 32 * 32 + 32 * 32 + 32) + 4 * 32 + 33 * 128 + 129);
  EXPECT_LT(e->bytes(20), 150'000'000u);
  EXPECT_GT(e->bytes(20), 8 * g.n_parameters() * sizeof(float));
}

TEST(TensorExecutor, LargeNetworksHaveFewerGradients) {
  // 100 million parameters: 400 MB for a gradient in single precision, two parts in place of 8.
  auto graph = std::make_shared<TensorGraph>();
  const int x = graph->input("x", {10'000, {}});
  graph->linear(x, 10'000, Activation::identity, false);
  const int loss = graph->reduce(graph->slice(x, 0, 1));
  const auto e = make_tensor_executor(graph, {{"loss", loss, 1}},
                                      {.threads = 1, .backend = BackendKind::reference});
  EXPECT_LT(e->bytes(8), 1'300'000'000u);  // and the parameters
  EXPECT_GT(e->bytes(8), 1'200'000'000u);
}

TEST(TensorExecutor, PredictsAnyNumberOfSamplesAndAnyValue) {
  const Small net;
  const auto e = net.executor(
      {.threads = 2, .precision = Precision::f64, .backend = BackendKind::reference, .parts = 3});
  std::vector<double> all(Small::n * 8), one(8);
  e->predict(net.y, net.theta, Small::n, spans(net.batch), all);
  const Arrays last = {{net.batch[0].end() - 16, net.batch[0].end()}, {}};
  e->predict(net.y, net.theta, 1, spans(last), one);  // the data are not needed
  EXPECT_EQ(one, std::vector<double>(all.end() - 8, all.end()));
  std::vector<double> input(Small::n * 16);
  e->predict(0, net.theta, Small::n, spans(net.batch), input);
  EXPECT_EQ(input, net.batch[0]);
  e->predict(net.y, net.theta, 0, spans(Arrays{{}, {}}), {});
}

TEST(TensorExecutor, AdjointsAddToTheGradientAndReachTheInputs) {
  const Small net;
  const auto e = net.executor(
      {.threads = 2, .precision = Precision::f64, .backend = BackendKind::reference, .parts = 3});
  std::vector<double> gradient(net.theta.size());
  e->set_weight(1, 0);
  e->gradient(net.theta, gradient);
  const std::vector<double> seeds(Small::n, 1.0 / Small::n);
  std::vector<double> sum(net.theta.size(), 1.0), by_input(Small::n * 16);
  e->adjoint(net.error, net.theta, seeds, sum, 0, by_input);
  for (double& x : sum) x -= 1;
  EXPECT_LT(distance(sum, gradient), 1e-14);
  // The derivative by one number of one sample against a difference.
  Arrays moved = net.batch;
  const double h = 1e-5;
  std::vector<double> values(Small::n), below(Small::n);
  moved[0][3 * 16 + 5] += h;
  e->predict(net.error, net.theta, Small::n, spans(moved), values);
  moved[0][3 * 16 + 5] -= 2 * h;
  e->predict(net.error, net.theta, Small::n, spans(moved), below);
  EXPECT_NEAR(by_input[3 * 16 + 5] * Small::n, (values[3] - below[3]) / (2 * h), 1e-9);
  // An input that the value does not depend on.
  std::vector<double> none(Small::n * 8, 5.0);
  e->adjoint(net.norm, net.theta, seeds, {}, 1, none);
  EXPECT_EQ(none, std::vector<double>(Small::n * 8, 0.0));
}

TEST(TensorExecutor, DropoutKeepsTheMeanAndDependsOnStepAndSample) {
  auto graph = std::make_shared<TensorGraph>();
  const int x = graph->input("x", {1, {4096}});
  const int dropped = graph->dropout(graph->scale(x, 1), 0.25);
  const int mean = graph->reduce(dropped);
  const Arrays ones = {std::vector<double>(3 * 4096, 1.0)};
  const std::vector<double> theta = {1};
  const auto make = [&](TensorExecutorOptions o) {
    o.precision = Precision::f64;
    o.backend = BackendKind::reference;
    auto e = make_tensor_executor(graph, {{"mean", mean, 1}}, o);
    e->set_batch(3, spans(ones));
    return e;
  };
  std::vector<double> g(1);
  const auto e = make({.threads = 1});
  const double first = e->gradient(theta, g);
  // Of 12288 numbers, 3 in 4 are kept: the deviation of the mean is sqrt(1 / 3 / 12288) = 0.0052.
  EXPECT_NEAR(first, 1, 0.021);
  EXPECT_NE(first, 1);
  EXPECT_NEAR(g[0], first, 1e-11);  // sums of 12288 numbers in another order
  EXPECT_EQ(e->loss(theta), 1);     // nothing is dropped here
  EXPECT_EQ(e->gradient(theta, g), first);
  e->set_step(1);
  const double second = e->gradient(theta, g);
  EXPECT_NE(second, first);
  EXPECT_NE(make({.threads = 1, .seed = 2})->gradient(theta, g), first);
  // A sample drops the same numbers in whatever part of the batch it lies.
  EXPECT_NEAR(make({.threads = 1, .parts = 1})->gradient(theta, g), first, 1e-14);
  std::vector<double> losses(3);
  e->sample_losses(0, theta, losses);
  EXPECT_EQ(losses, (std::vector<double>{1, 1, 1}));
}

TEST(TensorExecutor, SharesAPool) {
  const Small net;
  const auto pool = std::make_shared<Threads>(2);
  const auto a = net.executor({.pool = pool}), b = net.executor({.pool = pool});
  EXPECT_EQ(a->pool(), pool);
  EXPECT_EQ(a->loss(net.theta), b->loss(net.theta));
}

TEST(TensorExecutor, SaysWhatIsWrong) {
  const Small net;
  const auto e = net.executor();
  const auto make = [&](std::vector<TensorTerm> terms, TensorExecutorOptions o = {}) {
    o.backend = BackendKind::reference;
    return make_tensor_executor(net.graph, std::move(terms), o);
  };
  EXPECT_EQ(message_of([&] {
              return make({{"data", net.y, 1}});
            }),
            "[tensor] term 'data': value " + std::to_string(net.y) +
                " has 1 x 8 numbers instead of one; reduce it to a single number");
  EXPECT_EQ(message_of([&] {
              return make({{"data", net.error, -1}});
            }),
            "[tensor] term 'data': the weight must be finite and not negative, got -1");
  EXPECT_EQ(message_of([&] { return make({}, {.parts = 0}); }),
            "[tensor]: a batch needs at least one part");
  EXPECT_EQ(message_of([&] { return make_tensor_executor(nullptr, {}); }),
            "[tensor]: the graph is empty");
  std::vector<double> short_theta(3), gradient(net.theta.size());
  EXPECT_EQ(message_of([&] { return e->loss(short_theta); }),
            "[tensor]: the parameter vector needs " + std::to_string(net.theta.size()) +
                " numbers, got 3");
  EXPECT_EQ(message_of([&] { return e->gradient(net.theta, short_theta); }),
            "[tensor]: the gradient needs " + std::to_string(net.theta.size()) + " numbers, got 3");
  EXPECT_EQ(message_of([&] {
              e->set_weight(2, 1);
              return 0;
            }),
            "[tensor]: there is no term 2, the executor has 2");
  Arrays bad = net.batch;
  bad[1][8 * 4 + 1] = NAN;
  EXPECT_EQ(message_of([&] {
              e->set_batch(Small::n, spans(bad));
              return 0;
            }),
            "[tensor]: sample 4 of input 'u' has nan as number 1; remove the sample, or mend it");
  EXPECT_EQ(message_of([&] { return e->loss(net.theta); }),
            "[tensor]: there is no batch; call set_batch first");
  bad[1][8 * 4 + 1] = 1e39;  // beyond single precision
  EXPECT_EQ(message_of([&] {
              e->set_batch(Small::n, spans(bad));
              return 0;
            }),
            "[tensor]: sample 4 of input 'u' has 1e+39 as number 1; remove the sample, or mend it");
  EXPECT_EQ(message_of([&] {
              e->set_batch(0, spans(bad));
              return 0;
            }),
            "[tensor]: a batch needs at least one sample");
  EXPECT_EQ(message_of([&] {
              e->set_batch(6, spans(bad));
              return 0;
            }),
            "[tensor]: input 'x' of 6 samples needs 96 numbers, got 112");
  EXPECT_EQ(message_of([&] {
              e->set_batch(7, spans(Arrays{bad[0]}));
              return 0;
            }),
            "[tensor]: 1 arrays for 2 inputs; give one array per input of the graph");
  std::vector<double> out(8);
  EXPECT_EQ(message_of([&] {
              e->predict(net.error, net.theta, 1, spans(Arrays{{}, {}}), out);
              return 0;
            }),
            "[tensor]: the prediction needs 1 numbers, got 8");
}

TEST(TensorExecutor, AnExpressionNeedsTheNumbersOfItsParameters) {
  auto graph = std::make_shared<TensorGraph>();
  const int x = graph->input("x", {1, {4}});
  graph->expression(std::vector{x}, {"u"}, {Parameter("nu") * Symbol("u")});
  EXPECT_EQ(message_of([&] {
              return make_tensor_executor(graph, {}, {.backend = BackendKind::reference});
            }),
            "[tensor]: expression: 'nu' has no number; name it in `known`, or give a channel; "
            "channels are: u");
}

}  // namespace
}  // namespace cauchy::test_executor
