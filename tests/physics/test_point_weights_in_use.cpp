// Weights of points in whole trainings: each one on a problem that needs it, and resumed.
#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>

#include <cauchy/expr/derivative.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/solvers/method.hpp>

#include <fmt/format.h>

#include "support/small_problems.hpp"
#include "support/stop_after.hpp"
#include "support/temporary_folder.hpp"

namespace cauchy::test_point_weights_in_use {
namespace {

const Coordinate t("t"), x("x"), y("y");
const Field u("u");

Pinn adam(std::uint64_t steps, double learning_rate, std::size_t interior) {
  Pinn m;
  m.network = Mlp{.width = 12, .depth = 2};
  m.points = {.interior = interior, .boundary = 60};
  m.stages = {{AdamOptions{.learning_rate = learning_rate}, steps}};
  return m;
}

/// Relative errors of seeds 1 to 5, the smallest first.
std::vector<double> errors(const Problem& problem, Pinn method,
                           std::vector<PointWeightsOptions> weights) {
  method.rules.point_weights = std::move(weights);
  std::vector<double> all;
  for (method.seed = 1; method.seed <= 5; ++method.seed) {
    all.push_back(
        solve(problem, method, {.threads = 1, .history_every = 100'000}).error.relative_l2());
  }
  std::ranges::sort(all);
  return all;
}
std::string text(const std::vector<double>& errors) {
  std::string all;
  for (const double e : errors) all += fmt::format(" {:.2g}", e);
  return all;
}

Problem in_time(double end, const Equation& equation, std::vector<Equation> start,
                const Expr& solution) {
  Problem p;
  p.name = "ode";
  p.fields = {"u"};
  p.domain = Time(t, 0, end);
  p.equation = {equation};
  for (const Equation& e : start) p.condition.push_back(at(t == 0, e));
  p.sizes = {{"u", 1}};
  p.reference.formulas["u"] = solution;
  return p;
}

/// Two periods of an oscillation; u = 0 solves the equation as well.
Problem oscillation() { return in_time(12, d(u, t, t) + u == 0, {u == 1, d(u, t) == 0}, cos(t)); }

TEST(PointWeightsInUse, CausalOnesLeaveAnUnstableStateInTheRightDirection) {
  // u = 0 is a solution, from which the right one departs slowly.
  const Problem p =
      in_time(6, d(u, t) == u - u * u * u, {u == 0.1}, 1 / sqrt(1 + 99 * exp(-2 * t)));
  const Pinn method = adam(2000, 1e-2, 64);
  const auto plain = errors(p, method, {}), causal = errors(p, method, {CausalWeights{}});
  EXPECT_GT(plain[0], 0.9) << text(plain);
  EXPECT_LT(causal[4], 0.05) << text(causal);
}

TEST(PointWeightsInUse, LinearAndSelfAdaptiveOnesCarryTheStartThroughTime) {
  const Pinn method = adam(2000, 5e-3, 64);
  const auto plain = errors(oscillation(), method, {}),
             linear = errors(oscillation(), method, {LinearTimeWeights{}}),
             adapted = errors(oscillation(), method, {SelfAdaptiveWeights{}});
  EXPECT_LT(linear[4], 0.5 * plain[0]) << text(linear) << ";" << text(plain);
  EXPECT_LT(adapted[4], 0.7 * plain[0]) << text(adapted) << ";" << text(plain);
}

TEST(PointWeightsInUse, AttentionFindsANarrowPeak) {
  // Most points fit after a few hundred steps; the few on the peak hardly change the mean.
  Problem p;
  p.name = "peak";
  p.fields = {"u"};
  p.domain = Interval(x, -1, 1);
  const Expr f = sin(3 * x) + exp(-pow(x - 0.4, 2) / 0.0008);
  p.equation = {u == f};
  p.condition = {on_boundary(u == f)};
  p.sizes = {{"u", 1}};
  p.reference.formulas["u"] = f;
  Pinn method = adam(3000, 5e-3, 200);
  method.network = Mlp{.width = 16, .depth = 2};
  const auto plain = errors(p, method, {}),
             attention = errors(p, method, {AttentionWeights{.start = 0}});
  EXPECT_LT(attention[2], 0.5 * plain[0]) << text(attention) << ";" << text(plain);
  EXPECT_LT(attention[4], plain[0]) << text(attention) << ";" << text(plain);
}

TEST(PointWeightsInUse, DistancesQuietACorner) {
  // u = r^(2/3) sin(2/3 theta) around the corner at 0, with theta from the positive y-axis on.
  Problem p;
  p.name = "corner";
  p.fields = {"u"};
  p.domain = Rectangle({-1, -1}, {1, 1}) - Rectangle({0, -1}, {1, 0});
  const Expr r2 = x * x + y * y;
  const Expr exact =
      pow(r2 + 1e-30, 1.0 / 3) * cos(4.0 / 3 * atan((x + y) / (sqrt(2 * r2 + 1e-30) + y - x)));
  p.equation = {d(u, x, x) + d(u, y, y) == 0};
  p.condition = {on_boundary(u == exact)};
  p.reference.formulas["u"] = exact;
  Pinn method = adam(150, 5e-3, 200);
  method.stages.push_back({LbfgsOptions{}, 250});
  const auto plain = errors(p, method, {}),
             distance = errors(p, method, {DistanceWeights{.power = 2}});
  EXPECT_LT(distance[4], 0.7 * plain[0]) << text(distance) << ";" << text(plain);
}

/// Every entry of the table alone, and two pairs.
std::vector<std::vector<PointWeightsOptions>> all_combinations() {
  std::vector<std::vector<PointWeightsOptions>> all = {
      {AttentionWeights{.period = 3}, CausalWeights{.period = 4}},
      {DistanceWeights{}, SelfAdaptiveWeights{}, LinearTimeWeights{}}};
  for (const PointWeightsEntry& entry : all_point_weights()) {
    if (entry.name != "none" && entry.name != "noise") all.push_back({entry.options});
  }
  return all;
}

TEST(PointWeightsInUse, SurviveAResume) {
  Pinn plain;
  plain.network = Mlp{.width = 6, .depth = 1};
  plain.points = {.interior = 40, .boundary = 20, .initial = 20, .redraw = 9, .batch = 16};
  plain.stages = {{AdamOptions{}, 25}, {LbfgsOptions{}, 10}, {AdamOptions{}, 10}};
  const RunOptions alone{.threads = 1};
  const std::vector<double> without = solve(heated_bar(), plain, alone).training->parameters;
  const TemporaryFolder folder;
  for (const auto& weights : all_combinations()) {
    Pinn method = plain;
    method.rules.point_weights = weights;
    const Solution whole = solve(heated_bar(), method, alone);
    EXPECT_NE(whole.training->parameters, without);
    for (const std::uint64_t at : {1u, 10u, 24u, 25u, 38u}) {
      StopAfter stop(at);
      RunOptions options{.threads = 1,
                         .progress = &stop,
                         .checkpoint = folder / "run.bin",
                         .checkpoint_seconds = 1e9};
      EXPECT_TRUE(solve(heated_bar(), method, options).interrupted);
      options.progress = nullptr;
      const Solution rest = solve(heated_bar(), method, options);
      EXPECT_EQ(rest.training->parameters, whole.training->parameters) << at;
      EXPECT_EQ(rest.training->history.back().loss, whole.training->history.back().loss) << at;
      std::filesystem::remove(folder / "run.bin");
    }
  }
}

}  // namespace
}  // namespace cauchy::test_point_weights_in_use
