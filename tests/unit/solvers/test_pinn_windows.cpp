#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <cauchy/base/error.hpp>
#include <cauchy/files/problem_file.hpp>
#include <cauchy/solvers/method.hpp>

#include "solvers/pinn/window.hpp"
#include "support/message_of.hpp"
#include "support/stop_after.hpp"
#include "support/temporary_folder.hpp"

namespace cauchy::test_pinn_windows {
namespace {

Problem problem_of(const std::string& text) { return parse_problem_file(text, "p").problem; }

/// u'' = -u from u = 1, u' = 0.
Problem oscillation() {
  return problem_of(R"toml(fields = ["u"]
tolerance = 1e-3
[domain]
time = { t = [0, 6] }
[[equation]]
form = "u_tt = -u"
[[condition]]
where = "t = 0"
form = "u = 1"
[[condition]]
where = "t = 0"
form = "u_t = 0"
[reference]
u = "cos(t)"
)toml");
}

/// A sine carried around a circle, twice.
Problem carried() {
  return problem_of(R"toml(fields = ["u"]
tolerance = 1e-2
[domain]
time = { t = [0, 2] }
space = { x = [-1, 1] }
[[equation]]
form = "u_t + 2*u_x = 0"
[[condition]]
where = "t = 0"
form = "u = sin(pi*x)"
[[condition]]
periodic = "x"
[reference]
u = "sin(pi*(x - 2*t))"
)toml");
}

Pinn in_windows(std::uint64_t count, std::vector<Stage> stages) {
  Pinn method;
  method.network = Mlp{.width = 10, .depth = 1};
  method.points = {.interior = 40, .boundary = 20, .initial = 30};
  method.rules.curriculum = WindowCurriculum{.count = count};
  method.stages = std::move(stages);
  return method;
}

TEST(Windows, HandOnEveryDerivativeByTimeBelowTheHighest) {
  const auto quantities = detail::handed_on(oscillation());
  ASSERT_EQ(quantities.size(), 2u);
  EXPECT_EQ(quantities[0].order, 0);
  EXPECT_EQ(quantities[1].order, 1);
}

TEST(Windows, SolveAnOscillationThatTheyCutInFour) {
  const Solution s =
      solve(oscillation(), in_windows(4, {{LevenbergMarquardtOptions{}, 40}}), {.threads = 1});
  EXPECT_LT(s.error.relative_l2(), 1e-4);
  EXPECT_EQ(s.grade, Grade::converged);
  // Values and derivatives go on across the ends of windows, but for the estimated error.
  for (const double t : {1.5, 3.0, 4.5}) {
    EXPECT_NEAR(s("u", {t - 1e-9}), s("u", {t + 1e-9}), 1e-6);
    EXPECT_NEAR(s("u_t", {t + 1e-9}), -std::sin(t), 1e-3);
  }
}

TEST(Windows, AdaptTheirLengthAndSaySo) {
  Pinn method = in_windows(0, {{LevenbergMarquardtOptions{}, 40}});
  std::get<WindowCurriculum>(method.rules.curriculum).accept = 1e-5;
  method.network = Mlp{.width = 5, .depth = 1};
  const Solution s = solve(oscillation(), method, {.threads = 1});
  EXPECT_LT(s.error.relative_l2(), 1e-3);
  bool halved = false;
  for (const TrainingEvent& e : s.training->events) {
    halved = halved || e.text.find("halved") != std::string::npos;
  }
  EXPECT_TRUE(halved);
  EXPECT_FALSE(s.training->history.empty());
  EXPECT_EQ(s.training->history.back().step, s.training->steps);
}

TEST(Windows, HandOnFieldsOfSpace) {
  Pinn method = in_windows(4, {{AdamOptions{}, 100}, {QuasiNewtonOptions{}, 400}});
  method.network = Mlp{.width = 12, .depth = 2};
  method.points = {.interior = 150, .initial = 60};
  method.condition_weight = 10;
  const Solution s = solve(carried(), method, {.threads = 1});
  EXPECT_LT(s.error.relative_l2(), 0.05);
}

TEST(Windows, AreNotStarvedOrJudgedTooEarly) {
  Pinn method = in_windows(0, {{AdamOptions{}, 300}, {RmsPropOptions{}, 3000}});
  method.network = Mlp{.width = 3, .depth = 1};
  method.points = {.interior = 10, .initial = 5};
  auto& rule = std::get<WindowCurriculum>(method.rules.curriculum);
  rule = {
      .goal = 0, .accept = 1e-30, .give_up = 1e-30, .first = 0.5, .shortest = 0.25, .budget = 4000};
  const Solution s = solve(carried(), method, {.threads = 1});
  ASSERT_FALSE(s.training->events.empty());
  // 2,000 steps: a quarter of them would be 500, but the last stage has had 250.
  EXPECT_NE(s.training->events[0].text.find("after 550 steps, the window is halved"),
            std::string::npos)
      << s.training->events[0].text;
  // The shares of the rest would be 862 and less.
  EXPECT_NE(s.training->events[1].text.find("after 1500 steps"), std::string::npos)
      << s.training->events[1].text;
}

// Stages that are too short for any window halved them without end.
TEST(Windows, OfStagesThatAUserNamesHaveABudget) {
  for (const std::uint64_t steps : {30u, 400u}) {
    const Expanded made = expand(Auto{.stages = {{AdamOptions{}, steps}}}, oscillation());
    const auto* rule = std::get_if<WindowCurriculum>(&made.pinn.rules.curriculum);
    ASSERT_NE(rule, nullptr);
    EXPECT_EQ(rule->budget, 60 * steps);
  }
  // Where they never suffice, the march gets to its end all the same.
  Pinn hasty = expand(Auto{.stages = {{AdamOptions{}, 2}}}, oscillation()).pinn;
  const Solution s = solve(oscillation(), hasty, {.threads = 1, .limit = RunLimit().with_work(60)});
  EXPECT_FALSE(s.interrupted);
  EXPECT_LT(s.training->events.size(), 1000u);
  const Expanded own = expand(Auto{}, oscillation());
  EXPECT_EQ(std::get<WindowCurriculum>(own.pinn.rules.curriculum).budget, 12'000u);
}

TEST(Windows, AreResumedToTheSameBits) {
  const Pinn method = in_windows(3, {{AdamOptions{}, 10}, {QuasiNewtonOptions{}, 20}});
  const Solution whole = solve(carried(), method, {.threads = 1});
  const TemporaryFolder folder;
  for (const std::uint64_t at : {5u, 20u, 29u, 33u, 60u}) {
    StopAfter stop(at);
    RunOptions options{.threads = 1,
                       .progress = &stop,
                       .checkpoint = folder / "run.bin",
                       .checkpoint_seconds = 1e9};
    EXPECT_TRUE(solve(carried(), method, options).interrupted) << at;
    options.progress = nullptr;
    const Solution rest = solve(carried(), method, options);
    const double x[] = {0.3, 0.1, 1.1, -0.4, 1.9, 0.7};
    EXPECT_EQ(rest("u", x), whole("u", x)) << at;
    EXPECT_EQ(rest.training->steps, whole.training->steps) << at;
    EXPECT_EQ(rest.training->history.size(), whole.training->history.size()) << at;
    std::filesystem::remove(folder / "run.bin");
  }
}

TEST(Windows, AreTrainedBeyondTheirEndsOnRequest) {
  Pinn method = in_windows(4, {{AdamOptions{}, 5}});
  std::get<WindowCurriculum>(method.rules.curriculum).overlap = 0.5;
  const Solution s = solve(carried(), method, {.threads = 1});
  Checkpoint saved;
  s.model->save(saved);
  EXPECT_EQ(saved.array("window/ends").values,
            (std::vector<double>{0, 0.5, 0.5, 1, 1, 1.5, 1.5, 2}));
  EXPECT_EQ(saved.array("window/beyond").values, (std::vector<double>{0.25, 0.25, 0.25, 0}))
      << "the last one ends with the problem";
  for (const auto& [name, points] : s.training->points) {
    if (name != "u_t + 2*u_x = 0") continue;
    double last = 0;
    for (std::size_t i = 0; i < points.size() / 4; ++i) last = std::max(last, points.row(i)[0]);
    EXPECT_GT(last, 0.6) << "points of the first window";
    EXPECT_LT(last, 0.75);
  }
  const TemporaryFolder folder;
  save_solution(folder / "solution.bin", s);
  const Solution again = load_solution(folder / "solution.bin", carried(), method);
  const double at[] = {0.49, 0.1, 0.51, 0.1, 2, 0.3};
  EXPECT_EQ(again("u", at), s("u", at)) << "scaled to where it was trained";
}

TEST(Windows, AreSavedAndLoaded) {
  const Pinn method = in_windows(2, {{LevenbergMarquardtOptions{}, 15}});
  const Solution s = solve(oscillation(), method, {.threads = 1});
  const TemporaryFolder folder;
  save_solution(folder / "solution.bin", s);
  const Solution again = load_solution(folder / "solution.bin", oscillation(), method);
  const double t[] = {0.1, 2.9, 3.1, 6};
  EXPECT_EQ(again("u", t), s("u", t));
}

TEST(Windows, ThatFailStandAgainstAnAnswerWithoutReference) {
  Problem p = carried();
  p.reference = {};
  const Solution s = solve(p, in_windows(3, {{AdamOptions{}, 3}}), {.threads = 1});
  EXPECT_FALSE(s.warnings.empty());
  EXPECT_NE(s.grade, Grade::unverified);
  EXPECT_NE(s.grade, Grade::converged);
}

TEST(Windows, RefuseWhatBelongsToAllOfTheTime) {
  const auto message = [](Problem p) {
    return message_of([&] { (void)prepare(p, in_windows(2, {})); });
  };
  Problem later = oscillation();
  later.condition[1] = at(Coordinate("t") == Expr(6), Field("u") == Expr(1));
  EXPECT_NE(message(later).find("ties all windows together"), std::string::npos);
  EXPECT_NE(message(problem_of("fields = [\"u\"]\n[domain]\nspace = { x = [0, 1] }\n[[equation]]\n"
                               "form = \"u_xx = 1\"\n[[condition]]\nwhere = \"boundary\"\n"
                               "form = \"u = 0\"\n"))
                .find("need a problem in time"),
            std::string::npos);
}

TEST(Continuation, GoesThroughItsValuesAndIsResumed) {
  const Problem p = problem_of(R"toml(fields = ["u"]
tolerance = 1e-2
[domain]
space = { x = [0, 1] }
[parameters]
k = 3
[[equation]]
form = "u_xx = k*u"
[[condition]]
where = "boundary"
form = "u = 1"
[reference]
u = "cosh(sqrt(k)*(x - 0.5))/cosh(sqrt(k)/2)"
)toml");
  Pinn method;
  method.network = Mlp{.width = 8, .depth = 1};
  method.points = {.interior = 30};
  method.rules.curriculum = ContinuationCurriculum{.parameter = "k", .values = {1, 2}};
  method.stages = {{AdamOptions{}, 20}, {QuasiNewtonOptions{}, 100}};
  const Solution whole = solve(p, method, {.threads = 1});
  EXPECT_LT(whole.error.relative_l2(), 1e-3);
  EXPECT_EQ(whole.training->events.size(), 3u);
  const TemporaryFolder folder;
  for (const std::uint64_t at : {3u, 30u, 50u, 90u}) {
    StopAfter stop(at);
    RunOptions options{.threads = 1,
                       .progress = &stop,
                       .checkpoint = folder / "run.bin",
                       .checkpoint_seconds = 1e9};
    EXPECT_TRUE(solve(p, method, options).interrupted) << at;
    options.progress = nullptr;
    EXPECT_EQ(solve(p, method, options).training->parameters, whole.training->parameters) << at;
    std::filesystem::remove(folder / "run.bin");
  }
  method.rules.curriculum = ContinuationCurriculum{.parameter = "nu", .values = {1}};
  EXPECT_NE(message_of([&] { (void)prepare(p, method); }).find("no number 'nu'"),
            std::string::npos);
}

TEST(Auto, ChoosesWindowsForInitialValuesAndSaysWhy) {
  const Expanded made = expand(Auto{}, oscillation());
  EXPECT_TRUE(std::holds_alternative<WindowCurriculum>(made.pinn.rules.curriculum));
  EXPECT_GE(made.why.size(), 3u);
  const Expanded carriage = expand(Auto{.seconds = 10}, carried());
  EXPECT_TRUE(std::holds_alternative<ResidualPoints>(carriage.pinn.rules.point_scheme));
  const Expanded longer = expand(Auto{.seconds = 20}, carried());
  EXPECT_NEAR(static_cast<double>(longer.pinn.stages[1].steps),
              2 * static_cast<double>(carriage.pinn.stages[1].steps), 2);
}

TEST(Auto, BeginsWithAShortWindowWhereFieldsTurnOverOften) {
  const auto first_window = [](const std::string& rate) {
    const Expanded made = expand(Auto{.seconds = 1}, problem_of(R"toml(fields = ["u"]
[domain]
time = { t = [0, 2] }
space = { x = [0, 1] }
[[equation]]
form = "u_t = u_xx - )toml" + rate + R"toml(*u^2"
[[condition]]
where = "t = 0"
form = "u = 0.5 + x - x^2"
[[condition]]
where = "boundary"
form = "u = 0.5"
)toml"));
    // In one space dimension points grow where residuals between them are large.
    const auto& points = std::get<ResidualPoints>(made.pinn.rules.point_scheme);
    EXPECT_EQ(points.growth, 3);
    EXPECT_EQ(points.most, 4 * made.pinn.points.interior);
    return std::get<WindowCurriculum>(made.pinn.rules.curriculum).first;
  };
  // The rate is twice that of u^2 times u, which is at most 0.75.
  EXPECT_NEAR(first_window("100"), 10 / (2 * 100 * 0.75 * 2), 1e-3);
  EXPECT_EQ(first_window("1"), 0.25);
}

TEST(Auto, SolvesAnOscillationOverManyPeriods) {
  const Solution s = solve(oscillation(), Auto{}, {.threads = 1});
  EXPECT_EQ(s.grade, Grade::converged);
  EXPECT_LT(s.error.relative_l2(), 1e-5);
  EXPECT_FALSE(s.training->choices.empty());
}

TEST(Windows, EndWhereASolutionEnds) {
  const Problem p = problem_of(R"toml(fields = ["u"]
[domain]
time = { t = [0, 2] }
[[equation]]
form = "u_t = 1 + u^2"
[[condition]]
where = "t = 0"
form = "u = 0"
)toml");
  const Solution s = solve(p, in_windows(0, {{LevenbergMarquardtOptions{}, 40}}),
                           {.threads = 1, .estimate = true});
  EXPECT_NE(s.grade, Grade::converged);
  const auto told = [](const std::vector<std::string>& all, const char* what) {
    return std::any_of(all.begin(), all.end(), [&](const std::string& text) {
      return text.find(what) != std::string::npos;
    });
  };
  EXPECT_TRUE(told(s.findings, "beyond t = 1.57"));
  EXPECT_TRUE(told(s.warnings, "grows beyond all bounds"));
  EXPECT_NEAR(s("u", {1.2}), std::tan(1.2), 0.05);
}

}  // namespace
}  // namespace cauchy::test_pinn_windows
