#include <cauchy/files/run_folder.hpp>

#include <sys/resource.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <filesystem>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cauchy/io/files.hpp>

#include "support/io_support.hpp"

namespace cauchy::test_run_folder {
namespace {

namespace fs = std::filesystem;

/// A tetrahedron with corners 0, e1, e2, e3.
constexpr const char* tetrahedron =
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

/// A problem with every kind of data: a surface, a function, measurements and a reference.
class RunFolderTest : public ::testing::Test {
 protected:
  RunFolderTest() {
    fs::create_directories(root / "input/parts");
    root.write("input/parts/body.obj", tetrahedron);
    root.write("input/m.csv", "x,y,z,v\n0.1,0.1,0.1,1\n0.2,0.1,0.3,2\n");
    root.write("input/a.csv", "x,a\n0,1\n1,2\n");
    root.write("input/r.csv",
               "x,y,z,u\n0,0,0,1\n0,0,1,1\n0,1,0,1\n0,1,1,1\n1,0,0,1\n1,0,1,1\n1,1,0,1\n1,1,1,1\n");
    root.write("input/p.toml", R"toml(
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
[reference]
file = "r.csv"
[method]
network = { width = 4, depth = 1 }
points = { interior = 20 }
stages = [{ optimizer = "adam", steps = 2 }]
)toml");
  }
  [[nodiscard]] ProblemFile file(const std::vector<std::string>& settings = {}) const {
    return read_problem_file(root / "input/p.toml", settings);
  }
  /// Replaces a text in a file that holds it.
  void change(const std::string& name, const std::string& from, const std::string& to) const {
    std::string text = content(root / name);
    ASSERT_NE(text.find(from), std::string::npos) << name;
    root.write(name, text.replace(text.find(from), from.size(), to));
  }
  /// Messages without the path of the test.
  [[nodiscard]] std::string begin_error(const std::string& folder) const {
    return error_of([&] { (void)begin_run(root / folder, file()); }, root.path());
  }
  [[nodiscard]] std::string resume_error(const std::string& folder, const ProblemFile& same) const {
    return error_of([&] { (void)resume_run(root / folder, same); }, root.path());
  }
  [[nodiscard]] std::set<std::string> files_in(const std::string& folder) const {
    std::set<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      names.insert(entry.path().lexically_relative(root / folder).string());
    }
    return names;
  }
  const TemporaryFolder root;
  const std::set<std::string> begun = {"problem.toml",        "data",
                                       "data/function_a.csv", "data/observation_1.csv",
                                       "data/reference.csv",  "data/surface_1.obj"};
};

TEST_F(RunFolderTest, NeedsNothingOutsideOfIt) {
  const ProblemFile problem = file();
  EXPECT_EQ(surface_files(problem.problem),
            std::vector<std::string>{(root / "input/parts/body.obj").string()});
  Solution s;
  {
    const RunFolder run = begin_run(root / "run", problem);
    s = solve(problem.problem, problem.method, {.threads = 1});
    finish_run(run, problem, s, {"test", 1});
  }
  EXPECT_EQ(read_file(root / "run/data/surface_1.obj"), tetrahedron);
  EXPECT_EQ(resume_error("run", problem),
            "run: the run is finished; start a new one without --resume");

  const std::vector<double> at{0.2, 0.2, 0.2, 0.5, 0.1, 0.1};
  fs::remove_all(root / "input");
  fs::rename(root / "run", root / "moved");
  const LoadedRun loaded = load_run(root / "moved", 1);
  EXPECT_EQ(loaded.solution("u", at), s("u", at));
  EXPECT_EQ(loaded.file.problem.observation[0].table.column("v"), (std::vector<double>{1, 2}));
  // The problem of the folder is the same problem, also to --resume.
  EXPECT_EQ(resume_error("moved", loaded.file),
            "moved: the run is finished; start a new one without --resume");
}

// --- one run at a time ---

TEST_F(RunFolderTest, IsHeldByOneRun) {
  const std::string held = fmt::format("run: the run is still going on (process {} on ", getpid());
  {
    const RunFolder run = begin_run(root / "run", file());
    EXPECT_TRUE(begin_error("run").starts_with(held)) << begin_error("run");
    EXPECT_TRUE(resume_error("run", file()).starts_with(held)) << resume_error("run", file());
    std::set<std::string> while_it_runs = begun;
    while_it_runs.insert("lock");
    EXPECT_EQ(files_in("run"), while_it_runs);
  }
  EXPECT_EQ(files_in("run"), begun);
  EXPECT_TRUE(begin_error("run").starts_with("run: the folder holds a run already; "))
      << begin_error("run");
  {
    const RunFolder run = resume_run(root / "run", file());
    EXPECT_EQ(run.seconds(), 0);
    EXPECT_TRUE(resume_error("run", file()).starts_with(held)) << resume_error("run", file());
  }
}

TEST_F(RunFolderTest, NumbersFoldersThatExist) {
  const RunFolder a = begin_next_run(root / "runs/p", file());
  const RunFolder b = begin_next_run(root / "runs/p", file());
  root.write("runs/p-3", "a file");
  const RunFolder c = begin_next_run(root / "runs/p", file());
  EXPECT_EQ(a.path(), root / "runs/p");
  EXPECT_EQ(b.path(), root / "runs/p-2");
  EXPECT_EQ(c.path(), root / "runs/p-4");
  EXPECT_EQ(content(root / "runs/p-3"), "a file");
}

TEST_F(RunFolderTest, TakesAnEmptyFolderAlsoByALink) {
  fs::create_directories(root / "empty");
  fs::create_directory_symlink("empty", root / "link");
  RunFolder run = begin_run(root / "link", file());
  EXPECT_TRUE(fs::exists(root / "empty/problem.toml"));
  run.discard();
  EXPECT_EQ(files_in("empty"), std::set<std::string>{}) << "it was there before, so it stays";
}

// --- files of others ---

TEST_F(RunFolderTest, RefusesOtherFilesAndLeavesThemAlone) {
  for (const std::string name :
       {"notes.txt", "lock", "events.out.tfevents.1.einstein", ".hidden", "result.json"}) {
    const std::string folder = "of_" + name;
    fs::create_directories(root / folder);
    root.write(folder + "/" + name, "theirs");
    const std::string error = begin_error(folder);
    EXPECT_TRUE(error.starts_with(name == "lock" ? folder + "/lock: is not the lock of a run; "
                                                 : folder + ": the folder holds other files: '" +
                                                       name + "'; choose another one with --out"))
        << error;
    EXPECT_EQ(files_in(folder), std::set<std::string>{name});
    EXPECT_EQ(content(root / folder / name), "theirs");
  }
  // Data that no run of ours has begun with.
  fs::create_directories(root / "foreign/data");
  root.write("foreign/data/observation_1.csv", "theirs");
  EXPECT_EQ(begin_error("foreign"),
            "foreign: the folder holds other files: 'data'; choose another one with --out");
  EXPECT_EQ(content(root / "foreign/data/observation_1.csv"), "theirs");
  root.write("plain", "");
  EXPECT_TRUE(begin_error("plain").starts_with("plain: the folder cannot be made: "));
}

TEST_F(RunFolderTest, CountsAKilledBeginningAsNothing) {
  fs::create_directories(root / "run/data");
  root.write("run/lock", "cauchy run, process 1 on einstein\n");
  root.write("run/data/observation_1.csv", "half");
  root.write("run/data/.reference.csv.77.3.tmp", "half");
  root.write("run/.problem.toml.77.4.tmp", "half");
  { const RunFolder run = begin_run(root / "run", file()); }
  EXPECT_EQ(files_in("run"), begun);
  // But not when anything else is there.
  fs::remove(root / "run/problem.toml");
  root.write("run/lock", "");
  root.write("run/data/mine.csv", "theirs");
  EXPECT_EQ(begin_error("run"),
            "run: the folder holds other files: 'data/mine.csv'; choose another one with --out");
}

TEST_F(RunFolderTest, DiscardsItsOwnFilesOnly) {
  {
    RunFolder run = begin_run(root / "run", file());
    run.discard();
  }
  EXPECT_FALSE(fs::exists(root / "run"));
  RunFolder run = begin_run(root / "run", file());
  root.write("run/notes.txt", "theirs");
  root.write("run/data/more.csv", "theirs");
  root.write("run/log.csv", "");
  root.write("run/events.out.tfevents.1.2.3.cauchy", "");
  root.write("run/events.out.tfevents.1.einstein", "theirs");
  run.discard();
  EXPECT_EQ(files_in("run"), (std::set<std::string>{"data", "data/more.csv", "notes.txt",
                                                    "events.out.tfevents.1.einstein"}));
}

TEST_F(RunFolderTest, RemovesWhatAKilledRunHasHalfWritten) {
  { const RunFolder run = begin_run(root / "run", file()); }
  for (const char* name : {"run/.checkpoint.bin.77.3.tmp", "run/.log.csv.77.12.tmp",
                           "run/.report.html.1.1.tmp", "run/data/.reference.csv.5.0.tmp"}) {
    root.write(name, "half");
  }
  const char* theirs[] = {".notes.txt.77.3.tmp", "checkpoint.bin.77.3.tmp", ".log.csv.77.tmp"};
  for (const std::string name : theirs) root.write("run/" + name, "theirs");
  { const RunFolder run = resume_run(root / "run", file()); }
  std::set<std::string> expected = begun;
  expected.insert(std::begin(theirs), std::end(theirs));
  EXPECT_EQ(files_in("run"), expected);
}

TEST_F(RunFolderTest, DoesNotFollowLinksInTheFolder) {
  for (const std::string name : {"checkpoint.bin", "log.csv", "data/reference.csv", "lock"}) {
    const std::string folder = "run_" + fs::path(name).stem().string();
    { const RunFolder run = begin_run(root / folder, file()); }
    root.write("elsewhere", content(root / folder / name));
    const std::string before = content(root / "elsewhere");
    fs::remove(root / folder / name);
    fs::create_symlink(root / "elsewhere", root / folder / name);
    const std::string error = resume_error(folder, file());
    EXPECT_NE(error.find(name + ": "), std::string::npos) << error;
    EXPECT_NE(error.find("is a symbolic link"), std::string::npos) << error;
    EXPECT_EQ(content(root / "elsewhere"), before);
  }
}

TEST_F(RunFolderTest, LeavesNothingWhenItCannotBeWritten) {
  const ProblemFile problem = file();
  // A limit on file sizes stands in for a full disk: both fail in the system call that writes.
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = 200;  // enough for the tables
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string message =
      error_of([&] { (void)begin_run(root / "run", problem); }, root.path());
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(message, "run/problem.toml: cannot write: File too large");
  EXPECT_FALSE(fs::exists(root / "run"));
}

// --- changes of problem and data ---

struct Change {
  std::string name, from, to;
};

TEST_F(RunFolderTest, RefusesToResumeAnotherProblemOrOtherData) {
  { const RunFolder run = begin_run(root / "run", file()); }
  const std::string other =
      "run: the folder holds a run of another problem or with other settings: ";
  EXPECT_TRUE(
      resume_error("run", file({"method.network.activation=\"sin\""}))
          .starts_with(other + "'activation = \"tanh\"' there, 'activation = \"sin\"' here; "))
      << resume_error("run", file({"method.network.activation=\"sin\""}));
  EXPECT_TRUE(resume_error("run", file({"title=\"Another\""})).starts_with(other));
  for (const Change& c :
       {Change{"a.csv", "1,2", "1,3"}, Change{"m.csv", "0.3,2", "0.3,2.5"},
        Change{"r.csv", "1,1,1,1", "1,1,1,2"}, Change{"parts/body.obj", "v 0 0 1", "v 0 0 2"}}) {
    change("input/" + c.name, c.from, c.to);
    EXPECT_EQ(error_of([&] { (void)resume_run(root / "run", file()); }, root / "input"),
              (root / "run").string() + ": the data of '" + c.name +
                  "' have changed since the run began; give the same file and settings, or start "
                  "without --resume");
    change("input/" + c.name, c.to, c.from);
  }
  EXPECT_EQ(resume_error("run", file()), "no error");
}

TEST_F(RunFolderTest, RefusesAnAnswerWhoseFolderHasChanged) {
  const ProblemFile problem = file();
  {
    const RunFolder run = begin_run(root / "run", problem);
    RunOptions options{.threads = 1, .checkpoint = root / "run/checkpoint.bin"};
    options.checkpoint_seconds = 1e-9;
    options.inputs = run.inputs();
    finish_run(run, problem, solve(problem.problem, problem.method, options), {"test", 1});
  }
  for (const Change& c :
       {Change{"problem.toml", "tanh", "sin"}, Change{"problem.toml", "0.1)", "0.05)"},
        Change{"data/function_a.csv", "1,2", "1,3"},
        Change{"data/observation_1.csv", "0.3,2", "0.3,2.5"},
        Change{"data/reference.csv", "1,1,1,1", "1,1,1,2"},
        Change{"data/surface_1.obj", "v 0 0 1", "v 0 0 2"}}) {
    change("run/" + c.name, c.from, c.to);
    const std::string changed =
        ": '" + c.name + "' has changed since the run saved this; put it back, or solve the ";
    const auto load = [&] { return error_of([&] { (void)load_run(root / "run"); }, root.path()); };
    EXPECT_EQ(load(), "run/solution.bin" + changed + "problem anew") << c.to;
    // The folder agrees with itself, but not with its checkpoint.
    fs::rename(root / "run/result.json", root / "result.json");
    const ProblemFile edited = read_problem_file(root / "run/problem.toml");
    const std::string error = error_of(
        [&] {
          const RunFolder run = resume_run(root / "run", edited);
          RunOptions options{.threads = 1, .checkpoint = root / "run/checkpoint.bin"};
          options.inputs = run.inputs();
          (void)solve(edited.problem, edited.method, options);
        },
        root.path());
    EXPECT_EQ(error, "run/checkpoint.bin" + changed + "problem anew") << c.to;
    fs::rename(root / "result.json", root / "run/result.json");
    change("run/" + c.name, c.to, c.from);
  }
  EXPECT_EQ(load_run(root / "run", 1).solution.training->steps, 2u);
}

TEST_F(RunFolderTest, ResultHoldsChoicesEventsAndIntervals) {
  ProblemFile problem = file();
  Solution s;
  s.problem = problem.problem;
  s.training.emplace();
  s.training->choices = {"a wide network"};
  s.training->events = {{120, 3.5, "points added"}};
  s.seconds = 7.25;
  s.unknowns = {{"a", 1.5}, {"b", 2}};
  s.intervals["a"] = {1.25, 1.75, 0.9, "by hand"};
  s.error.unknowns["b"] = 0.125;
  fs::create_directories(root / "done");
  root.write("done/result.json", result_json(problem, s, {}));
  const std::string text = content(root / "done/result.json");
  for (const char* part :
       {"\"recipe\": null", "\"choices\": [\n    \"a wide network\"", "\"step\": 120",
        "\"times\": {\n    \"seconds\": 7.25,\n    \"events\": [\n      3.5\n    ]\n  }",
        "\"text\": \"points added\"", "\"lower\": 1.25"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  }
  problem.method = Auto{};
  EXPECT_NE(result_json(problem, s, {}).find("\"recipe\": \"auto\""), std::string::npos);

  const RunSummary summary = read_summary(root / "done");
  EXPECT_EQ(summary.seconds, 7.25);
  ASSERT_EQ(summary.constants.size(), 2u);
  EXPECT_EQ(summary.constants[0].name, "a");
  EXPECT_EQ(summary.constants[0].value, 1.5);
  EXPECT_TRUE(std::isnan(summary.constants[0].relative_error));
  ASSERT_TRUE(summary.constants[0].interval);
  EXPECT_EQ(summary.constants[0].interval->upper, 1.75);
  EXPECT_EQ(summary.constants[0].interval->level, 0.9);
  EXPECT_EQ(summary.constants[0].interval->how, "by hand");
  EXPECT_EQ(summary.constants[1].relative_error, 0.125);
  EXPECT_FALSE(summary.constants[1].interval);
}

TEST_F(RunFolderTest, ReadsTheSecondsOfOlderRecords) {
  Solution s;
  s.problem = file().problem;
  std::string text = result_json(file(), s, {});
  text.replace(text.find("\"times\""), text.npos, "\"seconds\": 12.5\n}\n");
  fs::create_directories(root / "old");
  root.write("old/result.json", text);
  EXPECT_EQ(read_summary(root / "old").seconds, 12.5);
  root.write("old/result.json", text.replace(text.find("12.5"), 4, "null"));
  EXPECT_TRUE(std::isnan(read_summary(root / "old").seconds));
}

TEST_F(RunFolderTest, KeepsTheTimesOfAnAnswerInItsRecordAlone) {
  const ProblemFile problem = file();
  Solution s = solve(problem.problem, problem.method, {.threads = 1});
  s.training->events = {{2, 0.5, "points added"}};
  const auto write = [&](const char* name, double seconds) {
    s.seconds = seconds;
    for (HistoryEntry& h : s.training->history) h.seconds = seconds;
    s.training->events[0].seconds = seconds / 2;
    const RunFolder run = begin_run(root / name, problem);
    finish_run(run, problem, s, {"test", 1});
    return content(root / name / "solution.bin");
  };
  EXPECT_EQ(write("fast", 1), write("slow", 100));
  const Solution again = load_run(root / "slow", 1).solution;
  EXPECT_EQ(again.seconds, 100);
  EXPECT_EQ(again.training->events.at(0).seconds, 50);
  fs::remove(root / "slow/result.json");
  EXPECT_TRUE(std::isnan(load_run(root / "slow", 1).solution.seconds));
}

}  // namespace
}  // namespace cauchy::test_run_folder
