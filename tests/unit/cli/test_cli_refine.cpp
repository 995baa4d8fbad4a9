#include <filesystem>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cauchy/data/data_set.hpp>

#include "support/cli_support.hpp"

namespace cauchy::test_cli_refine {
namespace {

using namespace testing_cli;
using nlohmann::json;
namespace fs = std::filesystem;

constexpr const char* screened = R"toml(name = "screened"
fields = ["u"]
[domain]
space = { x = [0, 1] }
[[equation]]
form = "u - 0.02*u_xx = f"
[[condition]]
periodic = "x"
[operator]
inputs = { f = { field = "grf(alpha = 3, tau = 2)" } }
grid = 32
samples = 8
validation = 2
test = 2
[train]
epochs = 30
batch = 4
[train.network]
kind = "fno"
width = 6
depth = 2
modes = [12]
projection = 12
[train.physics]
weight = 0.1
derivative = "fourier"
)toml";

TEST(EvaluateCommand, RefinesOneSampleByTheEquations) {
  const Folder folder;
  const std::string file = folder.write("screened.toml", screened), out = folder.file("run");
  const Result trained = run({"train", file, "--out", out, "--threads", "1", "--quiet"});
  ASSERT_NE(trained.code, 2) << trained.err;
  const std::vector<std::string> call = {"evaluate", out,         "--refine", "80",     "--sample",
                                         "1",        "--threads", "1",        "--quiet"};
  std::vector<std::string> as_json = call;
  as_json.push_back("--json");
  const Result r = run(as_json);
  ASSERT_EQ(r.code, 0) << r.out << r.err;
  const json result = json::parse(r.out);
  EXPECT_LT(result.at("residual_after").get<double>(),
            0.3 * result.at("residual_before").get<double>());
  EXPECT_LT(result.at("error_after").get<double>(), 0.5 * result.at("error_before").get<double>());
  const DataSet refined = read_data_set(fs::path(out) / "refined.h5");
  EXPECT_EQ(refined.size(), 1u);
  EXPECT_EQ(refined.outputs, (std::vector<std::string>{"u"}));
  const Result text = run(call);
  EXPECT_NE(text.out.find("sample 1, refined by 80 steps"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("minimised: the"), std::string::npos) << text.out;
  const Result by_residual = run({"evaluate", out, "--refine", "5", "--residual", "--json"});
  EXPECT_EQ(json::parse(by_residual.out).at("minimised"), "residual") << by_residual.err;
  const Result none = run({"evaluate", out, "--refine", "5", "--sample", "7", "--quiet"});
  EXPECT_EQ(none.code, 2);
  EXPECT_EQ(none.err,
            "cauchy: [refine]: there is no sample 7 in a data set of 2; they are numbered from 0 "
            "to 1\n");
  EXPECT_EQ(run({"evaluate", out, "--sample", "1"}).code, 2);
}

}  // namespace
}  // namespace cauchy::test_cli_refine
