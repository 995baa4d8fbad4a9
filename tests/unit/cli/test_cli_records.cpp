#include <filesystem>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cauchy/base/clock.hpp>

#include "support/cli_support.hpp"
#include "support/io_support.hpp"

namespace cauchy::test_cli_records {
namespace {

using namespace testing_cli;
namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* ring = R"toml(
name = "ring"
fields = ["u"]
[domain]
space = { x = [0, 1] }
[[equation]]
form = "u - 0.02*u_xx = f"
[[condition]]
periodic = "x"
[operator]
inputs = { f = { field = "grf(alpha = 3, tau = 2)" } }
grid = 16
samples = 4
validation = 2
test = 2
[train]
epochs = 2
batch = 2
[train.network]
kind = "fno"
width = 3
depth = 1
modes = [4]
[train.physics]
weight = 0.1
derivative = "fourier"
)toml";

constexpr const char* fall = R"toml(
name = "fall"
fields = ["x"]
[dynamics]
data = "fall.csv"
train_until = 0.4
[train]
kind = "neural_ode"
network = { kind = "mlp", width = 4, depth = 1 }
[[train.stage]]
optimizer = "adam"
steps = 5
)toml";

/// A call that is made again and again, each time with nothing there.
struct Call {
  std::vector<std::string> words;
  std::string out;  ///< what it makes, which is removed before

  [[nodiscard]] Json operator()(const char* threads = "1") const {
    fs::remove_all(out);
    std::vector<std::string> all = words;
    all.insert(all.end(), {"--threads", threads, "--json"});
    if (!out.empty()) all.insert(all.end(), {"--out", out});
    const Result r = run(all);
    EXPECT_LT(r.code, 2) << r.err;
    return Json::parse(r.out);
  }
};

/// A record without one of its sections, which it has.
std::string without(Json record, std::initializer_list<const char*> sections) {
  for (const char* section : sections) {
    EXPECT_EQ(record.erase(section), 1u) << section << " in\n" << record.dump(1);
  }
  return record.dump(1);
}

/// A clock that runs a thousand times as fast changes the times, and nothing else.
void expect_only_times_differ(const Call& call) {
  const Json plain = call();
  const TurnedClock turned(1000);
  const Json other = call();
  EXPECT_EQ(without(plain, {"times"}), without(other, {"times"}));
  EXPECT_NE(plain.at("times"), other.at("times"));
}

class Records : public ::testing::Test {
 protected:
  const Folder folder;
  const std::string out = folder.file("run"), problem = folder.write("decay.toml", decay);
};

TEST_F(Records, OfSolvesAreTheSameButForTheTimes) {
  expect_only_times_differ({{"solve", problem}, out});
  expect_only_times_differ({{"solve", problem, "--method", "ode"}, out});
}

TEST_F(Records, OfTwoThreadsDifferInHowTheyWereRunOnly) {
  const Call call{{"solve", folder.write("heat.toml", heat)}, out};
  const Json one = call("1"), two = call("2");
  EXPECT_EQ(without(one, {"run", "times"}), without(two, {"run", "times"}));
  EXPECT_EQ(one.at("run").at("threads"), 1);
  EXPECT_EQ(two.at("run").at("threads"), 2);
  EXPECT_EQ(one.at("run").at("versions"), two.at("run").at("versions"));
}

TEST_F(Records, OfComparisonsAreTheSameButForTheTimes) {
  expect_only_times_differ({{"compare", problem, "--methods", "pinn,ode,fem"}, out});
  expect_only_times_differ({{"compare", problem, "--restarts", "2"}, out});
  expect_only_times_differ({{"study", problem, "--seeds", "2"}, out});
}

TEST_F(Records, OfOperatorsAreTheSameButForTheTimes) {
  const std::string file = folder.write("ring.toml", ring);
  expect_only_times_differ({{"data", file}, folder.file("ring.h5")});
  expect_only_times_differ({{"train", file}, out});
  expect_only_times_differ({{"evaluate", out, "--refine", "3", "--residual"}, ""});
}

TEST_F(Records, OfDynamicsAreTheSameButForTheTimes) {
  folder.write("fall.csv", "t,x\n0,1\n0.1,0.9\n0.2,0.82\n0.3,0.74\n0.4,0.67\n0.5,0.61\n0.6,0.55\n");
  expect_only_times_differ({{"train", folder.write("fall.toml", fall)}, out});
}

TEST_F(Records, OfChecksKeepWhatIsForeseenApart) {
  const Json check = Call{{"check", problem}, ""}();
  EXPECT_FALSE(check.at("estimate").contains("seconds"));
  EXPECT_GT(check.at("times").at("seconds"), 0);
  EXPECT_EQ(check.at("run").at("threads"), 1);
}

TEST_F(Records, OfFoldersHaveTheSameBytes) {
  const Call call{{"solve", problem}, out};
  const auto bytes = [&](const char* name) { return content(fs::path(out) / name); };
  (void)call();
  const std::string solution = bytes("solution.bin");
  const Json result = Json::parse(bytes("result.json"));
  const TurnedClock turned(1000);
  (void)call("2");
  EXPECT_EQ(bytes("solution.bin"), solution);
  EXPECT_EQ(without(Json::parse(bytes("result.json")), {"run", "times"}),
            without(result, {"run", "times"}));
}

}  // namespace
}  // namespace cauchy::test_cli_records
