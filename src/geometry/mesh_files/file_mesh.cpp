#include "geometry/mesh_files/file_mesh.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

#include "geometry/meshes/mesh_sides.hpp"

namespace cauchy::detail {
namespace {

class MeshAssembler {
 public:
  explicit MeshAssembler(const FileMesh& file) : file_(file) {}

 private:
  std::string name_of(int dimension, long group) const {
    const auto at = file_.names.find({dimension, group});
    return at != file_.names.end() ? at->second : fmt::format("group_{}", group);
  }

  [[nodiscard]] std::string place(std::string_view word) const {
    return word.data() == nullptr ? file_.name : file_.scanner->place(word);
  }

 public:
  Mesh run() const {
    int d = 0;
    for (const FileMesh::Element& e : file_.elements) d = std::max(d, e.dimension);
    if (d == 0) throw Error("the file has points only, no cells", file_.name);
    Mesh mesh;
    mesh.dimension = d;
    // Nodes of cells only, in the order of the file.
    std::vector<Mesh::Index> index(file_.points.size(), 0);
    const auto node = [&](const FileMesh::Element& e, std::size_t k) {
      const long tag = e.nodes[k];
      if (file_.numbered) {
        const auto at = file_.numbers.find(tag);
        if (at != file_.numbers.end()) return at->second;
      } else if (tag >= 0 && static_cast<std::size_t>(tag) < file_.points.size()) {
        return static_cast<std::size_t>(tag);
      }
      throw Error(fmt::format("element {} has node {}, which is not there", e.tag, tag),
                  place(e.word));
    };
    for (const FileMesh::Element& e : file_.elements) {
      if (e.dimension != d) continue;
      for (int k = 0; k <= d; ++k) index[node(e, static_cast<std::size_t>(k))] = 1;
    }
    Mesh::Index n = 0;
    for (std::size_t i = 0; i < file_.points.size(); ++i) {
      if (index[i] == 0) continue;
      index[i] = ++n;
      mesh.nodes.insert(mesh.nodes.end(), file_.points[i].begin(), file_.points[i].begin() + d);
      for (int k = d; k < 3; ++k) {
        if (file_.points[i][static_cast<std::size_t>(k)] ==
            file_.points[0][static_cast<std::size_t>(k)]) {
          continue;
        }
        throw Error(
            fmt::format("the {} do not lie in a {} of constant {}", d == 2 ? "triangles" : "lines",
                        d == 2 ? "plane" : "line", k == 1 ? 'y' : 'z'),
            file_.name, "a surface in space is no mesh of a region");
      }
    }
    const auto number = [](std::vector<std::string>& names, const std::string& name) {
      const auto at = std::ranges::find(names, name);
      if (at == names.end()) names.push_back(name);
      return static_cast<int>(std::ranges::find(names, name) - names.begin());
    };
    std::vector<const FileMesh::Element*> cells, sides;
    std::size_t inverted = 0;
    const FileMesh::Element* first_inverted = nullptr;
    for (const FileMesh::Element& e : file_.elements) {
      if (e.dimension == d) {
        for (int k = 0; k <= d; ++k) {
          mesh.cells.push_back(index[node(e, static_cast<std::size_t>(k))] - 1);
        }
        mesh.cell_part.push_back(number(mesh.parts, e.group == 0 ? "inside" : name_of(d, e.group)));
        if (!(mesh.cell_measure(mesh.n_cells() - 1) > 0)) {
          ++inverted;
          if (!first_inverted) first_inverted = &e;
        }
      } else if (e.dimension == d - 1) {
        for (int k = 0; k < d; ++k) {
          const Mesh::Index v = index[node(e, static_cast<std::size_t>(k))];
          if (v == 0) {
            throw Error(fmt::format("element {} is not a side of a cell", e.tag), place(e.word));
          }
          mesh.facets.push_back(v - 1);
        }
        mesh.facet_piece.push_back(e.group == 0 ? -1
                                                : number(mesh.pieces, name_of(d - 1, e.group)));
        sides.push_back(&e);
      }
    }
    if (inverted == mesh.n_cells()) {
      // A surface that was drawn the other way round.
      const auto width = static_cast<std::size_t>(d) + 1;
      for (std::size_t c = 0; c < mesh.n_cells(); ++c) {
        std::swap(mesh.cells[c * width], mesh.cells[c * width + 1]);
        if (mesh.cell_measure(c) > 0) continue;
        throw Error(fmt::format("element {} is flat", first_inverted->tag),
                    place(first_inverted->word));
      }
    } else if (inverted > 0) {
      throw Error(
          fmt::format("element {} is inverted or flat, while others are not", first_inverted->tag),
          place(first_inverted->word), "reorder its nodes, or mesh again");
    }
    // Facets of the file must be sides of cells, inside or outside.
    const auto all = mesh_sides(mesh);
    for (std::size_t f = 0; f < sides.size(); ++f) {
      const auto nodes = ascending(mesh.facet(f).data(), d);
      const auto at = std::ranges::lower_bound(all, nodes, {}, &MeshSide::nodes);
      if (at == all.end() || at->nodes != nodes) {
        throw Error(fmt::format("element {} is not a side of a cell", sides[f]->tag),
                    place(sides[f]->word));
      }
    }
    try {
      find_facets(mesh);
      check_mesh(mesh);
    } catch (const Error& e) {
      throw e.at(file_.name);
    }
    return mesh;
  }

 private:
  const FileMesh& file_;
};

}  // namespace

long whole_number(std::string_view word, const mesh_io::WordScanner& scanner) {
  long value = 0;
  const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || stop != word.data() + word.size()) {
    throw Error(fmt::format("'{}' is not a whole number", mesh_io::shown(word)),
                scanner.place(word));
  }
  return value;
}

std::string_view needed_word(mesh_io::WordScanner& scanner) {
  const std::string_view word = scanner.word_anywhere();
  if (word.empty()) throw Error("the file ends too early", scanner.place());
  return word;
}

long needed_count(mesh_io::WordScanner& scanner, long most) {
  const std::string_view word = needed_word(scanner);
  const long n = whole_number(word, scanner);
  if (n < 0 || n > most) throw Error(fmt::format("a count of {}", n), scanner.place(word));
  return n;
}

std::string clean_name(std::string_view name) {
  std::string clean;
  for (const char c : name) clean += c > ' ' && c < 127 ? c : '_';
  return clean;
}

int vtk_dimension(long type, const std::string& place) {
  static const std::map<long, const char*> kinds{
      {9, " (quadrangles)"}, {12, " (hexahedra)"},       {13, " (prisms)"},
      {14, " (pyramids)"},   {21, " (of second order)"}, {22, " (of second order)"},
      {8, " (pixels)"},      {24, " (of second order)"}, {11, " (voxels)"}};
  switch (type) {
    case 1:
      return 0;
    case 3:
      return 1;
    case 5:
      return 2;
    case 10:
      return 3;
    default:
      const auto at = kinds.find(type);
      throw Error(fmt::format("elements of type {}{} are not read", type,
                              at == kinds.end() ? "" : at->second),
                  place, "use simplices of first order");
  }
}

bool ElementGroups::is_known(std::string_view name) {
  static constexpr std::string_view known[] = {
      "part", "piece", "gmsh:physical", "CellEntityIds", "medit:ref", "cell_tags", "facet_tags"};
  return std::ranges::find(known, name) != std::end(known);
}

void ElementGroups::apply(FileMesh& file) const {
  int d = 0;
  for (const FileMesh::Element& e : file.elements) d = std::max(d, e.dimension);
  for (const auto& [array, values] : numbers) {
    if (values.size() != file.elements.size()) {
      throw Error(fmt::format("the array \"{}\" has {} values for {} elements", array,
                              values.size(), file.elements.size()),
                  file.name);
    }
    const bool is_part = array == "part", is_piece = array == "piece";
    for (std::size_t i = 0; i < values.size(); ++i) {
      FileMesh::Element& e = file.elements[i];
      if (values[i] < 0 || values[i] > 1'000'000'000) continue;
      if (is_part && e.dimension == d) {
        e.group = values[i] + 1;
      } else if (is_piece && e.dimension == d - 1) {
        e.group = values[i] + 1;
      } else if (!is_part && !is_piece && e.group == 0) {
        e.group = values[i];
      }
    }
  }
  const auto name = [&](const char* list, const char* array, long dimension) {
    const auto at = names.find(list);
    const bool is_listed = numbers.contains(array);
    if (!is_listed) return;
    const auto values = numbers.find(array);
    for (const long v : values->second) {
      if (v < 0 || v > 1'000'000'000) continue;
      const auto k = static_cast<std::size_t>(v);
      std::string word;
      if (at != names.end() && k < at->second.size()) word = clean_name(at->second[k]);
      file.names[{dimension, v + 1}] = word.empty() ? fmt::format("{}_{}", array, v) : word;
    }
  };
  name("parts", "part", d);
  name("pieces", "piece", d - 1);
}

MeshText mesh_text_kind(std::string_view text, const std::string& name) {
  // The text decides, not the ending of the name.
  const std::size_t begin = std::min(text.find_first_not_of(" \t\r\n\xEF\xBB\xBF"), text.size());
  const std::string_view head = text.substr(begin, 4000);
  if (head.starts_with("# vtk")) return MeshText::vtk;
  if (!head.starts_with("<")) return MeshText::gmsh;
  if (head.find("<VTKFile") != std::string_view::npos) return MeshText::vtu;
  if (head.find("<Xdmf") != std::string_view::npos) return MeshText::xdmf;
  throw Error("an XML file that is neither VTK nor XDMF", name,
              "meshes are read from .msh, .vtk, .vtu and .xdmf");
}

Mesh assemble(const FileMesh& file) { return MeshAssembler(file).run(); }

}  // namespace cauchy::detail
