#include "geometry/shapes/triangle_topology.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_map>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

#include "geometry/shapes/triangle_closest.hpp"
#include "geometry/shapes/triangle_components.hpp"

namespace cauchy::detail::triangles {
namespace {

constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

std::string place_of(const TriangleMesh& mesh) {
  return mesh.source.empty() ? "[geometry.triangle_surface]" : mesh.source;
}

std::string near(const Vec3& p) { return fmt::format("({:.4g}, {:.4g}, {:.4g})", p[0], p[1], p[2]); }

std::string count(std::size_t n, const char* one, const char* many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

void check_numbers(const TriangleMesh& mesh) {
  const std::string place = place_of(mesh);
  if (mesh.triangles.empty()) throw Error("the mesh has no triangles", place);
  if (mesh.triangles.size() > none / 3 || mesh.vertices.size() > none) {
    throw Error(fmt::format("{} triangles are more than the limit of {}", mesh.triangles.size(),
                            none / 3),
                place);
  }
  if (mesh.group.size() != mesh.triangles.size()) {
    throw Error(fmt::format("the mesh has {} triangles, but group numbers for {}",
                            mesh.triangles.size(), mesh.group.size()),
                place, "give every triangle a group, 0 when there is one only");
  }
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    if (mesh.group[t] >= mesh.groups.size()) {
      throw Error(fmt::format("triangle {} is in group {}, but there are {}", t, mesh.group[t],
                              mesh.groups.size()),
                  place);
    }
    for (const std::uint32_t v : mesh.triangles[t]) {
      if (v >= mesh.vertices.size()) {
        throw Error(fmt::format("triangle {} has vertex {}, but there are {}", t, v,
                                mesh.vertices.size()),
                    place);
      }
      for (const double c : mesh.vertices[v]) {
        if (!std::isfinite(c)) {
          throw Error(fmt::format("vertex {} has the coordinate {}", v, c), place);
        }
        if (std::abs(c) > 1e50) {
          throw Error(fmt::format("vertex {} has the coordinate {:.3g}", v, c), place,
                      "use a unit of length in which coordinates are below 1e50");
        }
      }
    }
  }
}

/// Makes vertices with equal coordinates one.
void weld(TriangleMesh& mesh) {
  struct Hash {
    std::size_t operator()(const Vec3& p) const {
      std::uint64_t h = 0;
      for (const double c : p) {
        h = (h ^ std::bit_cast<std::uint64_t>(c + 0.0)) * 0x9E3779B97F4A7C15u;
        h ^= h >> 32;
      }
      return static_cast<std::size_t>(h);
    }
  };
  std::unordered_map<Vec3, std::uint32_t, Hash> first;
  first.reserve(mesh.vertices.size());
  for (Triangle& t : mesh.triangles) {
    for (std::uint32_t& v : t) v = first.try_emplace(mesh.vertices[v], v).first->second;
  }
}

void drop_collapsed(TriangleMesh& mesh) {
  std::size_t kept = 0;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const auto [a, b, c] = mesh.triangles[t];
    if (a == b || b == c || c == a) continue;
    mesh.group[kept] = mesh.group[t];
    mesh.triangles[kept++] = {a, b, c};
  }
  mesh.triangles.resize(kept);
  mesh.group.resize(kept);
  if (kept == 0) throw Error("every triangle of the mesh has two equal corners", place_of(mesh));
}

void check_areas(const TriangleMesh& mesh) {
  std::size_t flat = 0, first = 0;
  for (std::size_t t = mesh.triangles.size(); t-- > 0;) {
    const auto [i, j, k] = mesh.triangles[t];
    const Vec3 ab = mesh.vertices[j] - mesh.vertices[i], ac = mesh.vertices[k] - mesh.vertices[i];
    const Vec3 bc = ac - ab;
    const double longest = std::max({dot(ab, ab), dot(ac, ac), dot(bc, bc)});
    if (norm(cross(ab, ac)) > 1e-14 * longest && longest > 1e-110) continue;
    ++flat;
    first = t;
  }
  if (flat > 0) {
    throw Error(fmt::format("{} no area; the first is near {}",
                            count(flat, "triangle has", "triangles have"),
                            near(mesh.vertices[mesh.triangles[first][0]])),
                place_of(mesh),
                "remove them with the \"merge close vertices\" of a mesh editor, or use a larger "
                "unit of length when the whole mesh is below 1e-50");
  }
}

void check_duplicates(const TriangleMesh& mesh) {
  std::vector<std::array<std::uint32_t, 4>> keys(mesh.triangles.size());
  for (std::size_t t = 0; t < keys.size(); ++t) {
    Triangle sorted = mesh.triangles[t];
    std::sort(sorted.begin(), sorted.end());
    keys[t] = {sorted[0], sorted[1], sorted[2], static_cast<std::uint32_t>(t)};
  }
  std::sort(keys.begin(), keys.end());
  std::size_t twice = 0;
  std::uint32_t first = none;
  for (std::size_t t = 1; t < keys.size(); ++t) {
    if (std::equal(keys[t].begin(), keys[t].begin() + 3, keys[t - 1].begin())) {
      ++twice;
      first = std::min(first, keys[t][3]);
    }
  }
  if (twice > 0) {
    throw Error(fmt::format("{} more than once; the first is near {}",
                            count(twice, "triangle is there", "triangles are there"),
                            near(mesh.vertices[mesh.triangles[first][0]])),
                place_of(mesh), "remove duplicate faces in a mesh editor");
  }
}

struct HalfEdge {
  std::uint64_t key;    // lower vertex, upper vertex
  std::uint32_t index;  // 3 triangle + edge
};

std::vector<HalfEdge> sorted_half_edges(const TriangleMesh& mesh) {
  std::vector<HalfEdge> edges;
  edges.reserve(3 * mesh.triangles.size());
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint64_t a = mesh.triangles[t][k], b = mesh.triangles[t][(k + 1) % 3];
      edges.push_back({std::min(a, b) << 32 | std::max(a, b), static_cast<std::uint32_t>(3 * t + k)});
    }
  }
  std::sort(edges.begin(), edges.end(), [](const HalfEdge& a, const HalfEdge& b) {
    return a.key != b.key ? a.key < b.key : a.index < b.index;
  });
  return edges;
}

/// The runs of equal keys, by number of triangles: one, two, more.
struct Edges {
  std::vector<std::uint64_t> open, crowded;
  std::vector<std::array<std::uint32_t, 3>> neighbour;  // half-edge index of the other side
};

Edges pair_edges(const TriangleMesh& mesh) {
  const std::vector<HalfEdge> half = sorted_half_edges(mesh);
  Edges result;
  result.neighbour.assign(mesh.triangles.size(), {none, none, none});
  for (std::size_t i = 0; i < half.size();) {
    std::size_t end = i + 1;
    while (end < half.size() && half[end].key == half[i].key) ++end;
    if (end - i == 1) result.open.push_back(half[i].key);
    if (end - i > 2) result.crowded.push_back(half[i].key);
    if (end - i == 2) {
      const std::uint32_t a = half[i].index, b = half[i + 1].index;
      result.neighbour[a / 3][a % 3] = b;
      result.neighbour[b / 3][b % 3] = a;
    }
    i = end;
  }
  return result;
}

Vec3 middle(const TriangleMesh& mesh, std::uint64_t key) {
  return 0.5 * (mesh.vertices[key >> 32] + mesh.vertices[key & none]);
}

[[noreturn]] void throw_open(const TriangleMesh& mesh, const std::vector<std::uint64_t>& open) {
  // Open edges that hang together are one hole.
  std::unordered_map<std::uint32_t, std::uint32_t> parent;
  const auto root = [&](std::uint32_t v) {
    parent.try_emplace(v, v);
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
  };
  for (const std::uint64_t key : open) {
    parent[root(static_cast<std::uint32_t>(key >> 32))] = root(static_cast<std::uint32_t>(key));
  }
  std::size_t holes = 0;
  for (const auto& [v, p] : parent) holes += v == p ? 1 : 0;
  const std::uint32_t first = root(static_cast<std::uint32_t>(open[0]));
  Vec3 sum{};
  double n = 0;
  for (const std::uint64_t key : open) {
    if (root(static_cast<std::uint32_t>(key)) != first) continue;
    sum = sum + middle(mesh, key);
    n += 1;
  }
  throw Error(fmt::format("the surface is open: {}, {}; the first hole is near {}",
                          count(holes, "hole", "holes"),
                          count(open.size(), "open edge", "open edges"), near((1 / n) * sum)),
              place_of(mesh), "close the holes with the \"fill holes\" of a mesh editor");
}

}  // namespace

std::vector<std::array<std::uint32_t, 3>> close_and_orient(TriangleMesh& mesh) {
  check_numbers(mesh);
  drop_collapsed(mesh);
  Edges edges = pair_edges(mesh);
  if (!edges.open.empty()) {
    weld(mesh);
    drop_collapsed(mesh);
    edges = pair_edges(mesh);
  }
  if (!edges.crowded.empty()) check_duplicates(mesh);
  if (!edges.crowded.empty()) {
    throw Error(fmt::format("{} more than two triangles; the first is near {}",
                            count(edges.crowded.size(), "edge has", "edges have"),
                            near(middle(mesh, edges.crowded[0]))),
                place_of(mesh),
                "remove inner walls, or move bodies apart that touch along an edge");
  }
  if (!edges.open.empty()) throw_open(mesh, edges.open);
  check_areas(mesh);
  orient(mesh, edges.neighbour);
  for (Triangle& t : edges.neighbour) {
    for (std::uint32_t& n : t) n /= 3;
  }
  return std::move(edges.neighbour);
}

}  // namespace cauchy::detail::triangles
