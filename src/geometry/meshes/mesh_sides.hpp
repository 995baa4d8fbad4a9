#pragma once

#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <cauchy/geometry/mesh.hpp>

namespace cauchy::detail {

/// A side of a cell by its nodes in ascending order; unused ones are 0.
struct MeshSide {
  std::array<Mesh::Index, 3> nodes{};
  Mesh::Index cell = 0;
  int opposite = 0;  ///< the local node that is not on it

  [[nodiscard]] bool same(const MeshSide& o) const { return nodes == o.nodes; }
};

/// The nodes of a facet of `d` nodes in ascending order.
[[nodiscard]] inline std::array<Mesh::Index, 3> ascending(const Mesh::Index* v, int d) {
  if (d == 1) return {v[0], 0, 0};
  if (d == 2) return v[0] < v[1] ? std::array{v[0], v[1], 0u} : std::array{v[1], v[0], 0u};
  std::array<Mesh::Index, 3> n{v[0], v[1], v[2]};
  if (n[0] > n[1]) std::swap(n[0], n[1]);
  if (n[1] > n[2]) std::swap(n[1], n[2]);
  if (n[0] > n[1]) std::swap(n[0], n[1]);
  return n;
}

/// All sides of all cells, sorted by nodes and then by cells. O(n).
[[nodiscard]] std::vector<MeshSide> mesh_sides(const Mesh& mesh);

/// Local nodes of the side opposite a local node, seen from outside.
[[nodiscard]] const int* side_nodes(int dimension, int opposite);

/// The nodes of a side in the order that is seen from outside the cell.
void append_side(const Mesh& mesh, std::size_t cell, int opposite, std::vector<Mesh::Index>& to);

/// Measure of a simplex of `n` corners in `d` dimensions; signed when n = d + 1.
[[nodiscard]] double simplex_measure(int d, int n, const double* const* corners);

/// "(0.5, 1)" for messages.
[[nodiscard]] std::string place_text(int dimension, const double* x);
/// The centre of some nodes for messages.
[[nodiscard]] std::string place_text(const Mesh& mesh, std::span<const Mesh::Index> nodes);

}  // namespace cauchy::detail
