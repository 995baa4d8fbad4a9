#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cauchy/geometry/oriented_points.hpp>
#include <cauchy/geometry/primitives.hpp>

#include "support/cli_support.hpp"

namespace cauchy::test_cli_reconstruct {
namespace {

using namespace testing_cli;
using nlohmann::json;

const char* torus = "torus((0, 0, 0), (0, 0, 1), 1, 0.4)";

/// Solids on 16^3 nodes and a network of one layer.
const char* tiny = R"toml(
name = "tiny"
[simulator]
kind = "surface"
resolution = 16
points = 300
smoothing = 0.06
layer = 0.12
kinds = "ball"
parts = 1
[operator]
samples = 16
validation = 1
test = 3
[train]
epochs = 25
batch = 2
loss = "mean_square"
[train.network]
kind = "fno"
width = 4
depth = 2
modes = [4]
projection = 8
coordinates = false
dropout = 0.01
)toml";

TEST(CliReconstruct, WritesAClosedSurfaceAndGradesItAgainstTheSolid) {
  const Folder folder;
  const std::string stl = folder.file("torus.stl"), png = folder.file("torus.png");
  const Result r =
      run({"reconstruct", torus, "--grid", "48", "--out", stl, "--picture", png, "--json"});
  ASSERT_EQ(r.code, 0) << r.err;
  const json answer = json::parse(r.out);
  EXPECT_GT(answer["iou"].get<double>(), 0.95);
  EXPECT_LT(answer["chamfer"].get<double>(), 0.02);
  // The file is a solid again, with the volume of the torus.
  const double volume = triangle_surface_shape(read_mesh(stl))->measure();
  EXPECT_NEAR(volume / (2 * std::numbers::pi * std::numbers::pi * 0.16), 1, 0.02);
  EXPECT_EQ(content(png).substr(1, 3), "PNG");
  // And the file is an input: points of its triangles.
  const Result again = run({"reconstruct", stl, "--grid", "48", "--json"});
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_GT(json::parse(again.out)["iou"].get<double>(), 0.95);
  EXPECT_EQ(run({"reconstruct", torus, "--out", stl}).code, 2);  // without --force
}

TEST(CliReconstruct, PointsOfAFileAreEnough) {
  const Folder folder;
  const OrientedPoints cloud = surface_points(*Sphere({3, 0, 0}, 2).shape(), 2000, Rng(1));
  std::string text = "x,y,z,nx,ny,nz\n";
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    const Point3 &x = cloud.points[i], &n = cloud.normals[i];
    text += fmt::format("{},{},{},{},{},{}\n", x[0], x[1], x[2], n[0], n[1], n[2]);
  }
  const Result r = run({"reconstruct", folder.write("ball.csv", text), "--grid", "40", "--json"});
  ASSERT_EQ(r.code, 0) << r.err;
  const json answer = json::parse(r.out);
  EXPECT_FALSE(answer.contains("iou"));
  EXPECT_NEAR(answer["volume"].get<double>() / (4 * std::numbers::pi / 3 * 8), 1, 0.03);
}

TEST(CliReconstruct, MistakesAreOneSentence) {
  const Folder folder;
  const auto said = [](const std::vector<std::string>& args) {
    const Result r = run(args);
    EXPECT_EQ(r.code, 2);
    EXPECT_EQ(lines_of(r.err), 1u);
    return r.err;
  };
  const std::string open =
      folder.write("open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\n");
  EXPECT_NE(said({"reconstruct", open}).find("open.obj"), std::string::npos);
  EXPECT_NE(said({"reconstruct", open}).find("hole"), std::string::npos);
  EXPECT_NE(said({"reconstruct", torus, "--box", "-1,1"}).find("lies outside of the cube"),
            std::string::npos);
  EXPECT_NE(said({"reconstruct", torus, "--box", "wide"}).find("'wide' is no cube"),
            std::string::npos);
  EXPECT_NE(said({"reconstruct", "disk((0, 0), 1)"}).find("has no surface in space"),
            std::string::npos);
  EXPECT_NE(said({"reconstruct", folder.file("none.csv")}).find("none.csv"), std::string::npos);
  EXPECT_NE(said({"reconstruct", torus, "--out", folder.file("a.ply")}).find(".stl or .obj"),
            std::string::npos);
}

TEST(CliReconstruct, ANetworkIsTrainedGradedOnTwoGridsAndAsked) {
  const Folder folder;
  const std::string file = folder.write("tiny.toml", tiny), out = folder.file("run");
  const Result trained = run({"train", file, "--out", out, "--quiet", "--json"});
  ASSERT_NE(trained.code, 2) << trained.err;
  const Result r = run({"evaluate", out, "--grids", "16,32", "--quiet", "--json"});
  ASSERT_NE(r.code, 2) << r.err;
  const json surfaces = json::parse(r.out)["surfaces"];
  ASSERT_EQ(surfaces.size(), 2u);
  for (const json& row : surfaces) {
    ASSERT_EQ(row["iou"].size(), 3u);
    ASSERT_EQ(row["classical_iou"].size(), 3u);
    for (const json& v : row["iou"]) EXPECT_GT(v.get<double>(), 0.8);
    for (const json& v : row["classical_iou"]) EXPECT_GT(v.get<double>(), 0.85);
  }
  EXPECT_EQ(content(folder.path() / "run" / "surfaces.png").substr(1, 3), "PNG");
  const Result asked = run({"reconstruct", "sphere((0, 0, 0), 1)", "--model", out, "--grid", "24",
                            "--points", "300", "--json"});
  ASSERT_EQ(asked.code, 0) << asked.err;
  EXPECT_GT(json::parse(asked.out)["iou"].get<double>(), 0.8);
}

}  // namespace
}  // namespace cauchy::test_cli_reconstruct
