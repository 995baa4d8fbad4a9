#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include <cauchy/base/error.hpp>
#include <cauchy/geometry/make_mesh.hpp>
#include <cauchy/geometry/region.hpp>
#include <cauchy/geometry/shapes/interval.hpp>
#include <cauchy/geometry/shapes/plane.hpp>

#include "../../support/message_of.hpp"
#include "../../support/region_cases.hpp"

namespace cauchy::test_make_mesh {
namespace {

ShapePtr shape_of(const std::string& text) { return parse_region(text).shape(); }

double boundary_of(const Shape& shape) {
  double sum = 0;
  for (const Piece& p : shape.pieces()) sum += p.measure;
  return sum;
}

TEST(MakeMesh, EveryBoundedRegionOfThePlaneIsFilledToSecondOrder) {
  for (const std::string& text : test::region_cases()) {
    const ShapePtr shape = shape_of(text);
    if (shape->dimension() > 2) continue;
    const double exact[2] = {shape->measure(), boundary_of(*shape)};
    double first = 0;
    const double size = shape->dimension() == 1 ? 0.2 : 0.08 * std::sqrt(exact[0]);
    for (const double h : {size, size / 2}) {
      // Arcs may turn as far as the size allows, so that the size alone decides.
      const Mesh mesh = make_mesh(shape, {.size = h, .turn = 90});
      ASSERT_NO_THROW(check_mesh(mesh)) << text;
      // Every piece of the region has facets, and they are on it.
      std::vector<int> count(mesh.pieces.size(), 0);
      for (const int p : mesh.facet_piece) ++count[static_cast<std::size_t>(p)];
      EXPECT_EQ(std::ranges::count(count, 0), 0) << text;
      for (const Mesh::Index v : mesh.facets) {
        EXPECT_LT(std::abs(shape->distance(mesh.node(v))), 1e-9 * size) << text;
      }
      const double got[2] = {mesh.measure(), mesh.boundary_measure()};
      for (int k = 0; k < 2; ++k) {
        const double error = std::abs(got[k] / exact[k] - 1);
        // A quarter, and some room for numbers of sides that are rounded. Errors of area inside and
        // outside of arcs may cancel, so that the larger of the first errors counts.
        if (h == size) {
          first = std::max(first, error);
        } else {
          EXPECT_LT(error, std::max(0.4 * first, 1e-12)) << text;
        }
        EXPECT_LT(error, 0.02) << text;
      }
      if (shape->dimension() == 2 && text.find("polygon") == std::string::npos) {
        EXPECT_GT(mesh_quality(mesh).smallest_angle, 25) << text;
      }
    }
  }
}

TEST(MakeMesh, HolesAndCutsShowInTheEulerCharacteristic) {
  const std::map<std::string, long> cases{
      {"disk((0, 0), 1)", 1},
      {"annulus((0, 0), 0.5, 1)", 0},
      {"rectangle((0, 0), (4, 1)) - disk((1, 0.5), 0.2) - disk((3, 0.5), 0.2)", -1},
      {"rectangle((-1, -1), (1, 1)) - slit((0, 0), (1, 0))", 1},
      {"rectangle((-1, -1), (1, 1)) - slit((-0.5, 0), (0.5, 0))", 0},
      {"interval(0, 1) | interval(2, 3)", 2}};
  for (const auto& [text, euler] : cases) {
    EXPECT_EQ(mesh_quality(make_mesh(shape_of(text), {.size = 0.1})).euler, euler) << text;
  }
}

TEST(MakeMesh, BothSidesOfASlitHaveNodesOfTheirOwnAndTheTipHasOne) {
  const ShapePtr shape = shape_of("rectangle((-1, -1), (1, 1)) - slit((0, 0), (1, 0))");
  const Mesh mesh = make_mesh(shape, {.size = 0.2});
  std::map<double, int> at;  // nodes on the slit by x
  for (std::size_t i = 0; i < mesh.n_nodes(); ++i) {
    if (mesh.node(i)[1] == 0 && mesh.node(i)[0] >= 0) ++at[mesh.node(i)[0]];
  }
  ASSERT_GE(at.size(), 5u);
  EXPECT_EQ(at.begin()->first, 0);
  EXPECT_EQ(at.begin()->second, 1);
  for (auto it = std::next(at.begin()); it != at.end(); ++it) EXPECT_EQ(it->second, 2) << it->first;
  // The left side of the slit is seen from above.
  const auto cells = facet_cells(mesh);
  for (std::size_t f = 0; f < mesh.n_facets(); ++f) {
    const std::string& piece = mesh.pieces[static_cast<std::size_t>(mesh.facet_piece[f])];
    if (!piece.starts_with("slit")) continue;
    double y = 0;
    for (const Mesh::Index v : mesh.cell(cells[f])) y += mesh.node(v)[1];
    EXPECT_EQ(piece, y > 0 ? "slit_left" : "slit_right");
  }
}

TEST(MakeMesh, BoundariesBetweenPartsAreSidesOfCells) {
  const ShapePtr square = rectangle_shape({0, 0}, {2, 2});
  const std::vector<MeshPart> parts{{"core", ellipse_shape({1, 1}, 0.5, 0.5)},
                                    {"upper", half_plane_shape({0, 1}, {0, -1})}};
  const Mesh mesh = make_mesh(square, {.size = 0.1, .parts = parts});
  ASSERT_NO_THROW(check_mesh(mesh));
  EXPECT_EQ(mesh.parts, (std::vector<std::string>{"inside", "core", "upper"}));
  std::vector<double> area(3, 0);
  for (std::size_t c = 0; c < mesh.n_cells(); ++c) {
    area[static_cast<std::size_t>(mesh.cell_part[c])] += mesh.cell_measure(c);
    double middle[2] = {};
    for (const Mesh::Index v : mesh.cell(c)) {
      for (int k = 0; k < 2; ++k) middle[k] += mesh.node(v)[k] / 3;
    }
    const bool core = std::hypot(middle[0] - 1, middle[1] - 1) < 0.5;
    EXPECT_EQ(mesh.cell_part[c], core ? 1 : middle[1] > 1 ? 2 : 0);
  }
  EXPECT_NEAR(area[1], M_PI / 4, 0.01);
  EXPECT_NEAR(area[2], 2 - M_PI / 8, 0.01);
  double length = 0;  // of the circle and of the line outside of it
  for (std::size_t f = 0; f < mesh.n_interfaces(); ++f) {
    const double *a = mesh.node(mesh.interfaces[2 * f]), *b = mesh.node(mesh.interfaces[2 * f + 1]);
    length += std::hypot(a[0] - b[0], a[1] - b[1]);
  }
  EXPECT_NEAR(length, M_PI + 1, 0.02);
  // In one dimension the parts meet in a node.
  const Mesh line =
      make_mesh(interval_shape(0, 1), {.size = 0.3, .parts = {{"right", interval_shape(0.5, 2)}}});
  EXPECT_NE(std::ranges::find(line.nodes, 0.5), line.nodes.end());
  EXPECT_EQ(line.cell_part, (std::vector<int>{0, 0, 1, 1}));
}

TEST(MakeMesh, SizesFollowTheFieldAndMeshesHaveTheSameBits) {
  const ShapePtr corner = shape_of("polygon((0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2))");
  MeshOptions options{.size = 0.2};
  options.size_field =
      focused_size({{.place = {1, 1}, .reach = 1, .size = 0.2, .smallest = 0.004, .grading = 3}});
  const Mesh mesh = make_mesh(corner, options);
  ASSERT_NO_THROW(check_mesh(mesh));
  const MeshQuality q = mesh_quality(mesh);
  EXPECT_LT(q.shortest_edge, 0.008);
  EXPECT_GT(q.longest_edge, 0.15);
  EXPECT_GT(q.smallest_angle, 25);
  const Mesh again = make_mesh(corner, options);
  EXPECT_EQ(mesh.nodes, again.nodes);
  EXPECT_EQ(mesh.cells, again.cells);
}

TEST(MakeMesh, MiddlesOfCurvedSidesLieOnTheCurve) {
  const ShapePtr disk = shape_of("disk((0.5, -0.25), 1.5)");
  const Mesh mesh = make_mesh(disk, {.size = 0.4});
  const std::vector<double> middles = edge_middles(mesh, mesh.facets);
  for (std::size_t f = 0; f < mesh.n_facets(); ++f) {
    EXPECT_LT(std::abs(disk->distance(&middles[2 * f])), 1e-14);
  }
}

TEST(MakeMesh, SolidsAreFilledToSecondOrder) {
  for (const char* text :
       {"box((-1, 0, 1), (1, 2, 4))", "sphere((0.1, 0.2, 0.3), 0.8)",
        "ellipsoid((0, 0, 0.5), (2, 1, 0.6))", "torus((0, 0, 0), (0, 0, 1), 1, 0.3)"}) {
    const ShapePtr shape = shape_of(text);
    const double volume = shape->measure(), area = boundary_of(*shape);
    const double size = 0.2 * std::cbrt(volume);
    double first[2] = {};
    for (const double h : {size, size / 2}) {
      const Mesh mesh = make_mesh(shape, {.size = h});
      ASSERT_NO_THROW(check_mesh(mesh)) << text;
      const double error[2] = {std::abs(mesh.measure() / volume - 1),
                               std::abs(mesh.boundary_measure() / area - 1)};
      for (int k = 0; k < 2; ++k) {
        if (h == size) first[k] = error[k];
        if (h < size) {
          EXPECT_LT(error[k], std::max(0.4 * first[k], 1e-11)) << text;
        }
      }
      EXPECT_GT(mesh_quality(mesh).smallest_angle, 10) << text;
      EXPECT_EQ(mesh_quality(mesh).euler, text[0] == 't' ? 0 : 1) << text;
    }
  }
}

TEST(MakeMesh, EdgesOfSolidsAreKept) {
  for (const char* text : {"cylinder((0, 0, 0), (1, 1, 1), 0.5)",
                           "tetrahedron((0, 0, 0), (1, 0, 0), (0, 1.5, 0), (0.2, 0.1, 1))"}) {
    const ShapePtr shape = shape_of(text);
    double first = 0;
    for (const double h : {0.15, 0.075}) {
      const Mesh mesh = make_mesh(shape, {.size = h});
      ASSERT_NO_THROW(check_mesh(mesh)) << text;
      const double error = std::abs(mesh.measure() / shape->measure() - 1);
      if (h < 0.1) {
        EXPECT_LT(error, 0.4 * first) << text;
      }
      first = error;
      std::vector<double> area(mesh.pieces.size(), 0);
      for (std::size_t f = 0; f < mesh.n_facets(); ++f) {
        area[static_cast<std::size_t>(mesh.facet_piece[f])] += mesh.facet_measure(f);
      }
      // Without the edges a band along them would be missing, about a tenth of a piece; some facets
      // next to an edge still lie across it.
      for (std::size_t p = 0; p < area.size() && h < 0.1; ++p) {
        EXPECT_NEAR(area[p], shape->pieces()[p].measure, 0.04 * shape->pieces()[p].measure) << text;
      }
    }
  }
}

TEST(MakeMesh, WhatCannotBeMeshedIsSaidBeforeTheWork) {
  const ShapePtr disk = shape_of("disk((0, 0), 1)");
  const auto complaint = [](const ShapePtr& shape, const MeshOptions& options) {
    return message_of([&] { (void)make_mesh(shape, options); });
  };
  const auto has = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_PRED2(has, complaint(disk, {.size = 0}), "must be positive, got 0");
  EXPECT_PRED2(has, complaint(disk, {.size = std::nan("")}), "must be positive, got nan");
  EXPECT_PRED2(has, complaint(disk, {.size = 1e-6}), "about 7.26e+12 cells are to be expected");
  EXPECT_PRED2(has, complaint(shape_of("half_plane((0, 0), (1, 2))"), {.size = 0.1}), "unbounded");
  EXPECT_PRED2(has, complaint(shape_of("ball((0, 0, 0, 0), 1)"), {.size = 0.1}),
               "1 to 3 dimensions, not 4");
  MeshOptions bad{.size = 0.1};
  bad.size_field = [](const double* x) { return x[0]; };
  EXPECT_PRED2(has, complaint(disk, bad), "the size field is");
  EXPECT_PRED2(has,
               complaint(disk, {.size = 0.1, .parts = {{"away", ellipse_shape({5, 5}, 1, 1)}}}),
               "the part \"away\"");
}

}  // namespace
}  // namespace cauchy::test_make_mesh
