#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include <cauchy/base/error.hpp>
#include <cauchy/geometry/make_mesh.hpp>
#include <cauchy/geometry/refine_mesh.hpp>
#include <cauchy/geometry/region.hpp>
#include <cauchy/geometry/shapes/plane.hpp>

#include "../../support/message_of.hpp"

namespace cauchy::test_refine_mesh {
namespace {

TEST(RefineMesh, HalvingKeepsPiecesAndComesNearerToCurves) {
  for (const auto& [text, size] : std::vector<std::pair<std::string, double>>{
           {"interval(-1, 2)", 0.5},
           {"annulus((0, 0), 0.5, 1.25)", 0.3},
           {"rectangle((-1, -1), (1, 1)) - slit((0, 0), (1, 0))", 0.4},
           {"sphere((0.1, 0.2, 0.3), 0.8)", 0.3},
           {"box((0, 0, 0), (1, 2, 1))", 0.5}}) {
    const ShapePtr shape = parse_region(text).shape();
    const Mesh coarse = make_mesh(shape, {.size = size});
    const Mesh fine = refine(coarse);
    ASSERT_NO_THROW(check_mesh(fine)) << text;
    EXPECT_EQ(fine.n_cells(), coarse.n_cells() << coarse.dimension);
    EXPECT_EQ(mesh_quality(fine).euler, mesh_quality(coarse).euler);
    EXPECT_EQ(fine.pieces, coarse.pieces);
    const double before = std::abs(coarse.measure() / shape->measure() - 1);
    EXPECT_LT(std::abs(fine.measure() / shape->measure() - 1), std::max(0.35 * before, 1e-12))
        << text;
    for (const Mesh::Index v : fine.facets) {
      EXPECT_LT(std::abs(shape->distance(fine.node(v))), 1e-12) << text;
    }
    for (std::size_t c = 0; c < fine.n_cells(); ++c) {
      EXPECT_LT(fine.cell_parent[c], coarse.n_cells());
    }
  }
}

TEST(RefineMesh, BisectionAtACornerStaysConformingAndRegular) {
  for (const auto& [text, size] : std::vector<std::pair<std::string, double>>{
           {"polygon((0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2))", 0.5},
           {"disk((1, 1), 0.7)", 0.4},
           {"sphere((1, 1, 1), 0.7)", 0.4},
           {"box((1, 1, 1), (2, 2, 3))", 0.6}}) {
    const ShapePtr shape = parse_region(text).shape();
    Mesh mesh = make_mesh(shape, {.size = size});
    const double angle = mesh_quality(mesh).smallest_angle;
    const std::size_t n = mesh.n_cells();
    std::vector<double> corner{1, 1, 1};
    for (int round = 0; round < 10 * mesh.dimension; ++round) {
      // The cells that have the corner as a node, or else the one that holds it.
      std::vector<Mesh::Index> marked;
      for (std::size_t c = 0; c < mesh.n_cells(); ++c) {
        for (const Mesh::Index v : mesh.cell(c)) {
          double gap = 0;
          for (std::size_t k = 0; k < static_cast<std::size_t>(mesh.dimension); ++k) {
            gap = std::max(gap, std::abs(mesh.node(v)[k] - corner[k]));
          }
          if (gap < 1e-14) marked.push_back(static_cast<Mesh::Index>(c));
        }
      }
      if (marked.empty()) marked.push_back(MeshLocator(mesh).find(corner.data()).cell);
      mesh = refine(mesh, marked);
    }
    ASSERT_NO_THROW(check_mesh(mesh)) << text;
    // Local: the size near the corner falls by 2^-10, the number of cells grows by some hundred.
    EXPECT_LT(mesh_quality(mesh).shortest_edge, size * std::exp2(-9.0)) << text;
    EXPECT_LT(mesh.n_cells(), n + (mesh.dimension == 2 ? 800u : 20000u)) << text;
    EXPECT_GT(mesh_quality(mesh).smallest_angle, angle / 3) << text;
    EXPECT_EQ(mesh_quality(mesh).euler, 1) << text;
  }
}

TEST(RefineMesh, LinearFunctionsAndInterfacesAreCarriedOver) {
  const ShapePtr square = rectangle_shape({0, 0}, {2, 2});
  Mesh mesh =
      make_mesh(square, {.size = 0.4, .parts = {{"core", ellipse_shape({1, 1}, 0.5, 0.5)}}});
  const auto length = [](const Mesh& m) {
    double sum = 0;
    for (std::size_t f = 0; f < m.n_interfaces(); ++f) {
      const double *a = m.node(m.interfaces[2 * f]), *b = m.node(m.interfaces[2 * f + 1]);
      sum += std::hypot(a[0] - b[0], a[1] - b[1]);
    }
    return sum;
  };
  const double before = std::abs(length(mesh) - M_PI);
  for (int round = 0; round < 3; ++round) {
    std::vector<double> u;
    for (std::size_t i = 0; i < mesh.n_nodes(); ++i) {
      u.push_back(mesh.node(i)[0]);
      u.push_back(3 - mesh.node(i)[1]);
    }
    std::vector<Mesh::Index> some;
    for (std::size_t c = 0; c < mesh.n_cells(); c += 2) some.push_back(static_cast<Mesh::Index>(c));
    const Mesh fine = round == 0 ? refine(mesh) : refine(mesh, some);
    ASSERT_NO_THROW(check_mesh(fine));
    const std::vector<double> w = refined_values(fine, u, 2);
    for (std::size_t i = 0; i < fine.n_nodes(); ++i) {
      // On the circle the middle of the chord and the node are apart.
      if (std::abs(std::hypot(fine.node(i)[0] - 1, fine.node(i)[1] - 1) - 0.5) < 1e-9) continue;
      EXPECT_NEAR(w[2 * i], fine.node(i)[0], 0.02);
    }
    for (std::size_t c = 0; c < fine.n_cells(); ++c) {
      EXPECT_EQ(fine.cell_part[c], mesh.cell_part[fine.cell_parent[c]]);
    }
    mesh = fine;
  }
  EXPECT_LT(std::abs(length(mesh) - M_PI), 0.3 * before);
  EXPECT_NE(message_of([&] {
              const std::vector<Mesh::Index> none{99999999};
              (void)refine(mesh, none);
            }).find("cell 99999999 is marked"),
            std::string::npos);
}

}  // namespace
}  // namespace cauchy::test_refine_mesh
