#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <numbers>
#include <utility>
#include <vector>

#include <cauchy/geometry/shapes/triangle_surface.hpp>

/// Closed meshes with outward triangles, for tests and measurements.
namespace cauchy::mesh_shapes {

using Point = std::array<double, 3>;

inline void add_triangle(TriangleMesh& mesh, std::uint32_t a, std::uint32_t b, std::uint32_t c,
                         std::uint32_t group = 0) {
  mesh.triangles.push_back({a, b, c});
  mesh.group.push_back(group);
}

/// Twelve triangles; groups left, right (x), front, back (y), bottom, top (z).
inline TriangleMesh box(const Point& lower, const Point& upper) {
  TriangleMesh mesh;
  mesh.groups = {"left", "right", "front", "back", "bottom", "top"};
  for (unsigned i = 0; i < 8; ++i) {
    mesh.vertices.push_back({(i & 1u) != 0 ? upper[0] : lower[0],
                             (i & 2u) != 0 ? upper[1] : lower[1],
                             (i & 4u) != 0 ? upper[2] : lower[2]});
  }
  const std::uint32_t faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                     {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
  for (std::uint32_t f = 0; f < 6; ++f) {
    add_triangle(mesh, faces[f][0], faces[f][1], faces[f][2], f);
    add_triangle(mesh, faces[f][0], faces[f][2], faces[f][3], f);
  }
  return mesh;
}

/// An icosahedron whose faces are cut into four `levels` times: 20 4^levels triangles.
inline TriangleMesh icosphere(int levels, double radius = 1, const Point& center = {0, 0, 0}) {
  TriangleMesh mesh;
  mesh.groups = {"sphere"};
  const double g = std::numbers::phi;
  std::vector<Point> v = {{-1, g, 0}, {1, g, 0}, {-1, -g, 0}, {1, -g, 0}, {0, -1, g}, {0, 1, g},
                          {0, -1, -g}, {0, 1, -g}, {g, 0, -1}, {g, 0, 1}, {-g, 0, -1}, {-g, 0, 1}};
  std::vector<std::array<std::uint32_t, 3>> t = {
      {0, 11, 5}, {0, 5, 1}, {0, 1, 7}, {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4},
      {11, 10, 2}, {10, 7, 6}, {7, 1, 8}, {3, 9, 4}, {3, 4, 2}, {3, 2, 6}, {3, 6, 8},
      {3, 8, 9}, {4, 9, 5}, {2, 4, 11}, {6, 2, 10}, {8, 6, 7}, {9, 8, 1}};
  for (int level = 0; level < levels; ++level) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> middles;
    const auto middle = [&](std::uint32_t a, std::uint32_t b) {
      const auto [at, is_new] =
          middles.try_emplace(std::minmax(a, b), static_cast<std::uint32_t>(v.size()));
      if (is_new) {
        Point p{};
        for (std::size_t i = 0; i < 3; ++i) p[i] = (v[a][i] + v[b][i]) / 2;
        const double length = std::hypot(p[0], p[1], p[2]) / std::hypot(1, g);
        for (double& c : p) c /= length;
        v.push_back(p);
      }
      return at->second;
    };
    std::vector<std::array<std::uint32_t, 3>> finer;
    for (const auto& [a, b, c] : t) {
      const std::uint32_t ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
      finer.push_back({a, ab, ca});
      finer.push_back({b, bc, ab});
      finer.push_back({c, ca, bc});
      finer.push_back({ab, bc, ca});
    }
    t = std::move(finer);
  }
  for (const Point& p : v) {
    const double s = radius / std::hypot(p[0], p[1], p[2]);
    mesh.vertices.push_back({center[0] + s * p[0], center[1] + s * p[1], center[2] + s * p[2]});
  }
  for (const auto& [a, b, c] : t) add_triangle(mesh, a, b, c);
  return mesh;
}

/// 2 m n triangles around the z axis: m steps along the circle of radius `major`, n around the tube.
inline TriangleMesh torus(std::uint32_t m, std::uint32_t n, double major = 1, double minor = 0.4) {
  TriangleMesh mesh;
  mesh.groups = {"torus"};
  const double turn = 2 * std::numbers::pi;
  for (std::uint32_t i = 0; i < m; ++i) {
    for (std::uint32_t j = 0; j < n; ++j) {
      const double u = turn * i / m, v = turn * j / n, r = major + minor * std::cos(v);
      mesh.vertices.push_back({r * std::cos(u), r * std::sin(u), minor * std::sin(v)});
    }
  }
  for (std::uint32_t i = 0; i < m; ++i) {
    for (std::uint32_t j = 0; j < n; ++j) {
      const std::uint32_t i1 = (i + 1) % m, j1 = (j + 1) % n;
      add_triangle(mesh, i * n + j, i1 * n + j, i1 * n + j1);
      add_triangle(mesh, i * n + j, i1 * n + j1, i * n + j1);
    }
  }
  return mesh;
}

/// Latitude and longitude: 2 m (n - 1) triangles, thin ones at the poles.
inline TriangleMesh globe(std::uint32_t m, std::uint32_t n, double radius = 1) {
  TriangleMesh mesh;
  mesh.groups = {"sphere"};
  mesh.vertices = {{0, 0, radius}, {0, 0, -radius}};
  for (std::uint32_t j = 1; j < n; ++j) {
    for (std::uint32_t i = 0; i < m; ++i) {
      const double u = 2 * std::numbers::pi * i / m, v = std::numbers::pi * j / n;
      mesh.vertices.push_back({radius * std::sin(v) * std::cos(u),
                               radius * std::sin(v) * std::sin(u), radius * std::cos(v)});
    }
  }
  const auto at = [&](std::uint32_t j, std::uint32_t i) { return 2 + (j - 1) * m + i % m; };
  for (std::uint32_t i = 0; i < m; ++i) {
    add_triangle(mesh, 0, at(1, i), at(1, i + 1));
    add_triangle(mesh, 1, at(n - 1, i + 1), at(n - 1, i));
    for (std::uint32_t j = 1; j + 1 < n; ++j) {
      add_triangle(mesh, at(j, i), at(j + 1, i), at(j + 1, i + 1));
      add_triangle(mesh, at(j, i), at(j + 1, i + 1), at(j, i + 1));
    }
  }
  return mesh;
}

/// Both meshes side by side or nested; equal group names stay apart.
inline TriangleMesh join(TriangleMesh a, const TriangleMesh& b) {
  const auto shift = static_cast<std::uint32_t>(a.vertices.size());
  const auto groups = static_cast<std::uint32_t>(a.groups.size());
  a.vertices.insert(a.vertices.end(), b.vertices.begin(), b.vertices.end());
  a.groups.insert(a.groups.end(), b.groups.begin(), b.groups.end());
  for (const auto& t : b.triangles) {
    a.triangles.push_back({t[0] + shift, t[1] + shift, t[2] + shift});
  }
  for (const std::uint32_t g : b.group) a.group.push_back(g + groups);
  return a;
}

/// Inside out.
inline TriangleMesh turned(TriangleMesh mesh) {
  for (auto& t : mesh.triangles) std::swap(t[1], t[2]);
  return mesh;
}

}  // namespace cauchy::mesh_shapes
