#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include <cauchy/base/error.hpp>
#include <cauchy/base/rng.hpp>
#include <cauchy/geometry/mesh.hpp>

#include "../../support/message_of.hpp"

namespace cauchy::test_mesh {
namespace {

Mesh unit_cube(std::size_t d, std::size_t n) {
  const std::vector<double> lower(d, 0), upper{1, 2, 3};
  const std::vector<std::size_t> counts(d, n);
  return structured_mesh(lower, std::span(upper).first(d), counts);
}

TEST(Mesh, StructuredMeshesFillTheirBoxesAndNameTheirSides) {
  for (const std::size_t d : {1, 2, 3}) {
    const Mesh mesh = unit_cube(d, 3);
    ASSERT_NO_THROW(check_mesh(mesh));
    const double measure[] = {1, 2, 6}, boundary[] = {2, 6, 22};
    const std::size_t cells[] = {3, 18, 162};
    EXPECT_EQ(mesh.n_cells(), cells[d - 1]);
    EXPECT_NEAR(mesh.measure(), measure[d - 1], 1e-13);
    EXPECT_NEAR(mesh.boundary_measure(), boundary[d - 1], 1e-12);
    EXPECT_EQ(mesh_quality(mesh).euler, 1);
    ASSERT_EQ(mesh.pieces.size(), 2 * d);
    // Every piece is a side of the box: its facets have one coordinate in common.
    for (std::size_t f = 0; f < mesh.n_facets(); ++f) {
      const auto side = static_cast<std::size_t>(mesh.facet_piece[f]);
      for (const Mesh::Index v : mesh.facet(f)) {
        EXPECT_EQ(mesh.node(v)[side / 2], side % 2 == 0 ? 0 : static_cast<double>(side / 2 + 1));
      }
    }
  }
  EXPECT_EQ(unit_cube(3, 1).pieces,
            (std::vector<std::string>{"left", "right", "front", "back", "bottom", "top"}));
}

TEST(Mesh, StructuredMeshesRefuseWhatIsNoBox) {
  const std::vector<double> a{0, 0}, b{1, 0};
  const std::vector<std::size_t> n{2, 2}, zero{2, 0};
  EXPECT_NE(message_of([&] { (void)structured_mesh(a, b, n); }).find("from 0 to 0"),
            std::string::npos);
  const std::vector<double> c{1, 1};
  EXPECT_NE(message_of([&] { (void)structured_mesh(a, c, zero); }).find("0 boxes"),
            std::string::npos);
}

TEST(Mesh, EdgesComeOnceAndCellsKnowThem) {
  const Mesh mesh = unit_cube(3, 2);
  const MeshEdges edges = mesh_edges(mesh);
  for (std::size_t c = 0; c < mesh.n_cells(); ++c) {
    for (std::size_t k = 0; k < 6; ++k) {
      const std::size_t e = edges.cell_edges[6 * c + k];
      const Mesh::Index p = mesh.cell(c)[static_cast<std::size_t>(MeshEdges::edge_ends[k][0])];
      const Mesh::Index q = mesh.cell(c)[static_cast<std::size_t>(MeshEdges::edge_ends[k][1])];
      EXPECT_EQ(edges.nodes[2 * e], std::min(p, q));
      EXPECT_EQ(edges.nodes[2 * e + 1], std::max(p, q));
    }
  }
  // Euler: 27 nodes, 48 cells, and 4 * 48 sides of which 48 are outside.
  EXPECT_EQ(27 - static_cast<int>(edges.n_edges()) + (4 * 48 + 48) / 2 - 48, 1);
}

TEST(Mesh, TheLocatorFindsTheCellOfAPointAndItsWeights) {
  for (const std::size_t d : {1, 2, 3}) {
    const Mesh mesh = unit_cube(d, 4);
    const MeshLocator locator(mesh);
    Rng rng(3);
    for (int i = 0; i < 200; ++i) {
      double x[3], y[3] = {};
      for (std::size_t k = 0; k < d; ++k) x[k] = rng.uniform(0, static_cast<double>(k + 1));
      const auto place = locator.find(x);
      EXPECT_EQ(place.outside, 0);
      double least = 1;
      for (std::size_t k = 0; k <= d; ++k) {
        least = std::min(least, place.weights[k]);
        for (std::size_t j = 0; j < d; ++j) {
          y[j] += place.weights[k] * mesh.node(mesh.cell(place.cell)[k])[j];
        }
      }
      EXPECT_GT(least, -1e-11);
      for (std::size_t k = 0; k < d; ++k) EXPECT_NEAR(x[k], y[k], 1e-13);
    }
    // Just outside: the nearest cell, and weights that still give the point.
    double x[3] = {-0.01, 0.3, 0.3};
    const auto place = locator.find(x);
    EXPECT_GT(place.outside, 0.01 - 1e-12);
    EXPECT_LT(place.outside, 0.03);  // a bound: the point of the cell is not always the nearest
    double y = 0;
    for (std::size_t k = 0; k <= d; ++k) {
      y += place.weights[k] * mesh.node(mesh.cell(place.cell)[k])[0];
    }
    EXPECT_NEAR(y, -0.01, 1e-13);
  }
}

TEST(Mesh, QualityOfARegularCellIsOne) {
  Mesh mesh;
  mesh.nodes = {0, 0, 1, 0, 0.5, std::sqrt(0.75)};
  mesh.cells = {0, 1, 2};
  mesh.cell_part = {0};
  mesh.parts = {"inside"};
  find_facets(mesh);
  const MeshQuality q = mesh_quality(mesh);
  EXPECT_NEAR(q.worst_shape, 1, 1e-14);
  EXPECT_NEAR(q.smallest_angle, 60, 1e-12);
  EXPECT_NEAR(q.boundary_measure, 3, 1e-14);
  Mesh solid;
  solid.dimension = 3;
  solid.nodes = {1, 1, 1, 1, -1, -1, -1, 1, -1, -1, -1, 1};
  solid.cells = {0, 1, 2, 3};
  if (solid.cell_measure(0) < 0) std::swap(solid.cells[0], solid.cells[1]);
  solid.cell_part = {0};
  solid.parts = {"inside"};
  find_facets(solid);
  const MeshQuality s = mesh_quality(solid);
  EXPECT_NEAR(s.worst_shape, 1, 1e-14);
  EXPECT_NEAR(s.smallest_angle, std::acos(1.0 / 3) * 180 / M_PI, 1e-12);
  EXPECT_EQ(s.euler, 1);
}

TEST(Mesh, ChecksNameWhatIsWrongAndWhere) {
  const Mesh good = unit_cube(2, 2);
  const auto complaint = [&](auto damage) {
    Mesh mesh = good;
    damage(mesh);
    return message_of([&] { check_mesh(mesh); });
  };
  const auto has = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_PRED2(has, complaint([](Mesh& m) { std::swap(m.cells[0], m.cells[1]); }),
               "cell 0 at (0.333333, 0.333333) is inverted or flat");
  EXPECT_PRED2(has, complaint([](Mesh& m) { m.cells[2] = 99; }), "has node 99, but there are 9");
  EXPECT_PRED2(has, complaint([](Mesh& m) {
                 m.facets.resize(m.facets.size() - 2);
                 m.facet_piece.pop_back();
               }),
               "8 sides of cells are on the boundary, but there are 7 facets");
  EXPECT_PRED2(has, complaint([](Mesh& m) { std::swap(m.facets[0], m.facets[1]); }), "facet 0 at");
  EXPECT_PRED2(has, complaint([](Mesh& m) {
                 m.nodes.insert(m.nodes.end(), {0.1, 0.1});
               }),
               "node 9 at (0.1, 0.1) belongs to no cell");
  EXPECT_PRED2(has, complaint([](Mesh& m) { m.facet_piece[3] = 7; }), "piece 7 of 4");
  EXPECT_PRED2(has, complaint([](Mesh& m) {
                 m.cells.insert(m.cells.end(), {m.cells[0], m.cells[1], m.cells[2]});
                 m.cell_part.push_back(0);
               }),
               "overlap");
}

}  // namespace
}  // namespace cauchy::test_mesh
