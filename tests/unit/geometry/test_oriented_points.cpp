#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/geometry/oriented_points.hpp>
#include <cauchy/geometry/primitives.hpp>

#include "support/io_support.hpp"

namespace cauchy::test_oriented_points {
namespace {

/// A square at a height, of two triangles.
TriangleMesh square(double z) {
  return {.vertices = {{0, 0, z}, {1, 0, z}, {1, 1, z}, {0, 1, z}},
          .triangles = {{0, 1, 2}, {0, 2, 3}},
          .groups = {"surface"},
          .group = {0, 0}};
}

TEST(OrientedPoints, AreEvenOverATorusWithOutwardNormals) {
  constexpr double major = 1, minor = 0.4;
  const ShapePtr torus = Torus({0, 0, 0}, {0, 0, 1}, major, minor).shape();
  constexpr std::size_t n = 20'000;
  const OrientedPoints cloud = surface_points(*torus, n, Rng(5));
  ASSERT_EQ(cloud.size(), n);
  std::size_t outer = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const Point3& x = cloud.points[i];
    const double d = std::hypot(x[0], x[1]);
    ASSERT_LT(std::abs(torus->distance(x.data())), 1e-14);
    outer += d > major ? 1 : 0;
    // The normal leads from the circle in the middle to the point.
    const Point3 n_exact = {(x[0] - major * x[0] / d) / minor, (x[1] - major * x[1] / d) / minor,
                            x[2] / minor};
    for (std::size_t k = 0; k < 3; ++k) ASSERT_NEAR(cloud.normals[i][k], n_exact[k], 1e-12);
  }
  // The outer half has the share 1/2 + minor / (pi major); four standard deviations.
  const double share = 0.5 + minor / (std::numbers::pi * major);
  EXPECT_NEAR(static_cast<double>(outer) / n, share, 4 * std::sqrt(share * (1 - share) / n));
}

TEST(OrientedPoints, CutPiecesGiveNoPoints) {
  const ShapePtr solid = (Box({0, 0, 0}, {1, 1, 1}) - Sphere({0, 0, 0}, 0.5)).shape();
  for (const Point3& x : surface_points(*solid, 500, Rng(1)).points) {
    ASSERT_GT(std::hypot(x[0], x[1], x[2]), 0.5 - 1e-12);
  }
}

TEST(Chamfer, IsTheDistanceOfParallelSquaresAndAMetricOnEquals) {
  EXPECT_EQ(chamfer_distance(square(0), square(0), 500), 0);
  EXPECT_NEAR(chamfer_distance(square(0), square(0.25), 500), 0.25, 1e-15);
  // A square and its half: half of one square is some way off, the other way nothing is.
  TriangleMesh half = square(0);
  for (auto& v : half.vertices) v[0] /= 2;
  EXPECT_NEAR(chamfer_distance(square(0), half, 20'000), (0.5 * 0.25 + 0) / 2, 1e-3);
  EXPECT_EQ(chamfer_distance(square(0), half, 500), chamfer_distance(half, square(0), 500));
  EXPECT_THROW((void)chamfer_distance(square(0), TriangleMesh{}, 500), Error);
}

class OrientedPointsFile : public testing::Test {
 protected:
  /// What is wrong with a text, without the file.
  std::string mistake(const std::string& text) {
    const std::string file = folder_.write("points.csv", text);
    return error_of([&] { return read_oriented_points(file); }, file);
  }
  TemporaryFolder folder_;
};

TEST_F(OrientedPointsFile, TablesAndPlyAreRead) {
  const std::string table =
      "# a tetrahedron\nx,y,z,nx,ny,nz\n1,0,0,2,0,0\n0,1,0,0,3,0\n0,0,1,0,0,1\n\n-1 -1 -1 -1 0 0\n";
  const std::string ply =
      "ply\nformat ascii 1.0\ncomment c\nelement vertex 4\nproperty float nx\nproperty float ny\n"
      "property float nz\nproperty float x\nproperty float y\nproperty float z\nelement face 1\n"
      "property list uchar int vertex_indices\nend_header\n2 0 0 1 0 0\n0 3 0 0 1 0\n0 0 1 0 0 1\n"
      "-1 0 0 -1 -1 -1\n3 0 1 2\n";
  for (const std::string& file : {folder_.write("a.csv", table), folder_.write("a.ply", ply)}) {
    const OrientedPoints cloud = read_oriented_points(file);
    ASSERT_EQ(cloud.size(), 4u);
    EXPECT_EQ(cloud.points[1], (Point3{0, 1, 0}));
    EXPECT_EQ(cloud.normals[1], (Point3{0, 1, 0}));  // of length 1
    EXPECT_EQ(cloud.points[3], (Point3{-1, -1, -1}));
  }
}

TEST_F(OrientedPointsFile, MistakesHaveTheirPlace) {
  EXPECT_EQ(mistake("1 0 0 1 0 0\n1 2 3\n"),
            ":2:1: 3 numbers where a point has six: x y z nx ny nz; add the outward normals");
  EXPECT_EQ(mistake("1 0 0 1 0 zero\n"), ":1:11: 'zero' is not a number");
  EXPECT_EQ(mistake("1 0 0 1 0 0\n1 0 0 0 0 0\n1 0 0 1 0 0\n0 0 1 1 0 0\n"),
            ": the normal of point 2 has length 0; leave the point out, or give it the outward "
            "normal");
  EXPECT_EQ(mistake("1 0 0 1 0 0\n"),
            ": 1 points make no surface; give at least 4, better some "
            "thousand");
  EXPECT_EQ(mistake("ply\nformat ascii 1.0\nelement vertex 9\nproperty float x\nend_header\n"),
            ": the vertices have no property 'y'; export the points with their normals");
}

}  // namespace
}  // namespace cauchy::test_oriented_points
