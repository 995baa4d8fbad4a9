#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include <cauchy/io/csv.hpp>

#include "support/cli_support.hpp"

namespace cauchy::test_cli_points {
namespace {

using testing_cli::Folder;
using testing_cli::lines_of;
using testing_cli::Result;
using testing_cli::run;

TEST(PointsCommand, PrintsATableOfExactlyNPoints) {
  const Result r = run({"points", "disk((0, 0), 1)", "-n", "37", "-s", "halton"});
  EXPECT_EQ(r.code, 0);
  EXPECT_EQ(r.err, "");
  EXPECT_EQ(lines_of(r.out), 38u);
  EXPECT_EQ(r.out.substr(0, 4), "x,y\n");
}

TEST(PointsCommand, PutsTimeAndRangesIntoColumns) {
  const Result r =
      run({"points", "disk((0, 0), R)", "-n", "5", "--time", "t=0,2*pi", "--range", "R=0.5,1"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.out.substr(0, 8), "t,x,y,R\n");
}

TEST(PointsCommand, TakesPointsOfTheBoundaryWithNormals) {
  const Result r = run({"points", "rectangle((0, 0), (2, 1))", "-n", "6", "--on", "top"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.out.substr(0, r.out.find('\n')), "x,y,normal1,normal2,piece");
  EXPECT_NE(r.out.find(",1,0,1,top\n"), std::string::npos) << r.out;
}

TEST(PointsCommand, GivesTheDistanceOfTheShapeOrOfAGrid) {
  const std::vector<std::string> command{"points", "disk((1, 0), 1)", "-n",        "50",
                                         "--time", "t=0,1",           "--distance"};
  for (const std::string kind : {"shape", "grid"}) {
    std::vector<std::string> args = command;
    args.push_back(kind);
    const Result r = run(args);
    ASSERT_EQ(r.code, 0) << r.err;
    const Table table = parse_csv(r.out, "out");
    ASSERT_EQ(table.columns, (std::vector<std::string>{"t", "x", "y", "distance"}));
    double largest = 0;
    for (std::size_t i = 0; i < table.rows(); ++i) {
      const double exact = 1 - std::hypot(table.column("x")[i] - 1, table.column("y")[i]);
      largest = std::max(largest, std::abs(table.column("distance")[i] - exact));
    }
    // 64 cells on a side of 2.2: s = 0.034, too small by s log(6.3 / s) / 2 = 0.09 at the centre.
    EXPECT_LT(largest, kind == "shape" ? 1e-15 : 0.09);
    EXPECT_GT(largest, kind == "shape" ? -1 : 1e-3);  // the other method
  }
  const Result r = run({"points", "disk((0, 0), R)", "--range", "R=1,2", "--distance", "grid"});
  EXPECT_EQ(r.code, 2);
  EXPECT_NE(r.err.find("--distance: the shape changes with a range"), std::string::npos) << r.err;
}

TEST(PointsCommand, DrawsPngAndSvgAndWritesTables) {
  const Folder folder;
  const std::string png = folder.file("a.png"), svg = folder.file("a.svg"),
                    csv = folder.file("a.csv");
  const std::string region = "rectangle((0, 0), (2, 1)) - disk((1, 0.5), 0.3)";
  EXPECT_EQ(run({"points", region, "--out", png}).code, 0);
  EXPECT_EQ(run({"points", region, "--out", svg, "--title", "a < b"}).code, 0);
  EXPECT_EQ(run({"points", region, "-n", "10", "--out", csv}).code, 0);
  EXPECT_EQ(content(png).substr(1, 3), "PNG");
  EXPECT_NE(content(svg).find("a &lt; b"), std::string::npos);
  EXPECT_EQ(lines_of(content(csv)), 11u);
}

TEST(PointsCommand, DrawsEveryDimensionAndKind) {
  const Folder folder;
  const std::vector<std::vector<std::string>> cases{
      {"interval(0, 1)"},
      {"interval(0, 1)", "--time", "t=0,1"},
      {"interval(0, 1)", "--time", "t=0,1", "--initial"},
      {"disk((0, 0), 1)", "--time", "t=0,1"},
      {"disk((0, 0), R)", "--range", "R=0.5,1"},
      {"sphere((0, 0, 0), 1)"},
      {"cylinder((0, 0, 0), (0, 0, 1), 1)", "--on", "side or top"},
      {"box((0, 0, 0, 0), (1, 1, 1, 1))"},
      {"rectangle((0, 0), (1, 1))", "--on", "boundary", "--normals"}};
  for (std::vector<std::string> words : cases) {
    words.insert(words.begin(), "points");
    words.insert(words.end(), {"-n", "50", "--force", "--out", folder.file("a.svg")});
    const Result r = run(words);
    EXPECT_EQ(r.code, 0) << words[1] << ": " << r.err;
  }
}

struct BadCall {
  std::vector<std::string> words;
  std::string message;
};
class BadPoints : public ::testing::TestWithParam<BadCall> {};
INSTANTIATE_TEST_SUITE_P(
    Cases, BadPoints,
    ::testing::Values(
        BadCall{{"dsk((0, 0), 1)"},
                "cauchy: region:1:1: unknown region 'dsk'; did you mean 'disk'?"},
        BadCall{{"disk((0, 0), -1)"}, "cauchy: region:1:1: radius must be positive, got -1"},
        BadCall{{"disk((0, 0), 1)", "-n", "0"}, "cauchy: "},
        BadCall{{"disk((0, 0), 1)", "-s", "soboll"}, "cauchy: "},
        BadCall{{"disk((0, 0), 1)", "--on", "lefd"}, "cauchy: --on:1:1: unknown name 'lefd'"},
        BadCall{{"disk((0, 0), 1)", "--time", "t=1"},
                "cauchy: --time: 't=1' is not NAME=NUMBER,NUMBER"},
        BadCall{{"disk((0, 0), R)", "--value", "R=-1"},
                "cauchy: region: radius must be positive, got -1"},
        BadCall{{"half_plane((0, 0), (1, 0))"}, "cauchy: "},
        BadCall{{"disk((0, 0), 1)", "--out", "picture.gif"}, "cauchy: "},
        BadCall{{"disk((0, 0), 1)", "--out", "/no/such/folder/a.png"}, "cauchy: "},
        BadCall{{"disk((0, 0), 1)", "--out", "/no/such/folder/a.csv"}, "cauchy: "},
        BadCall{{"surface(\"no_such_file.stl\")"},
                "cauchy: region:1:1: no_such_file.stl: file does not exist"}));

TEST_P(BadPoints, EndWithCodeTwoAndOneSentence) {
  std::vector<std::string> words = GetParam().words;
  words.insert(words.begin(), "points");
  const Result r = run(words);
  EXPECT_EQ(r.code, 2);
  EXPECT_EQ(r.out, "");
  EXPECT_EQ(r.err.substr(0, GetParam().message.size()), GetParam().message);
  EXPECT_EQ(lines_of(r.err), 1u) << r.err;
}

TEST(ListCommand, PrintsRegionsAndSamplers) {
  const Result r = run({"list"});
  EXPECT_EQ(r.code, 0);
  EXPECT_NE(r.out.find("  disk(center, radius)\n"), std::string::npos);
  EXPECT_NE(r.out.find("  sobol\n"), std::string::npos);
  EXPECT_EQ(run({"list", "samplers"}).out.find("disk"), std::string::npos);
}

TEST(Program, ExplainsItself) {
  EXPECT_EQ(run({"--help"}).code, 0);
  EXPECT_EQ(run({"points", "--help"}).code, 0);
  EXPECT_EQ(run({"--version"}).code, 0);
  EXPECT_EQ(run({}).code, 2);
  EXPECT_EQ(run({"nonsense"}).code, 2);
}

}  // namespace
}  // namespace cauchy::test_cli_points
