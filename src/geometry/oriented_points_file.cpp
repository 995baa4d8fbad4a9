#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/geometry/oriented_points.hpp>

#include "base/regular_file.hpp"
#include "geometry/mesh_io.hpp"

namespace cauchy {
namespace {

using detail::mesh_io::shown;
using detail::mesh_io::WordScanner;

constexpr std::array<std::string_view, 6> cloud_columns = {"x", "y", "z", "nx", "ny", "nz"};

/// The row x y z nx ny nz from numbers of a line, `column` saying which number is which.
void add_point(OrientedPoints& cloud, const std::vector<double>& numbers,
               const std::array<std::size_t, 6>& column) {
  Point3 x{}, n{};
  for (std::size_t k = 0; k < 3; ++k) {
    x[k] = numbers[column[k]];
    n[k] = numbers[column[k + 3]];
  }
  cloud.points.push_back(x);
  cloud.normals.push_back(n);
}

/// Points of a PLY file as text, behind its first word.
OrientedPoints read_ply(WordScanner& scan, const std::string& file) {
  std::size_t n_points = 0, n_properties = 0;
  std::array<std::optional<std::size_t>, 6> found{};
  bool in_vertex = false, first_element = true;
  for (;;) {
    if (!scan.next_line()) throw Error("the header has no end_header", file);
    const std::string_view word = scan.word();
    if (word == "end_header") break;
    if (word == "format") {
      if (const std::string_view kind = scan.word(); kind != "ascii") {
        throw Error(ErrorKind::unsupported,
                    fmt::format("PLY files are read as text, not as '{}'", shown(kind)),
                    scan.place(kind), "write it as ascii");
      }
    } else if (word == "element") {
      const std::string_view name = scan.word(), count = scan.word();
      in_vertex = name == "vertex";
      if (in_vertex && !first_element) {
        throw Error(ErrorKind::unsupported, "vertices are read as the first element", file);
      }
      first_element = false;
      if (in_vertex) {
        const double n = scan.number(count);
        if (!(n >= 0 && n <= 1e9 && n == std::floor(n))) {
          throw Error(fmt::format("'{}' is no number of vertices", shown(count)),
                      scan.place(count));
        }
        n_points = static_cast<std::size_t>(n);
      }
    } else if (word == "property" && in_vertex) {
      const std::string_view type = scan.word(), name = scan.word();
      if (type == "list") {
        throw Error(ErrorKind::unsupported, "vertices with lists are not read", scan.place(type));
      }
      for (std::size_t k = 0; k < 6; ++k) {
        if (name == cloud_columns[k]) found[k] = n_properties;
      }
      ++n_properties;
    }
  }
  std::array<std::size_t, 6> column{};
  for (std::size_t k = 0; k < 6; ++k) {
    if (!found[k]) {
      throw Error(ErrorKind::not_found,
                  fmt::format("the vertices have no property '{}'", cloud_columns[k]), file,
                  "export the points with their normals");
    }
    column[k] = *found[k];
  }
  OrientedPoints cloud;
  std::vector<double> numbers(n_properties);
  while (cloud.size() < n_points) {
    for (double& x : numbers) {
      const std::string_view word = scan.word_anywhere();
      if (word.empty()) {
        throw Error(fmt::format("the header promises {} points, the file ends after {}", n_points,
                                cloud.size()),
                    file);
      }
      x = scan.number(word);
    }
    add_point(cloud, numbers, column);
  }
  return cloud;
}

OrientedPoints read_point_table(std::string_view text, const std::string& file) {
  // Commas and semicolons are blanks; places in the text stay.
  std::string blank(text);
  std::ranges::replace_if(
      blank, [](char c) { return c == ',' || c == ';'; }, ' ');
  WordScanner scan(blank, file);
  OrientedPoints cloud;
  std::vector<double> numbers;
  bool names_allowed = true;
  do {
    numbers.clear();
    std::string_view first;
    bool skipped = false;
    for (std::string_view word = scan.word(); !word.empty(); word = scan.word()) {
      const bool is_name =
          std::ranges::find(cloud_columns, word) != cloud_columns.end() || word.front() == '"';
      if (word.front() == '#' || (is_name && names_allowed)) {
        skipped = true;
        if (word.front() == '#') break;
        continue;
      }
      if (skipped) continue;
      if (numbers.empty()) first = word;
      numbers.push_back(scan.number(word));
    }
    if (skipped || numbers.empty()) continue;
    names_allowed = false;
    if (numbers.size() != 6) {
      throw Error(fmt::format("{} number{} where a point has six: x y z nx ny nz", numbers.size(),
                              numbers.size() == 1 ? "" : "s"),
                  scan.place(first), numbers.size() == 3 ? "add the outward normals" : "");
    }
    add_point(cloud, numbers, {0, 1, 2, 3, 4, 5});
  } while (scan.next_line());
  return cloud;
}

}  // namespace

OrientedPoints read_oriented_points(const std::filesystem::path& file) {
  const std::string name = file.string();
  const std::string text = detail::read_regular(file, detail::data_limit());
  if (text.find('\0') != std::string::npos) {
    throw Error("the file is no text", name, "give x y z nx ny nz per line, PLY as text, or STL");
  }
  WordScanner scan(text, name);
  OrientedPoints cloud = scan.word() == "ply" ? read_ply(scan, name) : read_point_table(text, name);
  try {
    check_and_normalize(cloud);
  } catch (const Error& e) {
    throw e.at(name);
  }
  return cloud;
}

}  // namespace cauchy
