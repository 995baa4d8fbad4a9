#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

#include "geometry/mesh_files/file_mesh.hpp"

namespace cauchy::detail {
namespace {

using mesh_io::shown;

class GmshReader {
 public:
  GmshReader(std::string_view text, const std::string& name) : name_(name), scanner_(text, name_) {
    file_.name = name;
    file_.scanner = &scanner_;
    file_.numbered = true;
  }

  Mesh read() {
    for (;;) {
      const std::string_view section = scanner_.word_anywhere();
      if (section.empty()) break;
      if (section[0] != '$') {
        throw Error(fmt::format("'{}' stands where a section begins", shown(section)),
                    scanner_.place(section), "sections are $MeshFormat, $Nodes, $Elements, ...");
      }
      if (section != "$MeshFormat" && version_ == 0) {
        throw Error("the file does not begin with $MeshFormat", scanner_.place(section));
      }
      if (section == "$MeshFormat") {
        read_format();
      } else if (section == "$PhysicalNames") {
        read_names();
      } else if (section == "$Entities" && version_ == 4) {
        read_entities();
      } else if (section == "$Nodes") {
        read_nodes();
      } else if (section == "$Elements") {
        read_elements();
      } else {
        skip(section);
        continue;
      }
      finish(section);
    }
    if (version_ == 0) throw Error("the file is empty", name_);
    if (file_.elements.empty()) throw Error("the file has no elements", name_);
    return assemble(file_);
  }

 private:
  std::string_view need() { return needed_word(scanner_); }
  long whole(std::string_view word) const { return whole_number(word, scanner_); }
  long count() { return needed_count(scanner_); }
  long count(long most) { return needed_count(scanner_, most); }
  void finish(std::string_view section) {
    const std::string_view word = need();
    if (word != fmt::format("$End{}", section.substr(1))) {
      throw Error(fmt::format("'{}' stands where $End{} is expected", shown(word),
                              shown(section.substr(1))),
                  scanner_.place(word), "the counts of the section may be wrong");
    }
  }
  void skip(std::string_view section) {
    const std::string end = fmt::format("$End{}", section.substr(1));
    for (;;) {
      const std::string_view word = scanner_.word_anywhere();
      if (word == end) return;
      if (word.empty()) {
        throw Error(fmt::format("the section {} has no end", shown(section)),
                    scanner_.place(section));
      }
    }
  }

  void read_format() {
    const std::string_view word = need();
    const double version = scanner_.number(word);
    const std::string_view type = need();
    if (type == "1") {
      throw Error("the file is binary", scanner_.place(type),
                  "write it as text: Mesh.Binary = 0 in Gmsh");
    }
    if (type != "0") throw Error(fmt::format("file type '{}'", shown(type)), scanner_.place(type));
    (void)need();  // bytes of a number
    if (version >= 2 && version < 3) {
      version_ = 2;
    } else if (version == 4.1) {
      version_ = 4;
    } else {
      throw Error(fmt::format("version {} of the format is not read", shown(word)),
                  scanner_.place(word), "write the file as version 2.2 or 4.1");
    }
  }

  void read_names() {
    const long n = count();
    for (long i = 0; i < n; ++i) {
      const std::string_view first = need();
      const long dimension = whole(first), tag = whole(need());
      std::string_view name = scanner_.rest();
      if (name.size() < 3 || name.front() != '"' || name.back() != '"') {
        throw Error("the name of a physical group stands in quotation marks",
                    scanner_.place(first));
      }
      name = name.substr(1, name.size() - 2);
      file_.names[{dimension, tag}] = clean_name(name);
    }
    has_names_ = true;
  }

  void read_entities() {
    long counts[4];
    for (long& n : counts) n = count();
    for (int dimension = 0; dimension < 4; ++dimension) {
      for (long i = 0; i < counts[dimension]; ++i) {
        const long tag = whole(need());
        for (int k = 0; k < (dimension == 0 ? 3 : 6); ++k) (void)scanner_.number(need());
        const long groups = count();
        long group = 0;
        for (long g = 0; g < groups; ++g) {
          const long value = std::abs(whole(need()));
          if (g == 0) group = value;
        }
        if (dimension > 0) {
          for (long b = count(); b > 0; --b) (void)whole(need());
        }
        entities_[{dimension, tag}] = group;
      }
    }
    has_entities_ = true;
  }

  void add_node(std::string_view word, long tag) {
    if (!file_.numbers.emplace(tag, file_.points.size()).second) {
      throw Error(fmt::format("node {} comes twice", tag), scanner_.place(word));
    }
  }
  void read_nodes() {
    if (version_ == 2) {
      for (long n = count(); n > 0; --n) {
        const std::string_view word = need();
        add_node(word, whole(word));
        add_point();
      }
      return;
    }
    const long blocks = count();
    for (int k = 0; k < 3; ++k) (void)count();
    for (long b = 0; b < blocks; ++b) {
      (void)count();
      (void)whole(need());
      const std::string_view parametric = need();
      if (whole(parametric) != 0) {
        throw Error("parametric nodes are not read", scanner_.place(parametric),
                    "write the file without them: Mesh.SaveParametric = 0");
      }
      const long n = count();
      std::vector<std::string_view> words;
      for (long i = 0; i < n; ++i) words.push_back(need());
      for (const std::string_view word : words) {
        add_node(word, whole(word));
        add_point();
      }
    }
  }
  void add_point() {
    std::array<double, 3> x;
    for (double& v : x) v = scanner_.number(need());
    file_.points.push_back(x);
  }

  static int dimension_of(long type) {
    return type == 15 ? 0 : type == 1 ? 1 : type == 2 ? 2 : type == 4 ? 3 : -1;
  }
  [[noreturn]] void wrong_type(std::string_view word, long type) const {
    static const std::map<long, const char*> kinds{{3, "quadrangles"},
                                                   {5, "hexahedra"},
                                                   {6, "prisms"},
                                                   {7, "pyramids"},
                                                   {8, "lines of second order"},
                                                   {9, "triangles of second order"},
                                                   {11, "tetrahedra of second order"}};
    const auto at = kinds.find(type);
    throw Error(fmt::format("elements of type {}{} are not read", type,
                            at == kinds.end() ? "" : fmt::format(" ({})", at->second)),
                scanner_.place(word), "use simplices of first order");
  }
  void add_element(std::string_view word, int dimension, long tag, long group) {
    FileMesh::Element e;
    e.dimension = dimension;
    e.tag = tag;
    e.group = group;
    e.word = word;
    for (int k = 0; k <= dimension; ++k) e.nodes[static_cast<std::size_t>(k)] = whole(need());
    if (group != 0 && has_names_ && !file_.names.contains({dimension, group})) {
      throw Error(fmt::format("element {} is in physical group {} of dimension {}, which "
                              "$PhysicalNames does not name",
                              tag, group, dimension),
                  scanner_.place(word));
    }
    file_.elements.push_back(e);
  }
  void read_elements() {
    if (version_ == 2) {
      for (long n = count(); n > 0; --n) {
        const std::string_view word = need();
        const long tag = whole(word);
        const std::string_view kind = need();
        const int dimension = dimension_of(whole(kind));
        if (dimension < 0) wrong_type(kind, whole(kind));
        const long tags = count(1000);
        long group = 0;
        for (long t = 0; t < tags; ++t) {
          const long value = whole(need());
          if (t == 0) group = value;
        }
        add_element(word, dimension, tag, group);
      }
      return;
    }
    const long blocks = count();
    for (int k = 0; k < 3; ++k) (void)count();
    for (long b = 0; b < blocks; ++b) {
      const std::string_view first = need();
      const long entity_dimension = whole(first), entity = whole(need());
      const std::string_view kind = need();
      const int dimension = dimension_of(whole(kind));
      if (dimension < 0) wrong_type(kind, whole(kind));
      const auto at = entities_.find({entity_dimension, entity});
      if (has_entities_ && at == entities_.end()) {
        throw Error(fmt::format("elements of entity {} of dimension {}, which $Entities does not "
                                "have",
                                entity, entity_dimension),
                    scanner_.place(first));
      }
      for (long n = count(); n > 0; --n) {
        const std::string_view word = need();
        add_element(word, dimension, whole(word), at == entities_.end() ? 0 : at->second);
      }
    }
  }

  const std::string& name_;
  mesh_io::WordScanner scanner_;
  FileMesh file_;
  int version_ = 0;
  bool has_names_ = false, has_entities_ = false;
  std::map<std::pair<long, long>, long> entities_;
};

}  // namespace

Mesh parse_gmsh(std::string_view text, const std::string& name) {
  return GmshReader(text, name).read();
}

}  // namespace cauchy::detail
