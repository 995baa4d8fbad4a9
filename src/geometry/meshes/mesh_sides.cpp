#include "geometry/meshes/mesh_sides.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

namespace cauchy::detail {

const int* side_nodes(int dimension, int opposite) {
  static constexpr int line[2][1] = {{1}, {0}};
  static constexpr int triangle[3][2] = {{1, 2}, {2, 0}, {0, 1}};
  static constexpr int tetrahedron[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
  return dimension == 1   ? line[opposite]
         : dimension == 2 ? triangle[opposite]
                          : tetrahedron[opposite];
}

void append_side(const Mesh& mesh, std::size_t cell, int opposite, std::vector<Mesh::Index>& to) {
  const int* local = side_nodes(mesh.dimension, opposite);
  for (int k = 0; k < mesh.dimension; ++k) {
    to.push_back(mesh.cell(cell)[static_cast<std::size_t>(local[k])]);
  }
}

std::vector<MeshSide> mesh_sides(const Mesh& mesh) {
  const int d = mesh.dimension;
  std::vector<MeshSide> all;
  all.reserve(mesh.cells.size());
  std::vector<std::size_t> begin(mesh.n_nodes() + 1, 0);
  for (std::size_t c = 0; c < mesh.n_cells(); ++c) {
    for (int opposite = 0; opposite <= d; ++opposite) {
      MeshSide side;
      const int* local = side_nodes(d, opposite);
      Mesh::Index v[3] = {};
      for (int k = 0; k < d; ++k) v[k] = mesh.cell(c)[static_cast<std::size_t>(local[k])];
      side.nodes = ascending(v, d);
      side.cell = static_cast<Mesh::Index>(c);
      side.opposite = opposite;
      ++begin[side.nodes[0] + 1];
      all.push_back(side);
    }
  }
  // By the first node at once, then each node's few sides.
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<MeshSide> sorted(all.size());
  std::vector<std::size_t> next(begin.begin(), begin.end() - 1);
  for (const MeshSide& side : all) sorted[next[side.nodes[0]]++] = side;
  for (std::size_t i = 0; i + 1 < begin.size(); ++i) {
    std::sort(sorted.begin() + static_cast<std::ptrdiff_t>(begin[i]),
              sorted.begin() + static_cast<std::ptrdiff_t>(begin[i + 1]),
              [](const MeshSide& a, const MeshSide& b) {
                return a.nodes != b.nodes ? a.nodes < b.nodes : a.cell < b.cell;
              });
  }
  return sorted;
}

double simplex_measure(int d, int n, const double* const* corners) {
  double e[3][3] = {};
  for (int i = 1; i < n; ++i) {
    for (int k = 0; k < d; ++k) e[i - 1][k] = corners[i][k] - corners[0][k];
  }
  if (n == 1) return 1;
  if (n == 2) return d == 1 ? e[0][0] : std::hypot(e[0][0], e[0][1], e[0][2]);
  const double nx = e[0][1] * e[1][2] - e[0][2] * e[1][1];
  const double ny = e[0][2] * e[1][0] - e[0][0] * e[1][2];
  const double nz = e[0][0] * e[1][1] - e[0][1] * e[1][0];
  if (n == 3) return d == 2 ? 0.5 * nz : 0.5 * std::hypot(nx, ny, nz);
  return (nx * e[2][0] + ny * e[2][1] + nz * e[2][2]) / 6;
}

std::string place_text(int dimension, const double* x) {
  std::string text = "(";
  for (int k = 0; k < dimension; ++k) text += fmt::format("{}{:.6g}", k > 0 ? ", " : "", x[k]);
  text += ')';
  return text;
}

std::string place_text(const Mesh& mesh, std::span<const Mesh::Index> nodes) {
  double middle[3] = {};
  for (const Mesh::Index v : nodes) {
    for (int k = 0; k < mesh.dimension; ++k) {
      middle[k] += mesh.node(v)[k] / static_cast<double>(nodes.size());
    }
  }
  return place_text(mesh.dimension, middle);
}

}  // namespace cauchy::detail
