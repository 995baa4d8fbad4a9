#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include <cauchy/base/error.hpp>
#include <cauchy/geometry/make_mesh.hpp>
#include <cauchy/geometry/shapes/interval.hpp>
#include <cauchy/geometry/shapes/plane.hpp>
#include <cauchy/geometry/shapes/solid.hpp>
#include <cauchy/io/mesh_file.hpp>

#include "../../support/message_of.hpp"

namespace cauchy::test_mesh_file {
namespace {

// A unit square of two triangles, as people write it by hand.
const std::string square2 = R"($MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
3
1 1 "bottom wall"
1 2 "rest"
2 5 "steel"
$EndPhysicalNames
$Nodes
5
10 0 0 0
20 1 0 0
30 1 1 0
40 0 1 0
99 7 7 0
$EndNodes
$Elements
6
1 1 2 1 1 10 20
2 1 2 2 2 20 30
3 1 2 2 2 40 30
4 15 2 0 1 10
5 2 2 5 1 10 20 30
6 2 2 5 1 10 30 40
$EndElements
)";

const std::string square4 = R"($MeshFormat
4.1 0 8
$EndMeshFormat
$PhysicalNames
2
1 7 "inlet"
2 1 "fluid"
$EndPhysicalNames
$Entities
1 2 1 0
1 0 0 0 0
1 0 0 0 1 0 0 1 7 2 1 -1
2 0 0 0 1 1 0 0 0
1 0 0 0 1 1 0 1 1 0
$EndEntities
$Nodes
2 4 1 4
0 1 0 1
1
0 0 0
2 1 0 3
2
3
4
1 0 0
1 1 0
0 1 0
$EndNodes
$Elements
2 3 1 3
1 1 1 1
1 1 2
2 1 2 2
2 1 2 3
3 1 3 4
$EndElements
)";

std::string changed(std::string text, const std::string& from, const std::string& to) {
  text.replace(text.find(from), from.size(), to);
  return text;
}

TEST(MeshFile, PhysicalGroupsOfVersionTwoBecomePiecesAndParts) {
  const Mesh mesh = parse_mesh_file(square2, "square.msh");
  EXPECT_EQ(mesh.n_nodes(), 4u);  // node 99 belongs to no cell
  EXPECT_EQ(mesh.n_cells(), 2u);
  EXPECT_EQ(mesh.parts, (std::vector<std::string>{"steel"}));
  EXPECT_EQ(mesh.pieces, (std::vector<std::string>{"bottom_wall", "rest", "boundary"}));
  EXPECT_DOUBLE_EQ(mesh.measure(), 1);
  std::vector<int> count(3, 0);
  for (const int p : mesh.facet_piece) ++count[static_cast<std::size_t>(p)];
  EXPECT_EQ(count, (std::vector<int>{1, 2, 1}));  // the left side is in no group
}

TEST(MeshFile, EntitiesOfVersionFourBecomePiecesAndParts) {
  const Mesh mesh = parse_mesh_file(square4, "square.msh");
  EXPECT_EQ(mesh.n_cells(), 2u);
  EXPECT_EQ(mesh.parts, (std::vector<std::string>{"fluid"}));
  EXPECT_EQ(mesh.pieces, (std::vector<std::string>{"inlet", "boundary"}));
}

TEST(MeshFile, AMeshThatIsWrittenIsReadToTheLastBit) {
  const std::vector<double> zero{0, 0, 0};
  const std::vector<MeshPart> parts{{"core", ellipse_shape({0.2, 0.1}, 0.5, 0.4)}};
  for (const Mesh& mesh :
       {make_mesh(interval_shape(-1, 0.3), {.size = 0.21}),
        make_mesh(annulus_shape({0.1, 0}, 0.3, 1), {.size = 0.4}),
        make_mesh(rectangle_shape({-1, -1}, {1, 1}), {.size = 0.4, .parts = parts}),
        make_mesh(ball_shape(zero, 1), {.size = 0.6})}) {
    for (const MeshFormat format : {MeshFormat::gmsh2, MeshFormat::gmsh4, MeshFormat::vtk,
                                    MeshFormat::vtu, MeshFormat::xdmf}) {
      const Mesh back = parse_mesh_file(mesh_file_text(mesh, format), "mesh.msh");
      EXPECT_EQ(back.nodes, mesh.nodes);
      EXPECT_EQ(back.n_cells(), mesh.n_cells());
      EXPECT_EQ(back.n_facets(), mesh.n_facets());
      EXPECT_EQ(back.n_interfaces(), mesh.n_interfaces());
      std::vector<double> here(mesh.pieces.size(), 0), there(mesh.pieces.size(), 0);
      for (std::size_t f = 0; f < mesh.n_facets(); ++f) {
        here[static_cast<std::size_t>(mesh.facet_piece[f])] += mesh.facet_measure(f);
        there[static_cast<std::size_t>(back.facet_piece[f])] += back.facet_measure(f);
      }
      for (std::size_t p = 0; p < here.size(); ++p) {
        const auto at = std::ranges::find(back.pieces, mesh.pieces[p]) - back.pieces.begin();
        EXPECT_NEAR(here[p], there[static_cast<std::size_t>(at)], 1e-12);
      }
      EXPECT_EQ(mesh_file_text(back, format).size(), mesh_file_text(mesh, format).size());
    }
  }
}

TEST(MeshFile, DamagedFilesAreRefusedWithPlaceAndReason) {
  const auto complaint = [](const std::string& text) {
    return message_of([&] { (void)parse_mesh_file(text, "m.msh"); });
  };
  const auto has = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_PRED2(has, complaint(""), "the file is empty");
  EXPECT_PRED2(has, complaint("solid x"), "m.msh:1:1: 'solid' stands where a section begins");
  EXPECT_PRED2(has, complaint(changed(square2, "2.2 0 8", "2.2 1 8")),
               "m.msh:2:5: the file is binary");
  EXPECT_PRED2(has, complaint(changed(square2, "2.2 0 8", "3.1 0 8")), "version 3.1");
  EXPECT_PRED2(has, complaint(changed(square2, "20 1 0 0", "20 1 nan 0")), "not finite");
  EXPECT_PRED2(has, complaint(changed(square2, "20 1 0 0", "20 1 O 0")), "'O' is not a number");
  EXPECT_PRED2(has, complaint(changed(square2, "20 1 0 0", "10 1 0 0")), "node 10 comes twice");
  EXPECT_PRED2(has, complaint(changed(square2, "5 2 2 5 1 10 20 30", "5 2 2 5 1 10 30 20")),
               "m.msh:24:1: element 5 is inverted or flat, while others are not");
  EXPECT_PRED2(has, complaint(changed(square2, "5 2 2 5 1 10 20 30", "5 2 2 5 1 10 20 33")),
               "element 5 has node 33, which is not there");
  EXPECT_PRED2(has, complaint(changed(square2, "5 2 2 5 1 10 20 30", "5 2 2 6 1 10 20 30")),
               "physical group 6 of dimension 2, which $PhysicalNames does not name");
  EXPECT_PRED2(has, complaint(changed(square2, "3 1 2 2 2 40 30", "3 1 2 2 2 40 20")),
               "element 3 is not a side of a cell");
  EXPECT_PRED2(has, complaint(changed(square2, "5 2 2 5 1 10 20 30", "5 3 2 5 1 10 20 30 40")),
               "type 3 (quadrangles)");
  EXPECT_PRED2(has, complaint(changed(square2, "30 1 1 0", "30 1 1 0.5")), "constant z");
  EXPECT_PRED2(has, complaint(square2.substr(0, 200)), "ends too early");
  EXPECT_PRED2(has, complaint(changed(square2, "$Nodes\n5", "$Nodes\n4000000000000")),
               "a count of");
  EXPECT_PRED2(has, complaint(changed(square2, "$Nodes\n5", "$Nodes\n4")), "$EndNodes is expected");
  EXPECT_PRED2(has, complaint(changed(square4, "1 1 1 1\n", "1 9 1 1\n")),
               "entity 9 of dimension 1, which $Entities does not have");
  EXPECT_PRED2(has, complaint(changed(square4, "2 1 2 3\n3 1 3 4", "2 1 2 3\n3 1 2 3")), "overlap");
  EXPECT_PRED2(has, complaint("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"), "no elements");
  // Cut off anywhere and with one byte changed: an error or a mesh, never more.
  for (const std::string& whole : {square2, square4}) {
    for (std::size_t n = 0; n < whole.size(); ++n) {
      (void)complaint(whole.substr(0, n));
      std::string other = whole;
      other[n] = "0 $-9\n"[n % 6];
      (void)complaint(other);
    }
  }
}

TEST(MeshFile, FilesOfOtherProgramsAreRead) {
  // The newer legacy format, with the groups of another program.
  const Mesh vtk = parse_mesh_file(R"(# vtk DataFile Version 5.1
made elsewhere
ASCII
DATASET UNSTRUCTURED_GRID
POINTS 4 float
0 0 0 1 0 0
1 1 0 0 1 0
METADATA
INFORMATION 0

CELLS 4 8
OFFSETS vtktypeint64
0 2 5 8
CONNECTIVITY vtktypeint64
0 1 0 1 2 0 2 3
CELL_TYPES 3
3 5 5
POINT_DATA 4
VECTORS v float
1 2 3 1 2 3 1 2 3 1 2 3
CELL_DATA 3
FIELD FieldData 2
gmsh:physical 1 3 int
7 9 9
other 2 3 double
1.5 2 1.5 2 1.5 2
)",
                                   "m.vtk");
  EXPECT_DOUBLE_EQ(vtk.measure(), 1);
  EXPECT_EQ(vtk.parts, (std::vector<std::string>{"group_9"}));
  EXPECT_EQ(vtk.pieces, (std::vector<std::string>{"group_7", "boundary"}));
  // Two grids: cells, and facets with their tags.
  const Mesh xdmf = parse_mesh_file(R"(<?xml version="1.0"?>
<!DOCTYPE Xdmf SYSTEM "Xdmf.dtd" []>
<Xdmf Version="3.0"><Domain>
  <Grid Name="mesh" GridType="Uniform">
    <Topology TopologyType="Triangle" NumberOfElements="2" NodesPerElement="3">
      <DataItem Dimensions="2 3" NumberType="Int" Format="XML">0 1 2  0 2 3</DataItem>
    </Topology>
    <Geometry GeometryType="XY">
      <DataItem Dimensions="4 2" Format="XML">0 0 1 0 1 1 0 1</DataItem>
    </Geometry>
  </Grid>
  <Grid Name="facets" GridType="Uniform">
    <Topology TopologyType="PolyLine" NumberOfElements="1" NodesPerElement="2">
      <DataItem Dimensions="1 2" NumberType="Int" Format="XML">3 0</DataItem>
    </Topology>
    <Attribute Name="facet_tags" AttributeType="Scalar" Center="Cell">
      <DataItem Dimensions="1" NumberType="Int" Format="XML">4</DataItem>
    </Attribute>
  </Grid>
</Domain></Xdmf>
)",
                                    "m.xdmf");
  EXPECT_DOUBLE_EQ(xdmf.measure(), 1);
  EXPECT_EQ(xdmf.pieces, (std::vector<std::string>{"group_4", "boundary"}));
}

TEST(MeshFile, DamagedVtkAndXdmfAreRefusedWithPlaceAndReason) {
  const Mesh mesh = parse_mesh_file(square2, "square.msh");
  const auto complaint = [](const std::string& text) {
    return message_of([&] { (void)parse_mesh_file(text, "m.vtk"); });
  };
  const auto has = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  const std::string vtk = mesh_file_text(mesh, MeshFormat::vtk);
  const std::string vtu = mesh_file_text(mesh, MeshFormat::vtu);
  const std::string xdmf = mesh_file_text(mesh, MeshFormat::xdmf);
  EXPECT_PRED2(has, complaint(changed(vtk, "ASCII", "BINARY")), "m.vtk:3:1: the file is binary");
  EXPECT_PRED2(has, complaint(changed(vtk, "UNSTRUCTURED_GRID", "POLYDATA")), "'POLYDATA'");
  EXPECT_PRED2(has, complaint(changed(vtk, "CELL_TYPES 6\n5", "CELL_TYPES 6\n9")), "quadrangles");
  EXPECT_PRED2(has, complaint(changed(vtk, "3 0 1 2", "3 0 1 9")), "node 9, which is not there");
  EXPECT_PRED2(has, complaint(changed(vtk, "3 0 1 2", "2 0 1")), "do not fit");
  EXPECT_PRED2(has, complaint(changed(vtk, "POINTS 4", "POINTS 5")), "m.vtk:");
  EXPECT_PRED2(has, complaint(changed(vtu, "UnstructuredGrid", "PolyData")), "'PolyData'");
  EXPECT_PRED2(has, complaint(changed(vtu, "<Points>", "<Point>")), "m.vtk:");
  EXPECT_PRED2(has, complaint(changed(vtu, "format=\"ascii\">\n0 0", "format=\"binary\">\n0 0")),
               "'binary' is not read");
  EXPECT_PRED2(has, complaint(changed(xdmf, "Mixed", "Hexahedron")), "'Hexahedron'");
  EXPECT_PRED2(has, complaint(changed(xdmf, "\n4 0 1 2", "\n5 0 1 2")), "type 5");
  EXPECT_PRED2(has, complaint(changed(xdmf, "\n4 0 1 2", "\n4 0 1 x")), "'x' is not a number");
  EXPECT_PRED2(has, complaint(changed(xdmf, "Format=\"XML\"", "Format=\"Binary\"")), "'Binary'");
  EXPECT_PRED2(has, complaint("<svg></svg>"), "neither VTK nor XDMF");
  for (const std::string& whole : {vtk, vtu, xdmf}) {
    for (std::size_t n = 0; n < whole.size(); n += 3) {
      (void)complaint(whole.substr(0, n));
      std::string other = whole;
      other[n] = "0 <-9\n>\""[n % 8];
      (void)complaint(other);
    }
  }
}

}  // namespace
}  // namespace cauchy::test_mesh_file
