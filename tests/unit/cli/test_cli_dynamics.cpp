#include <cmath>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cauchy/io/csv.hpp>

#include "support/cli_support.hpp"

namespace cauchy::test_cli_dynamics {
namespace {

using namespace testing_cli;
namespace fs = std::filesystem;
using nlohmann::json;

/// x' = v, v' = -k x with k = 4 at 20 times of two trajectories; the second is held back.
const char* spring = R"toml(
name = "spring"
title = "A spring of unknown stiffness"
fields = ["x", "v"]
[unknown]
k = { initial = 3, truth = 4 }
[dynamics]
data = "spring.csv"
trajectory = "id"
train_until = 1.5
test = 1
[[equation]]
form = "x_t = v"
[[equation]]
form = "v_t = -k*x"
[train]
kind = "neural_ode"
[[train.stage]]
optimizer = "lbfgs"
steps = 30
)toml";

std::string spring_rows() {
  std::string rows = "id,t,x,v\n";
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 20; ++j) {
      const double t = 0.1 * j, phase = 2 * t + i;
      rows += fmt::format("{},{},{},{}\n", i + 1, t, std::cos(phase), -2 * std::sin(phase));
    }
  }
  return rows;
}

struct Trained {
  Folder folder;
  std::string file, out;
  explicit Trained(const std::vector<std::string>& more = {}) {
    folder.write("spring.csv", spring_rows());
    file = folder.write("spring.toml", spring);
    out = folder.file("run");
    std::vector<std::string> words{"train", file, "--out", out, "--threads", "1", "--quiet"};
    words.insert(words.end(), more.begin(), more.end());
    result = run(words);
  }
  Result result{};
};

TEST(TrainDynamicsCommand, LearnsGradesAndReports) {
  const Trained t;
  ASSERT_EQ(t.result.code, 0) << t.result.out << t.result.err;
  EXPECT_EQ(t.result.err, "");
  EXPECT_NE(t.result.out.find("A spring of unknown stiffness: converged\n"), std::string::npos);
  EXPECT_NE(t.result.out.find("constant"), std::string::npos) << t.result.out;
  for (const char* name : {"problem.toml", "data/trajectories.csv", "model.bin", "log.csv",
                           "result.json", "report.html"}) {
    EXPECT_TRUE(fs::exists(fs::path(t.out) / name)) << name;
  }
  const json result = json::parse(content(fs::path(t.out) / "result.json"));
  EXPECT_EQ(result.at("grade"), "converged");
  EXPECT_NEAR(result.at("unknowns")[0].at("value").get<double>(), 4, 1e-4);
  const std::string page = content(fs::path(t.out) / "report.html");
  for (const char* part : {"A spring of unknown stiffness", "<svg", "converged", ">k<"}) {
    EXPECT_NE(page.find(part), std::string::npos) << part;
  }
  EXPECT_EQ(run({"compare", t.out}).code, 0);
}

TEST(CheckCommand, SaysWhatDynamicsAreLearntFromWhat) {
  const Folder folder;
  folder.write("spring.csv", spring_rows());
  const std::string file = folder.write("spring.toml", spring);
  const Result r = run({"check", file});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.out,
            "spring: A spring of unknown stiffness\n"
            "fields       x, v\n"
            "equation     x_t = v\n"
            "equation     v_t = -k*x\n"
            "unknown      k\n"
            "data         spring.csv: 2 trajectories, 40 rows\n"
            "test         rows behind t = 1.5, the last trajectory\n"
            "method       neural_ode: 2 states, equations with 1 unknown constant, dopri5\n");
  EXPECT_EQ(json::parse(run({"check", file, "--json"}).out).at("rows"), 40);
  const Result bad = run({"check", file, "--set", "dynamics.test=2"});
  EXPECT_EQ(bad.code, 2);
  EXPECT_NE(bad.err.find("spring.toml:"), std::string::npos) << bad.err;
  EXPECT_NE(run({"check", file, "--explain"}).err.find("learnt by what [train] says"),
            std::string::npos);
}

TEST(TrainDynamicsCommand, AStoppedRunGoesOn) {
  const Trained whole, stopped({"--max-seconds", "1e-9", "--json"});
  EXPECT_EQ(stopped.result.code, 1);
  const json said = json::parse(stopped.result.out);
  EXPECT_EQ(said.at("resume"), "cauchy train " + stopped.out + " --resume");
  const Result rest = run({"train", stopped.out, "--resume", "--threads", "1", "--quiet"});
  EXPECT_EQ(rest.code, 0) << rest.err;
  const auto error = [](const std::string& folder) {
    return json::parse(content(fs::path(folder) / "result.json")).at("test").at("relative_l2");
  };
  EXPECT_EQ(error(stopped.out), error(whole.out));
}

TEST(PredictDynamicsCommand, FollowsTrajectoriesToATime) {
  const Trained t;
  ASSERT_EQ(t.result.code, 0);
  const Result r = run({"predict", t.out, "--until", "3", "--times", "4", "--threads", "1"});
  ASSERT_EQ(r.code, 0) << r.err;
  const Table table = parse_csv(r.out, "out");
  EXPECT_EQ(table.columns, (std::vector<std::string>{"id", "t", "x", "v"}));
  ASSERT_EQ(table.rows(), 8u);
  EXPECT_EQ(table.values[3 * 4 + 1], 3);
  EXPECT_NEAR(table.values[3 * 4 + 2], std::cos(6.0), 1e-3);
  EXPECT_NEAR(table.values[7 * 4 + 2], std::cos(7.0), 1e-3);
  // From other starts, into a file.
  const std::string starts = t.folder.write("starts.csv", "id,t,x,v\n5,1,0,2\n");
  const std::string out = t.folder.file("later.csv");
  const Result other =
      run({"predict", t.out, "--until", "2", "--at", starts, "--out", out, "--json"});
  ASSERT_EQ(other.code, 0) << other.err;
  EXPECT_EQ(json::parse(other.out).at("points"), 101);
  EXPECT_NEAR(read_csv(out).values[100 * 4 + 2], std::sin(2.0), 1e-3);
  const auto error = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"predict", t.out});
    const Result failed = run(more);
    EXPECT_EQ(failed.code, 2);
    return failed.err;
  };
  EXPECT_NE(error({"--grid", "t=0:1:3"}).find("followed to a time; give --until TIME"),
            std::string::npos);
  EXPECT_NE(error({"--until", "-1"}).find("trajectory 1 begins at 0; give a later time"),
            std::string::npos);
  EXPECT_NE(error({"--until", "2", "--out", out}).find("--force"), std::string::npos);
}

TEST(TrainDynamicsCommand, SaysWhatIsWrongAndLeavesNothingBehind) {
  const Folder folder;
  const std::string out = folder.file("run");
  const auto refused = [&](const std::string& rows, const std::vector<std::string>& more) {
    folder.write("spring.csv", rows);
    const std::string file = folder.write("spring.toml", spring);
    std::vector<std::string> words{"train", file, "--out", out, "--quiet"};
    words.insert(words.end(), more.begin(), more.end());
    const Result r = run(words);
    EXPECT_EQ(r.code, 2) << r.out;
    EXPECT_FALSE(fs::exists(out));
    return r.err;
  };
  EXPECT_NE(refused("id,t,x,v\n1,0,1,0\n1,0.2,1,0\n1,0.1,1,0\n2,0,1,1\n", {})
                .find("row 3: the times of trajectory 1 do not increase: 0.1 comes after 0.2; sort "
                      "the rows"),
            std::string::npos);
  EXPECT_NE(refused(spring_rows(), {"--data", "d.h5"}).find("write --set dynamics.data=FILE"),
            std::string::npos);
  EXPECT_NE(refused(spring_rows(), {"--precision", "f32"}).find("dynamics are learnt in f64"),
            std::string::npos);
  EXPECT_NE(refused(spring_rows(), {"--set", "train.kind=node"}).find("'node'"), std::string::npos);
  EXPECT_NE(refused(spring_rows(), {"--set", "dynamics.test=2"}).find("are held back of 2"),
            std::string::npos);
  EXPECT_NE(refused("id,t,x,v\n1,0,nan,0\n1,1,1,0\n2,0,1,1\n", {"--set", "dynamics.test=0"})
                .find("trajectory 1: the first row lacks 'x'; use start = \"trained\""),
            std::string::npos);
}

/// y' = y^2 ends at t = 1: the integration says where, and which state is to blame.
TEST(TrainDynamicsCommand, AnIntegrationThatEndsIsAStatus) {
  const Folder folder;
  folder.write("d.csv", "t,y,z\n0,1,1\n0.5,2,0.6\n2,9,0.2\n");
  const std::string file = folder.write("blow_up.toml", R"toml(
fields = ["y", "z"]
[unknown]
k = 1
[dynamics]
data = "d.csv"
[[equation]]
form = "y_t = k*y^2"
[[equation]]
form = "z_t = -z"
[train]
[[train.stage]]
optimizer = "adam"
steps = 1
learning_rate = 1e-12
)toml");
  const Result r = run({"train", file, "--out", folder.file("run"), "--quiet", "--threads", "1"});
  EXPECT_EQ(r.code, 1) << r.out << r.err;
  EXPECT_NE(r.out.find("diverged"), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("in trajectory 1"), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("'y'"), std::string::npos) << r.out;
}

}  // namespace
}  // namespace cauchy::test_cli_dynamics
