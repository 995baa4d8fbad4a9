#include <string>

#include <nlohmann/json.hpp>

#include "support/cli_support.hpp"

namespace cauchy::test_cli_reservoir {
namespace {

using namespace testing_cli;
using nlohmann::json;

const char* tiny = R"toml(
name = "tiny"
tolerance = 0.9
[simulator]
kind = "reservoir"
cells = [8, 8, 2]
field = "gaussian(length = 0.3)"
days = 60
reports = 2
[operator]
samples = 6
validation = 1
test = 2
[train]
epochs = 2
batch = 3
loss = "mean_square"
[train.network]
kind = "fno"
width = 4
depth = 2
modes = [2]
projection = 8
)toml";

TEST(CliReservoir, DataWithFluxesServeNetworksWithAndWithoutThemAndPhysics) {
  const Folder folder;
  const std::string file = folder.write("tiny.toml", tiny), data = folder.file("tiny.h5");
  const auto fields_of = [&](const std::string& name, const std::vector<std::string>& more) {
    std::vector<std::string> call = {"train",           file,    "--data", data, "--out",
                                     folder.file(name), "--json"};
    call.insert(call.end(), more.begin(), more.end());
    const Result r = run(call);
    EXPECT_NE(r.code, 2) << r.err;
    return read_data_set(folder.file(name) + "/data.h5").outputs.size();
  };
  const std::string fluxes = "simulator.fluxes=true";
  ASSERT_EQ(run({"data", file, "--out", data, "--set", fluxes}).code, 0);
  // Of both reports p and s of two layers; fluxes along x and y of two layers, and one between
  // them.
  EXPECT_EQ(fields_of("plain", {}), 8u);
  EXPECT_EQ(fields_of("mixed", {"--set", fluxes, "--set", "train.physics.weight=0.01", "--set",
                                "train.physics.samples=9"}),
            18u);
  for (const char* name : {"plain", "mixed"}) {
    const Result r = run({"evaluate", folder.file(name), "--data", data, "--json"});
    ASSERT_NE(r.code, 2) << r.err;  // 1: an error above the tolerance
    EXPECT_EQ(json::parse(r.out)["errors"][0]["samples"], 9);
  }
  // The other way around there is nothing to leave out.
  const std::string few = folder.file("few.h5");
  ASSERT_EQ(run({"data", file, "--out", few}).code, 0);
  const Result r = run({"train", file, "--data", few, "--set", fluxes, "--out", folder.file("no")});
  EXPECT_EQ(r.code, 2);
  EXPECT_NE(r.err.find("their outputs are others"), std::string::npos) << r.err;
}

}  // namespace
}  // namespace cauchy::test_cli_reservoir
