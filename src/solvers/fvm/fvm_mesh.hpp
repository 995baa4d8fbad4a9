#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "solvers/fvm/triangles.hpp"

namespace cauchy::detail {

/// Cells and the faces between them, in one or two dimensions.
///   faces    inner ones first, then those of the boundary; the normal goes from left to right
///   ghosts   the boundary face n_inner + b has the ghost n_cells + b on its right
struct FvmMesh {
  using Index = std::uint32_t;
  std::size_t dimension = 1, n_cells = 0, n_inner = 0;
  std::vector<double> volume;                 ///< per cell
  std::array<std::vector<double>, 2> centre;  ///< [d][cell]
  std::vector<Index> left, right;             ///< per face
  std::vector<double> area, distance;         ///< distance of the centres along the normal;
                                              ///< of centre and face on the boundary
  std::array<std::vector<double>, 2> normal;  ///< [d][face]
  std::array<std::vector<double>, 2> middle;  ///< [d][face], of the left cell's copy
  std::array<std::vector<double>, 2> from_left, from_right;  ///< middle minus centre
  std::vector<Index> cell_begin, cell_face;  ///< faces of a cell, by compressed rows
  /// Boxes: cells along each side (the last coordinate runs fastest), and the cells or ghosts
  /// [2 d] behind and [2 d + 1] before each one. Empty on triangles.
  std::vector<std::size_t> counts;
  std::array<std::vector<Index>, 4> neighbour;
  std::vector<double> lower, spacing;  ///< of boxes
  std::vector<bool> periodic;

  [[nodiscard]] std::size_t n_faces() const noexcept { return left.size(); }
  [[nodiscard]] std::size_t n_boundary() const noexcept { return left.size() - n_inner; }
  [[nodiscard]] bool is_boxes() const noexcept { return !counts.empty(); }
  [[nodiscard]] double total_volume() const;
};

/// Equal boxes; along a periodic direction the last cell is a neighbour of the first.
[[nodiscard]] FvmMesh box_mesh(std::span<const double> lower, std::span<const double> upper,
                               std::span<const std::size_t> counts,
                               const std::vector<bool>& periodic);

/// Triangles as cells. Faces at the ends of a periodic direction (of a box) are joined.
///   error    throws Error when they do not match
[[nodiscard]] FvmMesh triangle_mesh(const Triangulation& triangles,
                                    const std::vector<bool>& periodic = {false, false});

}  // namespace cauchy::detail
