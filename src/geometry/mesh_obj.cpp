#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

#include "geometry/mesh_io.hpp"

namespace cauchy::detail::mesh_io {
namespace {

using Point = std::array<double, 3>;

struct Flat {
  double x, y;
};

/// Twice the signed area.
double turn(const Flat& a, const Flat& b, const Flat& c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

/// Cuts a polygon into n - 2 triangles: a fan when it is convex, else ears. Corners that lie on a
/// straight side are no tips of ears, so that no triangle loses its area. Finding ears may take n^3
/// operations: all polygons of a file together may take a second or so.
class PolygonCutter {
 public:
  /// False when that was not enough.
  [[nodiscard]] bool cut(const std::vector<Point>& vertices,
                         const std::vector<std::uint32_t>& corners,
                         std::vector<std::array<std::uint32_t, 3>>& triangles) {
    const std::size_t n = corners.size();
    if (n == 3) {
      triangles.push_back({corners[0], corners[1], corners[2]});
      return true;
    }
    project(vertices, corners);
    bool is_convex = true;
    for (std::size_t i = 0; i < n; ++i) {
      is_convex = is_convex && turn(flat_[i], flat_[(i + 1) % n], flat_[(i + 2) % n]) > 0;
    }
    left_.resize(n);
    for (std::size_t i = 0; i < n; ++i) left_[i] = i;
    // From where no ear is found (a polygon that cuts itself) a fan is as good as anything.
    if (!is_convex) clip_ears(corners, triangles);
    for (std::size_t i = 1; i + 1 < left_.size(); ++i) {
      triangles.push_back({corners[left_[0]], corners[left_[i]], corners[left_[i + 1]]});
    }
    return work_ <= most_work;
  }

 private:
  /// Along the axis in which the area (Newell's formula) is largest, counter-clockwise.
  void project(const std::vector<Point>& vertices, const std::vector<std::uint32_t>& corners) {
    const Point& origin = vertices[corners[0]];
    Point normal{};
    for (std::size_t i = 0; i < corners.size(); ++i) {
      const Point &p = vertices[corners[i]], &q = vertices[corners[(i + 1) % corners.size()]];
      for (std::size_t k = 0; k < 3; ++k) {
        const std::size_t u = (k + 1) % 3, v = (k + 2) % 3;
        normal[k] +=
            (p[u] - origin[u]) * (q[v] - origin[v]) - (p[v] - origin[v]) * (q[u] - origin[u]);
      }
    }
    std::size_t k = 0;
    for (std::size_t i = 1; i < 3; ++i) {
      if (std::abs(normal[i]) > std::abs(normal[k])) k = i;
    }
    const double sign = normal[k] < 0 ? -1 : 1;
    flat_.clear();
    for (const std::uint32_t c : corners) {
      flat_.push_back({vertices[c][(k + 1) % 3], sign * vertices[c][(k + 2) % 3]});
    }
  }

  void clip_ears(const std::vector<std::uint32_t>& corners,
                 std::vector<std::array<std::uint32_t, 3>>& triangles) {
    std::size_t misses = 0, i = 0;
    while (left_.size() > 3 && misses < left_.size() && work_ <= most_work) {
      const std::size_t m = left_.size();
      i %= m;
      const std::size_t a = left_[(i + m - 1) % m], b = left_[i], c = left_[(i + 1) % m];
      if (!is_ear(a, b, c)) {
        ++misses;
        ++i;
        continue;
      }
      triangles.push_back({corners[a], corners[b], corners[c]});
      left_.erase(left_.begin() + static_cast<std::ptrdiff_t>(i));
      misses = 0;
    }
  }

  [[nodiscard]] bool is_ear(std::size_t a, std::size_t b, std::size_t c) {
    const Flat &p = flat_[a], &q = flat_[b], &r = flat_[c];
    ++work_;
    if (!(turn(p, q, r) > 0)) return false;
    work_ += left_.size();
    return std::none_of(left_.begin(), left_.end(), [&](std::size_t i) {
      const Flat& x = flat_[i];
      return i != a && i != b && i != c && turn(p, q, x) >= 0 && turn(q, r, x) >= 0 &&
             turn(r, p, x) >= 0;
    });
  }

  static constexpr std::uint64_t most_work = 300'000'000;  // corners looked at
  std::uint64_t work_ = 0;
  std::vector<Flat> flat_;
  std::vector<std::size_t> left_;
};

/// The vertex of "7", "7/1", "7//3" or "7/1/3", counted from 1, or from the end when negative.
std::uint32_t vertex_index(const WordScanner& scanner, std::string_view word, std::size_t n) {
  const std::string_view digits = word.substr(0, word.find('/'));
  const char* begin = digits.data();
  const char* const end = begin + digits.size();
  if (begin != end && *begin == '+') ++begin;
  std::int64_t index = 0;
  const auto [stop, error] = std::from_chars(begin, end, index);
  if (stop != end || error == std::errc::invalid_argument) {
    throw Error(fmt::format("'{}' is not the number of a vertex", shown(word)),
                scanner.place(word));
  }
  const auto count = static_cast<std::int64_t>(n);
  const bool fits = error == std::errc() && index != 0 && index <= count && index >= -count;
  if (!fits) {
    throw Error(fmt::format("vertex {} is out of range, there are {} so far", shown(digits), n),
                scanner.place(word), "vertices count from 1, or back from -1");
  }
  return static_cast<std::uint32_t>(index > 0 ? index - 1 : count + index);
}

}  // namespace

TriangleMesh read_obj(std::string_view text, const std::string& file) {
  TriangleMesh mesh;
  mesh.source = file;
  WordScanner scanner(text, file);
  GroupIndex groups(mesh);
  PolygonCutter cutter;
  std::vector<std::uint32_t> corners;
  std::string_view name;
  std::uint32_t group = 0;
  bool group_is_open = false;
  do {
    const std::string_view keyword = scanner.word();
    if (keyword == "v") {
      Point p{};
      for (double& c : p) c = scanner.number(scanner.word());
      if (mesh.vertices.size() == std::numeric_limits<std::uint32_t>::max()) {
        throw Error("too many vertices", scanner.place());
      }
      mesh.vertices.push_back(p);
    } else if (keyword == "f") {
      corners.clear();
      for (;;) {
        const std::string_view word = scanner.word();
        if (word.empty() || word[0] == '#') break;
        corners.push_back(vertex_index(scanner, word, mesh.vertices.size()));
      }
      if (corners.size() < 3) {
        throw Error(fmt::format("a face needs three corners, this one has {}", corners.size()),
                    scanner.place(keyword));
      }
      if (!group_is_open) group = groups.number(name);
      group_is_open = true;
      if (!cutter.cut(mesh.vertices, corners, mesh.triangles)) {
        throw Error(fmt::format("a face of {} corners takes too long to be cut into triangles",
                                corners.size()),
                    scanner.place(keyword), "cut it in the program that made it");
      }
      mesh.group.resize(mesh.triangles.size(), group);
    } else if (keyword == "g" || keyword == "o") {
      name = scanner.rest();
      group_is_open = false;
    }
  } while (scanner.next_line());
  if (mesh.triangles.empty()) throw Error("the file has no triangles", file);
  return mesh;
}

}  // namespace cauchy::detail::mesh_io
