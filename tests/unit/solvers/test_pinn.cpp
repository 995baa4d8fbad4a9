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
#include "support/pinn_cases.hpp"
#include "support/stop_after.hpp"

namespace cauchy {
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
    said = said || f == "the reference itself is only good to 2e-01";
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

}  // namespace
}  // namespace cauchy
