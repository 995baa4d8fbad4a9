// Random features that are tried before a network is trained.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include <cauchy/expr/derivative.hpp>
#include <cauchy/files/problem_file.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/solvers/method.hpp>

#include "support/message_of.hpp"
#include "support/small_problems.hpp"
#include "support/stop_after.hpp"
#include "support/temporary_folder.hpp"

namespace cauchy::test_pinn_features {
namespace {

const Coordinate t("t"), x("x");
const Field u("u");

Problem smooth_rod() {
  Problem p = rod(pi * pi * sin(pi * x));
  p.reference.formulas["u"] = sin(pi * x);
  return p;
}

/// A load on the right half: u'' jumps.
Problem loaded_rod() {
  Problem p = rod(where(x > 0.5, Expr(1), Expr(0)));
  p.reference.formulas["u"] = where(x > 0.5, x * (5 - 4 * x) / 8 - 0.125, x / 8);
  return p;
}

Pinn with_features(std::vector<double> counts) {
  Pinn m;
  m.network = Mlp{.width = 6, .depth = 1};
  m.features.counts = std::move(counts);
  m.points = {.interior = 40, .boundary = 20, .initial = 60};
  m.stages = {{AdamOptions{}, 30}};
  return m;
}

std::string text_of(const Solution& s) {
  std::string text;
  for (const TrainingEvent& e : s.training->events) text += e.text + "\n";
  return text;
}

TEST(Features, AreTheAnswerOfALinearProblem) {
  const Pinn method = with_features({40});
  const Solution s = solve(smooth_rod(), method, {.threads = 1});
  EXPECT_LT(s.error.relative_l2(), 1e-9);
  EXPECT_LE(s.training->steps, 3u) << "least squares, no training";
  EXPECT_EQ(s.method, "pinn, 40 random sin features, 41 parameters");
  EXPECT_EQ(s.training->events.size(), 1u);
  EXPECT_TRUE(text_of(s).starts_with("40 random sin features of scale ")) << text_of(s);
  const TemporaryFolder folder;
  save_solution(folder / "solution.bin", s);
  const Solution again = load_solution(folder / "solution.bin", smooth_rod(), method);
  const double at[] = {0.1, 0.5, 0.77};
  EXPECT_EQ(again("u", at), s("u", at));
}

TEST(Features, HaveTheScaleThatSuitsTheAnswer) {
  // Ten half waves: 16 rad in [-1, 1] are needed.
  Problem p = rod(100 * pi * pi * sin(10 * pi * x));
  p.reference.formulas["u"] = sin(10 * pi * x);
  Pinn plain = with_features({60});
  plain.network = Elm{.features = 60, .scale = 2};
  plain.features = {};
  plain.stages = {};
  plain.points.interior = 150;
  EXPECT_GT(solve(p, plain, {.threads = 1}).error.relative_l2(), 1e-6);
  EXPECT_LT(solve(p, with_features({60}), {.threads = 1}).error.relative_l2(), 1e-8);
}

TEST(Features, LeaveWhatIsNotSmoothToTheNetwork) {
  const Pinn method = with_features({20, 40});
  const Solution s = solve(loaded_rod(), method, {.threads = 1});
  EXPECT_EQ(s.training->steps, 30u);
  EXPECT_TRUE(text_of(s).ends_with(", the network is trained\n")) << text_of(s);
  Pinn without = method;
  without.features = {};
  EXPECT_EQ(s.training->parameters,
            solve(loaded_rod(), without, {.threads = 1}).training->parameters);
  // A run that is stopped while the network is trained goes on to the same bits.
  const TemporaryFolder folder;
  StopAfter stop(11);
  RunOptions options{
      .threads = 1, .progress = &stop, .checkpoint = folder / "run.bin", .checkpoint_seconds = 1e9};
  EXPECT_TRUE(solve(loaded_rod(), method, options).interrupted);
  options.progress = nullptr;
  const Solution rest = solve(loaded_rod(), method, options);
  EXPECT_EQ(rest.training->parameters, s.training->parameters);
  EXPECT_EQ(text_of(rest), text_of(s));
}

TEST(Features, AreTheAnswerWhereTheNetworkIsFarWorse) {
  Pinn method = with_features({12});
  method.features.accept = 1e-30;
  const Solution s = solve(smooth_rod(), method, {.threads = 1});
  EXPECT_EQ(s.method, "pinn, 12 random sin features, 13 parameters");
  EXPECT_LT(s.error.relative_l2(), 1e-3);
  ASSERT_EQ(s.training->events.size(), 2u) << text_of(s);
  EXPECT_TRUE(text_of(s).ends_with(": the random features are the answer\n")) << text_of(s);
  EXPECT_EQ(s.training->events.back().step, 30u) << "the network was trained";
  // A run that was interrupted comes to the same end.
  const TemporaryFolder folder;
  StopAfter stop(11);
  RunOptions options{
      .threads = 1, .progress = &stop, .checkpoint = folder / "run.bin", .checkpoint_seconds = 1e9};
  EXPECT_TRUE(solve(smooth_rod(), method, options).interrupted);
  options.progress = nullptr;
  const Solution rest = solve(smooth_rod(), method, options);
  EXPECT_EQ(text_of(rest), text_of(s));
  EXPECT_EQ(rest.training->parameters, s.training->parameters);
  EXPECT_FALSE(rest.interrupted);
}

TEST(Features, AreTakenInTheShortestWindowsWhereTheyBeatWhatNetworksMayHave) {
  Pinn method = with_features({40});
  method.features.accept = 1e-30;
  method.rules.curriculum = WindowCurriculum{.accept = 1e-2, .first = 0.5, .shortest = 0.3};
  const Solution s = solve(heated_bar(), method, {.threads = 1});
  EXPECT_NE(text_of(s).find("t in [0, 0.5]: 40 random sin features"), std::string::npos)
      << text_of(s);
  EXPECT_EQ(text_of(s).find("networks are trained"), std::string::npos) << text_of(s);
  EXPECT_LT(s.error.relative_l2(), 1e-2);
}

/// Waves along x that hardly move.
Problem slow_waves() {
  Problem p = heated_bar();
  p.equation = {d(u, t) == d(u, x, x) / (9 * pi * pi)};
  p.condition[0] = at(t == 0, u == sin(3 * pi * x));
  p.reference = {};
  p.reference.formulas["u"] = sin(3 * pi * x) * exp(-t);
  return p;
}

TEST(Features, TurnAsFastAlongEveryAxisAsTheAnswerDoes) {
  const Pinn method = with_features({140});
  const Solution s = solve(slow_waves(), method, {.threads = 1});
  EXPECT_NE(text_of(s).find(" x ("), std::string::npos) << text_of(s);
  Pinn even = method;
  even.features = {};
  even.points.interior = 420;
  even.stages = {};
  double best = 1;
  for (const double scale : {3.2, 6.4, 12.8, 25.6}) {
    even.network = Elm{.features = 140, .scale = scale};
    best = std::min(best, solve(slow_waves(), even, {.threads = 1}).error.relative_l2());
  }
  EXPECT_LT(s.error.relative_l2(), 0.1 * best) << text_of(s);
  const TemporaryFolder folder;
  save_solution(folder / "solution.bin", s);
  const double at[] = {0.1, -0.3, 0.6, 0.2, 1, 0.9};
  EXPECT_EQ(load_solution(folder / "solution.bin", slow_waves(), method)("u", at), s("u", at));
}

TEST(Features, LeaveNoMoreTimeToNetworksThanThereIs) {
  Problem p = heated_bar();
  p.condition[0] = at(t == 0, u == 1 - abs(x));
  p.reference = {};
  Pinn method = with_features({20});
  method.rules.curriculum = WindowCurriculum{.first = 0.5, .shortest = 0.4};
  method.stages = {{AdamOptions{}, 20'000}};
  const Solution s = solve(p, method, {.threads = 1, .max_seconds = 1e-9});
  EXPECT_LT(s.training->steps, 10'000u) << "the time was over when they began";
  EXPECT_TRUE(s.interrupted);
}

TEST(Features, HandOnFromWindowToWindow) {
  Pinn method = with_features({60, 150});
  method.rules.curriculum = WindowCurriculum{.first = 0.25};
  const Solution s = solve(heated_bar(), method, {.threads = 1});
  EXPECT_LT(s.error.relative_l2(), 1e-7) << text_of(s);
  EXPECT_NE(s.method.find("random sin features"), std::string::npos) << s.method;
  EXPECT_NE(text_of(s).find("t in [0, 0.25]: "), std::string::npos) << text_of(s);
  const TemporaryFolder folder;
  save_solution(folder / "solution.bin", s);
  const Solution again = load_solution(folder / "solution.bin", heated_bar(), method);
  const double at[] = {0.1, -0.3, 0.6, 0.2, 1, 0.9};
  EXPECT_EQ(again("u", at), s("u", at));
}

TEST(Features, GiveWayToNetworksInWindowsThatTheyMiss) {
  Problem p = heated_bar();
  p.condition[0] = at(t == 0, u == 1 - abs(x));  // a kink that diffusion rounds off
  p.reference = {};
  Pinn method = with_features({20});
  method.rules.curriculum = WindowCurriculum{.first = 0.5, .shortest = 0.1};
  const Solution s = solve(p, method, {.threads = 1});
  const std::string text = text_of(s);
  EXPECT_NE(text.find(", the window is halved"), std::string::npos) << text;
  EXPECT_NE(text.find(", networks are trained"), std::string::npos) << text;
  EXPECT_NE(text.find("t in [0, 0.5]: residual"), std::string::npos)
      << "from the first length on: " << text;
}

/// -u'' + u^3 = f with u = sin(pi x).
Problem curved_rod() {
  Problem p = smooth_rod();
  const Expr v = sin(pi * x);
  p.equation = {-d(u, x, x) + u * u * u == pi * pi * v + v * v * v};
  return p;
}

TEST(Features, AreFoundByGaussNewtonStepsWhereTheProblemIsNotLinear) {
  const Pinn method = with_features({40});
  const Solution s = solve(curved_rod(), method, {.threads = 1});
  EXPECT_LT(s.error.relative_l2(), 1e-8) << text_of(s);
  EXPECT_EQ(s.method, "pinn, 40 random sin features, 41 parameters");
  EXPECT_GT(s.training->steps, 3u);
  EXPECT_LE(s.training->steps, 40u);
  const TemporaryFolder folder;
  save_solution(folder / "solution.bin", s);
  const double at[] = {0.1, 0.5, 0.77};
  EXPECT_EQ(load_solution(folder / "solution.bin", curved_rod(), method)("u", at), s("u", at));
}

TEST(Features, RefuseWhatTheyCannotBe) {
  Problem curved = heated_bar();
  curved.equation = {d(u, t) == u * d(u, x, x)};
  Pinn windows = with_features({40});
  windows.rules.curriculum = WindowCurriculum{.first = 0.5};
  EXPECT_EQ(message_of([&] { (void)prepare(curved, windows); }),
            "[method.features]: random features of windows are found by linear least squares, and "
            "the problem is not linear; leave them out");
  Pinn slowly = with_features({40});
  slowly.rules.curriculum = ContinuationCurriculum{.parameter = "viscosity", .values = {0.1}};
  EXPECT_NE(message_of([&] { (void)prepare(smooth_rod(), slowly); }).find("several trainings"),
            std::string::npos);
  Problem unknown = smooth_rod();
  unknown.unknowns = {{"k", 1.0, 0.0, {}, 0.25}};
  unknown.equation = {-Parameter("k") * d(u, x, x) == 1};
  EXPECT_NE(message_of([&] { (void)prepare(unknown, with_features({40})); }).find("unknown"),
            std::string::npos);
}

TEST(Features, AreTriedByAutoWhereTheProblemIsLinearAndSmooth) {
  const auto counts = [](const Problem& p, const Auto& recipe = {}) {
    return expand(recipe, p).pinn.features.counts;
  };
  EXPECT_EQ(counts(heated_bar()), (std::vector<double>{400, 1200}));
  EXPECT_EQ(counts(smooth_rod()), (std::vector<double>{400, 1200}));
  EXPECT_TRUE(counts(loaded_rod()).empty());
  const Coordinate y("y");
  Problem plate;
  plate.name = "plate";
  plate.fields = {"u"};
  plate.equation = {d(u, x, x) + d(u, y, y) == 0};
  plate.condition = {on_boundary(u == x * y)};
  Region holes = Rectangle({0, 0}, {1, 1});
  for (const double c : {0.2, 0.4, 0.6, 0.8}) holes = holes - Disk({c, c}, 0.05);
  plate.domain = holes;
  EXPECT_EQ(counts(plate), (std::vector<double>{400, 1200})) << "holes are tried as well";
  Problem block = plate;
  block.domain = Rectangle({0, 0}, {1, 1}) * Time(t, 0, 1);
  block.equation = {d(u, t) == d(u, x, x) + d(u, y, y)};
  block.condition.push_back(at(t == 0, u == x * y));
  EXPECT_EQ(counts(block), (std::vector<double>{1200, 2400})) << "three coordinates need more";
  Problem curved = heated_bar();
  curved.equation = {d(u, t) == u * d(u, x, x)};
  EXPECT_TRUE(counts(curved).empty());
  Problem radiating = heated_bar();
  radiating.condition[1] = on_boundary(d(u, x) == u * u);
  EXPECT_TRUE(counts(radiating).empty()) << "a condition is not linear";
  EXPECT_EQ(counts(curved_rod()), (std::vector<double>{400, 800})) << "fewer: there are steps";
  EXPECT_TRUE(counts(heated_bar(), Auto{.precision = Precision::f32}).empty());
  Auto own;
  own.stages = {{AdamOptions{}, 5}};
  EXPECT_TRUE(counts(heated_bar(), own).empty()) << "who names an optimiser wants to see it";
}

TEST(Features, AreLeftOutWhereSettingsOfTheNetworkAreGiven) {
  const std::string text = R"toml(fields = ["u"]
[domain]
space = { x = [0, 1] }
[[equation]]
form = "u_xx = -1"
[[condition]]
where = "boundary"
form = "u = 0"
)toml";
  const auto counts = [&](const std::string& set) {
    const Method method = parse_problem_file(text, "p", ".", {set}).method;
    return std::get<Pinn>(method).features.counts.size();
  };
  EXPECT_EQ(counts("method.network.width=7"), 0u);
  EXPECT_EQ(counts("method.features.counts=[30, 60]"), 2u);
}

}  // namespace
}  // namespace cauchy::test_pinn_features
