#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include <cauchy/geometry/mesh.hpp>

namespace cauchy {

/// Formats of mesh files, all of them text.
enum class MeshFormat : unsigned char { gmsh4, gmsh2, vtk, vtu, xdmf };

/// Reads a mesh of lines, triangles or tetrahedra of first order. What the file is, its text says:
///   Gmsh     .msh, text, versions 2 and 4.1. Physical groups become parts and pieces, with the
///            names of $PhysicalNames or "group_<tag>" where the file names none
///   VTK      unstructured grids as text: legacy (.vtk) and XML (.vtu). The arrays "part" and
///            "piece" of the cells, or one of gmsh:physical, CellEntityIds, medit:ref, cell_tags
///   XDMF     numbers in the text or in HDF5 files beside it; arrays as in VTK
/// The elements of the highest dimension are the cells, those below it the facets. Sides of the
/// boundary in no group are the piece "boundary", cells in none the part "inside". Boundaries are
/// flat: a file knows no curves.
///   error    throws Error with file, line and column: a binary file or another version, a count or
///            number that does not fit, a node that is not there, elements of another kind, a
///            physical group without a name where others have one, an element that is inverted
///            while others are not, a side of three cells, a facet on no cell
///   cost     about 20 MB/s; memory a small multiple of the file, whatever its header promises
[[nodiscard]] Mesh read_mesh_file(const std::filesystem::path& file);
/// The same from memory.
[[nodiscard]] Mesh parse_mesh_file(std::string_view text, const std::string& name);

/// All formats hold nodes to the last bit, cells, facets, parts and pieces with their names.
[[nodiscard]] std::string mesh_file_text(const Mesh& mesh, MeshFormat format);
/// The format of an ending: .msh (Gmsh 4.1), .vtk, .vtu or .xdmf.
///   error    throws Error for another ending
[[nodiscard]] MeshFormat mesh_format(const std::filesystem::path& file);
/// Writes whole or not at all, by the ending.
///   error    throws Error as mesh_format, and when the file cannot be written
void write_mesh_file(const std::filesystem::path& file, const Mesh& mesh);
void write_mesh_file(const std::filesystem::path& file, const Mesh& mesh, MeshFormat format);

}  // namespace cauchy
