#include <cauchy/io/files.hpp>
#include <cauchy/io/mesh_file.hpp>

#include "geometry/mesh_files/file_mesh.hpp"
#include "io/meshes/xdmf_read.hpp"

namespace cauchy {

Mesh parse_mesh_file(std::string_view text, const std::string& name) {
  switch (detail::mesh_text_kind(text, name)) {
    case detail::MeshText::vtk:
      return detail::parse_vtk(text, name);
    case detail::MeshText::vtu:
      return detail::parse_vtu(text, name);
    case detail::MeshText::xdmf:
      return detail::parse_xdmf(text, name);
    default:
      return detail::parse_gmsh(text, name);
  }
}

Mesh read_mesh_file(const std::filesystem::path& file) {
  return parse_mesh_file(read_file(file), file.string());
}

}  // namespace cauchy
