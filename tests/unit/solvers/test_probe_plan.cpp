// When a training is measured: by counts alone, no training.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>

#include "solvers/pinn/probe_plan.hpp"

namespace cauchy::test_probe_plan {
namespace {

using detail::ProbePlan;

Work flops(double n) { return {WorkKind::network, n}; }

/// What comes of a training whose steps and measurements take so many flops each; of the first
/// steps until `begin` nothing is told.
struct Counted {
  ProbePlan plan{1000};
  std::vector<std::uint64_t> steps = {}, when = {};  // measured, and at which step of the training
  double step = 1e6, probe = 2e7;

  void look(std::uint64_t at) {
    (void)plan.take(at);
    while (const auto next = plan.next()) {
      plan.measured(*next, flops(probe));
      steps.push_back(*next);
      when.push_back(at);
    }
  }
  void train(std::uint64_t from, std::uint64_t to) {
    for (std::uint64_t k = from; k <= to; ++k) {
      if (k > 0) plan.add_training(flops(step));
      look(k);
    }
  }
};

TEST(ProbePlan, MeasuresTheFirstStepAtOnceWhateverItCosts) {
  Counted run{.probe = 1e15};
  run.train(0, 1000);
  EXPECT_EQ(run.steps, (std::vector<std::uint64_t>{0}));
  EXPECT_EQ(run.when, (std::vector<std::uint64_t>{0}));
  EXPECT_LT(run.plan.left(), 0) << "nothing for the end";
  EXPECT_GT(run.plan.share(), 0.99);
}

TEST(ProbePlan, MeasuresTheWholeLadderWhereItIsCheap) {
  Counted run{.probe = 1};
  run.train(0, 100);
  EXPECT_EQ(run.steps, (std::vector<std::uint64_t>{0, 1, 2, 3, 4, 6, 9, 13, 19, 28, 42, 63, 94}));
  EXPECT_EQ(run.when, run.steps);
}

TEST(ProbePlan, StaysWithinATenthOfTheCountedWorkAndGoesWhereLeastIsKnown) {
  // A measurement is 20 steps: the second one at step 400, the third at step 600, ...
  Counted run;
  run.train(0, 399);
  EXPECT_EQ(run.steps.size(), 1u);
  run.train(400, 400);
  // Of 1, 2, 3, 4, 6, ..., 316 the last one is farthest from 0.
  EXPECT_EQ(run.steps, (std::vector<std::uint64_t>{0, 316}));
  run.train(401, 600);
  // ln(19 + 1) = 3.0 from 0 and ln(317 / 20) = 2.8 from 316.
  EXPECT_EQ(run.steps, (std::vector<std::uint64_t>{0, 316, 19}));
  EXPECT_EQ(run.when, (std::vector<std::uint64_t>{0, 400, 600}));
  run.train(601, 10'000);
  EXPECT_LE(run.plan.share(), 0.1);
  EXPECT_NEAR(run.plan.left(),
              nominal_seconds(flops(0.18 * 1e10 - 2e7 * static_cast<double>(run.steps.size()))),
              1e-12);
}

TEST(ProbePlan, WaitsWithNoMoreStepsThanThereIsRoomFor) {
  ProbePlan plan(2);
  EXPECT_TRUE(plan.take(0));
  EXPECT_TRUE(plan.take(1));
  EXPECT_FALSE(plan.take(2)) << "full";
  plan.measured(0, flops(1e6));
  EXPECT_TRUE(plan.was_measured(0));
  EXPECT_FALSE(plan.was_measured(1));
  EXPECT_TRUE(plan.take(7)) << "the ladder goes on where there is room again";
  EXPECT_FALSE(plan.take(7)) << "each once";
}

TEST(ProbePlan, GoesOnFromACheckpointAsIfNothingHadHappened) {
  Counted whole;
  whole.train(0, 5000);
  for (const std::uint64_t stop : {0u, 1u, 400u, 777u, 3333u}) {
    Counted first, second;
    first.train(0, stop);
    Checkpoint c;
    first.plan.save(c);
    second.plan.restore(c);
    second.train(stop + 1, 5000);
    std::vector<std::uint64_t> steps = first.steps;
    steps.insert(steps.end(), second.steps.begin(), second.steps.end());
    EXPECT_EQ(steps, whole.steps) << stop;
    EXPECT_EQ(second.plan.share(), whole.plan.share()) << "to the last bit";
    EXPECT_EQ(second.plan.left(), whole.plan.left());
  }
}

TEST(ProbePlan, RefusesADamagedCheckpoint) {
  Counted run;
  run.train(0, 500);
  Checkpoint c;
  run.plan.save(c);
  c.arrays["diagnosis/plan/waiting"].values[0] = -1;
  ProbePlan plan(10);
  EXPECT_THROW(plan.restore(c), Error);
  c.arrays.erase("diagnosis/plan/waiting");
  EXPECT_THROW(plan.restore(c), Error);
}

}  // namespace
}  // namespace cauchy::test_probe_plan
