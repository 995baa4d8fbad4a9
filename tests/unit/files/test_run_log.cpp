#include <cauchy/files/run_log.hpp>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>

#include <gtest/gtest.h>

#include <cauchy/expr/parse.hpp>
#include <cauchy/files/problem_file.hpp>
#include <cauchy/io/csv.hpp>
#include <cauchy/io/files.hpp>

#include "support/io_support.hpp"

namespace cauchy::test_run_log {
namespace {

namespace fs = std::filesystem;

ProblemFile decay_file() {
  return parse_problem_file(R"toml(
fields = ["u"]
[domain]
time = { t = [0, 1] }
[unknown]
k = { initial = 2, lower = 0 }
[[equation]]
form = "u_t = -k*u"
[[condition]]
where = "t = 0"
form = "u = 1"
[[condition]]
point = { t = 1 }
form = "u = 0.5"
[method]
network = { width = 4, depth = 1 }
points = { interior = 10 }
stages = [{ optimizer = "adam", steps = 40 }, { optimizer = "lbfgs", steps = 20 }]
)toml",
                            "decay");
}

std::size_t n_event_files(const fs::path& folder) {
  std::size_t n = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    n += entry.path().filename().string().starts_with("events.out.tfevents.") ? 1 : 0;
  }
  return n;
}

std::uintmax_t event_bytes(const fs::path& folder) {
  std::uintmax_t bytes = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().filename().string().starts_with("events.out.tfevents.")) {
      bytes += entry.file_size();
    }
  }
  return bytes;
}

/// The columns that do not depend on the clock.
std::vector<std::vector<double>> curves(const fs::path& folder) {
  const Table table = read_csv(folder / "log.csv");
  std::vector<std::vector<double>> result;
  for (const std::string& name : table.columns) {
    if (name != "seconds") result.push_back(table.column(name));
  }
  return result;
}

TEST(RunLog, RowsAreThereWhileTheRunGoesOn) {
  const TemporaryFolder folder;
  const ProblemFile file = decay_file();
  RunLog log(folder.path());
  std::vector<std::size_t> rows;
  std::uintmax_t bytes = 0;
  RunOptions options{.threads = 1, .history_every = 10};
  options.on_history = [&](const TrainingRecord& s) {
    log.update(s);
    const Table table = read_csv(folder / "log.csv");
    rows.push_back(table.rows());
    ASSERT_EQ(table.rows(), s.history.size());
    EXPECT_EQ(table.column("loss").back(), s.history.back().loss);
    EXPECT_EQ(table.column("k").back(), s.history.back().unknowns[0]);
    EXPECT_GT(event_bytes(folder.path()), bytes);
    bytes = event_bytes(folder.path());
  };
  const Solution s = solve(file.problem, file.method, options);
  EXPECT_EQ(rows, (std::vector<std::size_t>{1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(n_event_files(folder.path()), 1u);
  const Table table = read_csv(folder / "log.csv");
  EXPECT_EQ(table.column("step"), (std::vector<double>{0, 10, 20, 30, 40, 50, 60, 60}));
  EXPECT_EQ(table.column("stage"), (std::vector<double>{0, 1, 1, 1, 1, 2, 2, 2}));
  // All at once gives the same file.
  const std::string grown = read_file(folder / "log.csv");
  RunLog(folder.path()).update(*s.training);
  EXPECT_EQ(read_file(folder / "log.csv"), grown);
  EXPECT_EQ(n_event_files(folder.path()), 1u);
}

TEST(RunLog, AResumedRunGoesOnWithoutRowsThatOccurTwice) {
  const TemporaryFolder whole, part;
  const ProblemFile file = decay_file();
  RunOptions options{.threads = 1, .history_every = 5};
  {
    RunLog log(whole.path());
    options.on_history = [&](const TrainingRecord& r) { log.update(r); };
    (void)solve(file.problem, file.method, options);
  }
  // Saved at every step until 32, then without a save until it dies at 45, in the middle of a row.
  struct Killed {};
  options.checkpoint = part / "checkpoint.bin";
  options.checkpoint_seconds = 0;
  {
    RunLog log(part.path());
    options.on_history = [&](const TrainingRecord& s) {
      log.update(s);
      if (s.history.back().step == 30) fs::copy_file(options.checkpoint, part / "early.bin");
      if (s.history.back().step == 45) throw Killed{};
    };
    EXPECT_THROW((void)solve(file.problem, file.method, options), Killed);
  }
  EXPECT_EQ(read_csv(part / "log.csv").column("step"),
            (std::vector<double>{0, 5, 10, 15, 20, 25, 30, 35, 40, 45}));
  std::ofstream(part / "log.csv", std::ios::app) << "50,2,0.1";
  fs::rename(part / "early.bin", options.checkpoint);
  {
    RunLog log(part.path());
    options.on_history = [&](const TrainingRecord& r) { log.update(r); };
    (void)solve(file.problem, file.method, options);
  }
  EXPECT_EQ(curves(part.path()), curves(whole.path()));
  EXPECT_EQ(n_event_files(part.path()), 1u);
}

TEST(RunLog, AResumedRunMeasuresErrorsAtTheSameSteps) {
  ProblemFile file = decay_file();
  file.problem.reference.formulas["u"] = parse("exp(-0.69*t)", file.problem.context());
  // Errors by step, NaN where the share of the work had no room for measuring.
  const auto errors = [&](RunOptions options) {
    options.threads = 1;
    options.history_every = 1;
    std::map<std::uint64_t, double> found;
    const Solution s = solve(file.problem, file.method, options);
    for (const HistoryEntry& h : s.training->history) {
      if (h.stage != "end" && !std::isnan(h.error)) found[h.step] = h.error;
    }
    return found;
  };
  // A share with which the first error is measured soon after step 30.
  double share = 1e-2;
  for (double factor = 10; factor > 1.001;) {
    const auto found = errors({.error_share = share * factor});
    const bool late = found.empty() || found.begin()->first > 33;
    late ? share *= factor : factor = std::sqrt(factor);
  }
  const TemporaryFolder folder;
  RunOptions options{.error_share = share};
  const auto whole = errors(options);
  ASSERT_FALSE(whole.empty());
  ASSERT_GT(whole.begin()->first, 30u);
  struct Killed {};
  options.checkpoint = folder / "checkpoint.bin";
  options.checkpoint_seconds = 0;
  options.on_history = [](const TrainingRecord& s) {
    if (s.history.back().step == 30) throw Killed{};
  };
  EXPECT_THROW((void)errors(options), Killed);
  options.on_history = {};
  EXPECT_EQ(errors(options), whole);
}

TEST(RunLog, TellsChoicesAndEventsAsTheyCome) {
  const TemporaryFolder folder;
  TrainingRecord record;
  record.term_names = {"equation"};
  record.history = {{0, "start", 0, 1, {1}}};
  folder.write("log.txt", "of an earlier part of the run");
  RunLog log(folder.path());
  log.update(record);
  EXPECT_FALSE(fs::exists(folder / "log.txt")) << "nothing to tell";
  record.choices = {"a wide network"};
  record.events = {{120, 3.21, "one\nline"}};
  log.update(record);
  EXPECT_EQ(read_file(folder / "log.txt"), "chosen: a wide network\nstep 120, 3.2 s: one line\n");
  record.events.push_back({1500, 65, "points added"});
  log.update(record);
  EXPECT_EQ(read_file(folder / "log.txt"),
            "chosen: a wide network\nstep 120, 3.2 s: one line\n"
            "step 1,500, 1 min 05 s: points added\n");
}

TEST(RunLog, RemovesNoEventFileOfAnotherProgram) {
  const TemporaryFolder folder;
  const std::string others[] = {"events.out.tfevents.1700000000.einstein",
                                "events.out.tfevents.1700000000.einstein.12.0",
                                "events.out.tfevents.12.0.cauchy"};
  for (const std::string& name : others) folder.write(name, "theirs");
  folder.write("events.out.tfevents.1700000000.12.0.cauchy", "of an earlier part");
  TrainingRecord s;
  s.history = {{0, "start", 0, 1, {}, {}}};
  RunLog(folder.path()).update(s);
  for (const std::string& name : others) EXPECT_EQ(content(folder / name), "theirs") << name;
  EXPECT_EQ(n_event_files(folder.path()), 4u);
}

TEST(RunLog, DoesNotFollowLinks) {
  const TemporaryFolder folder;
  folder.write("target", "theirs");
  fs::create_symlink("target", folder / "log.csv");
  TrainingRecord s;
  s.history = {{0, "start", 0, 1, {}, {}}};
  EXPECT_EQ(error_of([&] { RunLog(folder.path()).update(s); }, folder.path()),
            "log.csv: cannot write: is a symbolic link; remove the link");
  EXPECT_EQ(content(folder / "target"), "theirs");
}

TEST(RunLog, HasAColumnForTheErrorWhereThereIsAReference) {
  const TemporaryFolder folder;
  TrainingRecord s;
  s.term_names = {"a"};
  s.unknown_names = {"loss", "error"};  // names of other columns
  s.history = {{0, "start", 0, 4, {1}, {2, 3}}, {5, "adam", 1, 2, {1}, {2, 3}, 0.25}};
  RunLog(folder.path()).update(s);
  EXPECT_EQ(
      read_csv(folder / "log.csv").columns,
      (std::vector<std::string>{"step", "stage", "seconds", "loss", "a", "loss (2)", "error (2)"}));
  s.has_reference = true;
  RunLog(folder.path()).update(s);
  const Table table = read_csv(folder / "log.csv", {.allow_nonfinite = true});
  EXPECT_EQ(table.columns[4], "error");
  EXPECT_TRUE(std::isnan(table.column("error")[0]));
  EXPECT_EQ(table.column("error")[1], 0.25);
  EXPECT_EQ(table.column("a"), (std::vector<double>{1, 1}));
}

TEST(RunLog, NamesThePathThatCannotBeWritten) {
  TrainingRecord s;
  s.history = {{0, "start", 0, 1, {}, {}}};
  EXPECT_EQ(error_of([&] { RunLog("/nowhere/at/all").update(s); }).substr(0, 15),
            "/nowhere/at/all");
}

}  // namespace
}  // namespace cauchy::test_run_log
