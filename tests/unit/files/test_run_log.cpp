#include <cauchy/files/run_log.hpp>

#include <cmath>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include <cauchy/files/run_folder.hpp>
#include <cauchy/io/csv.hpp>
#include <cauchy/io/files.hpp>

#include "support/io_support.hpp"

namespace cauchy {
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

// --- the folder ---

std::string resume_error(const fs::path& folder, const ProblemFile& file) {
  try {
    (void)resume_run(folder, file);
  } catch (const Error& e) {
    return e.message();
  }
  return "no error";
}

/// A tetrahedron with corners 0, e1, e2, e3.
constexpr const char* tetrahedron =
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

TEST(RunFolder, NeedsNothingOutsideOfIt) {
  const TemporaryFolder root;
  fs::create_directories(root / "input/parts");
  write_file_atomically(root / "input/parts/body.obj", tetrahedron);
  write_file_atomically(root / "input/m.csv", "x,y,z,v\n0.1,0.1,0.1,1\n0.2,0.1,0.3,2\n");
  write_file_atomically(root / "input/a.csv", "x,a\n0,1\n1,2\n");
  write_file_atomically(root / "input/p.toml", R"toml(
fields = ["u"]
notes = 'not a file: surface("parts/body.obj")'
[domain]
region = 'surface("parts/body.obj") - ball((0, 0, 0), 0.1)'
[functions]
a = { file = "a.csv", arguments = ["x"] }
[[equation]]
form = "u_xx + u_yy + u_zz = a(x)"
[[observation]]
file = "m.csv"
column = "v"
[method]
network = { width = 4, depth = 1 }
points = { interior = 20 }
stages = [{ optimizer = "adam", steps = 2 }]
)toml");
  const ProblemFile file = read_problem_file(root / "input/p.toml");
  EXPECT_EQ(surface_files(file.problem),
            std::vector<std::string>{(root / "input/parts/body.obj").string()});
  const fs::path run = root / "run";
  begin_run(run, file);
  const Solution s = solve(file.problem, file.method, {.threads = 1});
  finish_run(run, file, s, {"test", 1});
  EXPECT_EQ(read_file(run / "data/surface_1.obj"), tetrahedron);
  EXPECT_EQ(resume_error(run, file), "the run is finished");

  const std::vector<double> at{0.2, 0.2, 0.2, 0.5, 0.1, 0.1};
  fs::remove_all(root / "input");
  fs::rename(run, root / "moved");
  const LoadedRun loaded = load_run(root / "moved", 1);
  EXPECT_EQ(loaded.solution("u", at), s("u", at));
  EXPECT_EQ(loaded.file.problem.observation[0].table.column("v"), (std::vector<double>{1, 2}));
  // The problem of the folder is the same problem, also to --resume.
  EXPECT_EQ(resume_error(root / "moved", loaded.file), "the run is finished");
}

}  // namespace
}  // namespace cauchy
