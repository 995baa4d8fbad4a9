#include <gtest/gtest.h>

#include <cmath>

#include <cauchy/files/problem_file.hpp>
#include <cauchy/solvers/method.hpp>

#include "solvers/pinn/time_system.hpp"
#include "support/formula_field.hpp"
#include "support/stop_after.hpp"
#include "support/temporary_folder.hpp"

namespace cauchy::test_time_system {
namespace {

using detail::TimeSystem;

std::shared_ptr<const Problem> shared_problem(const std::string& text) {
  return std::make_shared<const Problem>(parse_problem_file(text, "p").problem);
}

/// u' = -1000 (u - cos t) - sin t from 2: cos t + exp(-1000 t).
const char* const relaxation = R"toml(fields = ["u"]
tolerance = 1e-3
[domain]
time = { t = [0, 3] }
[[equation]]
form = "u_t = -1000*(u - cos(t)) - sin(t)"
[[condition]]
where = "t = 0"
form = "u = 2"
[reference]
u = "cos(t) + exp(-1000*t)"
)toml";

/// a and b turn into each other quickly, and a decays: only the sum is slow.
const char* const equilibrium = R"toml(fields = ["a", "b"]
tolerance = 1e-3
[domain]
time = { t = [0, 1] }
[[equation]]
form = "a_t = -1e4*a + 1e4*b - a"
[[equation]]
form = "b_t = 1e4*a - 1e4*b"
[[condition]]
where = "t = 0"
form = "a = 1"
[[condition]]
where = "t = 0"
form = "b = 1"
)toml";

TEST(TimeSystem, KnowsTheErrorOfAFieldFromItsResidual) {
  const auto problem = shared_problem(relaxation);
  const auto system = TimeSystem::of(problem);
  ASSERT_NE(system, nullptr);
  EXPECT_EQ(system->first_state(), std::vector<double>{2});
  // The solution through 1 at t = 0 is cos t; the field is off by t / 50 at most and at the end.
  const Coordinate t("t");
  const FormulaField field({"t"}, {{"u", cos(t) + 0.02 * t}});
  const auto error = system->error_of(field, 0, 1, std::vector<double>{1});
  EXPECT_NEAR(error.at_end[0], 0.02, 1e-8);
  EXPECT_NEAR(error.largest[0], 0.02, 1e-8);
  // A wrong start is forgotten within a thousandth of the time.
  const FormulaField exact({"t"}, {{"u", cos(t)}});
  const auto start = system->error_of(exact, 0, 1, std::vector<double>{1.5});
  EXPECT_NEAR(start.largest[0], 0.5, 1e-12);
  EXPECT_NEAR(start.at_end[0], 0, 1e-8);
}

TEST(TimeSystem, CountsDerivativesBelowTheHighestAsComponents) {
  const auto problem = shared_problem(R"toml(fields = ["u"]
[domain]
time = { t = [0, 2] }
[[equation]]
form = "2*u_tt = -8*u"
[[condition]]
where = "t = 0"
form = "u = 1"
[[condition]]
where = "t = 0"
form = "u_t = 0"
)toml");
  const auto system = TimeSystem::of(problem);
  ASSERT_NE(system, nullptr);
  EXPECT_EQ(system->first_state(), (std::vector<double>{1, 0}));
  const Coordinate t("t");
  const FormulaField field({"t"}, {{"u", cos(2 * t) + 1e-3 * t * t}});
  const auto error = system->error_of(field, 0, 2, system->first_state());
  EXPECT_NEAR(error.at_end[0], 4e-3, 1e-9);
  EXPECT_NEAR(error.at_end[1], 4e-3, 1e-9);
  const auto outlook = system->look_ahead(0, system->first_state(), 1, std::vector<double>(2));
  EXPECT_EQ(outlook.errors.rows(), 2u);
  EXPECT_EQ(outlook.errors.cols(), 1u);
}

TEST(TimeSystem, LooksAheadAsFarAsOneNetworkReaches) {
  const auto stiff = TimeSystem::of(shared_problem(relaxation));
  const std::vector<double> zero = {0};
  // First the fast decay, then the slow cosine.
  const auto fast = stiff->look_ahead(0, stiff->first_state(), 3, zero);
  EXPECT_GT(fast.end, 2e-4);
  EXPECT_LT(fast.end, 0.05);
  EXPECT_NEAR(fast.sizes[0], 2, 1e-12);
  EXPECT_NEAR(fast.changes[0], 1, 0.2);
  const auto slow = stiff->look_ahead(0.5, std::vector<double>{std::cos(0.5)}, 1.5, zero);
  EXPECT_EQ(slow.end, 1.5);
  EXPECT_NEAR(slow.changes[0], std::cos(0.5) - std::cos(1.5), 0.05);
  // A residual is divided by the rate where that is fast.
  EXPECT_NEAR(slow.errors(0, 0), 1.0 / (1000 + 2) / slow.sizes[0], 1e-6);
  // Known sizes keep what has decayed from being followed.
  EXPECT_NEAR(
      stiff->look_ahead(1.57, std::vector<double>{1e-9}, 1.571, std::vector<double>{1}).sizes[0],
      1e-3, 2e-4);
}

/// A switch at t = 0.7: exp(-t) before, and back to 1 after.
const char* const switched = R"toml(fields = ["u"]
tolerance = 1e-3
[domain]
time = { t = [0, 2] }
[[equation]]
form = "u_t = -u + where(t < 0.7, 0, 1)"
[[condition]]
where = "t = 0"
form = "u = 1"
[reference]
u = "where(t < 0.7, exp(-t), 1 + (exp(-0.7) - 1)*exp(0.7 - t))"
)toml";

TEST(TimeSystem, EndsWindowsWhereEquationsJump) {
  const auto system = TimeSystem::of(shared_problem(switched));
  const auto outlook = system->look_ahead(0, std::vector<double>{1}, 2, std::vector<double>{0});
  EXPECT_NEAR(outlook.end, 0.7, 1e-12);
  // At the end the equation of before holds.
  const Coordinate t("t");
  const FormulaField exact({"t"}, {{"u", exp(-t)}});
  EXPECT_LT(system->error_of(exact, 0, outlook.end, std::vector<double>{1}).largest[0], 1e-9);
}

TEST(TimeSystem, SeesSlowSumsOfFastResiduals) {
  const auto system = TimeSystem::of(shared_problem(equilibrium));
  const auto outlook = system->look_ahead(0, system->first_state(), 1, std::vector<double>(2));
  const Matrix& e = outlook.errors;
  ASSERT_EQ(e.rows(), 2u);
  for (const std::size_t i : {0u, 1u}) {
    EXPECT_LT(std::abs(e(i, 0) - e(i, 1)), 1e-3 * e(i, 0)) << "what leaves one enters the other";
    EXPECT_GT(e(i, 0) + e(i, 1), 0.1) << "what is lost stays lost";
  }
}

TEST(TimeSystem, IsNoneWhereEquationsAreAlgebraic) {
  EXPECT_EQ(TimeSystem::of(shared_problem(R"toml(fields = ["u", "v"]
[domain]
time = { t = [0, 1] }
[[equation]]
form = "u_t = -v"
[[equation]]
form = "v = u^2"
[[condition]]
where = "t = 0"
form = "u = 1"
)toml")),
            nullptr);
}

/// Small networks and short trainings: what the rules of windows make of them.
Pinn small_windows() {
  Pinn method;
  method.network = Mlp{.width = 10, .depth = 1};
  method.points.interior = 32;
  method.rules.curriculum = WindowCurriculum{
      .goal = 1e-7, .accept = 1e-4, .give_up = 0.1, .first = 0.1, .shortest = 1e-6};
  method.stages = {{LevenbergMarquardtOptions{}, 50}};
  return method;
}

TEST(Windows, SolveStiffEquations) {
  const Solution s = solve(*shared_problem(relaxation), small_windows(), {.threads = 1});
  EXPECT_EQ(s.grade, Grade::converged);
  EXPECT_LT(s.error.relative_l2(), 1e-4);
  EXPECT_NEAR(s("u", {1e-3}), std::cos(1e-3) + std::exp(-1.0), 1e-3);
}

TEST(Windows, EndWhereEquationsJump) {
  const Solution s = solve(*shared_problem(switched), small_windows(), {.threads = 1});
  EXPECT_LT(s.error.relative_l2(), 1e-5);
  for (const TrainingEvent& e : s.training->events) {
    EXPECT_EQ(e.text.find("halved"), std::string::npos) << e.text;
  }
}

TEST(Windows, FollowFastEquilibria) {
  const Solution s = solve(*shared_problem(equilibrium), small_windows(), {.threads = 1});
  // The slow eigenvalue of [-10001, 10000; 10000, -10000].
  const double rate = -10000.5 + std::sqrt(1e8 + 0.25);
  EXPECT_NEAR(s("a + b", {1.0}), 2 * std::exp(rate), 1e-3);
}

TEST(Windows, OfStiffEquationsAreResumedToTheSameBits) {
  Pinn method = small_windows();
  std::get<WindowCurriculum>(method.rules.curriculum).accept = 1e-2;
  method.stages = {{LevenbergMarquardtOptions{}, 12}};
  const Problem problem = *shared_problem(relaxation);
  const Solution whole = solve(problem, method, {.threads = 1});
  ASSERT_GT(whole.training->steps, 40u);
  const TemporaryFolder folder;
  for (const std::uint64_t at : {5u, 12u, 13u, 30u}) {
    StopAfter stop(at);
    RunOptions options{.threads = 1,
                       .progress = &stop,
                       .checkpoint = folder / "run.bin",
                       .checkpoint_seconds = 1e9};
    EXPECT_TRUE(solve(problem, method, options).interrupted) << at;
    options.progress = nullptr;
    const Solution rest = solve(problem, method, options);
    const double t[] = {1e-4, 1e-2, 0.5, 2.9};
    EXPECT_EQ(rest("u", t), whole("u", t)) << at;
    EXPECT_EQ(rest.training->steps, whole.training->steps) << at;
    std::filesystem::remove(folder / "run.bin");
  }
}

}  // namespace
}  // namespace cauchy::test_time_system
