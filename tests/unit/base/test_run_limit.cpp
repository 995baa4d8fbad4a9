// Limits of runs: wishes, seconds of the one clock, counted work; the same everywhere.
#include <gtest/gtest.h>

#include <cauchy/base/clock.hpp>
#include <cauchy/base/error.hpp>
#include <cauchy/base/run_limit.hpp>
#include <cauchy/base/threads.hpp>
#include <cauchy/base/work.hpp>
#include <cmath>
#include <vector>

namespace cauchy::test_run_limit {
namespace {

using End = RunLimit::End;

/// Counts so much as one nominal second takes.
void work_for(double nominal) {
  count_work(WorkKind::memory,
             nominal * nominal_rates()[static_cast<std::size_t>(WorkKind::memory)]);
}

class Wish final : public Progress {
 public:
  void update(const ProgressState& state) override {
    ++shown;
    limit = state.limit_s;
  }
  void finish(const ProgressState&) override {}
  [[nodiscard]] bool stop_requested() const noexcept override { return wanted; }
  bool wanted = false;
  int shown = 0;
  double limit = -1;
};

TEST(RunLimit, WithoutSecondsNeverEndsHoweverLateItIs) {
  const TurnedClock late(0, 1e6);
  const RunLimit none, run = RunLimit::of_run(0, nullptr);
  work_for(1e6);
  EXPECT_EQ(none.end(), End::none);
  EXPECT_EQ(run.end(), End::none);
  EXPECT_FALSE(run.timed());
  EXPECT_TRUE(run.fits(1e9));
  EXPECT_EQ(run.left(), RunLimit::unlimited);
  EXPECT_FALSE(run.seconds_decided());
}

TEST(RunLimit, EndsAfterItsSecondsAndTellsThatTheyDecided) {
  for (double power = 1; power < 1e5; power *= 2) {
    // Whatever the clock showed before: here one bit of the sums below is lost on the way.
    const TurnedClock later(0, std::max(power - 0.6137 - clock_seconds(), 0.0));
    (void)clock_seconds();
    const TurnedClock stepped(0, 0.25);
    const RunLimit run = RunLimit::of_run(1, nullptr);
    int rounds = 0;
    while (!run.reached()) ++rounds;
    EXPECT_EQ(rounds, 3);  // readings at 0.25, 0.5, 0.75, 1
    EXPECT_EQ(run.end(), End::seconds);
    EXPECT_TRUE(run.seconds_decided());
  }
}

TEST(RunLimit, EndsAfterCountedWorkWhateverTheClockShows) {
  for (const double speed : {0.0, 1.0, 1e3}) {
    const TurnedClock clock(speed);
    const RunLimit part = RunLimit::of_run(0, nullptr).with_work(2);
    EXPECT_TRUE(part.fits(2));
    EXPECT_FALSE(part.fits(2.01));
    work_for(1.5);
    EXPECT_EQ(part.end(), End::none);
    EXPECT_NEAR(part.left(), 0.5, 1e-9);
    EXPECT_FALSE(part.fits(0.6));
    work_for(0.5);
    EXPECT_EQ(part.end(), End::work);
    EXPECT_FALSE(part.seconds_decided());
  }
}

TEST(RunLimit, APartEndsWithItsWhole) {
  const TurnedClock stands(0);
  Wish wish;
  const RunLimit run = RunLimit::of_run(0, &wish);
  const RunLimit part = run.with_work(10), half = part.share(0.5);
  EXPECT_NEAR(half.left(), 5, 1e-9);
  work_for(5);
  EXPECT_EQ(half.end(), End::work);
  EXPECT_EQ(part.end(), End::none);
  wish.wanted = true;
  EXPECT_EQ(part.end(), End::asked);
  EXPECT_EQ(run.end(), End::asked);
}

TEST(RunLimit, SecondsOfAPartDecideAboutTheWhole) {
  const TurnedClock stepped(0, 0.1);
  const RunLimit run = RunLimit::of_run(100, nullptr);
  const RunLimit part = run.share(0.01);
  EXPECT_EQ(part.max_seconds(), 100) << "as the user has set them";
  while (!part.reached()) {
  }
  EXPECT_TRUE(run.seconds_decided());
  EXPECT_EQ(run.end(), End::none);
  EXPECT_EQ(RunLimit::of_run(0, nullptr, run).end(), End::none);
}

TEST(RunLimit, WhatDoesNotFitIntoTheSecondsIsDecidedByThem) {
  const TurnedClock stands(0);
  const RunLimit run = RunLimit::of_run(3, nullptr);
  EXPECT_TRUE(run.fits(2));
  EXPECT_FALSE(run.seconds_decided());
  EXPECT_FALSE(run.fits(4));
  EXPECT_TRUE(run.seconds_decided());
}

TEST(RunLimit, ShowsItsLimitToWhoeverLooksOnAtTheWhole) {
  Wish wish;
  const RunLimit run = RunLimit::of_run(7, &wish);
  run.with_work(1).show({.step = 3});
  EXPECT_EQ(wish.shown, 1);
  EXPECT_EQ(wish.limit, 7);
}

TEST(RunLimit, InsideOfLoopsBegunLaterWorkIsNotLookedAt) {
  // Who of the threads has done what is open: only the sum afterwards is not.
  for (const int n : {1, 3}) {
    Threads pool(n);
    const RunLimit part = RunLimit().with_work(1);
    std::vector<End> inside(8, End::work), own(8, End::none);
    pool.run(8, [&](std::size_t i, int) {
      const RunLimit mine = RunLimit().with_work(0.5);
      work_for(1);
      inside[i] = part.end();
      own[i] = mine.end();
    });
    EXPECT_EQ(inside, std::vector<End>(8, End::none));
    EXPECT_EQ(own, std::vector<End>(8, End::work));
    EXPECT_EQ(part.end(), End::work);
  }
}

TEST(RunLimit, TheLimitOfAThreadIsAskedDeepDown) {
  EXPECT_NO_THROW(ask_limit("the mesh"));
  const RunLimit part = RunLimit().with_work(1);
  const LimitScope scope(part);
  EXPECT_NO_THROW(ask_limit("the mesh", 0.9));
  try {
    ask_limit("the factors", 1.1);
    ADD_FAILURE() << "it does not fit";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::interrupted);
    EXPECT_EQ(e.message(), "the factors would take about 1.1 s, more than is left");
  }
  {
    const LimitScope none({});
    work_for(1);
    EXPECT_NO_THROW(ask_limit("the mesh"));
  }
  EXPECT_THROW(ask_limit("the mesh"), Error);
  LoopLimit loop("the mesh");
  const auto rounds = [&] {
    for (int i = 0; i < 1000; ++i) loop.next(1000);
  };
  EXPECT_THROW(rounds(), Error);
}

TEST(Work, IsTheSameForAnyNumberOfThreads) {
  const auto counted_by = [](int n) {
    Threads pool(n);
    const Work before = work_of_thread();
    pool.run(100, [](std::size_t i, int) {
      count_work(WorkKind::dense, 1e6 * static_cast<double>(i) + 0.5);
      count_work(WorkKind::factors, 3);
    });
    return work_of_thread().since(before);
  };
  const Work one = counted_by(1);
  EXPECT_EQ(one.of(WorkKind::dense), 4'950'000'000u);
  EXPECT_EQ(one.of(WorkKind::factors), 300u);
  for (const int n : {2, 3, 8}) EXPECT_EQ(counted_by(n), one) << n;
}

TEST(Work, CountsNothingForWhatIsNoAmount) {
  Work work(WorkKind::pieces, NAN);
  work.add(WorkKind::pieces, -1);
  EXPECT_EQ(work, Work());
  EXPECT_EQ(nominal_seconds(work), 0);
  for (std::size_t k = 0; k < n_work_kinds; ++k) {
    const auto kind = static_cast<WorkKind>(k);
    EXPECT_NEAR(nominal_seconds({kind, nominal_rates()[k]}), 1, 1e-6) << to_string(kind);
  }
}

TEST(Clock, IsTurnedAndGoesOnFromThere) {
  const double before = clock_seconds();
  double inside = 0;
  {
    const TurnedClock stepped(0, 10);
    EXPECT_NEAR(clock_seconds() - before, 10, 1);
    inside = clock_seconds();
    EXPECT_NEAR(inside - before, 20, 1);
  }
  EXPECT_GE(clock_seconds(), inside);
  EXPECT_LT(clock_seconds(), inside + 5);
  EXPECT_THROW(TurnedClock(-1), Error);
  EXPECT_THROW(TurnedClock(1, NAN), Error);
}

}  // namespace
}  // namespace cauchy::test_run_limit
