#include <sys/resource.h>

#include <csignal>
#include <fstream>
#include <streambuf>

#include <nlohmann/json.hpp>

#include <cauchy/base/clock.hpp>
#include <cauchy/files/run_folder.hpp>

#include "cli/interrupt.hpp"
#include "cli/json.hpp"
#include "cli/plain_text.hpp"
#include "support/cli_support.hpp"

namespace cauchy::test_cli_faults {
namespace {

using namespace testing_cli;
namespace fs = std::filesystem;
using nlohmann::json;

// --- signals ---

TEST(InterruptGuard, KeepsEverySignalThatAsksToEndAsAWish) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ, SIGXCPU}) {
    struct sigaction before = {}, after = {};
    sigaction(signal, nullptr, &before);
    {
      const cli::InterruptGuard guard(std::chrono::hours(1));  // the machine may be busy
      EXPECT_FALSE(cli::InterruptGuard::requested());
      std::raise(signal);
      EXPECT_TRUE(cli::InterruptGuard::requested()) << signal;
      std::raise(signal);  // at once: people press twice
      std::raise(SIGTERM);
    }
    sigaction(signal, nullptr, &after);
    EXPECT_EQ(after.sa_handler, before.sa_handler) << signal;
  }
}

TEST(InterruptGuard, LeavesIgnoredSignalsAlone) {  // nohup
  auto* const before = std::signal(SIGHUP, SIG_IGN);
  {
    const cli::InterruptGuard guard;
    std::raise(SIGHUP);
    EXPECT_FALSE(cli::InterruptGuard::requested());
  }
  EXPECT_EQ(std::signal(SIGHUP, before), SIG_IGN);
}

TEST(InterruptGuardDeathTest, EndsAtOnceWhenItsPatienceIsOver) {
  const auto twice = [](int signal) {
    const cli::InterruptGuard guard(std::chrono::nanoseconds(0));
    std::raise(signal);
    std::raise(signal);
    std::_Exit(0);
  };
  EXPECT_EXIT(twice(SIGINT), testing::KilledBySignal(SIGINT), "");
  EXPECT_EXIT(twice(SIGHUP), testing::KilledBySignal(SIGHUP), "");
  // Each write to a closed pipe sends another one.
  EXPECT_EXIT(twice(SIGPIPE), ::testing::ExitedWithCode(0), "");
}

// --- output that cannot be written ---

TEST(Output, ThatCannotBeWrittenIsCodeTwo) {
  const Folder folder;
  const std::string file = folder.write("decay.toml", decay);
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"check", file},
           {"--help"},
           {"--version"},
           {"list", "samplers"},
           {"points", "disk((0, 0), 1)", "-n", "5"},
           {"solve", file, "--quiet", "--out", folder.file("run")}}) {
    std::ofstream full("/dev/full");
    std::ostringstream err;
    EXPECT_EQ(run_cli(words, full, err), 2) << words[0];
    EXPECT_EQ(err.str(),
              "cauchy: the output cannot be written; is the disk full, or the reader gone?\n");
  }
  EXPECT_TRUE(fs::exists(folder.file("run/result.json"))) << "the run itself is whole";
}

TEST(Solve, SavesTheRunWhenItsLogCannotBeWritten) {
  const Folder folder;
  const std::string file = folder.write("decay.toml", decay), out = folder.file("run");
  const std::vector<std::string> settings{"--quiet", "--threads", "1", "--set",
                                          "method.stage=[{optimizer=\"adam\", steps=40000}]"};
  const auto solve_words = [&](std::vector<std::string> words) {
    words.insert(words.end(), settings.begin(), settings.end());
    return words;
  };
  // A limit on file sizes stands in for a full disk.
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = 16'000;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const Result r = run(solve_words({"solve", file, "--out", out}));
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(r.code, 2) << r.out;
  EXPECT_NE(r.err.find("cannot write: File too large; the run is saved; mend that and go on with: "
                       "cauchy solve " +
                       out + " --resume\n"),
            std::string::npos)
      << r.err;
  const RunFolder saved = resume_run(out, read_problem_file(fs::path(out) / "problem.toml"));
  EXPECT_GT(saved.seconds(), 0);
}

TEST(Solve, LeavesNothingWhenItFailsBeforeTheFirstSave) {
  const Folder folder;
  const std::string file = folder.write("heat.toml", heat);
  const Result r = run({"solve", file, "--out", folder.file("run"), "--quiet", "--target-error",
                        "0.1", "--reference", "none"});
  EXPECT_EQ(r.code, 2) << r.out;
  EXPECT_NE(r.err.find("no reference"), std::string::npos) << r.err;
  EXPECT_EQ(folder.n_entries(), 1u);
}

TEST(Solve, WantsAPositiveFiniteTimeBetweenSaves) {
  const Folder folder;
  const std::string file = folder.write("decay.toml", decay);
  for (const char* bad : {"0", "-1", "nan", "inf", "1e999", "soon"}) {
    const Result r = run({"solve", file, "--out", folder.file("run"), "--checkpoint-seconds", bad});
    EXPECT_EQ(r.code, 2) << bad;
    EXPECT_NE(r.err.find("--checkpoint-seconds"), std::string::npos) << r.err;
    EXPECT_EQ(folder.n_entries(), 1u);
  }
  const TurnedClock stepped(0, 1e-3);
  EXPECT_EQ(
      run({"solve", file, "--out", folder.file("run"), "--quiet", "--checkpoint-seconds", "0.001"})
          .code,
      0);
  EXPECT_TRUE(fs::exists(folder.file("run/checkpoint.bin")));
}

TEST(Solve, KeepsItsFindingsWhenItIsInterruptedAndResumed) {
  const Folder folder;
  // The first optimiser leaves all bounds; the second one goes on from its best point.
  std::string text = decay;
  text.resize(text.find("[[method.stage]]"));
  text += R"toml(
[[method.stage]]
optimizer = "gradient_descent"
steps = 300
learning_rate = 1e30
[[method.stage]]
optimizer = "adam"
steps = 200
)toml";
  const std::string file = folder.write("decay.toml", text);
  const auto findings = [&](const std::string& out) {
    return json::parse(content(fs::path(out) / "result.json")).at("findings");
  };
  const std::string whole = folder.file("whole"), part = folder.file("part");
  (void)run({"solve", file, "--out", whole, "--quiet", "--threads", "1"});
  const auto trouble = findings(whole).at(0).get<std::string>();
  EXPECT_NE(trouble.find(" ended at step "), std::string::npos) << trouble;
  // Every call makes one step, and saves.
  std::vector<std::string> words{"solve",     file, "--out",         part,  "--quiet",
                                 "--threads", "1",  "--max-seconds", "1e-9"};
  EXPECT_EQ(run(words).code, 1);
  words.emplace_back("--resume");
  for (int i = 0; i < 5; ++i) EXPECT_EQ(run(words).code, 1);
  EXPECT_EQ(findings(part).at(0), trouble);
  (void)run({"solve", part, "--quiet", "--threads", "1", "--resume"});
  EXPECT_EQ(findings(part), findings(whole));
}

// --- names of outputs ---

TEST(Outputs, AreNotReplacedUnlessSaidSo) {
  const Folder folder;
  const std::string file = folder.write("heat.toml", heat);
  (void)run({"solve", file, "--out", folder.file("run"), "--quiet"});
  fs::create_directories(folder.file("folder"));
  const auto code = [&](const std::string& what, std::vector<std::string> more) {
    std::vector<std::string> words =
        what == "predict"
            ? std::vector<std::string>{"predict", folder.file("run"), "--grid", "t=0:1:3,x=0:1:3"}
            : std::vector<std::string>{"points", "disk((0, 0), 1)", "-n", "5"};
    words.insert(words.end(), more.begin(), more.end());
    const Result r = run(words);
    EXPECT_EQ(r.err.empty(), r.code == 0) << r.err;
    return r.code == 0 ? std::string("0") : r.err.substr(r.err.rfind('/') + 1);
  };
  const std::string exists =
      ": the file exists already; choose another name, or replace it with --force\n";
  for (const std::string what : {"predict", "points"}) {
    const std::string name = what + ".csv", path = folder.write(name, "theirs");
    EXPECT_EQ(code(what, {"--out", path}), name + exists);
    EXPECT_EQ(content(path), "theirs");
    EXPECT_EQ(code(what, {"--out", path, "--force"}), "0");
    EXPECT_NE(content(path), "theirs");
    EXPECT_EQ(code(what, {"--out", folder.file("folder"), "--force"}),
              "folder: cannot write: is a folder; name a file in it\n");
    EXPECT_NE(code(what, {"--out", folder.file("none/a.csv")}).find("none' does not exist; "),
              std::string::npos);
  }
  const std::string h5 = folder.write("grid.h5", "theirs");
  EXPECT_EQ(code("predict", {"--out", folder.file("grid.xdmf")}), "grid.h5" + exists);
  EXPECT_EQ(content(h5), "theirs");
  EXPECT_EQ(code("predict", {"--out", folder.file("grid.xdmf"), "--force"}), "0");
}

TEST(Outputs, AreNotMadeOfARunThatHasChangedSince) {
  const Folder folder;
  const std::string file = folder.write("decay.toml", decay);
  (void)run({"solve", file, "--out", folder.file("run"), "--quiet"});
  std::string text = content(folder.file("run/problem.toml"));
  folder.write("run/problem.toml", text.replace(text.find("tanh"), 4, "sin"));
  const Result r = run({"predict", folder.file("run"), "--grid", "t=0:1:3"});
  EXPECT_EQ(r.code, 2);
  EXPECT_NE(r.err.find("'problem.toml' has changed since the run saved this"), std::string::npos)
      << r.err;
}

// --- control characters ---

TEST(PlainText, ReplacesControlCharactersAndKeepsLetters) {
  EXPECT_EQ(cli::plain_text("wave \x1b[31mred\a\x7f"), "wave ?[31mred??");
  EXPECT_EQ(cli::plain_text("a\nb\tc\rd"), "a b c?d");
  EXPECT_EQ(cli::plain_text("W\xc3\xa4rme \xe6\xb3\xa2 \xf0\x9f\x8c\x8a \xc2\xb5"),
            "W\xc3\xa4rme \xe6\xb3\xa2 \xf0\x9f\x8c\x8a \xc2\xb5");
  EXPECT_EQ(cli::plain_text("\xc2\x9b"
                            "31m"),
            "?31m");
  EXPECT_EQ(cli::plain_text("\x9b\xff\xc2."), "???.");
}

TEST(PlainText, StreamsAreCleanWhereverTheyAreCut) {
  std::ostringstream out;
  cli::PlainStream plain(out);
  for (const char c : std::string("\xc3\xa4\x1b\xc2\x9b\n\xc2\xb5")) plain << c;
  plain << std::flush;
  EXPECT_EQ(out.str(), "\xc3\xa4??\n\xc2\xb5");
}

TEST(PlainText, NothingOfAFileCommandsTheTerminal) {
  const Folder folder;
  std::string text = decay;
  text.replace(text.find("\"decay\""), 7, R"("de\u001bcay")");
  text.replace(text.find("\"Exponential decay\""), 19,
               R"("Zerf\u00e4ll\u001b]0;x\u0007\u009b1m\nok: converged")");
  text.replace(text.find("form = \"u = 1\""), 14, "name = \"at \\u001b[2J0\"\nform = \"u = 1\"");
  const std::string file = folder.write("decay.toml", text);
  folder.write("wrong.toml", std::string(decay) + "[\"\\u001bkey\"]\n");
  const auto clean = [](const std::string& s) {
    return s.find_first_of("\x1b\a\x7f\r") == std::string::npos &&
           s.find("\xc2\x9b") == std::string::npos;
  };
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"check", file},
           {"check", file, "--json"},
           {"solve", file, "--quiet", "--out", folder.file("run")},
           {"solve", file, "--json", "--out", folder.file("run2")},
           {"compare", folder.file("run")},
           {"compare", file, "--restarts", "2"},
           {"list", "problems", "--folder", folder.file("")},
           {"check", folder.file("wrong.toml")}}) {
    const Result r = run(words);
    EXPECT_TRUE(clean(r.out) && clean(r.err)) << words[0] << "\n" << r.out << r.err;
    EXPECT_EQ(r.out.find("\nok: "), std::string::npos) << r.out;
  }
  const Result r = run({"check", file});
  EXPECT_NE(r.out.find("Zerf\xc3\xa4ll?]0;x??1m ok: converged"), std::string::npos) << r.out;
  // Machines get the text as it is.
  EXPECT_EQ(json::parse(run({"check", file, "--json"}).out).at("title"),
            "Zerf\xc3\xa4ll\x1b]0;x\a\xc2\x9b"
            "1m\nok: converged");
}

}  // namespace
}  // namespace cauchy::test_cli_faults
