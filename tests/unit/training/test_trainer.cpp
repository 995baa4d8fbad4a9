#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/rng.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/networks/initialize.hpp>
#include <cauchy/networks/mlp.hpp>
#include <cauchy/sampling/domain_points.hpp>
#include <cauchy/training/trainer.hpp>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace cauchy {
namespace {

const Coordinate t("t");
const Field u("u");

/// u' + u = 0 on [0, 2] with u(0) = 1: u = exp(-t).
template <class T>
struct Decay {
  std::shared_ptr<const Graph> graph;
  Executor<T> executor;
  std::vector<double> theta;

  explicit Decay(ExecutorOptions options = {.threads = 1}, std::size_t n = 33)
      : graph(std::make_shared<const Graph>(
            make_network({.width = 10, .depth = 2}, {"t"}, std::vector<std::string>{"u"}))),
        executor(graph, {{"equation", {d(u, t) + u}, 1.0}, {"start", {u - 1}, 3.0}}, options),
        theta(initial_parameters(*graph, Rng(1))) {
    executor.set_points(0, grid_points(Time(t, 0, 2), {n}).values);
    executor.set_points(1, std::vector<double>{0.0});
  }

  double largest_error() {
    const std::vector<double> points = grid_points(Time(t, 0, 2), {101}).values;
    std::vector<double> values(points.size());
    executor.predict(std::vector<Expr>{u}, theta, points, values);
    double error = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double e = std::abs(values[i] - std::exp(-points[i]));
      if (!(e <= error)) error = e;  // NaN stays
    }
    return error;
  }
};

/// The field is one unknown constant c, beginning at 0; the only term is the given residual.
template <class T>
Executor<T> constant_problem(const Expr& residual) {
  Graph g({"t"});
  g.output("u", g.expression({Parameter("c")}));
  g.constant("c", 0);
  Executor<T> executor(std::make_shared<const Graph>(std::move(g)), {{"term", {residual}}},
                       {.threads = 1});
  executor.set_points(0, std::vector<double>{0.0, 1.0});
  return executor;
}

/// Counts its calls and asks to stop after some of them.
class Watch final : public Progress {
 public:
  explicit Watch(int n) : left_(n) {}
  void update(const ProgressState& state) override {
    --left_;
    ++updates;
    last_step = state.step;
    total = state.total;
    ASSERT_EQ(state.values.size(), 1u);
    EXPECT_EQ(state.values[0].name, "loss");
    last_loss = state.values[0].value;
  }
  void finish(const ProgressState& state) override {
    ++finishes;
    finished_step = state.step;
  }
  [[nodiscard]] bool stop_requested() const noexcept override { return left_ <= 0; }

  int updates = 0, finishes = 0;
  std::uint64_t last_step = 0, finished_step = 0, total = 0;
  double last_loss = 0;

 private:
  int left_;
};

const TrainOptions thorough{
    .steps = 10000, .adam = {.learning_rate = 1e-2}, .final_rate_factor = 1e-2};

TEST(Trainer, SolvesAnOrdinaryDifferentialEquationInDouble) {
  Decay<double> decay;
  EXPECT_GT(decay.largest_error(), 0.1);
  const double before = decay.executor.loss(decay.theta);
  const TrainReport report = train(decay.executor, decay.theta, thorough);
  EXPECT_EQ(report.status, Status::ok);
  EXPECT_EQ(report.steps, 10000u);
  EXPECT_EQ(report.loss, decay.executor.loss(decay.theta));
  EXPECT_LT(report.loss, 1e-4 * before);
  EXPECT_LT(decay.largest_error(), 1e-3);
}

TEST(Trainer, SolvesAnOrdinaryDifferentialEquationInFloat) {
  Decay<float> decay;
  const TrainReport report = train(decay.executor, decay.theta, thorough);
  EXPECT_EQ(report.status, Status::ok);
  EXPECT_LT(decay.largest_error(), 1e-3);
}

TEST(Trainer, KeepsEveryEntryOfTheHistoryThatWasAskedFor) {
  Decay<double> decay;
  const double first = decay.executor.loss(decay.theta);
  const TrainReport report = train(decay.executor, decay.theta, {.steps = 35, .history_every = 10});
  ASSERT_EQ(report.history.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    const TrainReport::Entry& entry = report.history[i];
    EXPECT_EQ(entry.step, 10 * i);
    ASSERT_EQ(entry.terms.size(), 2u);
    EXPECT_LT(std::abs(entry.terms[0] + entry.terms[1] - entry.loss), 4 * 2.2e-16 * entry.loss);
    if (i > 0) {
      EXPECT_LT(entry.loss, report.history[i - 1].loss);
    }
  }
  EXPECT_EQ(report.history[0].loss, first);
  EXPECT_GT(report.seconds, 0);
  const TrainReport silent = train(decay.executor, decay.theta, {.steps = 5, .history_every = 0});
  EXPECT_TRUE(silent.history.empty());
}

TEST(Trainer, ZeroStepsReportTheLossAndChangeNothing) {
  Decay<double> decay;
  const std::vector<double> before = decay.theta;
  const TrainReport report = train(decay.executor, decay.theta, {.steps = 0});
  EXPECT_EQ(report.status, Status::ok);
  EXPECT_EQ(report.steps, 0u);
  EXPECT_EQ(report.loss, decay.executor.loss(before));
  EXPECT_EQ(decay.theta, before);
}

TEST(Trainer, StopsWhenTheProgressAsksForIt) {
  Decay<double> decay;
  Watch progress(7);
  const TrainReport report =
      train(decay.executor, decay.theta, {.steps = 100, .progress = &progress});
  EXPECT_EQ(report.status, Status::interrupted);
  EXPECT_EQ(report.steps, 7u);
  EXPECT_EQ(progress.updates, 7);
  EXPECT_EQ(progress.last_step, 7u);
  EXPECT_EQ(progress.total, 100u);
  EXPECT_EQ(progress.finishes, 1);
  EXPECT_EQ(progress.finished_step, 7u);
  EXPECT_EQ(progress.last_loss, report.loss);
  EXPECT_EQ(report.loss, decay.executor.loss(decay.theta));
  Watch never(1000);
  EXPECT_EQ(train(decay.executor, decay.theta, {.steps = 20, .progress = &never}).status,
            Status::ok);
  EXPECT_EQ(never.updates, 20);
  EXPECT_EQ(never.finishes, 1);
}

TEST(Trainer, StopsWhenTheTimeIsOver) {
  Decay<double> decay;
  const TrainReport report =
      train(decay.executor, decay.theta, {.steps = 1'000'000'000, .max_seconds = 0.05});
  EXPECT_EQ(report.status, Status::budget_exhausted);
  EXPECT_GE(report.seconds, 0.05);
  EXPECT_GE(report.steps, 1u);
  EXPECT_LT(report.steps, 1'000'000'000u);
  EXPECT_EQ(report.loss, decay.executor.loss(decay.theta));
}

TEST(Trainer, RateFallsExponentiallyOverTheRun) {
  // The gradient 2 (1e6 + c) is constant to 1e-8, so that Adam moves c by the rate of each step.
  const int N = 10;
  for (const double factor : {1.0, 0.01}) {
    Executor<double> executor = constant_problem<double>(u + 1e6);
    std::vector<double> theta{0.0};
    const TrainReport report =
        train(executor, theta,
              {.steps = N, .adam = {.learning_rate = 1e-3}, .final_rate_factor = factor});
    EXPECT_EQ(report.status, Status::ok);
    double expected = 0;
    for (int k = 0; k < N; ++k) expected -= 1e-3 * std::pow(factor, k / static_cast<double>(N));
    EXPECT_LT(std::abs(theta[0] - expected), 1e-7 * std::abs(expected)) << factor;
  }
}

/// (log(1 + c) + 3)^2 is finite for c > -1 only, and its minimum is at -0.95: steps of 0.4 jump
/// beyond the edge.
template <class T>
void ends_before_the_logarithm_does() {
  Executor<T> executor = constant_problem<T>(log(u + 1) + 3);
  std::vector<double> theta{0.0};
  const TrainOptions options{.steps = 100, .adam = {.learning_rate = 0.4}, .history_every = 1};
  Watch progress(1000);
  TrainOptions watched = options;
  watched.progress = &progress;
  const TrainReport report = train(executor, theta, watched);
  EXPECT_EQ(report.status, Status::not_finite);
  EXPECT_EQ(progress.finishes, 1);
  EXPECT_GE(report.steps, 2u);
  EXPECT_LT(report.steps, 100u);
  EXPECT_EQ(report.history.size(), report.steps);
  EXPECT_TRUE(std::isfinite(theta[0]));
  EXPECT_LT(theta[0], 0);  // it has moved
  EXPECT_TRUE(std::isfinite(report.loss));
  EXPECT_EQ(report.loss, executor.loss(theta));
  for (const auto& entry : report.history) EXPECT_TRUE(std::isfinite(entry.loss));

  // The same when the step beyond the edge is the last one of the run.
  std::vector<double> again{0.0};
  TrainOptions shorter = options;
  shorter.steps = report.steps;
  const TrainReport last = train(executor, again, shorter);
  EXPECT_EQ(last.status, Status::not_finite);
  EXPECT_EQ(last.loss, report.loss);
  EXPECT_EQ(again, theta);
  // One step less never sees the edge.
  shorter.steps = report.steps - 1;
  again = {0.0};
  EXPECT_EQ(train(executor, again, shorter).status, Status::ok);
  EXPECT_EQ(again, theta);
}

TEST(Trainer, GoesBackToFiniteParametersInDouble) { ends_before_the_logarithm_does<double>(); }
TEST(Trainer, GoesBackToFiniteParametersInFloat) { ends_before_the_logarithm_does<float>(); }

TEST(Trainer, ANetworkThatOverflowsEndsWithFiniteParameters) {
  // After a step of 1e3 the square of u is far beyond log(1e308) = 709.
  const auto graph = std::make_shared<const Graph>(
      make_network({.width = 5, .depth = 1}, {"t"}, std::vector<std::string>{"u"}));
  Executor<double> executor(graph, {{"term", {exp(u * u) - 1e3}}}, {.threads = 1});
  executor.set_points(0, std::vector<double>{0.0, 0.5, 1.0});
  std::vector<double> theta = initial_parameters(*graph, Rng(1));
  const TrainReport report = train(executor, theta, {.steps = 50, .adam = {.learning_rate = 1e3}});
  EXPECT_EQ(report.status, Status::not_finite);
  for (const double value : theta) EXPECT_TRUE(std::isfinite(value));
  EXPECT_TRUE(std::isfinite(executor.loss(theta)));
  EXPECT_EQ(report.loss, executor.loss(theta));
}

TEST(Trainer, AGradientThatIsNotFiniteEndsTheRunToo) {
  // 1 + sqrt(c) has the value 1 and an infinite slope at c = 0.
  Executor<double> executor = constant_problem<double>(1 + sqrt(u));
  std::vector<double> theta{0.0};
  const TrainReport report = train(executor, theta, {.steps = 10});
  EXPECT_EQ(report.status, Status::not_finite);
  EXPECT_EQ(report.steps, 0u);
  EXPECT_EQ(report.loss, 1.0);
  EXPECT_EQ(theta[0], 0.0);
}

TEST(Trainer, ALossThatIsNotFiniteFromTheStartIsReportedAsSuch) {
  for (const std::uint64_t steps : {0u, 10u}) {
    Executor<double> executor = constant_problem<double>(log(u - 1));
    std::vector<double> theta{0.0};
    const TrainReport report = train(executor, theta, {.steps = steps});
    EXPECT_EQ(report.status, Status::not_finite);
    EXPECT_EQ(report.steps, 0u);
    EXPECT_FALSE(std::isfinite(report.loss));
    EXPECT_EQ(theta[0], 0.0);
  }
}

TEST(Trainer, BitsAreTheSameOnOneAndTwoThreads) {
  const auto run = [](auto type, int threads) {
    Decay<decltype(type)> decay({.threads = threads, .block = 16}, 1000);
    const TrainReport report = train(decay.executor, decay.theta, {.steps = 50});
    std::vector<double> all = decay.theta;
    all.push_back(report.loss);
    return all;
  };
  EXPECT_EQ(run(double{}, 1), run(double{}, 2));
  EXPECT_EQ(run(float{}, 1), run(float{}, 2));
  EXPECT_NE(run(double{}, 1), run(float{}, 1));
}

TEST(Trainer, RefusesOptionsThatMakeNoSense) {
  Decay<double> decay;
  const std::vector<double> before = decay.theta;
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double bad : {0.0, -1.0, infinity, std::nan("")}) {
    EXPECT_THROW((void)train(decay.executor, decay.theta, {.final_rate_factor = bad}), Error);
    EXPECT_THROW((void)train(decay.executor, decay.theta, {.adam = {.learning_rate = bad}}), Error);
  }
  std::vector<double> short_theta(decay.theta.size() - 1);
  EXPECT_THROW((void)train(decay.executor, short_theta, {}), Error);
  EXPECT_EQ(decay.theta, before);
}

}  // namespace
}  // namespace cauchy
