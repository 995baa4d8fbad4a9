#include <cmath>

#include <nlohmann/json.hpp>

#include "support/cli_support.hpp"

namespace cauchy::test_cli_restarts {
namespace {

using namespace testing_cli;
namespace fs = std::filesystem;
using nlohmann::json;

TEST(CompareRestarts, PrintsATableOfSeedsAndMarksTheBest) {
  const Folder folder;
  const std::string file = folder.write("decay.toml", decay);
  const Result r = run({"compare", file, "--restarts", "3", "--seed", "5", "--threads", "1"});
  EXPECT_EQ(r.code, 0) << r.out << r.err;
  EXPECT_NE(r.err.find("3 of 3: decay, seed 7\n"), std::string::npos) << r.err;
  EXPECT_EQ(r.err.find("4 of 3"), std::string::npos) << r.err;
  std::istringstream lines(r.out);
  std::string line;
  std::getline(lines, line);
  EXPECT_TRUE(line.starts_with("decay: pinn, 8 x 2")) << line;
  std::getline(lines, line);
  EXPECT_TRUE(line.starts_with("seed    loss      optimisation error")) << line;
  int best = 0;
  for (const char* first : {"5 ", "6 ", "7 ", "min ", "median ", "max "}) {
    std::getline(lines, line);
    EXPECT_TRUE(line.starts_with(first)) << line;
    if (line.ends_with("best")) {
      ++best;
      EXPECT_NE(line.find(" 0.00e+00 "), std::string::npos) << line;
    }
  }
  EXPECT_EQ(best, 1);
  EXPECT_FALSE(std::getline(lines, line)) << "the points are the same: no note; " << line;
}

TEST(CompareRestarts, SpeaksToMachinesAndKeepsTheRuns) {
  const Folder folder;
  const std::string file = folder.write("decay.toml", decay);
  const Result r = run({"compare", file, "--restarts", "3", "--json", "--out", folder.file("kept"),
                        "--threads", "1"});
  EXPECT_EQ(r.err, "");
  const json all = json::parse(r.out).at("restarts");
  ASSERT_EQ(all.size(), 1u);
  const json& runs = all[0].at("runs");
  ASSERT_EQ(runs.size(), 3u);
  double lowest = 1e300;
  for (const json& one : runs) lowest = std::min(lowest, one.at("loss").get<double>());
  EXPECT_EQ(all[0].at("loss").at("min"), lowest);
  EXPECT_EQ(all[0].at("same_points"), true);
  for (std::size_t k = 0; k < 3; ++k) {
    const json& one = runs[k];
    EXPECT_EQ(one.at("seed"), k + 1);
    EXPECT_EQ(one.at("optimization_error"), one.at("loss").get<double>() - lowest);
    EXPECT_EQ(one.at("best"), one.at("loss") == lowest);
    EXPECT_EQ(one.at("best"), all[0].at("best_seed") == one.at("seed"));
    const fs::path kept = fs::path(folder.file("kept")) / std::to_string(k + 1);
    const json result = json::parse(content(kept / "result.json"));
    EXPECT_EQ(result.at("seed"), k + 1);
    EXPECT_EQ(result.at("error").at("relative_l2"), one.at("relative_l2"));
  }
  // A folder that is taken is known before the first run.
  const Result again = run({"compare", file, "--restarts", "3", "--out", folder.file("kept")});
  EXPECT_EQ(again.code, 2);
  EXPECT_NE(again.err.find("the folder holds a run already"), std::string::npos) << again.err;
  EXPECT_EQ(lines_of(again.err), 1u) << again.err;
}

TEST(CompareRestarts, TreatsEveryVariantAndSaysWhenPointsDiffer) {
  const Folder folder;
  const std::string file = folder.write("decay.toml", decay);
  const Result r =
      run({"compare", file, "--restarts", "2", "--quiet", "--variant", "method.network.width=4",
           "--variant", "method.points.sampler=\"uniform\"", "--set", "tolerance=1e-12"});
  EXPECT_EQ(r.code, 1) << r.err;
  EXPECT_EQ(r.err, "");
  EXPECT_NE(r.out.find("method.network.width=4: pinn, 4 x 2"), std::string::npos) << r.out;
  const std::string note = "the points differ from seed to seed";
  const auto second = r.out.find("\n\nmethod.points.sampler=\"uniform\": pinn, 8 x 2");
  ASSERT_NE(second, std::string::npos) << r.out;
  EXPECT_GT(r.out.find(note), second) << r.out;
  EXPECT_NE(r.out.find(note), std::string::npos) << r.out;
}

TEST(CompareRestarts, RefusesBadInput) {
  const Folder folder;
  const std::string file = folder.write("decay.toml", decay);
  for (const char* n : {"0", "1", "-3", "10001", "many"}) {
    const Result r = run({"compare", file, "--restarts", n});
    EXPECT_EQ(r.code, 2) << n;
    EXPECT_TRUE(r.err.starts_with("cauchy: --restarts: ")) << r.err;
    EXPECT_EQ(lines_of(r.err), 1u) << r.err;
  }
  const std::string kept = folder.file("run");
  (void)run({"solve", file, "--out", kept, "--quiet"});
  const Result r = run({"compare", kept, "--restarts", "2"});
  EXPECT_EQ(r.code, 2);
  EXPECT_EQ(r.err, "cauchy: " + kept +
                       ": it is a finished run, which cannot be started again with other seeds; "
                       "name a .toml file, or leave out --restarts\n");
}

}  // namespace
}  // namespace cauchy::test_cli_restarts
