#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <cauchy/geometry/shape.hpp>

namespace cauchy {

/// Triangles with shared vertices, as read from a file.
struct TriangleMesh {
  std::vector<std::array<double, 3>> vertices;
  std::vector<std::array<std::uint32_t, 3>> triangles;  ///< counter-clockwise seen from outside
  std::vector<std::string> groups;                      ///< names; at least one
  std::vector<std::uint32_t> group;                     ///< of each triangle
  std::string source = {};                              ///< file name for messages, may be empty
};

/// Reads STL (binary or text) or OBJ, by content and then by the ending of the name. Vertices of
/// STL files that are equal are made one; OBJ faces with more than three corners are cut into
/// triangles. Groups are the solids of the STL file, the `g` or `o` names of the OBJ file, with "_"
/// for blanks; without a name "surface". Equal names are one group.
///   error    throws Error with file, and line or byte: missing, truncated, malformed, no
///            triangles, an index out of range, a coordinate that is not finite
///   cost     about 100 MB/s; memory a small multiple of the file, whatever its header promises
[[nodiscard]] TriangleMesh read_mesh(const std::filesystem::path& file);
/// Writes by the ending of the name, .stl (binary) or .obj, to a temporary name that is renamed.
/// STL holds single precision and no groups; OBJ holds everything to the last bit.
///   error    throws Error when the ending is another, an index is out of range, a coordinate is not
///            finite (in the precision of the file), or the file cannot be written
void write_mesh(const std::filesystem::path& file, const TriangleMesh& mesh);

/// The solid inside a closed triangle surface. Exact distance by a bounding-volume tree; the sign
/// by the pseudonormal of the nearest feature, so points over edges and vertices are safe. Pieces
/// are the groups of the mesh that have triangles. Volume and areas in closed form.
///   several  components may lie side by side or, facing inwards, as cavities inside another. Where
///            neighbours disagree about the outside they are turned, and so is a component that is
///            inside out, with all it contains
///   mended   triangles with two equal corners are left out; vertices at the same place become one
///            when the surface would be open otherwise
///   error    throws Error unless every edge has two triangles: number of holes and where,
///            non-manifold edges and where, triangles twice or without area (height at most 1e-14 of
///            the longest side), a surface with one side only, a component without volume, one
///            inside another that faces the same way, sizes beyond 1e-50 to 1e50. Whether triangles
///            cut each other is not checked
///   build    O(n log n), below 1 s for 100,000 triangles
///   cost     a distance takes about 1 us next to a smooth surface of 100,000 triangles, O(n) where
///            all of it is equally near (the centre of a sphere) or a million diameters away; no
///            allocation. A point that is not finite has distance NaN
[[nodiscard]] ShapePtr triangle_surface_shape(TriangleMesh mesh);

namespace detail {
/// The image of a triangle surface, again exact; names and labels of the pieces are kept. Null when
/// the shape is something else.
///   error    throws Error when the map flattens space
[[nodiscard]] ShapePtr transform_triangle_surface(const Shape& shape, const Affine& affine);
}  // namespace detail

}  // namespace cauchy
