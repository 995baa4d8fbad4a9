#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/geometry/mesh_region.hpp>
#include <cauchy/geometry/primitives.hpp>

#include "files/file_rules.hpp"
#include "files/problem_file_reader.hpp"
#include "files/surface_files.hpp"

namespace cauchy::detail {
namespace {

/// Equations of tags hold within 1e-9 of the size of the region, or of 1 when it is not known.
double tag_tolerance(const Region& region) {
  double size = 0;
  if (region.parameters().empty()) {
    const Bounds& box = region.shape()->bounds();
    for (std::size_t i = 0; i < box.lower.size(); ++i) {
      size = std::max(size, box.upper[i] - box.lower[i]);
    }
  }
  return 1e-9 * (size > 0 && std::isfinite(size) ? size : 1);
}

}  // namespace

Context ProblemReader::names_of_sizes() const {
  Context names = numbers_;
  const TomlNode* ranges = root_.find("domain")->find("ranges");
  if (ranges == nullptr) return names;
  expect_table(*ranges, "ranges = { R = [0.1, 0.4] }");
  for (const TomlNode& r : ranges->items) {
    if (!names.declares(r.name)) add_parameter(names, r);
  }
  return names;
}

Region ProblemReader::read_space(const TomlNode& node) const {
  expect_table(node, "space = { x = [0, 1] }");
  if (node.items.empty()) fail_at(node, "'space' has no coordinates", "space = { x = [0, 1] }");
  constexpr std::size_t most = 2048;  // samplers go as far
  if (node.items.size() > most) {
    fail_at(node, fmt::format("a space of {} coordinates, at most {} are possible",
                              node.items.size(), most));
  }
  const Context sizes = names_of_sizes();
  PointExpr lower, upper;
  std::vector<Coordinate> names;
  std::vector<std::string> words;
  for (const TomlNode& n : node.items) {
    const auto two = ends(n);
    lower.push_back(expression(*two[0], sizes));
    upper.push_back(expression(*two[1], sizes));
    names.emplace_back(n.name);
    words.push_back(n.name);
  }
  return at_node(node.items.size() == 1 ? node.items[0] : node, [&] {
    const auto make = [&]() -> Region {
      if (names.size() == 1) return Interval(names[0], lower[0], upper[0]);
      if (names.size() == 2) return Rectangle(lower, upper);
      return Box(lower, upper);
    };
    const Region region = make();
    return region.coordinates() == words ? region : region.in(names);
  });
}

Region ProblemReader::read_region(const TomlSection& domain, const TomlNode& node) const {
  // Files of surfaces lie next to the problem file; the geometry knows no such folder.
  std::filesystem::path last;
  const auto beside = [&](const std::string& file) {
    const std::filesystem::path path = named_file(node, file);
    const bool hidden = !last.empty() && lies_outside(*node.place.source, last);
    if (!hidden) last = path;
    return std::filesystem::absolute(path).lexically_normal().string();
  };
  const auto parsed = [&] {
    const Context sizes = names_of_sizes();
    const std::string text = with_surface_files(as_text(node), beside);
    return parse_region(text, sizes, node.text_start());
  };
  const Region region = at_node(node, [&] {
    try {
      return node.name == "mesh" ? mesh_region(beside(as_text(node))) : parsed();
    } catch (const Error& e) {
      throw last.empty() ? e : about_file(node, last, e);
    }
  });
  const TomlNode* names = domain.find("coordinates");
  if (names == nullptr) return region;
  const std::vector<std::string> words = as_texts(*names);
  std::vector<Coordinate> coordinates;
  for (const std::string& word : words) coordinates.emplace_back(word);
  return at_node(*names, [&] { return region.in(coordinates); });
}

Region ProblemReader::with_tags(Region region, const TomlNode& node) const {
  expect_table(node, "tags = { inlet = \"x = 0 and y > 0.5\" }");
  Context names = names_of_sizes();
  try {
    for (const std::string& name : region.coordinates()) names.add_space(name);
  } catch (const Error& e) {
    fail_name(e);
  }
  for (const TomlNode& n : node.items) {
    const std::string& text = as_text(n);
    region = at_node(n, [&] {
      const Expr where = parse_condition(text, names, tag_tolerance(region), n.text_start());
      // The region itself knows the parameters of its sizes only; the others become numbers.
      std::vector<Replacement> numbers;
      for (const auto& [name, value] : values_) {
        const auto& own = region.parameters();
        if (std::find(own.begin(), own.end(), name) == own.end()) {
          numbers.push_back({Parameter(name), Expr(value)});
        }
      }
      return region.tagged(n.name, substitute(where, numbers));
    });
  }
  return region;
}

void ProblemReader::read_domain(const TomlNode& node) {
  const TomlSection s(node, "[domain]",
                      {"time", "space", "region", "mesh", "coordinates", "ranges", "tags"});
  const TomlNode *space = s.find("space"), *region = s.find("region"), *time = s.find("time");
  if (const TomlNode* mesh = s.find("mesh"); mesh != nullptr) {
    if (region != nullptr) {
      throw Error("give 'region' or 'mesh', not both", mesh->key.str(), "remove one of them");
    }
    region = mesh;
  }
  if (space != nullptr && region != nullptr) {
    throw Error(fmt::format("give 'space' or '{}', not both", region->name), region->key.str(),
                "remove one of them");
  }
  if (space == nullptr && region == nullptr && time == nullptr) {
    fail_at(node, "the domain has neither space nor time",
            "time = { t = [0, 1] }, space = { x = [0, 1] }");
  }
  for (const char* key : {"coordinates", "tags"}) {
    const bool fits = region != nullptr || (space != nullptr && std::string_view(key) == "tags");
    if (const TomlNode* n = s.find(key); n != nullptr && !fits) {
      throw Error(fmt::format("'{}' needs a region", key), n->key.str(),
                  "region = \"disk((0, 0), 1)\"");
    }
  }
  if (space != nullptr || region != nullptr) {
    Region r = space != nullptr ? read_space(*space) : read_region(s, *region);
    p_.domain = r;
    const TomlNode* words = s.find("coordinates");
    for (std::size_t i = 0; i < r.coordinates().size(); ++i) {
      const std::string& name = r.coordinates()[i];
      const TomlNode* own = space != nullptr ? space->find(name) : region;
      if (words != nullptr && i < words->items.size()) own = &words->items[i];
      declare(name, own != nullptr ? *own : node);
    }
    if (const TomlNode* tags = s.find("tags")) p_.domain = with_tags(r, *tags);
  }
  if (time != nullptr) {
    expect_table(*time, "time = { t = [0, 1] }");
    if (time->items.size() != 1) {
      fail_at(*time, fmt::format("there is one time, got {}", time->items.size()),
              "time = { t = [0, 1] }");
    }
    const TomlNode& t = time->items[0];
    const auto two = ends(t);
    const double lower = number(*two[0]), upper = number(*two[1]);
    at_node(t, [&] {
      const Time axis(Coordinate(t.name), lower, upper);
      p_.domain = p_.domain ? *p_.domain * Domain(axis) : Domain(axis);
    });
    declare(t.name, t);
  }
  if (const TomlNode* ranges = s.find("ranges")) {
    expect_table(*ranges, "ranges = { R = [0.1, 0.4] }");
    for (const TomlNode& r : ranges->items) {
      const auto two = ends(r);
      const double lower = number(*two[0]), upper = number(*two[1]);
      at_node(r, [&] { p_.domain = *p_.domain * Range(Parameter(r.name), lower, upper); });
      declare(r.name, r);
    }
  }
  if (p_.domain->space() == nullptr) return;
  // Sizes that are no region (a negative radius) show when the numbers are known.
  std::vector<double> middle;
  for (const Range& r : p_.domain->ranges()) middle.push_back((r.lower + r.upper) / 2);
  at_node(space != nullptr ? *space : *region,
          [&] { (void)p_.domain->with(values_).shape(middle); });
}

}  // namespace cauchy::detail
