#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <cauchy/geometry/mesh.hpp>

#include "geometry/mesh_io.hpp"

namespace cauchy::detail {

/// What a file says before it is a mesh: points and elements of all dimensions.
struct FileMesh {
  struct Element {
    int dimension = 0;
    long tag = 0, group = 0;  ///< group 0: none
    std::array<long, 4> nodes{};
    std::string_view word = {};  ///< of the text, for messages; none: the file
  };
  std::string name;
  const mesh_io::WordScanner* scanner = nullptr;
  bool numbered = false;  ///< nodes by `numbers`; else by their places, from 0
  std::unordered_map<long, std::size_t> numbers = {};
  std::vector<std::array<double, 3>> points = {};
  std::vector<Element> elements = {};
  std::map<std::pair<long, long>, std::string> names = {};  ///< by dimension and group
};

/// Elements of the highest dimension are the cells, those below it facets.
///   error    throws Error with the place
[[nodiscard]] Mesh assemble(const FileMesh& file);

/// A whole number from a word of the scanner; throws Error at its place.
[[nodiscard]] long whole_number(std::string_view word, const mesh_io::WordScanner& scanner);
/// The next word on any line. Throws Error where the text ends.
std::string_view needed_word(mesh_io::WordScanner& scanner);
/// The next word as a number of things. Throws Error for one that is negative or above `most`.
long needed_count(mesh_io::WordScanner& scanner, long most = 4'000'000'000);

/// A name without blanks and odd characters.
[[nodiscard]] std::string clean_name(std::string_view name);

/// Dimension of an element of VTK; throws Error for other kinds than vertices, lines, triangles and
/// tetrahedra.
[[nodiscard]] int vtk_dimension(long type, const std::string& place);

/// Arrays of a VTK or XDMF file about its elements: a group per element and the names of groups.
/// "part" and "piece" are our own numbers from 0, -1 for none; one of the arrays that other
/// programs write (gmsh:physical, CellEntityIds, ...) counts for elements of all dimensions.
struct ElementGroups {
  std::map<std::string, std::vector<long>> numbers = {};
  std::map<std::string, std::vector<std::string>> names = {};  ///< "parts", "pieces"

  /// Whether an array is worth keeping.
  [[nodiscard]] static bool is_known(std::string_view name);
  /// Gives the elements of a file their groups and names.
  ///   error    throws Error when an array has another length than there are elements
  void apply(FileMesh& file) const;
};

[[nodiscard]] Mesh parse_gmsh(std::string_view text, const std::string& name);
[[nodiscard]] Mesh parse_vtk(std::string_view text, const std::string& name);
[[nodiscard]] Mesh parse_vtu(std::string_view text, const std::string& name);

/// What a text is.
enum class MeshText : unsigned char { gmsh, vtk, vtu, xdmf };
///   error    throws Error for XML of another kind
[[nodiscard]] MeshText mesh_text_kind(std::string_view text, const std::string& name);

}  // namespace cauchy::detail
