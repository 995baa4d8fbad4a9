#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/geometry/mesh.hpp>

#include "geometry/meshes/mesh_sides.hpp"

namespace cauchy {
namespace {

using QualityVec = std::array<double, 3>;

QualityVec quality_edge(const double* a, const double* b, int d) {
  QualityVec r{};
  for (int k = 0; k < d; ++k) r[static_cast<std::size_t>(k)] = a[k] - b[k];
  return r;
}
double quality_dot(const QualityVec& a, const QualityVec& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
QualityVec quality_cross(const QualityVec& a, const QualityVec& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
double quality_norm(const QualityVec& a) { return std::sqrt(quality_dot(a, a)); }
double quality_degrees(const QualityVec& a, const QualityVec& b) {
  return std::atan2(quality_norm(quality_cross(a, b)), quality_dot(a, b)) * 57.29577951308232;
}

struct CellShape {
  double smallest = 180, largest = 0, ratio = 0, shortest = INFINITY, longest = 0;
};

CellShape cell_shape(const Mesh& mesh, std::size_t cell) {
  CellShape s;
  const int d = mesh.dimension;
  const auto v = mesh.cell(cell);
  const auto edge = [&](std::size_t i, std::size_t j) {
    return quality_edge(mesh.node(v[j]), mesh.node(v[i]), d);
  };
  const auto angle = [&](double a) {
    s.smallest = std::min(s.smallest, a);
    s.largest = std::max(s.largest, a);
  };
  for (std::size_t k = 0; k < MeshEdges::per_cell(d); ++k) {
    const double l = quality_norm(edge(static_cast<std::size_t>(MeshEdges::edge_ends[k][0]),
                                       static_cast<std::size_t>(MeshEdges::edge_ends[k][1])));
    s.shortest = std::min(s.shortest, l);
    s.longest = std::max(s.longest, l);
  }
  const double measure = mesh.cell_measure(cell);
  if (d == 1) {
    s.smallest = s.largest = 0;
    s.ratio = measure > 0 ? 1 : 0;
  } else if (d == 2) {
    double sides = 0, product = 1;
    for (std::size_t k = 0; k < 3; ++k) {
      const QualityVec a = edge(k, (k + 1) % 3), b = edge(k, (k + 2) % 3);
      angle(quality_degrees(a, b));
      sides += quality_norm(a);
      product *= quality_norm(a);
    }
    // r = 2 A / sides, R = product / (4 A)
    s.ratio = 16 * measure * std::abs(measure) / (sides * product);
  } else {
    QualityVec normal[4];
    double area = 0;
    for (int k = 0; k < 4; ++k) {
      const int* n = detail::side_nodes(3, k);
      const auto at = [&](int i) { return static_cast<std::size_t>(n[i]); };
      normal[k] = quality_cross(edge(at(0), at(1)), edge(at(0), at(2)));
      area += 0.5 * quality_norm(normal[k]);
    }
    for (int i = 0; i < 4; ++i) {
      for (int j = i + 1; j < 4; ++j) angle(180 - quality_degrees(normal[i], normal[j]));
    }
    // Circumcentre: (|a|^2 b x c + |b|^2 c x a + |c|^2 a x b) / (12 V).
    const QualityVec a = edge(0, 1), b = edge(0, 2), c = edge(0, 3);
    const QualityVec bc = quality_cross(b, c), ca = quality_cross(c, a), ab = quality_cross(a, b);
    QualityVec centre{};
    for (std::size_t k = 0; k < 3; ++k) {
      centre[k] = quality_dot(a, a) * bc[k] + quality_dot(b, b) * ca[k] + quality_dot(c, c) * ab[k];
    }
    s.ratio = 9 * measure / area * 12 * std::abs(measure) / quality_norm(centre);
  }
  if (!(measure > 0)) s.ratio = std::min(s.ratio, 0.0);
  return s;
}

}  // namespace

MeshQuality mesh_quality(const Mesh& mesh) {
  MeshQuality q;
  q.n_nodes = mesh.n_nodes();
  q.n_cells = mesh.n_cells();
  q.n_facets = mesh.n_facets();
  q.measure = mesh.measure();
  q.boundary_measure = mesh.boundary_measure();
  q.smallest_angle = 180;
  q.worst_shape = q.shortest_edge = INFINITY;
  for (std::size_t c = 0; c < mesh.n_cells(); ++c) {
    const CellShape s = cell_shape(mesh, c);
    q.smallest_angle = std::min(q.smallest_angle, s.smallest);
    q.largest_angle = std::max(q.largest_angle, s.largest);
    q.shortest_edge = std::min(q.shortest_edge, s.shortest);
    q.longest_edge = std::max(q.longest_edge, s.longest);
    q.mean_shape += s.ratio / static_cast<double>(mesh.n_cells());
    if (!(s.ratio >= q.worst_shape)) {
      q.worst_shape = s.ratio;
      q.worst_cell = c;
    }
  }
  q.worst_place.assign(static_cast<std::size_t>(mesh.dimension), 0);
  for (const Mesh::Index v : mesh.cell(q.worst_cell)) {
    for (std::size_t k = 0; k < q.worst_place.size(); ++k) {
      q.worst_place[k] += mesh.node(v)[k] / (mesh.dimension + 1);
    }
  }
  q.euler = static_cast<long>(q.n_nodes) - static_cast<long>(mesh_edges(mesh).n_edges());
  if (mesh.dimension == 2) q.euler += static_cast<long>(q.n_cells);
  if (mesh.dimension == 3) {
    // Every side of a cell is one of the boundary or shared by two.
    q.euler += static_cast<long>((4 * q.n_cells + q.n_facets) / 2 - q.n_cells);
  }
  return q;
}

std::string MeshQuality::report(const Mesh& mesh) {
  const MeshQuality q = mesh_quality(mesh);
  static constexpr const char* cells[] = {"intervals", "triangles", "tetrahedra"};
  static constexpr const char* sizes[] = {"length", "area", "volume"};
  const auto k = static_cast<std::size_t>(mesh.dimension - 1);
  std::string text = fmt::format("{} nodes, {} {}, {} facets on the boundary\n", q.n_nodes,
                                 q.n_cells, cells[k], q.n_facets);
  text += fmt::format("{:<10} {:.10g}\n", sizes[k], q.measure);
  if (mesh.dimension > 1) {
    text += fmt::format("{:<10} {:.10g}\n", "boundary", q.boundary_measure);
    text += fmt::format("{:<10} {:.4g} to {:.4g} degrees{}\n", "angles", q.smallest_angle,
                        q.largest_angle, mesh.dimension == 3 ? " between faces" : "");
    text += fmt::format("{:<10} {:.4g} worst, at {}; {:.4g} on average (1 is a regular cell)\n",
                        "shape", q.worst_shape,
                        detail::place_text(mesh.dimension, q.worst_place.data()), q.mean_shape);
  }
  text += fmt::format("{:<10} {:.4g} to {:.4g}\n", "edges", q.shortest_edge, q.longest_edge);
  for (std::size_t p = 0; p < mesh.pieces.size(); ++p) {
    std::size_t n = 0;
    double size = 0;
    for (std::size_t f = 0; f < mesh.n_facets(); ++f) {
      if (mesh.facet_piece[f] != static_cast<int>(p)) continue;
      ++n;
      size += mesh.facet_measure(f);
    }
    text += fmt::format("{:<10} {}: {} facets", "piece", mesh.pieces[p], n);
    text += mesh.dimension > 1 ? fmt::format(", {} {:.8g}\n", sizes[k - 1], size) : "\n";
  }
  for (std::size_t p = 0; p < mesh.parts.size() && mesh.parts.size() > 1; ++p) {
    std::size_t n = 0;
    double size = 0;
    for (std::size_t c = 0; c < mesh.n_cells(); ++c) {
      if (mesh.cell_part[c] != static_cast<int>(p)) continue;
      ++n;
      size += mesh.cell_measure(c);
    }
    text +=
        fmt::format("{:<10} {}: {} cells, {} {:.8g}\n", "part", mesh.parts[p], n, sizes[k], size);
  }
  return text;
}

}  // namespace cauchy
