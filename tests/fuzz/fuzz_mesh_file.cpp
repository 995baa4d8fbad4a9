// Any bytes as a mesh of Gmsh, VTK or XDMF: a mesh that passes its checks and survives writing, or
// an Error.
#include <cauchy/base/error.hpp>
#include <cauchy/io/mesh_file.hpp>

#include "fuzz_support.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cauchy;
  Mesh mesh;
  try {
    mesh = parse_mesh_file(bytes_of(data, size), "fuzz.msh");
  } catch (const Error&) {
    return 0;
  }
  check_mesh(mesh);
  for (const MeshFormat format :
       {MeshFormat::gmsh4, MeshFormat::gmsh2, MeshFormat::vtk, MeshFormat::vtu, MeshFormat::xdmf}) {
    const Mesh back = parse_mesh_file(mesh_file_text(mesh, format), "back.msh");
    if (back.nodes != mesh.nodes) report("nodes", "written", "read");
  }
  return 0;
}
