#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include <cauchy/base/error.hpp>
#include <cauchy/base/rng.hpp>
#include <cauchy/geometry/shapes/triangle_surface.hpp>

#include "geometry/shapes/triangle_topology.hpp"
#include "geometry/shapes/triangle_tree.hpp"
#include "support/mesh_shapes.hpp"

namespace cauchy::test_triangle_surface {
namespace {

using namespace detail::triangles;
using mesh_shapes::Point;
constexpr double eps = std::numeric_limits<double>::epsilon();

Point random_point(Rng& rng, const Bounds& b, double factor) {
  Point x{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double center = (b.lower[i] + b.upper[i]) / 2, half = (b.upper[i] - b.lower[i]) / 2;
    x[i] = center + factor * half * rng.uniform(-1, 1);
  }
  return x;
}

/// Exact signed distance of a box, positive inside.
double box_distance(const Point& lower, const Point& upper, const Point& x) {
  double inside = std::numeric_limits<double>::infinity(), outside = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const double gap = std::max(lower[i] - x[i], x[i] - upper[i]);
    inside = std::min(inside, -gap);
    outside = std::hypot(outside, std::max(gap, 0.0));
  }
  return inside > 0 ? inside : -outside;
}

/// Signs against the winding number, distances against a search of all triangles, feet and normals
/// against the distance.
void check_against_references(const TriangleMesh& mesh, int n, double factor,
                              double sign_margin = 1e-9) {
  const ShapePtr shape = triangle_surface_shape(mesh);
  Rng rng(5);
  for (int i = 0; i < n; ++i) {
    const Point x = random_point(rng, shape->bounds(), factor);
    const double distance = shape->distance(x.data());
    double square = std::numeric_limits<double>::infinity();
    for (const auto& [a, b, c] : mesh.triangles) {
      square = std::min(
          square,
          closest_on_triangle(x, mesh.vertices[a], mesh.vertices[b], mesh.vertices[c]).square);
    }
    // Corners of a triangle may be listed in another order after turning: a few roundings.
    ASSERT_LT(std::abs(std::abs(distance) - std::sqrt(square)), 1e-14 * (1 + std::sqrt(square)));
    if (std::abs(distance) > sign_margin) {
      const double winding = winding_number(mesh, x);
      ASSERT_EQ(distance > 0, std::abs(winding) > 0.5)
          << x[0] << " " << x[1] << " " << x[2] << ": " << distance << " " << winding;
      ASSERT_EQ(shape->contains(x.data()), distance > 0);
    }
    Point foot{}, normal{};
    const Nearest near = shape->nearest(x.data(), foot.data(), normal.data());
    ASSERT_EQ(near.distance, distance);
    ASSERT_LT(near.piece, shape->pieces().size());
    const double to_foot = std::hypot(x[0] - foot[0], x[1] - foot[1], x[2] - foot[2]);
    ASSERT_LT(std::abs(to_foot - std::abs(distance)), 1e-14 * (1 + to_foot));
    ASSERT_LT(std::abs(std::hypot(normal[0], normal[1], normal[2]) - 1), 8 * eps);
    ASSERT_LT(std::abs(shape->distance(foot.data())), 1e-14);
  }
}

TEST(TriangleSurface, TreeFindsTheSameTriangleAsSearchingAllToTheLastBit) {
  for (const TriangleMesh& mesh :
       {mesh_shapes::torus(40, 24), mesh_shapes::globe(31, 17), mesh_shapes::icosphere(3),
        mesh_shapes::box({-1, 0, 2}, {1, 5, 2.5})}) {
    const TriangleTree tree = build_triangle_tree(mesh.vertices, mesh.triangles);
    const Bounds bounds = triangle_surface_shape(mesh)->bounds();
    Rng rng(3);
    for (int i = 0; i < 600; ++i) {
      Point x = random_point(rng, bounds, i % 3 == 0 ? 100 : 1.3);
      if (i % 5 == 0) {  // exactly over symmetric features: ties
        for (double& c : x) c = std::round(c);
      }
      const TreeHit fast = nearest_triangle(tree, x);
      const TreeHit plain = nearest_triangle_reference(tree, x);
      ASSERT_EQ(fast.square, plain.square);
      ASSERT_EQ(fast.position, plain.position);
    }
  }
}

TEST(TriangleSurface, TreeIsRightForVeryFarVeryLargeAndVerySmallThings) {
  for (const double size : {1e-40, 1.0, 1e40}) {
    const TriangleMesh mesh = mesh_shapes::icosphere(2, size, {3 * size, 0, 0});
    const TriangleTree tree = build_triangle_tree(mesh.vertices, mesh.triangles);
    const ShapePtr shape = triangle_surface_shape(mesh);
    Rng rng(8);
    for (const double far : {1.0, 1e3, 1e6, 1e9, 1e20, 1e45}) {
      for (int i = 0; i < 20; ++i) {
        Point x{};
        for (double& c : x) c = far * size * rng.uniform(-1, 1);
        ASSERT_EQ(nearest_triangle(tree, x).position, nearest_triangle_reference(tree, x).position);
        if (far > 10) {
          ASSERT_LT(shape->distance(x.data()), 0);
        }
      }
    }
    const Point farthest{1e300, -1e300, 1e300};
    EXPECT_NEAR(shape->distance(farthest.data()) / 1e300, -std::sqrt(3.0), 1e-15);
  }
}

TEST(TriangleSurface, CubeHasTheDistanceOfTheBoxFormula) {
  const Point lower{-1, -2, 0.5}, upper{1, 1, 2};
  const ShapePtr shape = triangle_surface_shape(mesh_shapes::box(lower, upper));
  Rng rng(1);
  for (int i = 0; i < 5000; ++i) {
    const Point x = random_point(rng, shape->bounds(), 2);
    ASSERT_LT(std::abs(shape->distance(x.data()) - box_distance(lower, upper, x)), 16 * eps);
  }
  EXPECT_NEAR(shape->measure(), 2 * 3 * 1.5, 32 * eps);
  ASSERT_EQ(shape->pieces().size(), 6u);
  EXPECT_EQ(shape->pieces()[0].name, "left");
  EXPECT_EQ(shape->pieces()[5].labels, std::vector<std::string>{"top"});
  EXPECT_NEAR(shape->pieces()[0].measure, 3 * 1.5, 16 * eps);
  EXPECT_NEAR(shape->pieces()[3].carrier_measure, 2 * 1.5, 16 * eps);
  EXPECT_EQ(shape->bounds().lower, std::vector<double>(lower.begin(), lower.end()));
  EXPECT_EQ(shape->bounds().upper, std::vector<double>(upper.begin(), upper.end()));
  EXPECT_TRUE(shape->is_exact());
  EXPECT_FALSE(shape->has_map());
}

// Every combination of below, lower, middle, upper, above in each coordinate: points over edges,
// corners and the diagonals of the faces, in the planes of the faces and on the surface itself.
TEST(TriangleSurface, CubeIsRightExactlyOverEdgesCornersAndDiagonals) {
  const Point lower{0, 0, 0}, upper{1, 1, 1};
  const ShapePtr shape = triangle_surface_shape(mesh_shapes::box(lower, upper));
  const double steps[9] = {-1, -0.5, 0, 0.25, 0.5, 0.75, 1, 1.5, 2};
  for (const double x : steps) {
    for (const double y : steps) {
      for (const double z : steps) {
        const Point p{x, y, z};
        const double exact = box_distance(lower, upper, p);
        ASSERT_LT(std::abs(shape->distance(p.data()) - exact), 4 * eps)
            << x << " " << y << " " << z;
        if (exact != 0) {
          ASSERT_EQ(shape->contains(p.data()), exact > 0);
        }
      }
    }
  }
}

TEST(TriangleSurface, NormalAtEdgesAndCornersIsThePseudonormal) {
  const ShapePtr shape = triangle_surface_shape(mesh_shapes::box({0, 0, 0}, {1, 1, 1}));
  Point foot{}, normal{};
  const Point face{0.3, 0.4, 3}, edge{2, 0.4, 2}, corner{2, 2, 2};
  EXPECT_EQ(shape->nearest(face.data(), foot.data(), normal.data()).piece, 5u);
  EXPECT_NEAR(normal[2], 1, 4 * eps);
  EXPECT_NEAR(foot[2], 1, 4 * eps);
  shape->nearest(edge.data(), foot.data(), normal.data());
  EXPECT_NEAR(normal[0], std::sqrt(0.5), 4 * eps);
  EXPECT_NEAR(normal[1], 0, 4 * eps);
  shape->nearest(corner.data(), foot.data(), normal.data());
  for (const double n : normal) EXPECT_NEAR(n, std::sqrt(1.0 / 3), 8 * eps);
  EXPECT_EQ(foot, (Point{1, 1, 1}));
  // Two triangles meet here on the right, one in front and one below: angles weigh, not counts.
  const Point uneven{2, -1, -1};
  shape->nearest(uneven.data(), foot.data(), normal.data());
  EXPECT_NEAR(normal[0], std::sqrt(1.0 / 3), 8 * eps);
  EXPECT_NEAR(normal[1], -std::sqrt(1.0 / 3), 8 * eps);
}

TEST(TriangleSurface, SignsAgreeWithTheWindingNumber) {
  check_against_references(mesh_shapes::icosphere(3), 1500, 1.2);
  check_against_references(mesh_shapes::torus(40, 20), 1500, 1.2);
  check_against_references(mesh_shapes::globe(24, 16), 1000, 1.5);
  check_against_references(mesh_shapes::box({0, 0, 0}, {1, 2, 3}), 2000, 2);
}

// A needle: a pyramid of height 1 over a square of width 0.02, with the tip pulled aside. Around
// the tip the nearest faces include some that face away from the point.
TEST(TriangleSurface, SignIsRightAroundSharpTips) {
  TriangleMesh mesh;
  mesh.groups = {"needle"};
  mesh.vertices = {
      {-0.01, -0.01, 0}, {0.01, -0.01, 0}, {0.01, 0.01, 0}, {-0.01, 0.01, 0}, {0.3, 0, 1}};
  mesh.triangles = {{0, 2, 1}, {0, 3, 2}, {0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {3, 0, 4}};
  mesh.group.assign(6, 0);
  check_against_references(mesh, 2000, 1.5);
  const ShapePtr shape = triangle_surface_shape(mesh);
  Rng rng(12);
  int wrong_faces = 0;
  for (int i = 0; i < 2000; ++i) {
    Point x{};
    for (std::size_t k = 0; k < 3; ++k) x[k] = mesh.vertices[4][k] + 0.2 * rng.uniform(-1, 1);
    const bool is_inside = std::abs(winding_number(mesh, x)) > 0.5;
    ASSERT_EQ(shape->distance(x.data()) > 0, is_inside);
    // The naive test, by the normal of any one triangle at the nearest vertex, does fail here.
    for (std::size_t t = 2; t < 6; ++t) {
      const auto& [a, b, c] = mesh.triangles[t];
      const Closest near =
          closest_on_triangle(x, mesh.vertices[a], mesh.vertices[b], mesh.vertices[c]);
      const double distance = std::abs(shape->distance(x.data()));
      if (near.feature != Feature::corner_c || std::sqrt(near.square) > distance) continue;
      const Vec3 n =
          cross(mesh.vertices[b] - mesh.vertices[a], mesh.vertices[c] - mesh.vertices[a]);
      wrong_faces += (dot(near.offset, n) < 0) != is_inside ? 1 : 0;
    }
  }
  EXPECT_GT(wrong_faces, 100) << "the case is not a hard one";
}

// A blade with an edge of 6 degrees: beside it one of the two faces looks away from the point.
TEST(TriangleSurface, SignIsRightAroundSharpEdges) {
  TriangleMesh mesh;
  mesh.groups = {"blade"};
  mesh.vertices = {{0, -0.05, 0}, {1, 0, 0}, {0, 0.05, 0}, {0, -0.05, 1}, {1, 0, 1}, {0, 0.05, 1}};
  mesh.triangles = {{0, 2, 1}, {3, 4, 5}, {0, 1, 4}, {0, 4, 3},
                    {1, 2, 5}, {1, 5, 4}, {2, 0, 3}, {2, 3, 5}};
  mesh.group.assign(8, 0);
  // A second body lies ahead, so that the surroundings of the edge are within the bounding box.
  check_against_references(mesh_shapes::join(mesh, mesh_shapes::box({2.5, -1, -1}, {2.6, 1, 2})),
                           2000, 1.1);
}

// The base square has an apex pushed in, so that the nearest vertex is seen from within a dent.
TEST(TriangleSurface, SignIsRightInDentsAndAtSaddles) {
  TriangleMesh mesh;
  mesh.groups = {"dart"};
  mesh.vertices = {{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}, {0, 0, 1}, {0, 0, 0.9}};
  mesh.triangles = {{0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {3, 0, 4},
                    {1, 0, 5}, {2, 1, 5}, {3, 2, 5}, {0, 3, 5}};
  mesh.group.assign(8, 0);
  check_against_references(mesh, 3000, 1.5);
}

TEST(TriangleSurface, VolumeOfSphereAndTorusConvergesWithTheSquareOfTheEdge) {
  const double exact = 4 * std::numbers::pi / 3;
  double previous = 0;
  for (const int level : {2, 3, 4}) {
    const double error = exact - triangle_surface_shape(mesh_shapes::icosphere(level))->measure();
    if (level > 2) {
      EXPECT_NEAR(previous / error, 4, 0.1);
    }
    previous = error;
  }
  // m chords and n-gons: the volume of the polyhedral torus tends to 2 pi^2 R r^2 as 1/m^2 + 1/n^2.
  const ShapePtr torus = triangle_surface_shape(mesh_shapes::torus(200, 100, 1, 0.4));
  const double full = 2 * std::numbers::pi * std::numbers::pi * 0.16;
  EXPECT_LT(torus->measure(), full);
  EXPECT_GT(torus->measure(), full * (1 - 20.0 / (100 * 100)));
}

TEST(TriangleSurface, CavityIsOutside) {
  const TriangleMesh mesh = mesh_shapes::join(mesh_shapes::icosphere(2, 1),
                                              mesh_shapes::turned(mesh_shapes::icosphere(2, 0.5)));
  for (const TriangleMesh& m : {mesh, mesh_shapes::turned(mesh)}) {
    const ShapePtr shape = triangle_surface_shape(m);
    const double middle[3] = {0, 0, 0}, shell[3] = {0.7, 0, 0}, out[3] = {0, 1.1, 0};
    EXPECT_LT(shape->distance(middle), -0.4);
    EXPECT_GT(shape->distance(shell), 0.1);
    EXPECT_LT(shape->distance(out), 0);
    const double ball = triangle_surface_shape(mesh_shapes::icosphere(2, 1))->measure();
    EXPECT_NEAR(shape->measure(), ball * (1 - 0.125), 1e-14);
    ASSERT_EQ(shape->pieces().size(), 2u);
  }
  check_against_references(mesh, 500, 1.2);
}

TEST(TriangleSurface, BoundaryPointsAreUniformOnTheirPiece) {
  const ShapePtr shape = triangle_surface_shape(mesh_shapes::icosphere(3));
  Rng rng(4);
  const int n = 20000;
  Point mean{}, second{};
  for (int i = 0; i < n; ++i) {
    const double u[2] = {rng.uniform(), rng.uniform()};
    Point x{}, normal{};
    ASSERT_TRUE(shape->boundary_point(0, u, x.data(), normal.data()));
    ASSERT_LT(std::abs(shape->distance(x.data())), 1e-14);
    ASSERT_GT(x[0] * normal[0] + x[1] * normal[1] + x[2] * normal[2], 0.97);
    for (std::size_t k = 0; k < 3; ++k) {
      mean[k] += x[k] / n;
      second[k] += x[k] * x[k] / n;
    }
  }
  // Standard errors sqrt(1/3 / n) and sqrt(4/45 / n); four of them. The mesh is 0.5 percent small.
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_LT(std::abs(mean[k]), 4 * std::sqrt(1.0 / 3 / n));
    EXPECT_LT(std::abs(second[k] - 1.0 / 3), 4 * std::sqrt(4.0 / 45 / n) + 0.004);
  }
  for (const double u0 : {0.0, 1.0}) {  // the ends of the square
    for (const double u1 : {0.0, 1.0}) {
      const double u[2] = {u0, u1};
      Point x{}, normal{};
      ASSERT_TRUE(shape->boundary_point(0, u, x.data(), normal.data()));
      EXPECT_LT(std::abs(shape->distance(x.data())), 1e-14);
    }
  }
}

TEST(TriangleSurface, BoundaryPointsStayInTheirGroup) {
  const ShapePtr shape = triangle_surface_shape(mesh_shapes::box({0, 0, 0}, {1, 2, 3}));
  Rng rng(6);
  int low = 0;
  for (int i = 0; i < 4000; ++i) {
    const double u[2] = {rng.uniform(), rng.uniform()};
    Point x{}, normal{};
    shape->boundary_point(3, u, x.data(), normal.data());  // back: y = 2
    ASSERT_LT(std::abs(x[1] - 2), 4 * eps);
    ASSERT_LT(std::abs(normal[1] - 1), 4 * eps);
    low += x[2] < 1 ? 1 : 0;
  }
  EXPECT_LT(std::abs(low / 4000.0 - 1.0 / 3), 4 * std::sqrt(2.0 / 9 / 4000));
}

TEST(TriangleSurface, RenamedCopiesShareTheSurface) {
  const ShapePtr shape = triangle_surface_shape(mesh_shapes::box({0, 0, 0}, {1, 1, 1}));
  const ShapePtr copy = shape->renamed("part");
  EXPECT_EQ(copy->pieces()[0].name, "part_left");
  const Point x{0.2, 0.3, 0.4};
  EXPECT_EQ(copy->distance(x.data()), shape->distance(x.data()));
}

TEST(TriangleSurface, AffineImagesAreExactAndKeepNames) {
  const TriangleMesh mesh = mesh_shapes::torus(16, 12);
  const ShapePtr shape = triangle_surface_shape(mesh)->renamed("ring");
  for (const double mirror : {1.0, -1.0}) {
    Affine affine;
    affine.linear = {2, 0.5, 0, 0, mirror, 0.25, 0.1, 0, 0.5};
    affine.shift = {1, -2, 3};
    const ShapePtr image = detail::transform_triangle_surface(*shape, affine);
    ASSERT_NE(image, nullptr);
    EXPECT_EQ(image->pieces()[0].name, "ring_torus");
    EXPECT_EQ(image->pieces()[0].labels, shape->pieces()[0].labels);
    EXPECT_NEAR(image->measure() / shape->measure(), std::abs(affine.determinant()), 1e-13);
    TriangleMesh moved = mesh;
    for (Point& v : moved.vertices) {
      const Point p = v;
      affine.apply(p.data(), v.data());
    }
    const ShapePtr direct = triangle_surface_shape(moved);
    Rng rng(9);
    for (int i = 0; i < 500; ++i) {
      const Point x = random_point(rng, image->bounds(), 1.3);
      ASSERT_LT(std::abs(image->distance(x.data()) - direct->distance(x.data())), 1e-14);
      Point y{};
      affine.apply(random_point(rng, shape->bounds(), 1.3).data(), y.data());
      Point back{};
      affine.inverse().apply(y.data(), back.data());
      if (std::abs(shape->distance(back.data())) > 1e-9) {
        ASSERT_EQ(image->contains(y.data()), shape->contains(back.data()));
      }
    }
  }
  Affine flat = Affine::identity(3);
  flat.linear[0] = 0;
  EXPECT_THROW(static_cast<void>(detail::transform_triangle_surface(*shape, flat)), Error);
  EXPECT_THROW(static_cast<void>(detail::transform_triangle_surface(*shape, Affine::identity(2))),
               Error);
}

TEST(TriangleSurface, PointsThatAreNotFiniteHaveDistanceNan) {
  const ShapePtr shape = triangle_surface_shape(mesh_shapes::icosphere(1));
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
        -std::numeric_limits<double>::infinity()}) {
    const Point x{0, bad, 0};
    EXPECT_TRUE(std::isnan(shape->distance(x.data())));
    EXPECT_FALSE(shape->contains(x.data()));
    Point foot{}, normal{};
    EXPECT_TRUE(std::isnan(shape->nearest(x.data(), foot.data(), normal.data()).distance));
  }
}

}  // namespace
}  // namespace cauchy::test_triangle_surface
