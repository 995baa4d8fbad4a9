// Unstructured grids of VTK: legacy text (.vtk) and XML with text (.vtu).
#include <algorithm>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

#include "geometry/mesh_files/file_mesh.hpp"
#include "geometry/mesh_files/xml_tree.hpp"

namespace cauchy::detail {
namespace {

using mesh_io::is_keyword;
using mesh_io::shown;

/// Points, cells and their arrays as both formats give them.
struct VtkGrid {
  std::vector<std::string_view> types, connectivity;
  std::vector<long> offsets;
  ElementGroups groups;

  /// Elements from the offsets of their ends; a first 0 (new legacy files) does not count.
  void fill(FileMesh& file, const mesh_io::WordScanner& scanner) const {
    const std::size_t skip = offsets.size() == types.size() + 1 ? 1 : 0;
    if (offsets.size() != types.size() + skip) {
      throw Error(fmt::format("{} types of cells, but {} cells", types.size(), offsets.size()),
                  file.name);
    }
    long begin = 0;
    for (std::size_t i = 0; i < types.size(); ++i) {
      FileMesh::Element e;
      e.word = types[i];
      e.tag = static_cast<long>(i);
      e.dimension = vtk_dimension(whole_number(types[i], scanner), scanner.place(types[i]));
      const long end = offsets[i + skip];
      if (end < begin || end > static_cast<long>(connectivity.size()) ||
          end - begin != e.dimension + 1) {
        throw Error(fmt::format("cell {} of type {} does not have {} nodes", i, shown(types[i]),
                                e.dimension + 1),
                    scanner.place(types[i]), "the lists of cells and types do not fit");
      }
      for (long k = begin; k < end; ++k) {
        e.nodes[static_cast<std::size_t>(k - begin)] =
            whole_number(connectivity[static_cast<std::size_t>(k)], scanner);
      }
      begin = end;
      file.elements.push_back(e);
    }
    if (file.elements.empty()) throw Error("the file has no cells", file.name);
    groups.apply(file);
  }
};

class VtkReader {
 public:
  VtkReader(std::string_view text, const std::string& name) : scanner_(text, name) {
    file_.name = name;
    file_.scanner = &scanner_;
  }

  Mesh read() {
    (void)scanner_.rest();  // # vtk DataFile Version 3.0
    (void)scanner_.next_line();
    (void)scanner_.next_line();  // title
    const std::string_view kind = need();
    if (is_keyword(kind, "binary")) {
      throw Error("the file is binary", scanner_.place(kind), "write it as text (ASCII)");
    }
    if (!is_keyword(kind, "ascii")) {
      throw Error(fmt::format("'{}' stands where ASCII is expected", shown(kind)),
                  scanner_.place(kind));
    }
    for (;;) {
      const std::string_view word = scanner_.word_anywhere();
      if (word.empty()) break;
      section(word);
    }
    grid_.fill(file_, scanner_);
    return assemble(file_);
  }

 private:
  std::string_view need() { return needed_word(scanner_); }
  long count() { return needed_count(scanner_); }
  void words(long n, std::vector<std::string_view>& out) {
    for (; n > 0; --n) out.push_back(need());
  }
  void skip(long n) {
    for (; n > 0; --n) (void)need();
  }

  void section(std::string_view word) {
    if (is_keyword(word, "dataset")) {
      const std::string_view what = need();
      if (!is_keyword(what, "unstructured_grid")) {
        throw Error(fmt::format("a dataset of kind '{}' is no mesh", shown(what)),
                    scanner_.place(what), "write it as an UNSTRUCTURED_GRID");
      }
    } else if (is_keyword(word, "points")) {
      const long n = count();
      (void)need();
      for (long i = 0; i < n; ++i) {
        std::array<double, 3> x;
        for (double& v : x) v = scanner_.number(need());
        file_.points.push_back(x);
      }
    } else if (is_keyword(word, "cells")) {
      cells();
    } else if (is_keyword(word, "offsets") || is_keyword(word, "connectivity")) {
      (void)need();
      if (is_keyword(word, "offsets")) {
        for (long n = n_offsets_; n > 0; --n) {
          grid_.offsets.push_back(whole_number(need(), scanner_));
        }
      } else {
        words(n_entries_, grid_.connectivity);
      }
    } else if (is_keyword(word, "cell_types")) {
      words(count(), grid_.types);
    } else if (is_keyword(word, "cell_data")) {
      n_data_ = count();
      of_cells_ = true;
    } else if (is_keyword(word, "point_data")) {
      n_data_ = count();
      of_cells_ = false;
    } else if (is_keyword(word, "field")) {
      field();
    } else if (is_keyword(word, "scalars")) {
      const std::string name(need());
      (void)need();
      const std::string_view components = scanner_.word();
      const long n = components.empty() ? 1 : whole_number(components, scanner_);
      if (n < 1 || n > 9) throw Error(fmt::format("{} components", n), scanner_.place(components));
      std::string_view table = need();
      if (!is_keyword(table, "lookup_table")) {
        throw Error(fmt::format("'{}' stands where LOOKUP_TABLE is expected", shown(table)),
                    scanner_.place(table));
      }
      (void)need();
      values(name, n);
    } else if (is_keyword(word, "vectors") || is_keyword(word, "normals")) {
      skip(2 + 3 * n_data_);
    } else if (is_keyword(word, "tensors")) {
      skip(2 + 9 * n_data_);
    } else if (is_keyword(word, "lookup_table")) {
      (void)need();
      skip(4 * count());
    } else if (is_keyword(word, "metadata")) {
      // Up to an empty line.
      while (scanner_.next_line() && !scanner_.rest().empty()) {
      }
    } else {
      throw Error(fmt::format("the section '{}' is not known", shown(word)), scanner_.place(word),
                  "the counts of the section before may be wrong");
    }
  }

  /// n nodes and their numbers each; since version 5.1 counts of the two lists that follow.
  void cells() {
    const long n = count(), size = count();
    const std::string_view next = scanner_.word_anywhere();
    if (is_keyword(next, "offsets")) {
      n_offsets_ = n;
      n_entries_ = size;
      section(next);
      return;
    }
    std::string_view word = next;
    for (long i = 0; i < n; ++i) {
      if (i > 0) word = need();
      if (word.empty()) throw Error("the file ends too early", scanner_.place());
      const long nodes = whole_number(word, scanner_);
      if (nodes < 1 || nodes > 1000) {
        throw Error(fmt::format("a cell of {} nodes", nodes), scanner_.place(word));
      }
      words(nodes, grid_.connectivity);
      grid_.offsets.push_back(static_cast<long>(grid_.connectivity.size()));
    }
  }

  void values(const std::string& name, long components) {
    if (!of_cells_ || components != 1 || !ElementGroups::is_known(name)) {
      skip(components * n_data_);
      return;
    }
    std::vector<long>& to = grid_.groups.numbers[name];
    for (long i = 0; i < n_data_; ++i) to.push_back(whole_number(need(), scanner_));
  }

  void field() {
    (void)need();
    for (long arrays = count(); arrays > 0; --arrays) {
      const std::string name(need());
      const long components = count(), n = count();
      const std::string_view type = need();
      if (is_keyword(type, "string")) {
        std::vector<std::string>& to = grid_.groups.names[name];
        for (long i = 0; i < n * components; ++i) {
          if (!scanner_.next_line()) throw Error("the file ends too early", scanner_.place());
          to.emplace_back(scanner_.rest());
        }
      } else if (of_cells_ && components == 1 && n == n_data_) {
        values(name, 1);
      } else {
        if (components > 0 && n > 4'000'000'000 / components) {
          throw Error(fmt::format("a count of {}", n), scanner_.place(type));
        }
        skip(components * n);
      }
    }
  }

  mesh_io::WordScanner scanner_;
  FileMesh file_;
  VtkGrid grid_;
  long n_data_ = 0, n_offsets_ = 0, n_entries_ = 0;
  bool of_cells_ = false;
};

class VtuReader {
 public:
  VtuReader(std::string_view text, const std::string& name)
      : scanner_(text, name), tree_(text, scanner_) {
    file_.name = name;
    file_.scanner = &scanner_;
  }

  Mesh read() {
    const XmlNode& root = tree_.root();
    if (root.name != "VTKFile" || root.attribute("type") != "UnstructuredGrid") {
      throw Error(fmt::format("a file of kind '{}' is no mesh", shown(root.attribute("type"))),
                  file_.name, "write it as an UnstructuredGrid (.vtu)");
    }
    const XmlNode& grid = need(root, "UnstructuredGrid");
    const XmlNode& piece = need(grid, "Piece");
    if (std::ranges::count(grid.children, "Piece", [](const XmlNode* n) { return n->name; }) > 1) {
      throw Error("the mesh comes in several pieces", scanner_.place(piece.name),
                  "write it as one piece");
    }
    for (const XmlNode* from : {&grid, &piece}) {
      if (const XmlNode* fields = from->child("FieldData")) read_names(*fields);
    }
    const std::vector<std::string_view> x = array(need(need(piece, "Points"), "DataArray"));
    if (x.size() % 3 != 0) {
      throw Error(fmt::format("{} coordinates, no multiple of 3", x.size()), file_.name);
    }
    for (std::size_t i = 0; i < x.size(); i += 3) {
      file_.points.push_back(
          {scanner_.number(x[i]), scanner_.number(x[i + 1]), scanner_.number(x[i + 2])});
    }
    for (const XmlNode* a : need(piece, "Cells").children) {
      const std::string_view name = a->attribute("Name");
      if (name == "connectivity") grid_.connectivity = array(*a);
      if (name == "offsets") {
        for (const std::string_view w : array(*a)) {
          grid_.offsets.push_back(whole_number(w, scanner_));
        }
      }
      if (name == "types") grid_.types = array(*a);
    }
    if (const XmlNode* data = piece.child("CellData")) {
      for (const XmlNode* a : data->children) {
        const std::string name = xml_plain(a->attribute("Name"));
        if (!ElementGroups::is_known(name)) continue;
        for (const std::string_view w : array(*a)) {
          grid_.groups.numbers[name].push_back(whole_number(w, scanner_));
        }
      }
    }
    grid_.fill(file_, scanner_);
    return assemble(file_);
  }

 private:
  const XmlNode& need(const XmlNode& in, std::string_view name) const {
    const XmlNode* const found = in.child(name);
    if (found == nullptr) {
      throw Error(fmt::format("<{}> has no <{}>", shown(in.name), name), scanner_.place(in.name));
    }
    return *found;
  }
  [[nodiscard]] std::vector<std::string_view> array(const XmlNode& node) const {
    if (node.attribute("format") != "ascii" && !node.attribute("format").empty()) {
      throw Error(
          fmt::format("an array in the format '{}' is not read", shown(node.attribute("format"))),
          scanner_.place(node.name), "write the file as text (ascii)");
    }
    return xml_words(node.text);
  }
  /// Strings are written as the numbers of their characters, each with a 0 at its end.
  void read_names(const XmlNode& fields) {
    for (const XmlNode* a : fields.children) {
      if (a->attribute("type") != "String") continue;
      std::vector<std::string>& to = grid_.groups.names[xml_plain(a->attribute("Name"))];
      std::string one;
      for (const std::string_view w : array(*a)) {
        const long c = whole_number(w, scanner_);
        if (c < 0 || c > 255) {
          throw Error(fmt::format("{} is no character", c), scanner_.place(w));
        }
        if (c != 0) {
          one += c > 32 && c < 127 ? static_cast<char>(c) : '_';
          continue;
        }
        to.push_back(one);
        one.clear();
      }
    }
  }

  mesh_io::WordScanner scanner_;
  XmlTree tree_;
  FileMesh file_;
  VtkGrid grid_;
};

}  // namespace

Mesh parse_vtk(std::string_view text, const std::string& name) {
  return VtkReader(text, name).read();
}

Mesh parse_vtu(std::string_view text, const std::string& name) {
  return VtuReader(text, name).read();
}

}  // namespace cauchy::detail
