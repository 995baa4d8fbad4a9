#include <cmath>
#include <filesystem>

#include <gtest/gtest.h>
#include <unistd.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/optimizers/any_optimizer.hpp>
#include <cauchy/solvers/pinn.hpp>
#include <cauchy/solvers/pinn_cost.hpp>
#include <cauchy/solvers/problem_file.hpp>

#include "solvers/problem_file_stage.hpp"

namespace cauchy {
namespace {

const Coordinate x("x");
const Field u("u");

/// -u'' = sin(pi x) / 2 on (0, 1), u = 0 at the ends.
Problem rod() {
  Problem p;
  p.name = "rod";
  p.fields = {"u"};
  p.domain = Interval(x, 0, 1);
  p.equation = {-d(u, x, x) == 0.5 * sin(pi * x)};
  p.condition = {on_boundary(u == 0)};
  p.reference.formulas["u"] = sin(pi * x) / (2 * pi * pi);
  return p;
}

Pinn tiny(std::vector<Stage> stages) {
  Pinn m;
  m.network = {.width = 8, .depth = 1};
  m.points = {.interior = 30, .boundary = 2};
  m.stages = std::move(stages);
  return m;
}

std::string error_of(const std::function<void()>& run) {
  try {
    run();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

std::vector<std::string> optimizer_names() {
  std::vector<std::string> names;
  for (const OptimizerEntry& e : all_optimizers()) names.emplace_back(e.name);
  return names;
}

class EveryOptimizer : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Stages, EveryOptimizer, testing::ValuesIn(optimizer_names()),
                         [](const auto& method) { return method.param; });

TEST_P(EveryOptimizer, LowersTheLossOfANetwork) {
  const Solution s = solve(rod(), tiny(parse_stages(GetParam() + " 12")));
  EXPECT_LT(s.history.back().loss, 0.999 * s.history.front().loss);
  EXPECT_GE(s.evaluations, s.steps);
}

TEST_P(EveryOptimizer, IsWrittenAndReadBack) {
  const std::vector<Stage> stages = parse_stages(GetParam() + " 77");
  ASSERT_EQ(stages.size(), 1u);
  const std::string text = detail::write_stage(stages[0]);
  auto source = std::make_shared<detail::TomlSource>();
  const detail::TomlNode root = detail::parse_toml(text, source);
  const Stage again = detail::read_stage(root.find("method")->find("stage")->items.at(0));
  EXPECT_EQ(detail::write_stage(again), text);
  EXPECT_EQ(again.steps, 77u);
  EXPECT_EQ(entry_of(again.method).name, GetParam());
  EXPECT_EQ(make_optimizer(again.method)->name(), GetParam());
}

TEST_P(EveryOptimizer, ContinuesAnInterruptedRunToTheSameBits) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("cauchy_stages_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  const std::filesystem::path file = folder / (GetParam() + ".bin");
  std::filesystem::remove(file);
  struct StopAfter final : Progress {
    std::uint64_t steps;
    explicit StopAfter(std::uint64_t n) : steps(n) {}
    void update(const ProgressState& at) override { now = at.step; }
    void finish(const ProgressState&) override {}
    bool stop_requested() const noexcept override { return now >= steps; }
    std::uint64_t now = 0;
  } stop(7);
  const Pinn method = tiny(parse_stages("adam 3, " + GetParam() + " 9"));
  RunOptions options{.checkpoint = file, .checkpoint_seconds = 1e9};
  const Solution whole = solve(rod(), method);
  options.progress = &stop;
  const Solution part = solve(rod(), method, options);
  EXPECT_TRUE(part.interrupted);
  EXPECT_EQ(part.steps, 7u);
  options.progress = nullptr;
  const Solution rest = solve(rod(), method, options);
  EXPECT_EQ(rest.parameters, whole.parameters);
  std::filesystem::remove_all(folder);
}

TEST(Stages, DenseAndLeastSquaresMethodsReachSmallErrors) {
  for (const char* chain : {"adam 200, ssbroyden 1500", "adam 200, bfgs 1500",
                            "levenberg_marquardt 200", "natural_gradient 300"}) {
    const Solution s = solve(rod(), tiny(parse_stages(chain)));
    EXPECT_LT(s.error.relative_l2(), 1e-5) << chain;
  }
}

TEST(Stages, SelfScaledBroydenGoesFarBelowBfgsOnANetwork) {
  const Coordinate t("t");
  Problem bar;
  bar.fields = {"u"};
  bar.domain = Interval(x, -1, 1) * Time(t, 0, 1);
  bar.equation = {d(u, t) == 0.25 * d(u, x, x)};
  bar.condition = {at(t == 0, u == cos(pi * x / 2)), on_boundary(u == 0)};
  const auto loss = [&](const std::string& method, std::uint64_t seed) {
    Pinn m = tiny(parse_stages("adam 100, " + method + " 600"));
    m.network = {.width = 12, .depth = 2};
    m.points = {.interior = 150, .boundary = 30, .initial = 30};
    m.seed = seed;
    return solve(bar, m).history.back().loss;
  };
  // Four seeds of a like problem gave factors from 3e3 to 5e4.
  for (const std::uint64_t seed : {1, 2}) {
    EXPECT_LT(loss("ssbroyden", seed), 0.05 * loss("bfgs", seed)) << seed;
  }
}

TEST(Stages, StopAtTheirTargets) {
  const auto run = [](const std::string& chain) { return solve(rod(), tiny(parse_stages(chain))); };
  const Solution by_loss = run("bfgs 2000 target_loss=1e-4");
  EXPECT_LE(by_loss.history.back().loss, 1e-4);
  EXPECT_LT(by_loss.steps, 2000u);
  const Solution by_gradient = run("bfgs 2000 gradient_tolerance=1e-3");
  EXPECT_LT(by_gradient.steps, 2000u);
  EXPECT_GT(by_gradient.steps, 5u);
  const Solution by_time = run("adam 100000000 max_seconds=0.2");
  EXPECT_LT(by_time.steps, 100000000u);
  EXPECT_FALSE(by_time.interrupted);
}

TEST(Stages, EndTheRunAtTheErrorAskedFor) {
  const RunOptions options{.target_error = 1e-3, .history_every = 10};
  const Solution s = solve(rod(), tiny(parse_stages("bfgs 3000, lbfgs 3000")), options);
  EXPECT_LE(s.error.relative_l2(), 1e-3);
  EXPECT_LT(s.steps, 3000u);
  EXPECT_EQ(s.steps % 10, 0u);
}

TEST(Stages, RefuseAnErrorTargetWithoutAReference) {
  Problem p = rod();
  p.reference = {};
  EXPECT_EQ(error_of([&] { (void)solve(p, tiny({}), {.target_error = 1e-3}); }),
            "[solvers.pinn]: an error was asked for, but the problem has no reference; add one, or "
            "leave out the target");
}

TEST(Stages, TransformedLossesHaveTheSameMinimumAndAnotherPath) {
  const Solution plain = solve(rod(), tiny(parse_stages("ssbroyden 400")));
  for (const std::string transform : {"square_root", "logarithm"}) {
    const Solution s = solve(rod(), tiny(parse_stages("ssbroyden 400 transform=" + transform)));
    EXPECT_LT(s.error.relative_l2(), 1e-3) << transform;
    EXPECT_NE(s.parameters, plain.parameters) << transform;
    // The history shows the loss itself, which is never negative.
    for (const HistoryEntry& h : s.history) EXPECT_GE(h.loss, 0) << transform;
  }
}

TEST(Stages, RedrawPointsForQuasiNewtonMethodsOnRequest) {
  const Solution fixed = solve(rod(), tiny(parse_stages("ssbroyden 60")));
  const Solution redrawn = solve(rod(), tiny(parse_stages("ssbroyden 60 redraw=20")));
  const auto& name = fixed.term_names.front();
  EXPECT_EQ(fixed.points.at(name).size(), redrawn.points.at(name).size());
  EXPECT_NE(fixed.points.at(name).values, redrawn.points.at(name).values);
  EXPECT_LT(redrawn.history.back().loss, 0.1 * redrawn.history.front().loss);
}

TEST(Stages, DefaultsDependOnTheSizeOfTheNetwork) {
  EXPECT_EQ(entry_of(default_stages(2000).back().method).name, "ssbroyden");
  EXPECT_EQ(entry_of(default_stages(20000).back().method).name, "lbfgs");
  EXPECT_EQ(entry_of(default_stages(2000, Precision::f32).back().method).name, "lbfgs");
  EXPECT_EQ(estimate_cost(rod(), tiny({})).steps, 4500u);
}

TEST(Stages, CostsGrowWithTheMethod) {
  const auto cost = [](const char* chain) {
    Pinn m = tiny(parse_stages(chain));
    m.network = {.width = 40, .depth = 3};
    return estimate_cost(rod(), m);
  };
  // 3,401 parameters: the triangle of the inverse Hessian alone has 46 MB.
  EXPECT_GT(cost("ssbroyden 10").bytes, 46e6);
  EXPECT_LT(cost("adam 10").bytes, 10e6);
  EXPECT_GT(cost("ssbroyden 10").seconds_per_step, cost("adam 10").seconds_per_step);
  EXPECT_GT(cost("levenberg_marquardt 10").seconds_per_step, cost("adam 10").seconds_per_step);
}

TEST(Stages, ParseAChain) {
  const auto stages = parse_stages("adam 500 learning_rate=2e-3 schedule=cosine, lbfgs memory=7");
  ASSERT_EQ(stages.size(), 2u);
  EXPECT_EQ(stages[0].steps, 500u);
  EXPECT_EQ(std::get<AdamOptions>(stages[0].method).learning_rate, 2e-3);
  EXPECT_EQ(stages[0].schedule.shape, ScheduleShape::cosine);
  EXPECT_EQ(stages[0].schedule.steps, 500u);
  EXPECT_EQ(std::get<LbfgsOptions>(stages[1].method).memory, 7u);
  EXPECT_EQ(stages[1].steps, 1000u);
}

TEST(Stages, ExplainBadChains) {
  const auto message = [](const std::string& text) {
    return error_of([&] { (void)parse_stages(text, "--optimizer"); });
  };
  EXPECT_EQ(message(""),
            "--optimizer: an optimizer is missing; write it like \"adam 1000, ssbroyden 20000\"");
  EXPECT_EQ(message("adam 10,"),
            "--optimizer: an optimizer is missing; write it like \"adam 1000, ssbroyden 20000\"");
  EXPECT_EQ(message("adma 10"), "--optimizer: unknown optimizer 'adma'; did you mean 'adam'?");
  EXPECT_EQ(message("adam ten"),
            "--optimizer: 'ten' is neither a number of steps nor key=value; write it like \"adam "
            "1000 learning_rate=2e-3, ssbroyden 20000\"");
  EXPECT_EQ(message("adam 10 memory=3"),
            "--optimizer: 'memory' has no meaning for optimizer 'adam'; remove it");
  EXPECT_EQ(message("lbfgs 10 memory=0"), "--optimizer: 'memory' must be at least 1, got 0");
  EXPECT_EQ(message("adam 10 learning_rate=-1"),
            "--optimizer: 'learning_rate' must be positive, got -1");
  EXPECT_EQ(
      message("ssbroyden 10 when_changed=forget"),
      "--optimizer: unknown when_changed 'forget'; when_changeds are: keep, rescale, restart");
  EXPECT_EQ(message("levenberg_marquardt 10 transform=logarithm"),
            "--optimizer: 'transform' has no meaning for optimizer 'levenberg_marquardt'; remove "
            "it");
}

TEST(Stages, RefuseATransformWhereItHasNoMeaning) {
  const Pinn m = tiny({{.method = AdamOptions{}, .transform = LossTransform::logarithm}});
  EXPECT_EQ(error_of([&] { (void)solve(rod(), m); }),
            "[solvers.pinn]: only quasi-Newton methods minimise a transformed loss");
}

TEST(Stages, SayBeforehandWhatDoesNotFitIntoMemory) {
  Pinn m = tiny({{QuasiNewtonOptions{.max_bytes = 1000}, 5}});
  EXPECT_NE(error_of([&] { (void)solve(rod(), m); }).find("lbfgs"), std::string::npos);
  m.stages = {{LevenbergMarquardtOptions{.equations = {.max_bytes = 1000}}, 5}};
  EXPECT_NE(error_of([&] { (void)solve(rod(), m); }).find("matrix_free"), std::string::npos);
}

}  // namespace
}  // namespace cauchy
