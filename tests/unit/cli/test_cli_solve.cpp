#include <nlohmann/json.hpp>

#include <cauchy/base/clock.hpp>
#include <cauchy/base/error.hpp>
#include <cauchy/files/run_folder.hpp>
#include <cauchy/io/checkpoint.hpp>
#include <cauchy/io/csv.hpp>

#include "support/cli_support.hpp"
#include "support/ctrl_c.hpp"

namespace cauchy::test_cli_solve {
namespace {

using namespace testing_cli;
namespace fs = std::filesystem;
using nlohmann::json;

TEST(SolveCommand, WritesEveryFileOfARunAndGradesIt) {
  const Folder folder;
  const std::string file = folder.write("decay.toml", decay), out = folder.file("run");
  const Result r = run({"solve", file, "--out", out, "--threads", "1", "--quiet"});
  EXPECT_EQ(r.code, 0) << r.out << r.err;
  EXPECT_EQ(r.err, "");
  EXPECT_NE(r.out.find("Exponential decay: converged\n"), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("folder " + out), std::string::npos) << r.out;
  for (const char* name :
       {"problem.toml", "solution.bin", "log.csv", "result.json", "report.html"}) {
    EXPECT_TRUE(fs::exists(fs::path(out) / name)) << name;
  }
  bool events = false;
  for (const auto& entry : fs::directory_iterator(out)) {
    events = events || entry.path().filename().string().starts_with("events.out.tfevents.");
  }
  EXPECT_TRUE(events);
  const Table log = read_csv(fs::path(out) / "log.csv", {.allow_nonfinite = true});
  EXPECT_EQ(log.columns[3], "loss");
  EXPECT_EQ(log.columns[4], "error");
  ASSERT_EQ(log.columns.size(), 7u);  // step, stage, seconds, loss, error and two terms
  // The loss is the sum of its terms, up to the rounding of one addition.
  const std::vector<double> loss = log.column("loss");
  for (std::size_t i = 0; i < log.rows(); ++i) {
    EXPECT_NEAR(loss[i], log.values[i * 7 + 5] + log.values[i * 7 + 6], 4e-16 * (1 + loss[i]));
  }
  const json result = json::parse(content(fs::path(out) / "result.json"));
  EXPECT_EQ(result.at("grade"), "converged");
  EXPECT_EQ(log.column("error").back(), result.at("error").at("relative_l2"));
  const std::string report = content(fs::path(out) / "report.html");
  for (const char* row : {"<td>seed</td><td>1</td>", "<td>threads</td><td>1</td>",
                          "<td>precision</td><td>f64</td>", "<td>version of Cauchy</td><td>"}) {
    EXPECT_NE(report.find(row), std::string::npos) << row;
  }
  EXPECT_EQ(result.at("interrupted"), false);
  EXPECT_LT(result.at("error").at("relative_l2").get<double>(), 0.05);
}

TEST(SolveCommand, PrintsOneJsonObject) {
  const Folder folder;
  const std::string file = folder.write("decay.toml", decay), out = folder.file("run");
  const Result r = run({"solve", file, "--out", out, "--json", "--seed", "7", "--precision", "f32",
                        "--set", "method.network.width=6", "--set", "tolerance=0.1"});
  EXPECT_EQ(r.err, "");
  const json result = json::parse(r.out);
  EXPECT_EQ(result.at("folder"), out);
  EXPECT_EQ(result.at("seed"), 7);
  EXPECT_EQ(result.at("precision"), "f32");
  EXPECT_EQ(result.at("error").at("tolerance"), 0.1);
  EXPECT_EQ(result.at("parameters"), 6 * 2 + 6 * 7 + 7);
  EXPECT_EQ(r.code, result.at("grade") == "converged" ? 0 : 1);
}

/// The decay without its reference, trained until nothing contradicts the answer.
std::string decay_alone() {
  std::string text = decay;
  text.replace(text.find("[reference]"), std::string("[reference]\nu = \"exp(-t)\"").size(), "");
  return text;
}

TEST(SolveCommand, TakesAnUnverifiedAnswerOnlyWhenAskedTo) {
  const Folder folder;
  const std::string file = folder.write("decay.toml", decay_alone());
  const std::vector<std::string> call = {
      "solve",       file,   "--quiet",    "--optimizer", "adam 200, levenberg_marquardt 60",
      "--reference", "none", "--estimate", "none"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), call.begin(), call.end());
    return run(more);
  };
  const Result plain = with({"--out", folder.file("a")});
  EXPECT_EQ(plain.code, 1);
  EXPECT_NE(plain.out.find("Exponential decay: unverified\n"), std::string::npos) << plain.out;
  EXPECT_NE(plain.out.find("nothing contradicts the answer: the largest residual is"),
            std::string::npos)
      << plain.out;
  EXPECT_EQ(with({"--out", folder.file("b"), "--accept", "unverified"}).code, 0);
  EXPECT_EQ(with({"--out", folder.file("c"), "--accept", "diverged"}).code, 2);
}

TEST(SolveCommand, EstimatesTheErrorWithoutAReference) {
  const Folder folder;
  const std::string file = folder.write("decay.toml", decay_alone());
  const std::string out = folder.file("run");
  const std::vector<std::string> call = {
      "solve",       file,  "--quiet", "--optimizer", "adam 200, levenberg_marquardt 60",
      "--reference", "none"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), call.begin(), call.end());
    return run(more);
  };
  const Result r = with({"--out", out});
  EXPECT_EQ(r.code, 0) << r.out;
  EXPECT_NE(r.out.find("estimated relative error"), std::string::npos) << r.out;
  const json estimate = json::parse(std::ifstream(folder / "run/result.json")).at("estimate");
  EXPECT_GT(estimate.at("relative_l2").get<double>(), 0);
  EXPECT_GE(estimate.at("stated"), estimate.at("relative_l2"));
  EXPECT_EQ(estimate.at("fields").at(0).at("field"), "u");
  const Result table =
      run({"predict", out, "--grid", "t=0.5", "--of", "u, double=2*u", "--with-error"});
  EXPECT_EQ(table.code, 0) << table.err;
  EXPECT_NE(table.out.find("t,u,u_error,double,double_error\n"), std::string::npos) << table.out;
  const Result none = with({"--out", folder.file("b"), "--estimate", "none", "--improve"});
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.err.find("--improve"), std::string::npos) << none.err;
  EXPECT_EQ(with({"--out", folder.file("c"), "--improve"}).code, 0);
  EXPECT_EQ(with({"--out", folder.file("d"), "--estimate", "second"}).code, 0);
  const Result bare =
      with({"--out", folder.file("e"), "--estimate", "none", "--accept", "unverified"});
  EXPECT_EQ(bare.code, 0);
  const Result unknown = run({"predict", folder.file("e"), "--grid", "t=0.5", "--with-error"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_NE(unknown.err.find("not known point by point"), std::string::npos) << unknown.err;
}

TEST(SolveCommand, TellsTheWarningsOfTheProblem) {
  const Folder folder;
  std::string text = decay_alone();
  text.replace(text.find("[[condition]]"),
               std::string("[[condition]]\nwhere = \"t = 0\"\nform = \"u = 1\"").size(), "");
  const std::string file = folder.write("decay.toml", text), out = folder.file("run");
  const Result r = run({"solve", file, "--out", out, "--quiet", "--accept", "unverified"});
  EXPECT_EQ(r.code, 1);
  EXPECT_NE(r.out.find("suspicious\n"), std::string::npos) << r.out;
  const char* warning = "field 'u' has 0 of 1 initial condition";
  EXPECT_NE(r.out.find(warning), std::string::npos) << r.out;
  const json result = json::parse(content(fs::path(out) / "result.json"));
  EXPECT_NE(result.at("warnings").at(0).get<std::string>().find(warning), std::string::npos);
  EXPECT_GE(result.at("checks").at(0).at("points"), 300);
  EXPECT_NE(content(fs::path(out) / "report.html").find("0 of 1 initial condition"),
            std::string::npos);
}

TEST(SolveCommand, EndsWithCodeOneWhenTheToleranceIsMissed) {
  const Folder folder;
  const std::string file = folder.write("decay.toml", decay);
  const Result r =
      run({"solve", file, "--out", folder.file("run"), "--quiet", "--set", "tolerance=1e-12"});
  EXPECT_EQ(r.code, 1);
  EXPECT_NE(r.out.find("above 1e-12"), std::string::npos) << r.out;
}

std::vector<double> parameters_in(const std::string& folder) {
  return load_checkpoint(fs::path(folder) / "solution.bin").array("theta").values;
}

TEST(SolveCommand, StopsAtCtrlCSavesAndResumesToTheSameBits) {
  const Folder folder;
  const std::string file = folder.write("decay.toml", decay);
  // Long enough that the signal comes in the middle of it on any machine.
  const std::vector<std::string> settings{"--quiet", "--threads", "1", "--set",
                                          "method.stage=[{optimizer=\"adam\", steps=8000}]"};
  const auto words = [&](std::vector<std::string> first) {
    first.insert(first.end(), settings.begin(), settings.end());
    return first;
  };
  const std::string whole = folder.file("whole"), part = folder.file("part");
  {
    const CtrlC ctrl_c;
    const Result r = run(words({"solve", file, "--out", part}));
    EXPECT_EQ(r.code, 1) << r.out;
    EXPECT_NE(r.out.find("go on with: cauchy solve " + part + " --resume"), std::string::npos)
        << r.out << r.err;
  }
  struct sigaction now = {};
  sigaction(SIGINT, nullptr, &now);
  EXPECT_EQ(now.sa_handler, SIG_DFL) << "the handler of before is back";
  const json stopped = json::parse(content(fs::path(part) / "result.json"));
  EXPECT_EQ(stopped.at("interrupted"), true);
  EXPECT_LT(stopped.at("steps").get<int>(), 8000);
  // The folder alone is enough to go on: it holds problem and settings.
  const Result resumed = run({"solve", part, "--resume", "--quiet", "--threads", "1"});
  EXPECT_EQ(resumed.err, "");
  (void)run(words({"solve", file, "--out", whole}));
  EXPECT_EQ(json::parse(content(fs::path(part) / "result.json")).at("steps"), 8000);
  EXPECT_EQ(parameters_in(part), parameters_in(whole));
  // A finished run cannot be resumed.
  const Result again = run({"solve", part, "--resume", "--quiet", "--threads", "1"});
  EXPECT_EQ(again.code, 2);
  EXPECT_NE(again.err.find("the run is finished"), std::string::npos) << again.err;
}

TEST(SolveCommand, GivesAResumedRunItsTimeAnew) {
  const Folder folder;
  const TurnedClock stepped(0, 1e-4);
  const std::string file = folder.write("decay.toml", decay), out = folder.file("run");
  const std::vector<std::string> more{"--out",
                                      out,
                                      "--quiet",
                                      "--max-seconds",
                                      "0.05",
                                      "--set",
                                      "method.stage=[{optimizer=\"adam\", steps=1000000}]"};
  const auto steps = [&](const char* resume) {
    std::vector<std::string> words{"solve", file};
    if (*resume != '\0') words.emplace_back(resume);
    words.insert(words.end(), more.begin(), more.end());
    EXPECT_EQ(run(words).code == 2, false);
    return json::parse(content(fs::path(out) / "result.json")).at("steps").get<int>();
  };
  const int first = steps("");
  EXPECT_GT(first, 0);
  EXPECT_GT(steps("--resume"), first + 1);
}

TEST(SolveCommand, NumbersFoldersThatExist) {
  const Folder folder;
  const fs::path here = fs::current_path();
  const std::string file = folder.write("decay.toml", decay);
  fs::current_path(folder.file(""));
  const Result a = run({"solve", file, "--quiet"}), b = run({"solve", file, "--quiet"});
  fs::current_path(here);
  EXPECT_NE(a.out.find("folder runs/decay\n"), std::string::npos) << a.out << a.err;
  EXPECT_NE(b.out.find("folder runs/decay-2\n"), std::string::npos) << b.out << b.err;
}

TEST(SolveCommand, KeepsTablesInTheFolderOfTheRun) {
  const Folder folder;
  const std::string text = std::string(decay) + R"(
[[observation]]
file = "sensors.csv"
of = "u"
)";
  folder.write("sensors.csv", "t,u\n0.5,0.60653\n1,0.36788\n");
  const std::string file = folder.write("decay.toml", text), out = folder.file("run");
  const Result r = run({"solve", file, "--out", out, "--quiet"});
  EXPECT_EQ(r.code, 0) << r.err;
  fs::remove(folder.file("sensors.csv"));
  const Result later = run({"predict", out, "--grid", "t=0:1:3"});
  EXPECT_EQ(later.code, 0) << later.err;
  EXPECT_EQ(lines_of(later.out), 4u);
}

struct BadCall {
  std::vector<std::string> words;
  std::string message;
};
void PrintTo(const BadCall& c, std::ostream* out) { *out << c.message; }
class BadSolve : public ::testing::TestWithParam<BadCall> {};
// FILE is a good problem, HELD a folder that holds a run of another problem, PLAIN a plain file.
INSTANTIATE_TEST_SUITE_P(
    Cases, BadSolve,
    ::testing::Values(
        BadCall{{"no_such_file.toml"}, "cauchy: no_such_file.toml: "},
        BadCall{{"FILE", "--set", "method.network.widht=3"}, "unknown key 'widht'"},
        BadCall{{"FILE", "--out", "PLAIN/run"}, "PLAIN/run: the folder cannot be made: "},
        BadCall{{"FILE", "--out", "HELD"}, "HELD: the folder holds a run already; "},
        BadCall{{"FILE", "--out", "HELD", "--resume"},
                "HELD: the folder holds a run of another problem or with other settings: 'name = "
                "\"other\"' there, "},
        BadCall{{"FILE", "--out", "NEW", "--resume"}, "NEW: there is no run to resume; "},
        BadCall{{"FILE", "--precision", "f16"},
                "cauchy: --precision: there is no 'f16'; choose one of: f64, f32"},
        BadCall{{"FILE", "--threads", "0"}, "cauchy: --threads: "},
        BadCall{{"FILE", "--max-seconds", "-1"}, "cauchy: --max-seconds: "},
        BadCall{{"FILE", "--nonsense"}, "cauchy: --nonsense: solve has no such option; "},
        BadCall{{}, "cauchy: solve: file is missing; "},
        BadCall{{"."}, "cauchy: .: the folder holds no problem.toml; "}));

TEST_P(BadSolve, EndsWithCodeTwoAndOneSentenceAndWritesNothing) {
  const Folder folder;
  folder.write("FILE", decay);
  folder.write("PLAIN", "");
  fs::create_directories(folder.file("HELD"));
  folder.write("HELD/problem.toml", "name = \"other\"\n");
  const std::size_t before = folder.n_entries();
  const fs::path here = fs::current_path();
  fs::current_path(folder.file(""));
  std::vector<std::string> words = GetParam().words;
  words.insert(words.begin(), "solve");
  const Result r = run(words);
  fs::current_path(here);
  EXPECT_EQ(r.code, 2);
  EXPECT_EQ(r.out, "");
  EXPECT_TRUE(r.err.starts_with("cauchy: ")) << r.err;
  EXPECT_NE(r.err.find(GetParam().message), std::string::npos) << r.err;
  EXPECT_EQ(lines_of(r.err), 1u) << r.err;
  EXPECT_EQ(folder.n_entries(), before);
}

TEST(SolveCommand, WritesNothingForAConditionThatCannotBeBuiltIn) {
  const Folder folder;
  std::string text = heat;
  text.replace(text.find("form = \"u = 0\""), 14, "form = \"u_x = 0\"\nhard = true");
  const std::string file = folder.write("heat.toml", text);
  const Result r = run({"solve", file, "--out", folder.file("run")});
  EXPECT_EQ(r.code, 2) << r.out;
  EXPECT_NE(r.err.find("cannot be built in"), std::string::npos) << r.err;
  EXPECT_FALSE(fs::exists(folder.file("run")));
}

TEST(RunFolder, NamesWhatIsMissing) {
  const Folder folder;
  EXPECT_THROW((void)load_run(folder.file("nothing")), Error);
  EXPECT_THROW((void)read_summary(folder.file("")), Error);
  folder.write("result.json", "{\"problem\": 3}");
  EXPECT_THROW((void)read_summary(folder.file("")), Error);
}

}  // namespace
}  // namespace cauchy::test_cli_solve
