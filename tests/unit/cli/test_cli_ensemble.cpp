#include <cmath>

#include <nlohmann/json.hpp>

#include "support/cli_support.hpp"

namespace cauchy::test_cli_ensemble {
namespace {

using namespace testing_cli;
using nlohmann::json;

/// Weather on 12 x 24 points, a spherical operator of two blocks.
const char* small = R"toml(
name = "small"
[simulator]
kind = "weather"
degree = 5
latitudes = 12
frames = 3
spin_up = 0
[operator]
samples = 3
validation = 1
test = 2
[train]
loss = "crps"
history = 1
increments = true
epochs = 2
batch = 2
[train.network]
kind = "spherical"
width = 4
depth = 2
local = 1
degree = 2
radius = 70
hidden = 5
[train.ensemble]
members = 2
forecast = 3
[train.ensemble.noise]
lengths = [40]
times = [24]
degree = 3
)toml";

TEST(CliEnsemble, IsTrainedScoredAndDrawn) {
  const Folder folder;
  const std::string file = folder.write("small.toml", small), out = folder.file("run");
  const Result trained =
      run({"train", file, "--threads", "1", "--quiet", "--accept", "unverified", "--out", out});
  ASSERT_LE(trained.code, 1) << trained.err;
  const Result text = run({"evaluate", out, "--threads", "1", "--quiet"});
  ASSERT_LE(text.code, 1) << text.err;
  EXPECT_NE(text.out.find("h: ensemble of 3 members"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("spread/skill"), std::string::npos);
  EXPECT_NE(text.out.find("power over that of the truth"), std::string::npos);
  EXPECT_NE(content(folder.file("run/forecast_h.svg")).find("spread"), std::string::npos);
  EXPECT_NE(content(folder.file("run/spectra.svg")).find("<svg"), std::string::npos);
  EXPECT_NE(content(folder.file("run/evaluation.html")).find("histogram of ranks"),
            std::string::npos);
  const Result r = run({"evaluate", out, "--threads", "1", "--quiet", "--json"});
  const json ensemble = json::parse(r.out)["ensemble"];
  EXPECT_EQ(ensemble["members"], 3);
  ASSERT_EQ(ensemble["scores"].size(), 4u);
  const json& h = ensemble["scores"][2];
  EXPECT_EQ(h["field"], "h");
  double sum = 0;
  for (const json& share : h["ranks"][1]) sum += share.get<double>();
  EXPECT_EQ(h["ranks"][1].size(), 4u);
  EXPECT_NEAR(sum, 1, 1e-12);
  const double ratio =
      std::sqrt(4.0 / 3) * h["spread"][2].get<double>() / h["rmse"][2].get<double>();
  EXPECT_NEAR(h["spread_skill"][2].get<double>(), ratio, 1e-12);
  EXPECT_EQ(ensemble["spectra"][0]["truth"].size(), 6u);
}

}  // namespace
}  // namespace cauchy::test_cli_ensemble
