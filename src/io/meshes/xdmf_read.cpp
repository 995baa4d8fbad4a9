#include "io/meshes/xdmf_read.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/io/hdf5.hpp>

#include "geometry/mesh_files/file_mesh.hpp"
#include "geometry/mesh_files/xml_tree.hpp"

namespace cauchy::detail {
namespace {

using mesh_io::is_keyword;
using mesh_io::shown;

class XdmfMeshReader {
 public:
  XdmfMeshReader(std::string_view text, const std::string& name)
      : scanner_(text, name), tree_(text, scanner_) {
    file_.name = name;
    file_.scanner = &scanner_;
  }

  Mesh read() {
    const XmlNode& root = tree_.root();
    if (root.name != "Xdmf") throw Error("the file is no XDMF", scanner_.place(root.name));
    collect(root);
    if (grids_.empty()) {
      throw Error("the file has no grid with cells", file_.name,
                  "a mesh has <Grid> with <Topology> and <Geometry>");
    }
    for (const XmlNode* grid : grids_) read_grid(*grid);
    groups_.apply(file_);
    return assemble(file_);
  }

 private:
  /// Grids that hold cells; of states in time the first.
  void collect(const XmlNode& node) {
    for (const XmlNode* child : node.children) {
      if (child->name == "Information") read_names(*child);
      if (child->name == "Domain") collect(*child);
      if (child->name != "Grid") continue;
      if (child->child("Topology") != nullptr) {
        grids_.push_back(child);
        for (const XmlNode* each : child->children) {
          if (each->name == "Information") read_names(*each);
        }
      } else {
        collect(*child);
      }
      if (is_keyword(node.attribute("CollectionType"), "temporal")) return;
    }
  }
  void read_names(const XmlNode& node) {
    const std::string name = xml_plain(node.attribute("Name"));
    if (name != "parts" && name != "pieces") return;
    for (const std::string_view word : xml_words(node.attribute("Value"))) {
      groups_.names[name].push_back(xml_plain(word));
    }
  }

  struct Numbers {
    std::vector<double> values;
    std::vector<std::string_view> words;  // empty for HDF5
  };
  Numbers item(const XmlNode& in) const {
    const XmlNode* const node = in.child("DataItem");
    if (node == nullptr) {
      throw Error(fmt::format("<{}> has no <DataItem>", shown(in.name)), scanner_.place(in.name));
    }
    const std::string_view format = node->attribute("Format");
    Numbers out;
    if (is_keyword(format, "hdf")) {
      const std::vector<std::string_view> words = xml_words(node->text);
      const std::size_t colon = words.empty() ? std::string_view::npos : words[0].find(":/");
      if (words.size() != 1 || colon == std::string_view::npos) {
        throw Error("numbers in HDF5 are named file.h5:/dataset", scanner_.place(node->name));
      }
      const auto beside =
          std::filesystem::path(file_.name).parent_path() / xml_plain(words[0].substr(0, colon));
      out.values = read_hdf5_array(beside, xml_plain(words[0].substr(colon + 2))).values;
      return out;
    }
    if (!format.empty() && !is_keyword(format, "xml")) {
      throw Error(fmt::format("numbers in the format '{}' are not read", shown(format)),
                  scanner_.place(node->name), "write them as XML or HDF");
    }
    out.words = xml_words(node->text);
    for (const std::string_view word : out.words) out.values.push_back(scanner_.number(word));
    return out;
  }
  long whole(const Numbers& n, std::size_t i, const XmlNode& in) const {
    if (i >= n.values.size()) {
      throw Error(fmt::format("the numbers of <{}> end too early", shown(in.name)),
                  scanner_.place(in.name));
    }
    const double v = n.values[i];
    if (v != std::floor(v) || std::abs(v) > 4e9) {
      throw Error(fmt::format("{} is not a whole number", v),
                  scanner_.place(n.words.empty() ? in.name : n.words[i]));
    }
    return static_cast<long>(v);
  }

  void read_grid(const XmlNode& grid) {
    const XmlNode& topology = *grid.child("Topology");
    if (file_.points.empty()) {
      read_points(grid);
    } else if (const XmlNode* geometry = grid.child("Geometry");
               geometry != nullptr && geometry->child("DataItem") != nullptr) {
      if (item(*geometry).values.size() != width_ * file_.points.size()) {
        throw Error("the grids of the file have different points", scanner_.place(geometry->name),
                    "one mesh has one list of points");
      }
    }
    const std::size_t first = file_.elements.size();
    read_cells(topology);
    for (const XmlNode* a : grid.children) {
      if (a->name != "Attribute") continue;
      const std::string name = xml_plain(a->attribute("Name"));
      if (!ElementGroups::is_known(name) || !is_keyword(a->attribute("Center"), "cell")) continue;
      const Numbers n = item(*a);
      std::vector<long>& to = groups_.numbers[name];
      to.resize(first, -1);
      for (std::size_t i = 0; i < n.values.size(); ++i) to.push_back(whole(n, i, *a));
    }
    // Arrays of one grid say nothing about the cells of others.
    for (auto& [name, values] : groups_.numbers) {
      if (values.size() == first) values.resize(file_.elements.size(), -1);
    }
  }

  void read_points(const XmlNode& grid) {
    const XmlNode* const geometry = grid.child("Geometry");
    if (geometry == nullptr) {
      throw Error("a <Grid> has no <Geometry>", scanner_.place(grid.name));
    }
    std::string_view type = geometry->attribute("GeometryType");
    if (type.empty()) type = geometry->attribute("Type");
    width_ = is_keyword(type, "xy") ? 2 : 3;
    if (!type.empty() && !is_keyword(type, "xy") && !is_keyword(type, "xyz")) {
      throw Error(fmt::format("a geometry of type '{}' is no mesh", shown(type)),
                  scanner_.place(geometry->name), "write the points as XY or XYZ");
    }
    const Numbers n = item(*geometry);
    if (n.values.size() % width_ != 0) {
      throw Error(fmt::format("{} coordinates, no multiple of {}", n.values.size(), width_),
                  scanner_.place(geometry->name));
    }
    for (std::size_t i = 0; i < n.values.size(); i += width_) {
      std::array<double, 3> x{};
      for (std::size_t k = 0; k < width_; ++k) {
        x[k] = n.values[i + k];
        if (!std::isfinite(x[k])) {
          throw Error("a coordinate is not finite", scanner_.place(geometry->name));
        }
      }
      file_.points.push_back(x);
    }
  }

  void read_cells(const XmlNode& topology) {
    std::string_view type = topology.attribute("TopologyType");
    if (type.empty()) type = topology.attribute("Type");
    const Numbers n = item(topology);
    static constexpr std::pair<std::string_view, int> kinds[] = {
        {"polyvertex", 0}, {"polyline", 1}, {"triangle", 2}, {"tetrahedron", 3}};
    const auto kind =
        std::ranges::find_if(kinds, [&](const auto& k) { return is_keyword(type, k.first); });
    const bool mixed = is_keyword(type, "mixed");
    if (kind == std::end(kinds) && !mixed) {
      throw Error(fmt::format("cells of type '{}' are not read", shown(type)),
                  scanner_.place(topology.name), "use simplices of first order");
    }
    for (std::size_t i = 0; i < n.values.size();) {
      FileMesh::Element e;
      e.tag = static_cast<long>(file_.elements.size());
      e.word = n.words.empty() ? topology.name : n.words[i];
      if (mixed) {
        // 1: vertices, 2: a line of several nodes, each with its count; 4, 6: simplices.
        const long code = whole(n, i++, topology);
        e.dimension = code == 1 ? 0 : code == 2 ? 1 : code == 4 ? 2 : code == 6 ? 3 : -1;
        if (e.dimension < 0) {
          throw Error(fmt::format("cells of type {} are not read", code), scanner_.place(e.word),
                      "use simplices of first order");
        }
        if (code <= 2 && whole(n, i++, topology) != code) {
          throw Error("a line has more than two nodes", scanner_.place(e.word));
        }
      } else {
        e.dimension = kind->second;
      }
      for (int k = 0; k <= e.dimension; ++k) {
        e.nodes[static_cast<std::size_t>(k)] = whole(n, i++, topology);
      }
      file_.elements.push_back(e);
    }
  }

  mesh_io::WordScanner scanner_;
  XmlTree tree_;
  FileMesh file_;
  ElementGroups groups_;
  std::vector<const XmlNode*> grids_;
  std::size_t width_ = 3;
};

}  // namespace

Mesh parse_xdmf(std::string_view text, const std::string& name) {
  return XdmfMeshReader(text, name).read();
}

}  // namespace cauchy::detail
