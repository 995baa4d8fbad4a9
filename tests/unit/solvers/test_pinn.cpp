#include <cauchy/solvers/method.hpp>

#include <unistd.h>

#include <cmath>
#include <filesystem>

#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/rng.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/sampling/domain_points.hpp>

#include "solvers/pinn/pinn_terms.hpp"
#include "support/message_of.hpp"
#include "support/pinn_cases.hpp"
#include "support/stop_after.hpp"
#include "support/temporary_folder.hpp"

namespace cauchy::test_pinn {
namespace {

using namespace pinn_cases;

// --- hard conditions ---

TEST(HardConditions, HoldToRoundingForAnyParameters) {
  const Region regions[] = {Rectangle({0, 0}, {2, 1}), Disk({0, 0}, 1),
                            Rectangle({0, 0}, {2, 2}) - Rectangle({1, 1}, {2, 2}),
                            Annulus({0, 0}, 0.5, 1), Disk({0, 0}, 1) - Disk({0.3, 0}, 0.2)};
  for (const Region& region : regions) {
    Problem p = poisson(region);
    p.condition = {hard(on_boundary(u == x * x - y))};
    check(p);
    const Untrained net(p, small());
    const Points points = boundary_points(*p.domain, "boundary", 200);
    const auto error = net.values({u - (x * x - y)}, points.values);
    // Boundary points are accurate to 1e-13, and the random network is of order 10.
    for (const double e : error) EXPECT_LT(std::abs(e), 1e-10) << region.str();
    const auto inside = net.values({u - (x * x - y)}, interior_points(*p.domain, 50).values);
    double largest = 0;
    for (const double e : inside) largest = std::max(largest, std::abs(e));
    EXPECT_GT(largest, 0.01);  // not everywhere
  }
}

TEST(HardConditions, BlendDifferentValuesAndTheInitialState) {
  Problem p = heat();
  p.condition = {hard(at(t == 0, u == cos(pi * x / 2))), hard(on("left", u == t)),
                 hard(on("right", u == 2 * t))};
  check(p);
  const Untrained net(p, small());
  const auto near = [&](const Expr& e, const Points& points) {
    for (const double value : net.values({e}, points.values)) EXPECT_LT(std::abs(value), 1e-13);
  };
  near(u - cos(pi * x / 2), initial_points(*p.domain, 40));
  near(u - t, boundary_points(*p.domain, "left", 40));
  near(u - 2 * t, boundary_points(*p.domain, "right", 40));
}

TEST(HardConditions, TakeTheInitialVelocityToo) {
  Problem p = heat();
  p.equation = {d(u, t, t) == d(u, x, x)};
  p.condition = {hard(at(t == 0, d(u, t) == x)), hard(at(t == 0, u == sin(x)))};
  const Untrained net(p, small());
  const Points start = initial_points(*p.domain, 40);
  for (const double e : net.values({u - sin(x)}, start.values)) EXPECT_LT(std::abs(e), 1e-14);
  for (const double e : net.values({d(u, t) - x}, start.values)) EXPECT_LT(std::abs(e), 1e-13);
}

TEST(HardConditions, RefuseWhatCannotBeBuiltIn) {
  Problem p = heat();
  p.condition = {hard(on_boundary(normal_derivative(u, std::vector<std::string>{"x"}) == 0))};
  EXPECT_EQ(message_of([&] { (void)solve(p, small()); }),
            "hard condition 'n_x*u_x = 0 on boundary': it cannot be built in: its form is not "
            "'field = value'; leave it in the loss: hard = false");
  p.condition = {hard(at(t == 1, u == 0))};
  EXPECT_EQ(message_of([&] { (void)solve(p, small()); }),
            "hard condition 'u = 0 on t = 1': it cannot be built in: only the initial time can; "
            "leave it in the loss: hard = false");
  p.condition = {hard(on("left and t > 0.5", u == 0))};
  EXPECT_EQ(message_of([&] { (void)solve(p, small()); }),
            "hard condition 'u = 0 on left and t > 0.5': it cannot be built in: it holds at some "
            "times only; leave it in the loss: hard = false");
}

TEST(Periodicity, HoldsForValuesAndAllDerivatives) {
  Problem p = heat();
  p.condition = {at(t == 0, u == sin(pi * x)), periodic(x)};
  check(p);
  const Untrained net(p, small());
  const std::vector<Expr> what{u, d(u, x), d(u, x, x), d(u, x, x, x), d(u, t)};
  const std::vector<double> left{0.3, -1, 0.9, -1}, right{0.3, 1, 0.9, 1};
  const auto a = net.values(what, left), b = net.values(what, right);
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_LT(std::abs(a[i] - b[i]), 1e-11 * (1 + std::abs(a[i])));
  }
}

// --- whole runs ---

TEST(Pinn, IsTheSameForOneAndTwoThreads) {
  const Solution a = solve(heat(), small(), {.threads = 1});
  const Solution b = solve(heat(), small(), {.threads = 2});
  EXPECT_EQ(a.training->parameters, b.training->parameters);
}

TEST(Pinn, EndsAStageThatGainsTooLittle) {
  Pinn m = small();
  m.stages = {{.method = LbfgsOptions{}, .steps = 2000, .relative_decrease = 0.9999}};
  EXPECT_LT(solve(heat(), m).training->steps, 1000u);
  m.stages[0].relative_decrease = 0;
  m.stages[0].steps = 450;
  EXPECT_EQ(solve(heat(), m).training->steps, 450u);
}

TEST(Pinn, ResumesToTheSameBits) {
  const auto file = std::filesystem::temp_directory_path() /
                    ("cauchy_resume_" + std::to_string(::getpid()) + ".bin");
  Pinn m = small();
  m.points.redraw = 7;
  m.points.batch = 32;
  m.stages = {{AdamOptions{}, 30}, {LbfgsOptions{}, 30}};
  const Solution whole = solve(heat(), m);
  for (const std::uint64_t stop : {5u, 29u, 30u, 31u, 47u}) {
    std::filesystem::remove(file);
    StopAfter progress(stop);
    const Solution part = solve(heat(), m, {.progress = &progress, .checkpoint = file});
    EXPECT_TRUE(part.interrupted);
    EXPECT_EQ(part.training->steps, stop);
    const Solution rest = solve(heat(), m, {.checkpoint = file});
    EXPECT_EQ(rest.training->parameters, whole.training->parameters) << "stopped after " << stop;
    EXPECT_EQ(rest.training->steps, whole.training->steps);
  }
  Pinn other = m;
  other.seed = 9;
  EXPECT_NE(message_of([&] {
              (void)solve(heat(), other, {.checkpoint = file});
            }).find("the checkpoint belongs to another problem or other settings"),
            std::string::npos);
  std::filesystem::remove(file);
}

TEST(Pinn, LoadsWhatItSaved) {
  const auto file = std::filesystem::temp_directory_path() /
                    ("cauchy_solution_" + std::to_string(::getpid()) + ".bin");
  const Solution a = solve(heat(), small());
  save_solution(file, a);
  const Solution b = load_solution(file, heat(), small());
  const std::vector<double> rows{0.2, 0.1, 0.7, -0.5};
  EXPECT_EQ(a("u_x", rows), b("u_x", rows));
  EXPECT_EQ(a.error.relative_l2(), b.error.relative_l2());
  EXPECT_EQ(a.training->history.size(), b.training->history.size());
  EXPECT_THROW((void)load_solution(file, poisson(Disk({0, 0}, 1)), small()), Error);
  std::filesystem::remove(file);
}

TEST(PreparedPinn, RefusesAPeriodThatDependsOnARange) {
  const Parameter L("L");
  Problem p;
  p.name = "ring";
  p.fields = {"u"};
  p.domain = Domain(Interval(x, 0, L)) * Range(L, 1, 2);
  p.equation = {d(u, x, x) - u == sin(2 * pi * x / L)};
  p.condition = {periodic(x)};
  EXPECT_NE(message_of([&] { (void)prepare(p, small()); }).find("the period of 'x' depends on"),
            std::string::npos);
  // A range that the ends do not depend on.
  p.domain = Domain(Interval(x, 0, 3)) * Range(L, 1, 2);
  EXPECT_NO_THROW((void)prepare(p, small()));
}

TEST(PreparedPinn, SaysWhenAnIntegralHasNoGaussRule) {
  Problem p = poisson(Rectangle({0, 0}, {1, 1}));
  p.condition.push_back(integral(u == 1));
  EXPECT_TRUE(prepare(p, small())->remarks().empty());
  p.domain = Rectangle({0, 0}, {1, 1}) - Disk({0.3, 0.4}, 0.2);
  const std::vector<std::string> remarks = prepare(p, small())->remarks();
  ASSERT_EQ(remarks.size(), 1u);
  EXPECT_NE(remarks[0].find("has no Gauss rule"), std::string::npos) << remarks[0];
}

TEST(PreparedPinn, WarnsOfDerivativesOfJumps) {
  Problem p;
  p.name = "materials";
  p.fields = {"u"};
  p.domain = Interval(x, 0, 1);
  p.equation = {d(where(x < 0.5, Expr(1), Expr(10)) * d(u, x), x) == -1};
  p.condition = {on_boundary(u == 0)};
  const auto prepared = prepare(p, small());
  ASSERT_EQ(warnings_of(*prepared).size(), 1u);
  EXPECT_EQ(solve(*prepared, {.limit = RunLimit().with_work(0.05)}).grade, Grade::suspicious);
}

TEST(Grades, SuspectASmallLossWithAViolatedBoundary) {
  Problem p = poisson(Rectangle({0, 0}, {1, 1}));
  p.condition = {weighted(0, on_boundary(u == 1))};
  Pinn m = small();
  m.stages = {{AdamOptions{}, 200}, {LbfgsOptions{}, 300}};
  const Solution s = solve(p, m);
  EXPECT_EQ(s.grade, Grade::suspicious);
  bool named = false;
  for (const std::string& f : s.findings) {
    named = named || f.find("'u = 1 on boundary' is violated") != std::string::npos;
  }
  EXPECT_TRUE(named);
}

TEST(Grades, CallAGoodAnswerConvergedAndABadOneStalled) {
  Problem p = heat();
  p.tolerance = 0.5;
  Pinn m = small();
  m.stages[0] = {.method = AdamOptions{.learning_rate = 5e-3}, .steps = 600};
  EXPECT_EQ(solve(p, m).grade, Grade::converged);
  p.tolerance = 1e-9;
  EXPECT_NE(solve(p, m).grade, Grade::converged);
}

TEST(Grades, CompareWithAnotherMethodAndItsOwnError) {
  Problem p = heat();
  p.reference = {};
  p.reference.code = ReferenceCode{
      {"u"}, "another method", 0.2, [](std::span<const double> points, std::span<double> values) {
        for (std::size_t i = 0; i < values.size(); ++i) {
          values[i] =
              std::exp(-pi * pi / 16 * points[2 * i]) * std::cos(pi * points[2 * i + 1] / 2);
        }
      }};
  p.tolerance = 0.5;
  Pinn m = small();
  m.stages[0] = {.method = AdamOptions{.learning_rate = 5e-3}, .steps = 600};
  const Solution s = solve(p, m);
  EXPECT_EQ(s.grade, Grade::converged);
  EXPECT_EQ(s.error.reference, "another method");
  EXPECT_EQ(s.error.reference_error, 0.2);
  bool said = false;
  for (const std::string& f : s.findings)
    said = said || f.find("against another method (accurate to 2e-01), within 0.5") != f.npos;
  EXPECT_TRUE(said);
  p.reference.code->fields = {"w"};
  EXPECT_THROW(check(p), Error);
}

TEST(Grades, CallANanDiverged) {
  Problem p = heat();
  p.equation = {d(u, t) == 0.25 * d(u, x, x) + log(u - 50)};
  EXPECT_EQ(solve(p, small()).grade, Grade::diverged);
}

// --- threads ---

/// Threads of this process, as the system counts them; 0 where it does not tell.
std::size_t n_threads_now() {
  std::error_code none;
  std::size_t n = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task", none)) {
    (void)entry;
    ++n;
  }
  return n;
}

TEST(Pinn, ARunHasOnePoolOfThreads) {
  const std::size_t before = n_threads_now();
  if (before == 0) GTEST_SKIP() << "the system does not tell";
  Pinn m = small();
  m.network = Mlp{.width = 40, .depth = 2};  // the inverse Hessian is worth several threads
  m.stages = {{AdamOptions{}, 3}, {QuasiNewtonOptions{}, 6}};
  std::size_t most = 0;
  RunOptions options{.threads = 3, .target_error = 1e-12, .history_every = 1};
  options.on_history = [&](const TrainingRecord&) { most = std::max(most, n_threads_now()); };
  (void)solve(heat(), m, options);
  EXPECT_EQ(most, before + 2) << "the caller is one of the three";
  EXPECT_EQ(n_threads_now(), before);
}

/// Everything of a history that does not depend on the clock and on what was measured.
std::vector<double> curve(const Solution& s) {
  std::vector<double> numbers = s.training->parameters;
  for (const HistoryEntry& h : s.training->history) {
    numbers.push_back(h.loss);
    numbers.insert(numbers.end(), h.terms.begin(), h.terms.end());
  }
  return numbers;
}

TEST(Pinn, MeasuresTheErrorOnTheWayWithoutChangingTheRun) {
  Pinn m = small();
  m.stages = {{AdamOptions{}, 20}, {QuasiNewtonOptions{}, 20}};
  RunOptions options{.threads = 1, .error_share = 0, .history_every = 10};
  const Solution never = solve(heat(), m, options);
  options.error_share = 1e9;
  const Solution always = solve(heat(), m, options);
  EXPECT_EQ(curve(always), curve(never));
  ASSERT_EQ(always.training->history.size(), 6u);
  for (std::size_t i = 0; i < 6; ++i) {
    const double error = always.training->history[i].error;
    EXPECT_GT(error, 0) << i;
    EXPECT_LT(error, 10) << i;
    EXPECT_EQ(std::isnan(never.training->history[i].error), i < 5) << i;
  }
  // The last entry is the error of the answer; the one before was measured at fewer points.
  EXPECT_EQ(always.training->history[5].error, always.error.relative_l2());
  EXPECT_LT(std::abs(always.training->history[4].error / always.error.relative_l2() - 1), 0.2);
  EXPECT_LT(always.training->history[5].error, always.training->history[0].error);
}

/// Keeps what it is told.
class Listener final : public Progress {
 public:
  void update(const ProgressState& at) override {
    if (stages.empty() || stages.back() != at.stage) stages.emplace_back(at.stage);
    limit = at.limit_s;
    values.clear();
    for (const ProgressValue& v : at.values) values.emplace_back(v.name);
  }
  void finish(const ProgressState&) override {}
  [[nodiscard]] bool stop_requested() const noexcept override { return false; }
  std::vector<std::string> stages, values;
  double limit = 0;
};

TEST(Pinn, TellsStageLimitAndErrorWhileItRuns) {
  Pinn m = small();
  m.stages = {{AdamOptions{}, 5}, {QuasiNewtonOptions{}, 5}};
  Listener listener;
  RunOptions options{.threads = 1, .max_seconds = 55, .history_every = 2};
  options.progress = &listener;
  (void)solve(heat(), m, options);
  EXPECT_EQ(listener.stages, (std::vector<std::string>{"adam", "ssbroyden"}));
  EXPECT_EQ(listener.limit, 55);
  EXPECT_EQ(listener.values, (std::vector<std::string>{"loss"}));  // no time for an error
  options.error_share = 1e9;
  (void)solve(heat(), m, options);
  EXPECT_EQ(listener.values, (std::vector<std::string>{"loss", "error"}));
}

TEST(Pinn, KeepsMeasuredErrorsWhenItIsResumed) {
  const TemporaryFolder folder;
  Pinn m = small();
  m.stages = {{AdamOptions{}, 40}};
  StopAfter stop(20);
  RunOptions options{.threads = 1, .error_share = 1e9, .history_every = 10};
  options.checkpoint = folder / "checkpoint.bin";
  options.progress = &stop;
  const Solution first = solve(heat(), m, options);
  options.progress = nullptr;
  options.error_share = 0;
  const Solution second = solve(heat(), m, options);
  ASSERT_EQ(second.training->history.size(), 6u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(second.training->history[i].error, first.training->history[i].error) << i;
  }
  EXPECT_TRUE(std::isnan(second.training->history[3].error));
}

}  // namespace
}  // namespace cauchy::test_pinn
