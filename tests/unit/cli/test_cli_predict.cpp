#include <cmath>
#include <memory>

#include <nlohmann/json.hpp>

#include <cauchy/io/csv.hpp>
#include <cauchy/io/hdf5.hpp>

#include "support/cli_support.hpp"

namespace cauchy::test_cli_predict {
namespace {

using namespace testing_cli;
namespace fs = std::filesystem;
using nlohmann::json;

/// One run for all tests of this file.
class Predict : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    root_ = std::make_unique<Folder>();
    (void)run({"solve", root_->write("heat.toml", heat), "--out", path("heat"), "--quiet"});
    (void)run({"solve", root_->write("decay.toml", decay), "--out", path("decay"), "--quiet"});
  }
  static void TearDownTestSuite() { root_.reset(); }
  static std::string path(const std::string& name) { return root_->file(name); }
  static std::unique_ptr<Folder> root_;
};
std::unique_ptr<Folder> Predict::root_;

TEST_F(Predict, PrintsATableOnAGrid) {
  const Result r = run(
      {"predict", path("heat"), "--grid", "x=0:1:3, t=0.5", "--of", "u, u_x, twice=2*u, d(u, x)"});
  EXPECT_EQ(r.code, 0) << r.err;
  const Table table = parse_csv(r.out, "out");
  EXPECT_EQ(table.columns, (std::vector<std::string>{"t", "x", "u", "u_x", "twice", "d(u, x)"}));
  ASSERT_EQ(table.rows(), 3u);
  EXPECT_EQ(table.column("x"), (std::vector<double>{0, 0.5, 1}));
  EXPECT_EQ(table.column("t"), (std::vector<double>{0.5, 0.5, 0.5}));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(table.column("twice")[i], 2 * table.column("u")[i]);
  EXPECT_EQ(table.column("u_x"), table.column("d(u, x)"));
}

TEST_F(Predict, GivesTheSameNumbersInEveryFormat) {
  const std::string grid = "t=0:1:4,x=0:1:5";
  const Table printed = parse_csv(run({"predict", path("heat"), "--grid", grid}).out, "out");
  for (const char* name : {"a.csv", "a.npz", "a.h5"}) {
    const Result r = run({"predict", path("heat"), "--grid", grid, "--out", path(name)});
    EXPECT_EQ(r.code, 0) << r.err;
    EXPECT_EQ(read_table(path(name)).column("u"), printed.column("u")) << name;
  }
  // The points of a table give them once more.
  const Table at = parse_csv(run({"predict", path("heat"), "--at", path("a.csv")}).out, "out");
  EXPECT_EQ(at.values, printed.values);
  const json j = json::parse(run({"predict", path("heat"), "--grid", grid, "--json"}).out);
  EXPECT_EQ(j.at("columns"), (std::vector<std::string>{"t", "x", "u"}));
  EXPECT_EQ(j.at("rows").size(), 20u);
  EXPECT_EQ(j.at("rows")[7][2].get<double>(), printed.column("u")[7]);
}

TEST_F(Predict, WritesASeriesForParaView) {
  const Result r = run(
      {"predict", path("heat"), "--grid", "t=0:1:4,x=0:1:5", "--out", path("g.xdmf"), "--json"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(json::parse(r.out).at("points"), 20);
  const std::vector<std::string> names = list_hdf5(path("g.h5"));
  EXPECT_NE(std::find(names.begin(), names.end(), "fields/u/000003"), names.end());
  const Table printed =
      parse_csv(run({"predict", path("heat"), "--grid", "t=0:1:4,x=0:1:5"}).out, "out");
  const std::vector<double> u = printed.column("u");
  EXPECT_EQ(read_hdf5_array(path("g.h5"), "fields/u/000001").values,
            std::vector<double>(u.begin() + 5, u.begin() + 10));
  // Without space, time is the axis.
  EXPECT_EQ(run({"predict", path("decay"), "--grid", "t=0:1:4", "--out", path("d.xdmf")}).code, 0);
}

TEST_F(Predict, TellsOfPointsOutside) {
  const Result r = run({"predict", path("heat"), "--grid", "t=0.5,x=0:2:5"});
  EXPECT_EQ(r.code, 0);
  EXPECT_EQ(r.err, "cauchy: 2 of 5 points lie outside of the domain: they are left out\n");
  EXPECT_EQ(lines_of(r.out), 4u);
  std::ofstream(path("out.csv")) << "x,t\n0.5,3\n";
  const Result at = run({"predict", path("heat"), "--at", path("out.csv")});
  EXPECT_EQ(at.err,
            "cauchy: 1 of 1 points lie outside of the domain: values there are extrapolated\n");
  EXPECT_EQ(lines_of(at.out), 2u);
}

TEST_F(Predict, RefusesBadInput) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{}, "cauchy: predict: it does not say where to evaluate; "},
      {{"--grid", "t=0,x=0", "--at", "a.csv"}, "cauchy: predict: --at and --grid exclude"},
      {{"--grid", "t=0"}, "cauchy: --grid: coordinate 'x' is missing; "},
      {{"--grid", "t=0,x=0,y=1"}, "cauchy: --grid: unknown coordinate 'y'; coordinates are: t, x"},
      {{"--grid", "t=0,t=1,x=0"}, "cauchy: --grid: 't' is given twice"},
      {{"--grid", "t=0:1,x=0"}, "cauchy: --grid: 't=0:1' is not NAME=FIRST:LAST:COUNT"},
      {{"--grid", "t=0:1:1,x=0"}, "cauchy: --grid: the count in 't=0:1:1' must be"},
      {{"--grid", "t=1:0:3,x=0"}, "cauchy: --grid: the ends in 't=1:0:3' must increase"},
      {{"--grid", "nonsense"}, "cauchy: --grid: 'nonsense' is not NAME="},
      {{"--grid", "t=0:1:100000,x=0:1:100000"}, "cauchy: --grid: the grid has 1e+10 points"},
      {{"--grid", "t=0,x=5:6:3"}, "cauchy: --grid: no point lies in the domain"},
      {{"--grid", "t=0,x=0:1:3", "--of", "u + v"}, "cauchy: --of 'u + v':1:5: unknown name 'v'"},
      {{"--grid", "t=0,x=0:1:3", "--of", "u,u"}, "cauchy: "},
      {{"--grid", "t=0,x=0:1:3", "--of", "u/2", "--out", "a.h5"},
       "cauchy: --of: 'u/2' cannot be a name in an HDF5 file; give it one: name=u/2"},
      {{"--grid", "t=0,x=0:1:3", "--out", "/no/such/folder/a.csv"}, "cauchy: /no/such/folder"},
      {{"--grid", "t=0,x=0:1:3", "--out", "a.gif"}, "cauchy: "},
      {{"--grid", "t=0,x=0.5", "--out", "a.xdmf"}, "cauchy: --grid: a grid for ParaView has 1 to"},
      {{"--at", "a.csv", "--out", "a.xdmf"}, "cauchy: --out: an XDMF file needs a grid"},
      {{"--at", "no_such_file.csv"}, "cauchy: no_such_file.csv"}};
  for (const auto& [words, message] : cases) {
    std::vector<std::string> all{"predict", path("heat")};
    all.insert(all.end(), words.begin(), words.end());
    const Result r = run(all);
    EXPECT_EQ(r.code, 2) << message;
    EXPECT_EQ(r.out, "");
    EXPECT_EQ(r.err.substr(0, message.size()), message) << r.err;
    EXPECT_EQ(lines_of(r.err), 1u) << r.err;
  }
  const Result r = run({"predict", path("nothing"), "--grid", "t=0"});
  EXPECT_EQ(r.code, 2);
  EXPECT_NE(r.err.find("there is no such folder"), std::string::npos) << r.err;
}

TEST_F(Predict, ComparesRunsAndVariants) {
  const Result r =
      run({"compare", path("heat"), path("decay.toml"), "--variant", "method.network.width=4",
           "--variant", "method.network.width=5; method.seed=2", "--quiet", "--set",
           "tolerance=1e-12"});
  EXPECT_EQ(r.code, 1) << r.err;
  EXPECT_EQ(r.err, "");
  EXPECT_EQ(lines_of(r.out), 4u) << r.out;
  EXPECT_NE(r.out.find("4 x 2"), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("decay: method.network.width=5; method.seed=2"), std::string::npos);
}

TEST_F(Predict, ComparisonKeepsRunsAndSpeaksToMachines) {
  const Result r =
      run({"compare", path("decay.toml"), path("decay"), "--json", "--out", path("kept")});
  EXPECT_EQ(r.code, 0) << r.err << r.out;
  const json j = json::parse(r.out);
  ASSERT_EQ(j.at("runs").size(), 2u);
  // The same problem, settings and seed: the same answer, now and then.
  EXPECT_EQ(j.at("runs")[0].at("relative_l2"), j.at("runs")[1].at("relative_l2"));
  EXPECT_TRUE(fs::exists(path("kept/1/solution.bin")));
}

TEST_F(Predict, ComparisonRefusesBadInputBeforeItSolves) {
  const Result late = run({"compare", path("decay.toml"), "no_such_file.toml"});
  EXPECT_EQ(late.code, 2);
  EXPECT_EQ(lines_of(late.err), 1u) << late.err;
  const Result useless = run({"compare", path("decay"), "--variant", "method.seed=2"});
  EXPECT_EQ(useless.code, 2);
  EXPECT_NE(useless.err.find("settings need a problem file"), std::string::npos) << useless.err;
  EXPECT_EQ(run({"compare", path("")}).code, 2);
}

}  // namespace
}  // namespace cauchy::test_cli_predict
