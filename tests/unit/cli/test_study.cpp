#include <cmath>

#include <nlohmann/json.hpp>

#include <cauchy/files/problem_file.hpp>
#include <cauchy/files/study_file.hpp>

#include "support/cli_support.hpp"
#include "support/ctrl_c.hpp"

namespace cauchy::test_study {
namespace {

using namespace testing_cli;
namespace fs = std::filesystem;
using nlohmann::json;

/// The answer of `study ... --json` without what the clock and the folder make of it.
json timeless(const std::string& out) {
  json study = json::parse(out);
  for (const char* key : {"folder", "page", "times"}) study.erase(key);
  for (json& variant : study["variants"]) {
    for (json& one : variant["runs"]) one.erase("folder");
  }
  return study;
}

std::vector<std::string> two_by_two(const std::string& file, const std::string& out) {
  return {"study", file, "--vary", "method.points.sampler=uniform,sobol", "--seeds", "2",
          "--out", out,  "--json"};
}

TEST(StudyCommand, PrintsMediansAndWritesAPage) {
  const Folder folder;
  const std::string file = folder.write("decay.toml", decay), out = folder.file("study");
  const Result r = run({"study", file, "--vary", "method.network.width=4,8", "--seeds", "3",
                        "--seed", "5", "--threads", "1", "--out", out});
  EXPECT_EQ(r.code, 0) << r.out << r.err;
  EXPECT_NE(r.err.find("runs 100% 6/6"), std::string::npos) << r.err;
  std::istringstream lines(r.out);
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "decay: relative L2 error of decay");
  std::getline(lines, line);
  EXPECT_TRUE(line.starts_with("variant  median    lower quartile  upper quartile  worst")) << line;
  for (const char* first : {"width=4 ", "width=8 "}) {
    std::getline(lines, line);
    EXPECT_TRUE(line.starts_with(first)) << line;
    EXPECT_TRUE(line.ends_with(" 3 converged")) << line;
  }
  const json study = json::parse(content(fs::path(out) / "study.json"));
  EXPECT_EQ(study.at("measure"), "relative_l2");
  ASSERT_EQ(study.at("variants").size(), 2u);
  for (std::size_t c = 0; c < 2; ++c) {
    const json& variant = study.at("variants")[c];
    std::vector<double> errors;
    for (std::size_t k = 0; k < 3; ++k) {
      const json& one = variant.at("runs")[k];
      EXPECT_EQ(one.at("seed"), 5 + k);
      errors.push_back(one.at("relative_l2"));
      // A run is one as of `solve`: it can be read and used again.
      const fs::path kept = one.at("folder").get<std::string>();
      const json result = json::parse(content(kept / "result.json"));
      EXPECT_EQ(result.at("seed"), 5 + k);
      EXPECT_EQ(result.at("error").at("relative_l2"), one.at("relative_l2"));
      EXPECT_EQ(run({"predict", kept.string(), "--grid", "t=0:1:3"}).code, 0);
    }
    std::sort(errors.begin(), errors.end());
    EXPECT_EQ(variant.at("value").at("median"), errors[1]);
    EXPECT_EQ(variant.at("value").at("max"), errors[2]);
    EXPECT_DOUBLE_EQ(variant.at("value").at("lower_quartile"), (errors[0] + errors[1]) / 2);
  }
  EXPECT_NE(content(fs::path(out) / "study.svg").find("width=8"), std::string::npos);
  const std::string page = content(fs::path(out) / "study.html");
  EXPECT_NE(page.find("<code>method.network.width=8</code>"), std::string::npos);
  EXPECT_NE(page.find("<svg"), std::string::npos);
}

TEST(StudyCommand, HasTheSameResultsForAnyNumberOfRunsAtATime) {
  const Folder folder;
  const std::string file = folder.write("decay.toml", decay);
  json first;
  for (const char* threads : {"1", "4"}) {
    auto words = two_by_two(file, folder.file(threads));
    words.insert(words.end(), {"--threads", threads});
    const Result r = run(words);
    EXPECT_EQ(r.code, 0) << r.err;
    EXPECT_EQ(r.err, "");
    if (first.is_null()) first = timeless(r.out);
    EXPECT_EQ(timeless(r.out), first);
  }
  // And for runs of several threads.
  auto words = two_by_two(file, folder.file("wide"));
  words.insert(words.end(), {"--threads", "4", "--threads-per-run", "2"});
  EXPECT_EQ(timeless(run(words).out), first);
}

TEST(StudyCommand, GoesOnAfterCtrlCToTheSameTable) {
  const Folder folder;
  const std::string file = folder.write("decay.toml", decay);
  const std::string whole = folder.file("whole"), part = folder.file("part");
  const auto words = [&](const std::string& out) {
    auto list = two_by_two(file, out);
    list.insert(list.end(),
                {"--threads", "1", "--set", "method.stage=[{optimizer=\"adam\", steps=4000}]"});
    return list;
  };
  {
    // In the middle of one of the three others.
    const CtrlC ctrl_c([&] { return fs::exists(fs::path(part) / "1/seed_1/result.json"); });
    const Result r = run(words(part));
    EXPECT_EQ(r.code, 1) << r.err;
    const json study = json::parse(r.out);
    EXPECT_GT(study.at("open"), 0);
    EXPECT_EQ(study.at("resume"), "cauchy study " + part + " --resume");
  }
  const auto time_of = [&] { return fs::last_write_time(fs::path(part) / "1/seed_1/result.json"); };
  const auto before = time_of();
  const Result again = run(words(part));
  EXPECT_EQ(again.code, 2);
  EXPECT_NE(again.err.find("the folder holds a study already"), std::string::npos) << again.err;
  auto other = words(part);
  other.insert(other.end(), {"--resume", "--seed", "7"});
  const Result refused = run(other);
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find("differs in its variants"), std::string::npos) << refused.err;
  const Result r = run({"study", part, "--resume", "--json", "--threads", "2"});
  EXPECT_EQ(r.code, 0) << r.out << r.err;
  EXPECT_EQ(time_of(), before) << "a run that was there has been made again";
  EXPECT_EQ(timeless(r.out), timeless(run(words(whole)).out));
  // A finished study prints its table once more, also when it is named by its file.
  auto named = words(part);
  named.emplace_back("--resume");
  EXPECT_EQ(timeless(run(named).out), timeless(r.out));
}

TEST(StudyCommand, KeepsGoingWhenAVariantFails) {
  const Folder folder;
  folder.write("heat.toml", heat);
  const std::string study = folder.write("study.toml", R"toml(
problem = "heat.toml"
seeds = 2
[[variant]]
name = "network"
[[variant]]
name = "ordinary"
set = { method = { kind = "ode" } }
)toml");
  const Result mixed =
      run({"study", study, "--quiet", "--out", folder.file("out"), "--reference", "none"});
  EXPECT_EQ(mixed.code, 1) << mixed.err;
  EXPECT_NE(mixed.out.find("study: residual at fresh points of heat, which has no reference"),
            std::string::npos)
      << mixed.out;
  EXPECT_NE(mixed.out.find("2 "), std::string::npos) << mixed.out;
  EXPECT_NE(mixed.out.find("1 failed"), std::string::npos) << mixed.out;
  EXPECT_NE(mixed.out.find("\nordinary, seed 0: "), std::string::npos) << mixed.out;
  // The other variant has its two runs.
  const json all = json::parse(content(folder / "out" / "study.json"));
  EXPECT_EQ(all.at("failed"), 1);
  EXPECT_EQ(all.at("open"), 0);
  EXPECT_GT(all.at("variants")[0].at("value").at("median"), 0);
  EXPECT_TRUE(all.at("variants")[1].at("value").at("median").is_null());
}

TEST(StudyCommand, FindsAReferenceWhereTheProblemHasNone) {
  const Folder folder;
  const std::string file = folder.write("heat.toml", heat);
  const Result r = run({"study", file, "--vary", "method.points.interior=30,40", "--seeds", "1",
                        "--json", "--out", folder.file("out")});
  EXPECT_EQ(r.code, 0) << r.out << r.err;
  const json study = json::parse(r.out);
  EXPECT_EQ(study.at("measure"), "relative_l2");
  for (const json& variant : study.at("variants")) {
    EXPECT_GT(variant.at("value").at("median"), 0);
  }
  // The reference is no part of the problem: the study can be taken up again.
  EXPECT_EQ(timeless(run({"study", folder.file("out"), "--resume", "--json"}).out),
            timeless(r.out));
}

TEST(StudyCommand, MakesAllCombinationsOfAStudyFile) {
  const Folder folder;
  folder.write("decay.toml", decay);
  const std::string file = folder.write("study.toml", R"toml(
problem = "decay.toml"
seeds = 1
set = { "method.stage" = [{ optimizer = "adam", steps = 3 }] }
vary = [{ key = "method.points.interior", values = [10, 20], names = ["few", "many"] }]
[[variant]]
name = "plain"
[[variant]]
name = "wide"
set = { "method.network.width" = 16, "method.points.sampler" = "uniform" }
)toml");
  const Result r = run({"study", file, "--vary", "method.network.depth=1", "--quiet", "--json",
                        "--out", folder.file("out"), "--threads", "1"});
  EXPECT_EQ(r.code, 0) << r.err;
  const json variants = json::parse(r.out).at("variants");
  ASSERT_EQ(variants.size(), 4u);
  const char* names[] = {"plain, few", "plain, many", "wide, few", "wide, many"};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(variants[i].at("name"), names[i]);
    EXPECT_EQ(variants[i].at("runs")[0].at("steps"), 3);
  }
  const std::string last = content(folder / "out" / "4" / "seed_1" / "problem.toml");
  for (const char* part : {"width = 16", "depth = 1", "interior = 20", "sampler = \"uniform\""}) {
    EXPECT_NE(last.find(part), std::string::npos) << part << last;
  }
}

// Of the library of studies beside that of problems: every variant of every file can be read.
TEST(StudyLibrary, CanBeRead) {
  std::size_t n = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(CAUCHY_TEST_DATA) / "../../studies")) {
    const StudyFile study = read_study_file(entry.path());
    EXPECT_FALSE(study.title.empty()) << entry.path();
    for (const StudyVariant& variant : study_variants(study)) {
      std::vector<std::string> overrides;
      for (const StudySetting& s : study.set) overrides.push_back(s.text);
      for (const StudySetting& s : variant.settings) overrides.push_back(s.text);
      EXPECT_NO_THROW((void)read_problem_file(study.problem, overrides))
          << entry.path() << ": " << variant.name;
      ++n;
    }
  }
  EXPECT_GE(n, 30u);
}

}  // namespace
}  // namespace cauchy::test_study
