#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>

#include <cauchy/base/error.hpp>
#include <cauchy/geometry/shapes/triangle_surface.hpp>

#include "geometry/mesh_io.hpp"
#include "support/io_support.hpp"
#include "support/mesh_shapes.hpp"
#include "support/mutations.hpp"

namespace cauchy::test_mesh_io {
namespace {

namespace fs = std::filesystem;

/// Files of meshes in a folder of their own, and their errors without it.
class MeshFile : public ::testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& bytes) const {
    return folder_.write(name, bytes);
  }
  std::string error_of(const fs::path& file) const {
    return cauchy::error_of([&] { return read_mesh(file); }, folder_.path());
  }
  std::string error_of(const std::string& name, const std::string& bytes) const {
    return cauchy::error_of([&] { return detail::mesh_io::parse_mesh(bytes, folder_ / name); },
                            folder_.path());
  }
  const TemporaryFolder folder_;
};

std::string text_facet(const char* a, const char* b, const char* c) {
  return std::string(" facet normal 0 0 0\n  outer loop\n   vertex ") + a + "\n   vertex " + b +
         "\n   vertex " + c + "\n  endloop\n endfacet\n";
}

/// A tetrahedron in two solids.
std::string text_stl() {
  return "solid the base\n" + text_facet("0 0 0", "0 1 0", "1 0 0") + "endsolid the base\nsolid\n" +
         text_facet("0 0 0", "1 0 0", "0 0 1") + text_facet("0 0 0", "0 0 1", "0 1 0") +
         text_facet("1 0 0", "0 1 0", "0 0 1") + "endsolid";
}

const std::string tetrahedron_obj =
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

TEST_F(MeshFile, ObjRoundTripKeepsEveryBitAndTheGroups) {
  TriangleMesh mesh = mesh_shapes::box({0.1, -1.0 / 3, 1e-300}, {1e10 / 7, 2, 3});
  const fs::path file = folder_ / "box.obj";
  write_mesh(file, mesh);
  const TriangleMesh read = read_mesh(file);
  EXPECT_EQ(read.vertices, mesh.vertices);
  EXPECT_EQ(read.triangles, mesh.triangles);
  EXPECT_EQ(read.groups, mesh.groups);
  EXPECT_EQ(read.group, mesh.group);
  EXPECT_EQ(read.source, file.string());
  EXPECT_EQ(folder_.n_entries(), 1u) << "a temporary file is left";
}

TEST_F(MeshFile, BinaryStlRoundTripKeepsSinglePrecisionAndWeldsVertices) {
  const TriangleMesh mesh = mesh_shapes::torus(12, 8, 1, 0.25);
  const fs::path file = folder_ / "torus.STL";
  write_mesh(file, mesh);
  EXPECT_EQ(fs::file_size(file), 84 + 50 * mesh.triangles.size());
  const TriangleMesh read = read_mesh(file);
  ASSERT_EQ(read.vertices.size(), mesh.vertices.size());
  ASSERT_EQ(read.triangles.size(), mesh.triangles.size());
  EXPECT_EQ(read.groups, std::vector<std::string>{"surface"});
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    for (std::size_t k = 0; k < 9; ++k) {
      const double a = mesh.vertices[mesh.triangles[t][k / 3]][k % 3];
      const double b = read.vertices[read.triangles[t][k / 3]][k % 3];
      EXPECT_EQ(static_cast<double>(static_cast<float>(a)), b);
    }
  }
}

TEST_F(MeshFile, BinaryStlWhoseHeaderSaysSolidIsBinary) {
  const fs::path file = folder_ / "box.stl";
  write_mesh(file, mesh_shapes::box({0, 0, 0}, {1, 1, 1}));
  std::string bytes = content(file);
  bytes.replace(0, 6, "solid ");
  EXPECT_EQ(read_mesh(write("solid.stl", bytes)).triangles.size(), 12u);
  EXPECT_EQ(read_mesh(write("no_ending", bytes)).triangles.size(), 12u);
}

TEST_F(MeshFile, TextStlHasSolidsAsGroupsAndMinusZeroIsZero) {
  std::string text = text_stl();
  for (const bool windows : {false, true}) {
    if (windows) {
      for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2) {
        text.replace(at, 1, "\r\n");
      }
    }
    text.replace(text.find("vertex 0 0 0"), 12, "VERTEX -0 \t +0.0 -0e5");
    const TriangleMesh mesh = read_mesh(write("t.stl", text));
    EXPECT_EQ(mesh.vertices.size(), 4u);
    EXPECT_EQ(mesh.groups, (std::vector<std::string>{"the_base", "surface"}));
    EXPECT_EQ(mesh.group, (std::vector<std::uint32_t>{0, 1, 1, 1}));
    const ShapePtr shape = triangle_surface_shape(mesh);
    EXPECT_NEAR(shape->measure(), 1.0 / 6, 1e-15);
    text = text_stl();
  }
}

TEST_F(MeshFile, ObjReadsAllFormsOfCornersCommentsAndContinuedLines) {
  const std::string text =
      "# a comment\r\nmtllib x.mtl\r\no body\r\nv 0 0 0 1.0 # corner\nv 1 0 0\nv 0 1 \\\n 0\n"
      "vn 0 0 1\nvt 0 0\nv +0 0 1e0\ns off\nf 1/1 3/1 2/1\ng side one\nf -4//1 -3//1 -1//1\n"
      "f 1/1/1 4/1/1 \\\r\n3/1/1 # the end\nusemtl red\ng body\nf 2 3\\\n 4";
  const TriangleMesh mesh = read_mesh(write("t.obj", text));
  EXPECT_EQ(mesh.triangles, (std::vector<std::array<std::uint32_t, 3>>{
                                {0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}));
  EXPECT_EQ(mesh.groups, (std::vector<std::string>{"body", "side_one"}));
  EXPECT_EQ(mesh.group, (std::vector<std::uint32_t>{0, 1, 1, 0}));
  EXPECT_EQ(read_mesh(write("no_ending", tetrahedron_obj)).triangles.size(), 4u);
}

// A prism over an L, whose bottom and top are hexagons, one of them listed from each corner in
// turn, with a further corner in the middle of a straight side.
TEST_F(MeshFile, ObjPolygonsThatAreNotConvexAreCutIntoTrianglesWithArea) {
  const double flat[7][2] = {{0, 0}, {1, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}};
  for (int start = 0; start < 7; ++start) {
    std::string text;
    for (int z = 0; z < 2; ++z) {
      for (const auto& p : flat) {
        text += "v " + std::to_string(p[0]) + " " + std::to_string(p[1]) + " " + std::to_string(z) +
                "\n";
      }
    }
    std::string top = "f", bottom = "f";
    for (int i = 0; i < 7; ++i) {
      const int next = (i + 1) % 7;
      text += "f " + std::to_string(i + 1) + " " + std::to_string(next + 1) + " " +
              std::to_string(next + 8) + " " + std::to_string(i + 8) + "\n";
      top += " " + std::to_string((start + i) % 7 + 8);
      bottom += " " + std::to_string((start + 7 - i) % 7 + 1);
    }
    const ShapePtr shape =
        triangle_surface_shape(read_mesh(write("l.obj", text + top + "\n" + bottom + "\n")));
    EXPECT_NEAR(shape->measure(), 3, 1e-14);
    EXPECT_NEAR(shape->pieces()[0].measure, 2 * 3 + 8, 1e-14);
    const double in[3] = {0.5, 1.5, 0.5}, out[3] = {1.5, 1.5, 0.5};
    EXPECT_TRUE(shape->contains(in));
    EXPECT_FALSE(shape->contains(out));
  }
}

TEST_F(MeshFile, TruncatedBinaryStlSaysHowMuchIsThere) {
  const fs::path file = folder_ / "b.stl";
  write_mesh(file, mesh_shapes::box({0, 0, 0}, {1, 1, 1}));
  const std::string bytes = content(file);
  EXPECT_EQ(error_of("b.stl", bytes.substr(0, 134)),
            "b.stl: byte 134: truncated, the header promises 12 triangles, the file ends after 1; "
            "export or copy the file again");
  EXPECT_EQ(error_of("b.stl", bytes + "x"),
            "b.stl: byte 684: 1 bytes follow after the 12 triangles that the header promises; "
            "export the file again");
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    EXPECT_NE(error_of("b.stl", bytes.substr(0, n)), "no error") << n;
  }
  // Four billion triangles promised: an error at once, not 200 GB.
  std::string huge = bytes;
  huge.replace(80, 4, "\xff\xff\xff\xff");
  EXPECT_EQ(error_of("b.stl", huge).substr(0, 72),
            "b.stl: byte 684: truncated, the header promises 4294967295 triangles, th");
  std::string none = bytes.substr(0, 84);
  none.replace(80, 4, 4, '\0');
  EXPECT_EQ(error_of("b.stl", none), "b.stl: the file has no triangles");
}

TEST_F(MeshFile, TextStlTruncatedAnywhereIsAnError) {
  const std::string text = text_stl();
  for (std::size_t n = 0; n < text.size(); ++n) {
    const std::string error = error_of("t.stl", text.substr(0, n));
    // After "endsolid" of the first solid the file is a whole one.
    const std::size_t first_end = text.find("endsolid") + 8;
    if (n >= first_end && n <= text.find("solid\n", first_end)) continue;
    EXPECT_NE(error, "no error") << n;
  }
  EXPECT_EQ(error_of("t.stl", text.substr(0, text.find("endloop"))),
            "t.stl:7:3: truncated, the file ends where 'endloop' should follow; export or copy the "
            "file again");
}

TEST_F(MeshFile, DamagedFilesNeverCrash) {
  const fs::path file = folder_ / "b.stl";
  write_mesh(file, mesh_shapes::box({0, 0, 0}, {1, 1, 1}));
  const std::string sources[3] = {content(file).substr(0, 200), text_stl(), tetrahedron_obj};
  const char* names[3] = {"d.stl", "d.stl", "d.obj"};
  for (std::size_t s = 0; s < 3; ++s) {
    for (std::size_t n = 0; n < sources[s].size(); n += s == 1 ? 3 : 1) {
      for (const char c : {'\0', '\\', '-', '9', '\xff', '\n'}) {
        std::string bytes = sources[s];
        bytes[n] = c;
        try {
          static_cast<void>(triangle_surface_shape(detail::mesh_io::parse_mesh(bytes, names[s])));
        } catch (const Error&) {
        }
      }
    }
  }
}

TEST_F(MeshFile, MutationsEndInASurfaceOrAnError) {
  write_mesh(folder_ / "box.stl", mesh_shapes::box({0, 0, 0}, {1, 2, 3}));
  const double at[] = {0.1, 0.2, 0.3};
  const std::vector<std::string> texts{text_stl(), tetrahedron_obj};
  const std::vector<std::string> bytes{text_stl(), tetrahedron_obj, content(folder_ / "box.stl")};
  const auto read = [&](const std::string& mesh) {
    for (const char* name : {"a.obj", "a.stl"}) {
      try {
        const auto parsed = detail::mesh_io::parse_mesh(mesh, name);
        (void)triangle_surface_shape(parsed)->distance(at);
      } catch (const Error&) {
      }
    }
  };
  expect_answers(300, bytes, read);
  expect_answers(300, texts, mutated_text, read);
}

TEST_F(MeshFile, HostileObjFilesAreAnsweredInTime) {
  // Each name was once compared with all before it.
  std::string groups = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
  for (int i = 0; i < 100'000; ++i) groups += "g n" + std::to_string(i) + "\nf 1 2 3\n";
  EXPECT_EQ(detail::mesh_io::parse_mesh(groups, "a.obj").groups.size(), 100'000u);
  // Two spirals, one inside the other: the search for ears would take n^3 operations.
  std::string corners, face = "f";
  const int n = 20'000;
  for (int i = 0; i < n; ++i) {
    const double angle = 0.1 * std::min(i, n - i), r = (i < n / 2 ? 1 : 1.05) + angle;
    corners += fmt::format("v {} {} 0\n", r * std::cos(angle), r * std::sin(angle));
    face += " " + std::to_string(i + 1);
  }
  EXPECT_EQ(
      message_of([&] { return detail::mesh_io::parse_mesh(corners + face, "a.obj"); }),
      "a.obj:20001:1: a face of 20000 corners takes too long to be cut into triangles; cut it "
      "in the program that made it");
}

TEST_F(MeshFile, ErrorsNameFileLineAndColumn) {
  EXPECT_EQ(error_of(folder_ / "none.stl"),
            "none.stl: file does not exist; check the name and the folder");
  fs::create_directory(folder_ / "folder.stl");
  EXPECT_EQ(error_of(folder_ / "folder.stl"),
            "folder.stl: this is a folder, not a file; name a file in it");
  EXPECT_EQ(error_of("e.stl", ""), "e.stl: the file is empty");
  EXPECT_EQ(error_of("e.obj", "\n\n"), "e.obj: the file has no triangles");
  EXPECT_EQ(error_of("e.obj", "v 0 0 0\n"), "e.obj: the file has no triangles");
  EXPECT_EQ(error_of("e.stl", "solid x\nendsolid x\n"), "e.stl: the file has no triangles");
  EXPECT_EQ(error_of("e.xyz", "hello"),
            "e.xyz: the file is neither STL nor OBJ; give it the ending .stl or .obj");
  EXPECT_EQ(error_of("e.stl", "hello"), "e.stl:1:1: 'solid' should stand here, not 'hello'");
  EXPECT_EQ(error_of("e.stl", "solid\n" + text_facet("0 0 0", "1 0,5 0", "0 0 1")),
            "e.stl:5:13: '0,5' is not a number");
  EXPECT_EQ(error_of("e.stl", "solid\n" + text_facet("0 0 0", "1 0", "0 0 1")),
            "e.stl:5:14: a number is missing");
  EXPECT_EQ(error_of("e.stl", "solid\n" + text_facet("0 0 0", "1 nan 0", "0 0 1")),
            "e.stl:5:13: the coordinate nan is not finite");
  EXPECT_EQ(error_of("e.obj", "v 0 0 1e999\n"), "e.obj:1:7: the coordinate 1e999 is too large");
  EXPECT_EQ(error_of("e.obj", "v 0 0 1x\n"), "e.obj:1:7: '1x' is not a number");
  EXPECT_EQ(error_of("e.obj", "v 0 0\nv"), "e.obj:1:6: a number is missing");
  EXPECT_EQ(error_of("e.obj", "v 0 0 0\nf 1 2 1\n"),
            "e.obj:2:5: vertex 2 is out of range, there are 1 so far; vertices count from 1, or "
            "back from -1");
  EXPECT_EQ(error_of("e.obj", "v 0 0 0\nf 1 0 1\n").substr(0, 35),
            "e.obj:2:5: vertex 0 is out of range");
  EXPECT_EQ(error_of("e.obj", "v 0 0 0\nf 1 -2 1\n").substr(0, 36),
            "e.obj:2:5: vertex -2 is out of range");
  EXPECT_EQ(error_of("e.obj", "v 0 0 0\nf 1 1 99999999999999999999\n").substr(0, 54),
            "e.obj:2:7: vertex 99999999999999999999 is out of range");
  EXPECT_EQ(error_of("e.obj", "v 0 0 0\nf 1 x 1\n"),
            "e.obj:2:5: 'x' is not the number of a vertex");
  EXPECT_EQ(error_of("e.obj", "v 0 0 0\n f 1 1\n"),
            "e.obj:2:2: a face needs three corners, this one has 2");

  const fs::path file = folder_ / "b.stl";
  write_mesh(file, mesh_shapes::box({0, 0, 0}, {1, 1, 1}));
  std::string bytes = content(file);
  bytes.replace(100, 4, std::string("\x00\x00\x80\x7f", 4));
  EXPECT_EQ(error_of("b.stl", bytes),
            "b.stl: byte 100: triangle 0 has the coordinate inf, which is not finite");
}

TEST_F(MeshFile, NumbersTooSmallForADoubleAreZero) {
  std::string text = tetrahedron_obj;
  text.replace(0, 7, "v 1e-400 -1E-999 0." + std::string(400, '0') + "1");
  const TriangleMesh mesh = read_mesh(write("t.obj", text));
  EXPECT_EQ(mesh.vertices[0], (std::array<double, 3>{0, 0, 0}));
}

TEST_F(MeshFile, WritingRefusesWhatCannotBeWritten) {
  TriangleMesh mesh = mesh_shapes::box({0, 0, 0}, {1, 1, 1});
  EXPECT_THROW(write_mesh(folder_ / "a.ply", mesh), Error);
  EXPECT_THROW(write_mesh(folder_ / "no" / "a.obj", mesh), Error);
  EXPECT_THROW(write_mesh(folder_ / "a.obj", TriangleMesh{}), Error);
  mesh.vertices[0][0] = 1e200;
  EXPECT_THROW(write_mesh(folder_ / "a.stl", mesh), Error);
  EXPECT_NO_THROW(write_mesh(folder_ / "a.obj", mesh));
  mesh.vertices[0][0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(write_mesh(folder_ / "b.obj", mesh), Error);
  mesh = mesh_shapes::box({0, 0, 0}, {1, 1, 1});
  mesh.triangles[0][0] = 8;
  EXPECT_THROW(write_mesh(folder_ / "b.obj", mesh), Error);
  EXPECT_FALSE(fs::exists(folder_ / "b.obj"));
}

}  // namespace
}  // namespace cauchy::test_mesh_io
