#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include <cauchy/base/error.hpp>
#include <cauchy/base/rng.hpp>
#include <cauchy/geometry/shapes/triangle_surface.hpp>

#include "support/mesh_shapes.hpp"
#include "support/message_of.hpp"

namespace cauchy::test_triangle_topology {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

std::string error_of(const TriangleMesh& mesh) {
  return message_of([&] { return triangle_surface_shape(mesh); });
}

TEST(TriangleTopology, PartsSideBySideAreTurnedEachForItself) {
  const TriangleMesh a = mesh_shapes::icosphere(1, 1),
                     b = mesh_shapes::icosphere(1, 0.5, {3, 0, 0});
  const double volume = triangle_surface_shape(a)->measure() + triangle_surface_shape(b)->measure();
  for (const TriangleMesh& mesh :
       {mesh_shapes::join(a, b), mesh_shapes::join(mesh_shapes::turned(a), b),
        mesh_shapes::join(a, mesh_shapes::turned(b))}) {
    const ShapePtr shape = triangle_surface_shape(mesh);
    EXPECT_NEAR(shape->measure(), volume, 1e-14);
    const double in_b[3] = {3, 0, 0}, between[3] = {2.2, 0, 0};
    EXPECT_TRUE(shape->contains(in_b));
    EXPECT_FALSE(shape->contains(between));
  }
}

TEST(TriangleTopology, TrianglesThatDisagreeAreTurned) {
  TriangleMesh mesh = mesh_shapes::join(mesh_shapes::torus(10, 8),
                                        mesh_shapes::icosphere(1, 0.1, {1, 0, 0}));  // a cavity
  const TriangleMesh ring = mesh_shapes::torus(10, 8);
  const double volume =
      triangle_surface_shape(ring)->measure() -
      triangle_surface_shape(mesh_shapes::icosphere(1, 0.1, {1, 0, 0}))->measure();
  Rng rng(2);
  for (auto& t : mesh.triangles) {
    if (rng.uniform() < 0.4) std::swap(t[0], t[1]);
  }
  const ShapePtr shape = triangle_surface_shape(mesh);
  EXPECT_NEAR(shape->measure(), volume, 1e-14);
  const double in_cavity[3] = {1, 0, 0}, in_tube[3] = {-1, 0, 0};
  EXPECT_FALSE(shape->contains(in_cavity));
  EXPECT_TRUE(shape->contains(in_tube));
}

TEST(TriangleTopology, CollapsedTrianglesAndSplitVerticesAreMended) {
  TriangleMesh mesh = mesh_shapes::box({0, 0, 0}, {1, 1, 1});
  mesh_shapes::add_triangle(mesh, 3, 3, 5);
  TriangleMesh split;  // every triangle with vertices of its own
  split.groups = mesh.groups;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const auto first = static_cast<std::uint32_t>(split.vertices.size());
    for (const std::uint32_t v : mesh.triangles[t]) split.vertices.push_back(mesh.vertices[v]);
    mesh_shapes::add_triangle(split, first, first + 1, first + 2, mesh.group[t]);
  }
  EXPECT_NEAR(triangle_surface_shape(mesh)->measure(), 1, 8 * eps);
  EXPECT_NEAR(triangle_surface_shape(split)->measure(), 1, 8 * eps);
}

TEST(TriangleTopology, OpenSurfacesSayHowManyHolesAndWhere) {
  TriangleMesh mesh = mesh_shapes::box({0, 0, 0}, {1, 1, 1});
  mesh.source = "bunny.stl";
  mesh.triangles.erase(mesh.triangles.begin(), mesh.triangles.begin() + 2);  // left
  mesh.group.resize(10);
  EXPECT_EQ(error_of(mesh),
            "bunny.stl: the surface is open: 1 hole, 4 open edges; the first hole is near "
            "(0, 0.5, 0.5); close the holes with the \"fill holes\" of a mesh editor");
  TriangleMesh globe = mesh_shapes::globe(12, 8);
  globe.triangles.erase(globe.triangles.begin() + 80);
  globe.triangles.erase(globe.triangles.begin() + 4);
  globe.group.resize(globe.triangles.size());
  EXPECT_EQ(error_of(globe).substr(0, 79),
            "[geometry.triangle_surface]: the surface is open: 2 holes, 6 open edges; the fi");
}

TEST(TriangleTopology, BrokenSurfacesAreRefusedWithTheReason) {
  const std::string place = "[geometry.triangle_surface]: ";
  const TriangleMesh good = mesh_shapes::box({0, 0, 0}, {1, 1, 1});
  EXPECT_EQ(error_of(good), "no error");
  EXPECT_EQ(error_of(TriangleMesh{}), place + "the mesh has no triangles");

  TriangleMesh mesh = good;
  mesh.triangles[3][1] = 8;
  EXPECT_EQ(error_of(mesh), place + "triangle 3 has vertex 8, but there are 8");
  mesh = good;
  mesh.group.pop_back();
  EXPECT_EQ(error_of(mesh).substr(0, 81),
            place + "the mesh has 12 triangles, but group numbers for 11;");
  mesh = good;
  mesh.group[2] = 6;
  EXPECT_EQ(error_of(mesh), place + "triangle 2 is in group 6, but there are 6");
  mesh = good;
  mesh.vertices[1][2] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(error_of(mesh), place + "vertex 1 has the coordinate nan");
  mesh.vertices[1][2] = 1e60;
  EXPECT_EQ(error_of(mesh).substr(0, 67), place + "vertex 1 has the coordinate 1e+60; use");
  mesh = good;
  for (auto& v : mesh.vertices) {
    for (double& c : v) c *= 1e-60;
  }
  EXPECT_EQ(error_of(mesh).substr(0, 54), place + "12 triangles have no area");

  mesh = good;
  mesh_shapes::add_triangle(mesh, 0, 4, 6);
  EXPECT_EQ(error_of(mesh), place +
                                "1 triangle is there more than once; the first is near "
                                "(0, 0, 0); remove duplicate faces in a mesh editor");
  mesh = good;
  mesh.triangles.assign(3, {2, 2, 2});
  mesh.group.resize(3);
  EXPECT_EQ(error_of(mesh), place + "every triangle of the mesh has two equal corners");

  // Two boxes that share the edge x = y = 1.
  mesh = mesh_shapes::join(good, mesh_shapes::box({1, 1, 0}, {2, 2, 1}));
  for (auto& t : mesh.triangles) {
    for (std::uint32_t& v : t) v = v == 8 ? 3 : v == 12 ? 7 : v;
  }
  EXPECT_EQ(error_of(mesh), place +
                                "1 edge has more than two triangles; the first is near "
                                "(1, 1, 0.5); remove inner walls, or move bodies apart that "
                                "touch along an edge");

  // Four corners of a flat square: closed, but without volume; then with three on a line.
  mesh = good;
  mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  mesh.triangles = {{0, 1, 2}, {0, 2, 3}, {0, 3, 1}, {1, 3, 2}};
  mesh.group.assign(4, 0);
  EXPECT_EQ(error_of(mesh), place +
                                "the part of the surface near (0, 0, 0) encloses no volume; "
                                "remove folded sheets in a mesh editor");
  mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {0, 1, 1}};
  EXPECT_EQ(error_of(mesh).substr(0, 70), place + "1 triangle has no area; the first is near");

  mesh = mesh_shapes::join(good, mesh_shapes::box({0.4, 0.4, 0.4}, {0.6, 0.6, 0.6}));
  EXPECT_EQ(error_of(mesh).substr(0, 121),
            place +
                "the part of the surface near (0.4, 0.4, 0.4) lies inside another part and "
                "faces the same way");
}

// Rows of a Klein bottle: the second direction is glued with a reversal, so that no orientation
// fits. Where it lies in space does not matter to the check.
TEST(TriangleTopology, OneSidedSurfacesAreRefused) {
  TriangleMesh mesh = mesh_shapes::torus(9, 8);
  mesh.triangles.clear();
  mesh.group.clear();
  for (std::uint32_t i = 0; i < 9; ++i) {
    for (std::uint32_t j = 0; j < 8; ++j) {
      const auto at = [](std::uint32_t k, std::uint32_t l) {
        return k < 9 ? k * 8 + l % 8 : (16 - l) % 8;
      };
      mesh_shapes::add_triangle(mesh, at(i, j), at(i + 1, j), at(i + 1, j + 1));
      mesh_shapes::add_triangle(mesh, at(i, j), at(i + 1, j + 1), at(i, j + 1));
    }
  }
  EXPECT_EQ(error_of(mesh).substr(0, 93),
            "[geometry.triangle_surface]: the surface has one side only, like a Klein bottle: "
            "going around");
}

}  // namespace
}  // namespace cauchy::test_triangle_topology
