#include <cauchy/solvers/restarts.hpp>

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <cauchy/base/clock.hpp>
#include <cauchy/base/error.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/geometry/primitives.hpp>

#include "support/message_of.hpp"
#include "support/small_problems.hpp"

namespace cauchy::test_restarts {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

Problem heat() { return heated_bar(); }

Pinn small() {
  Pinn m;
  m.network = Mlp{.width = 6, .depth = 2};
  m.points = {.interior = 50, .boundary = 20, .initial = 20};
  m.stages = {{AdamOptions{}, 20}};
  m.seed = 3;
  return m;
}

/// Runs that only have a last loss and an error.
Restarts with_losses(const std::vector<double>& losses, const std::vector<double>& errors = {}) {
  Restarts r;
  r.first_seed = 7;
  for (std::size_t k = 0; k < losses.size(); ++k) {
    Solution s;
    s.training.emplace();
    s.training->history = {{0, "start", 0, 100}, {5, "end", 1, losses[k]}};
    if (!errors.empty()) s.error.fields = {{"u", errors[k], 0}};
    r.runs.push_back(std::move(s));
  }
  return r;
}

TEST(Spread, OrdersNumbersAndTakesTheMiddle) {
  const Spread odd = spread({3, 1, 8});
  EXPECT_EQ(odd.min, 1);
  EXPECT_EQ(odd.median, 3);
  EXPECT_EQ(odd.max, 8);
  EXPECT_EQ(spread({4, 1, 8, 2}).median, 3);
  EXPECT_EQ(spread({5}).median, 5);
  const double huge = 1.5e308;
  EXPECT_EQ(spread({huge, huge}).median, huge);
}

TEST(Spread, TakesQuartilesBetweenTheNumbers) {
  const Spread five = spread({16, 1, 8, 2, 4});
  EXPECT_EQ(five.lower_quartile, 2);
  EXPECT_EQ(five.upper_quartile, 8);
  const Spread four = spread({8, 0, 4, 16});  // places 0.75 and 2.25
  EXPECT_EQ(four.lower_quartile, 3);
  EXPECT_EQ(four.upper_quartile, 10);
  EXPECT_EQ(spread({7}).lower_quartile, 7);
  const Spread failed = spread({1, 2, 3, nan, nan});
  EXPECT_EQ(failed.lower_quartile, 2);
  EXPECT_EQ(failed.upper_quartile, infinity);
}

TEST(Spread, CountsNaNAsInfinity) {
  const Spread s = spread({nan, 2, 1});
  EXPECT_EQ(s.min, 1);
  EXPECT_EQ(s.median, 2);
  EXPECT_EQ(s.max, infinity);
  EXPECT_EQ(spread({nan, 2, nan, infinity}).median, infinity);
  const Spread none = spread({nan, nan});
  EXPECT_TRUE(std::isnan(none.min) && std::isnan(none.median) && std::isnan(none.max));
  EXPECT_EQ(message_of([] { (void)spread({}); }), "[solvers.restarts]: no numbers have no spread");
}

TEST(Restarts, MeasureTheOptimizationErrorFromTheBestRun) {
  const Restarts r = with_losses({3, 1, 8, 1}, {0.3, 0.4, 0.1, 0.2});
  EXPECT_EQ(r.best_index(), 1u) << "the first of equal ones";
  EXPECT_EQ(&r.best(), &r.runs[1]);
  EXPECT_EQ(r.seed(2), 9u);
  EXPECT_EQ(r.loss(2), 8);
  EXPECT_EQ(r.optimization_error(0), 2);
  EXPECT_EQ(r.optimization_error(1), 0);
  EXPECT_EQ(r.optimization_error(2), 7);
  EXPECT_EQ(r.loss_spread().median, 2);
  EXPECT_EQ(r.loss_spread().max, 8);
  EXPECT_EQ(r.error_spread().min, 0.1);
  EXPECT_EQ(r.error_spread().max, 0.4);
  EXPECT_TRUE(std::isnan(with_losses({1, 2}).error_spread().median)) << "no reference";
}

TEST(Restarts, NeverPreferALossThatIsNotANumber) {
  const Restarts r = with_losses({nan, infinity, 2, nan});
  EXPECT_EQ(r.best_index(), 2u);
  EXPECT_TRUE(std::isnan(r.optimization_error(0)));
  EXPECT_EQ(r.optimization_error(1), infinity);
  EXPECT_EQ(with_losses({nan, infinity}).best_index(), 1u);
  const Restarts lost = with_losses({nan, nan});
  EXPECT_EQ(lost.best_index(), 0u);
  EXPECT_TRUE(std::isnan(lost.optimization_error(1)));
  Restarts no_history = with_losses({1});
  no_history.runs[0].training->history.clear();
  EXPECT_TRUE(std::isnan(no_history.loss(0)));
}

TEST(Restarts, SolveWithSeedsOneAfterTheOther) {
  const Problem p = heat();
  std::vector<std::size_t> seen;
  const Restarts r = solve_restarts(p, small(), 3, {.threads = 1},
                                    [&](std::size_t k, const Solution&) { seen.push_back(k); });
  ASSERT_EQ(r.runs.size(), 3u);
  EXPECT_EQ(seen, (std::vector<std::size_t>{0, 1, 2}));
  for (std::size_t k = 0; k < 3; ++k) {
    Pinn alone = small();
    alone.seed = 3 + k;
    const Solution s = solve(p, alone, {.threads = 1});
    EXPECT_EQ(r.seed(k), alone.seed);
    EXPECT_EQ(r.runs[k].training->parameters, s.training->parameters);
    EXPECT_EQ(r.loss(k), s.training->history.back().loss);
    EXPECT_GE(r.optimization_error(k), 0);
  }
  EXPECT_NE(r.loss(0), r.loss(1));
  EXPECT_EQ(r.best().training->history.back().loss, r.loss_spread().min);
}

TEST(Restarts, KnowWhetherAllRunsHadTheSamePoints) {
  const Problem p = heat();
  Pinn m = small();
  m.stages[0].steps = 2;
  EXPECT_TRUE(solve_restarts(p, m, 2, {.threads = 1}).same_points()) << "a plain Sobol sequence";
  m.points.sampler.randomize = Randomize::scramble;
  EXPECT_FALSE(solve_restarts(p, m, 2, {.threads = 1}).same_points());
  m.points.sampler = {.kind = SamplerKind::uniform};
  EXPECT_FALSE(solve_restarts(p, m, 2, {.threads = 1}).same_points());
  EXPECT_TRUE(solve_restarts(p, m, 1, {.threads = 1}).same_points());
}

/// Asks to stop in the second run.
class StopInSecondRun final : public Progress {
 public:
  void update(const ProgressState& state) override { stop_ = finished_ == 1 && state.step >= 5; }
  void finish(const ProgressState&) override { ++finished_; }
  [[nodiscard]] bool stop_requested() const noexcept override { return stop_; }

 private:
  int finished_ = 0;
  bool stop_ = false;
};

TEST(Restarts, EndTogetherWhenAskedToStop) {
  StopInSecondRun progress;
  const Restarts r = solve_restarts(heat(), small(), 4, {.threads = 1, .progress = &progress});
  ASSERT_EQ(r.runs.size(), 2u);
  EXPECT_FALSE(r.runs[0].interrupted);
  EXPECT_TRUE(r.runs[1].interrupted);
  EXPECT_EQ(r.runs[1].training->steps, 5u);
}

TEST(Restarts, GiveEachRunItsOwnTime) {
  Pinn m = small();
  m.stages[0].steps = 1'000'000;
  const TurnedClock stepped(0, 1e-3);
  const Restarts r = solve_restarts(heat(), m, 2, {.threads = 1, .max_seconds = 0.03});
  ASSERT_EQ(r.runs.size(), 2u);
  for (const Solution& s : r.runs) {
    EXPECT_TRUE(s.interrupted);
    // Half of it at least, as of every short limit, and not what an earlier run left over.
    EXPECT_GT(s.training->history.back().seconds, 0.014);
  }
}

TEST(Restarts, RefuseWhatTheyCannotDo) {
  EXPECT_EQ(message_of([] { (void)solve_restarts(heat(), small(), 0); }),
            "[solvers.restarts]: the number of restarts must be positive, got 0");
  EXPECT_EQ(message_of(
                [] { (void)solve_restarts(heat(), small(), 2, {.checkpoint = "checkpoint.bin"}); }),
            "[solvers.restarts]: a checkpoint belongs to one run, but there are several; leave it "
            "out, or solve with one seed after the other");
  EXPECT_EQ(message_of([] {
              (void)with_losses({1, 2}).optimization_error(2);
            }),
            "[solvers.restarts]: there is no run 2: they are 2, counted from 0");
  EXPECT_EQ(message_of([] { (void)Restarts{}.best_index(); }),
            "[solvers.restarts]: there is no run 0: they are 0, counted from 0");
  EXPECT_THROW((void)Restarts{}.best(), Error);
  EXPECT_THROW((void)Restarts{}.same_points(), Error);
  EXPECT_THROW((void)Restarts{}.loss_spread(), Error);
  EXPECT_THROW((void)Restarts{}.seed(0), Error);
}

}  // namespace
}  // namespace cauchy::test_restarts
