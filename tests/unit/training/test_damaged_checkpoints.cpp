// Checkpoints with right checksums and absurd contents.
#include <limits>

#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/files/problem_file.hpp>
#include <cauchy/io/checkpoint.hpp>
#include <cauchy/optimizers/any_optimizer.hpp>
#include <cauchy/optimizers/lbfgs.hpp>
#include <cauchy/solvers/method.hpp>

#include "support/checkpoint_mutations.hpp"
#include "support/message_of.hpp"
#include "support/small_problems.hpp"
#include "support/stop_after.hpp"
#include "support/temporary_folder.hpp"
#include "training/checkpoints.hpp"

namespace cauchy::test_damaged_checkpoints {
namespace {

Pinn tiny(const std::string& stages) {
  Pinn m;
  m.network = Mlp{.width = 4, .depth = 1};
  m.points = {.interior = 10, .boundary = 2};
  m.stages = parse_stages(stages);
  return m;
}

/// The run of a tiny network that was stopped after three of its steps.
struct Stopped {
  explicit Stopped(const std::string& stages) : method(tiny(stages)), file(folder / "run.bin") {
    StopAfter stop(3);
    (void)solve(problem, method, {.progress = &stop, .history_every = 1, .checkpoint = file});
    saved = load_checkpoint(file);
  }
  /// Goes on from other contents.
  void resume(const Checkpoint& c) const {
    save_checkpoint(file, c);
    (void)solve(problem, method, {.history_every = 1, .checkpoint = file});
  }
  [[nodiscard]] std::string message(const Checkpoint& c) const {
    std::string text = message_of([&] { resume(c); });
    if (const auto at = text.find(file.string()); at != text.npos) {
      text.replace(at, file.string().size(), "run.bin");
    }
    return text;
  }

  TemporaryFolder folder;
  Problem problem = rod(Expr(1));
  Pinn method;
  std::filesystem::path file;
  Checkpoint saved;
};

TEST(DamagedCheckpoint, IsRefusedForWhatCannotBe) {
  const Stopped run("adam 5, lbfgs 5");
  EXPECT_EQ(run.message(run.saved), "no error");
  const auto with_number = [&](const char* name, std::uint64_t value) {
    Checkpoint c = run.saved;
    c.numbers.at(name) = value;
    return run.message(c);
  };
  const auto with_array = [&](const char* name, std::vector<double> values) {
    Checkpoint c = run.saved;
    c.arrays.at(name) = Array::list(std::move(values));
    return run.message(c);
  };
  const std::string damaged =
      "run.bin: the checkpoint is damaged; remove it, or choose another folder";
  const std::string history =
      "run.bin: the history in the checkpoint is damaged; start the run anew";
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(with_number("stage", 2), damaged);
  EXPECT_EQ(with_number("stage", ~std::uint64_t{0}), damaged);
  EXPECT_EQ(with_number("step", 6), damaged);
  EXPECT_EQ(with_number("done", 11), damaged);
  EXPECT_EQ(with_number("window_start", 4), damaged);
  EXPECT_EQ(with_array("theta", {1, 2, 3}), damaged);
  EXPECT_EQ(with_array("seconds", {nan}), damaged);
  EXPECT_EQ(with_array("seconds", {-1}), damaged);
  EXPECT_EQ(with_array("stage_rules", {nan, 0}), damaged);
  std::vector<double> rows = run.saved.array("history").values;
  for (const double step : {nan, -1.0, 1e300, 0.5}) {
    rows[0] = step;
    EXPECT_EQ(with_array("history", rows), history) << step;
  }
  // Four rows of 3 + 2 numbers are as many as five of 3 + 1: the terms must be those of the run.
  Checkpoint c = run.saved;
  ASSERT_EQ(c.number("history_terms"), 2U);
  c.numbers.at("history_terms") = 1;
  c.arrays.at("history") = Array::list(std::vector<double>(8, 0.0));
  c.texts.at("stages") = "adam\nadam\n";
  EXPECT_EQ(run.message(c), history);
}

TEST(DamagedCheckpoint, OfAnyOptimizerEndsInAnAnswerOrAnError) {
  struct Seed {
    std::shared_ptr<const Stopped> run;
    Checkpoint contents;
  };
  std::vector<Seed> seeds;
  for (const OptimizerEntry& e : all_optimizers()) {
    const auto run = std::make_shared<const Stopped>(std::string(e.name) + " 6");
    seeds.push_back({run, run->saved});
  }
  expect_answers(
      3 * seeds.size(), seeds,
      [](const Seed& seed, std::uint64_t number) {
        return Seed{seed.run, mutated_contents(seed.contents, number)};
      },
      [](const Seed& seed) { seed.run->resume(seed.contents); });
}

TEST(RestoreLbfgs, RefusesPairsWithoutAPoint) {
  Lbfgs optimizer;
  OptimizerState state;
  optimizer.save(state);
  state.arrays["rho"] = {1.0};
  EXPECT_THROW(optimizer.restore(state), Error);
}

}  // namespace
}  // namespace cauchy::test_damaged_checkpoints
