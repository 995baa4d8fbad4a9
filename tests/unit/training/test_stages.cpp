#include <cmath>
#include <filesystem>

#include <gtest/gtest.h>
#include <unistd.h>

#include <cauchy/base/clock.hpp>
#include <cauchy/base/error.hpp>
#include <cauchy/base/options.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/files/problem_file.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/io/option_text.hpp>
#include <cauchy/optimizers/any_optimizer.hpp>
#include <cauchy/solvers/method.hpp>

#include "files/option_reader.hpp"
#include "support/message_of.hpp"
#include "support/small_problems.hpp"
#include "support/stop_after.hpp"
#include "support/temporary_folder.hpp"

namespace cauchy::test_stages {
namespace {

const Coordinate x("x");
const Field u("u");

/// -u'' = sin(pi x) / 2, with its solution.
Problem rod() {
  Problem p = rod(0.5 * sin(pi * x));
  p.reference.formulas["u"] = sin(pi * x) / (2 * pi * pi);
  return p;
}

Pinn tiny(std::vector<Stage> stages) {
  Pinn m;
  m.network = Mlp{.width = 8, .depth = 1};
  m.points = {.interior = 30, .boundary = 2};
  m.stages = std::move(stages);
  return m;
}

std::vector<std::string> optimizer_names() {
  std::vector<std::string> names;
  for (const OptimizerEntry& e : all_optimizers()) names.emplace_back(e.name);
  return names;
}

class EveryOptimizer : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Stages, EveryOptimizer, ::testing::ValuesIn(optimizer_names()),
                         [](const auto& method) { return method.param; });

TEST_P(EveryOptimizer, LowersTheLossOfANetwork) {
  const Solution s = solve(rod(), tiny(parse_stages(GetParam() + " 12")));
  EXPECT_LT(s.training->history.back().loss, 0.999 * s.training->history.front().loss);
  EXPECT_GE(s.training->evaluations, s.training->steps);
}

TEST_P(EveryOptimizer, RecordsTermsThatAddUpToTheLoss) {
  const Solution s =
      solve(rod(), tiny(parse_stages("adam 2, " + GetParam() + " 10")), {.history_every = 1});
  ASSERT_EQ(s.training->history.size(), s.training->steps + 2);
  for (const HistoryEntry& h : s.training->history) {
    double sum = 0;
    for (const double term : h.terms) sum += term;
    EXPECT_LT(std::abs(sum - h.loss), 1e-9 * h.loss) << h.step;
  }
}

/// Sets every option to another value of its range.
class Disturb final : public OptionVisitor {
 public:
  void number(std::string_view, double& v, NumberRange) override { v = v == 0 ? 0.25 : v / 2; }
  void flag(std::string_view, bool& v) override { v = !v; }
  void numbers(std::string_view, std::vector<double>& v, NumberRange) override { v.push_back(0.5); }
  void text(std::string_view, std::string& v) override { v += "x"; }
  void equations(std::string_view, std::vector<std::string>& v) override { v.push_back("x = 1"); }
  void seed(std::string_view, std::uint64_t& v) override { v += 3; }

 protected:
  void whole(std::string_view, std::uint64_t& v, std::uint64_t, std::uint64_t) override { v += 3; }
  std::optional<std::size_t> choose(std::string_view, const Choice& c) override {
    return c.now == 1 ? 0 : 1;
  }
  void visit_section(std::string_view, const Part& part, SectionStyle) override {
    Disturb inside;
    part.visit(inside);
  }
  void visit_list(std::string_view, std::size_t, Resize, Item) override {}
};

TEST_P(EveryOptimizer, IsWrittenAndReadBack) {
  std::vector<Stage> stages = parse_stages(GetParam() + " 77 max_evaluations=9 redraw=4");
  ASSERT_EQ(stages.size(), 1u);
  const std::string defaults = option_text("stage", stages[0]);
  Disturb disturb;
  visit_options(stages[0].method, disturb);
  const std::string text = option_text("stage", stages[0]);
  EXPECT_NE(text, defaults);
  auto source = std::make_shared<detail::TomlSource>();
  Stage again;
  detail::read_options(detail::parse_toml(text, source), "[[method.stage]]", again);
  EXPECT_EQ(option_text("stage", again), text);
  EXPECT_EQ(again.steps, 77u);
  EXPECT_EQ(again.max_evaluations, 9u);
  EXPECT_EQ(again.redraw, 4u);
  EXPECT_EQ(entry_of(again.method).name, GetParam());
  EXPECT_EQ(make_optimizer(again.method)->name(), GetParam());
}

TEST_P(EveryOptimizer, ContinuesAnInterruptedRunToTheSameBits) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("cauchy_stages_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  const std::filesystem::path file = folder / (GetParam() + ".bin");
  std::filesystem::remove(file);
  const Pinn method = tiny(parse_stages("adam 3, " + GetParam() + " 9 redraw=4"));
  const Solution whole = solve(rod(), method);
  for (const std::uint64_t at : {3, 4, 7, 8}) {  // also at the end of a stage and at new points
    RunOptions options{.checkpoint = file, .checkpoint_seconds = 1e9};
    StopAfter stop(at);
    options.progress = &stop;
    const Solution part = solve(rod(), method, options);
    EXPECT_TRUE(part.interrupted);
    EXPECT_EQ(part.training->steps, at);
    options.progress = nullptr;
    const Solution rest = solve(rod(), method, options);
    EXPECT_EQ(rest.training->parameters, whole.training->parameters) << at;
    EXPECT_EQ(rest.training->steps, whole.training->steps) << at;
    std::filesystem::remove(file);
  }
  std::filesystem::remove_all(folder);
}

TEST(Stages, EndAtTheSameStepWhenResumed) {
  const std::filesystem::path file = std::filesystem::temp_directory_path() /
                                     ("cauchy_rules_" + std::to_string(::getpid()) + ".bin");
  for (const std::string chain :
       {"lbfgs 3000 relative_decrease=0.9, adam 5", "lbfgs 3000 target_loss=1e-4, adam 5",
        "lbfgs 3000 max_evaluations=300, adam 5", "lbfgs 600 relative_decrease=0.5 redraw=150"}) {
    const Pinn method = tiny(parse_stages(chain));
    const Solution whole = solve(rod(), method);
    for (const std::uint64_t at : {std::uint64_t{1}, std::uint64_t{150}, std::uint64_t{200},
                                   std::uint64_t{201}, whole.training->steps - 5}) {
      if (at == 0 || at >= whole.training->steps) continue;
      StopAfter stop(at);
      RunOptions options{.progress = &stop, .checkpoint = file, .checkpoint_seconds = 1e9};
      EXPECT_TRUE(solve(rod(), method, options).interrupted);
      options.progress = nullptr;
      const Solution rest = solve(rod(), method, options);
      EXPECT_EQ(rest.training->steps, whole.training->steps) << chain << " stopped at " << at;
      EXPECT_EQ(rest.training->parameters, whole.training->parameters)
          << chain << " stopped at " << at;
      std::filesystem::remove(file);
    }
  }
}

TEST(Stages, ARunThatIsResumedRemembersTheTroubleBefore) {
  const Pinn method = tiny(parse_stages("gradient_descent 500 learning_rate=1e9, bfgs 500"));
  const Solution whole = solve(rod(), method);
  const TemporaryFolder folder;
  StopAfter stop(whole.training->steps - 5);
  RunOptions options{
      .progress = &stop, .checkpoint = folder / "run.bin", .checkpoint_seconds = 1e9};
  EXPECT_TRUE(solve(rod(), method, options).interrupted);
  options.progress = nullptr;
  const Solution rest = solve(rod(), method, options);
  EXPECT_EQ(rest.findings, whole.findings);
  EXPECT_EQ(rest.grade, whole.grade);
}

TEST(Stages, GoOnWithTheNextMethodAfterATroubledOne) {
  const Solution s =
      solve(rod(), tiny(parse_stages("gradient_descent 500 learning_rate=1e9, bfgs 500")));
  EXPECT_LT(s.error.relative_l2(), 1e-3);
  EXPECT_EQ(s.grade, Grade::converged);
  ASSERT_FALSE(s.findings.empty());
  EXPECT_TRUE(s.findings[0].starts_with("gradient_descent ended at step ")) << s.findings[0];
}

TEST(Stages, RefuseWhatALaterStageCannotDoBeforeTheFirstStep) {
  // A trillion steps would come first.
  const std::uint64_t forever = 1'000'000'000'000;
  const auto message = [&](Stage stage) {
    return message_of([&] {
      (void)solve(rod(), tiny({{AdamOptions{}, forever}, std::move(stage)}));
    });
  };
  EXPECT_NE(message({LbfgsOptions{.memory = 0}}).find("memory"), std::string::npos);
  EXPECT_NE(message({QuasiNewtonOptions{.max_bytes = 1000}}).find("lbfgs"), std::string::npos);
  EXPECT_NE(message({NewtonOptions{.max_bytes = 1000}}).find("lbfgs"), std::string::npos);
  EXPECT_NE(message({NaturalGradientOptions{.equations = {.max_bytes = 1000}}}).find("matrix_free"),
            std::string::npos);
  EXPECT_EQ(message({.method = AdamOptions{}, .target_loss = std::nan("")}),
            "[training.stage]: limits and targets of a stage must not be negative");
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
    m.network = Mlp{.width = 12, .depth = 2};
    m.points = {.interior = 150, .boundary = 30, .initial = 30};
    m.seed = seed;
    return solve(bar, m).training->history.back().loss;
  };
  // Four seeds of a like problem gave factors from 3e3 to 5e4.
  for (const std::uint64_t seed : {1, 2}) {
    EXPECT_LT(loss("ssbroyden", seed), 0.05 * loss("bfgs", seed)) << seed;
  }
}

TEST(Stages, StopAtTheirTargets) {
  const auto run = [](const std::string& chain) { return solve(rod(), tiny(parse_stages(chain))); };
  const Solution by_loss = run("bfgs 2000 target_loss=1e-4");
  EXPECT_LE(by_loss.training->history.back().loss, 1e-4);
  EXPECT_LT(by_loss.training->steps, 2000u);
  const Solution by_gradient = run("bfgs 2000 gradient_tolerance=1e-3");
  EXPECT_LT(by_gradient.training->steps, 2000u);
  EXPECT_GT(by_gradient.training->steps, 5u);
  const Solution by_evaluations = run("bfgs 2000 max_evaluations=50");
  EXPECT_GE(by_evaluations.training->evaluations, 50u);
  EXPECT_LT(by_evaluations.training->evaluations, 90u);  // one line search may run over
  // Adam reports the point that it leaves: the answer is the point that met the target.
  const Solution first_order = run("adam 4000 learning_rate=1e-2 target_loss=1e-2");
  EXPECT_LE(first_order.training->history.back().loss, 1e-2);
  EXPECT_LT(first_order.training->steps, 4000u);
  const TurnedClock stepped(0, 1e-3);
  const Solution by_time = run("adam 100000000 max_seconds=0.2");
  EXPECT_LT(by_time.training->steps, 100000000u);
  EXPECT_FALSE(by_time.interrupted);
}

TEST(Stages, EndTheRunAtTheErrorAskedFor) {
  const RunOptions options{.target_error = 1e-3, .history_every = 10};
  const Solution s = solve(rod(), tiny(parse_stages("bfgs 3000, lbfgs 3000")), options);
  EXPECT_LE(s.error.relative_l2(), 1e-3);
  EXPECT_LT(s.training->steps, 3000u);
  EXPECT_EQ(s.training->steps % 10, 0u);
}

TEST(Stages, RefuseAnErrorTargetWithoutAReference) {
  Problem p = rod();
  p.reference = {};
  EXPECT_EQ(message_of([&] { (void)solve(p, tiny({}), {.target_error = 1e-3}); }),
            "[solvers]: an error was asked for, but the problem has no reference; add one, or "
            "leave out the target");
}

TEST(Stages, TransformedLossesHaveTheSameMinimumAndAnotherPath) {
  const Solution plain = solve(rod(), tiny(parse_stages("ssbroyden 400")));
  for (const std::string transform : {"square_root", "logarithm"}) {
    const Solution s = solve(rod(), tiny(parse_stages("ssbroyden 400 transform=" + transform)));
    EXPECT_LT(s.error.relative_l2(), 1e-3) << transform;
    EXPECT_NE(s.training->parameters, plain.training->parameters) << transform;
    // The history shows the loss itself, which is never negative.
    for (const HistoryEntry& h : s.training->history) EXPECT_GE(h.loss, 0) << transform;
  }
}

TEST(Stages, RedrawPointsForQuasiNewtonMethodsOnRequest) {
  const Solution fixed = solve(rod(), tiny(parse_stages("ssbroyden 60")));
  const Solution redrawn = solve(rod(), tiny(parse_stages("ssbroyden 60 redraw=20")));
  const auto& name = fixed.training->term_names.front();
  EXPECT_EQ(fixed.training->points.at(name).size(), redrawn.training->points.at(name).size());
  EXPECT_NE(fixed.training->points.at(name).values, redrawn.training->points.at(name).values);
  EXPECT_LT(redrawn.training->history.back().loss, 0.1 * redrawn.training->history.front().loss);
}

TEST(Stages, DefaultsDependOnTheSizeOfTheNetwork) {
  EXPECT_EQ(entry_of(default_stages(2000).back().method).name, "ssbroyden");
  EXPECT_EQ(entry_of(default_stages(20000).back().method).name, "lbfgs");
  EXPECT_EQ(entry_of(default_stages(2000, Precision::f32).back().method).name, "lbfgs");
  EXPECT_EQ(estimate_cost(rod(), tiny({})).training->steps, 4500u);
}

TEST(Stages, CostsGrowWithTheMethod) {
  const auto cost = [](const char* chain) {
    Pinn m = tiny(parse_stages(chain));
    m.network = Mlp{.width = 40, .depth = 3};
    return estimate_cost(rod(), m);
  };
  // 3,401 parameters: the triangle of the inverse Hessian alone has 46 MB.
  EXPECT_GT(cost("ssbroyden 10").bytes, 46e6);
  EXPECT_LT(cost("adam 10").bytes, 10e6);
  EXPECT_GT(nominal_seconds(cost("ssbroyden 10").training->work_per_step),
            nominal_seconds(cost("adam 10").training->work_per_step));
  EXPECT_GT(nominal_seconds(cost("levenberg_marquardt 10").training->work_per_step),
            nominal_seconds(cost("adam 10").training->work_per_step));
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
    return message_of([&] { (void)parse_stages(text, "--optimizer"); });
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
  EXPECT_EQ(message_of([&] { (void)solve(rod(), m); }),
            "[training.stage]: only quasi-Newton methods minimise a transformed loss");
}

TEST(Stages, SayBeforehandWhatDoesNotFitIntoMemory) {
  Pinn m = tiny({{QuasiNewtonOptions{.max_bytes = 1000}, 5}});
  EXPECT_NE(message_of([&] { (void)solve(rod(), m); }).find("lbfgs"), std::string::npos);
  m.stages = {{LevenbergMarquardtOptions{.equations = {.max_bytes = 1000}}, 5}};
  EXPECT_NE(message_of([&] { (void)solve(rod(), m); }).find("matrix_free"), std::string::npos);
}

}  // namespace
}  // namespace cauchy::test_stages
