#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <cauchy/geometry/mesh.hpp>

#include "solvers/fem/fem_element.hpp"

namespace cauchy::detail {

/// Measure of a cell and the gradients of its barycentric coordinates.
struct CellShape {
  double measure = 0;
  std::array<std::array<double, 3>, 4> grad{};
};
[[nodiscard]] CellShape cell_shape(const Mesh& mesh, std::size_t cell);

/// The mesh of a problem with its edges, shared by the spaces of the fields.
struct FemMesh {
  explicit FemMesh(Mesh m);
  Mesh mesh;
  MeshEdges edges;
  std::vector<Mesh::Index> facet_cell;  ///< the cell behind each facet of the boundary
};

/// Functions of order 1 or 2 over a mesh, continuous; along periodic coordinates of a box the
/// places on opposite sides are one.
///   places   nodes, then middles of edges: n_places(); unknowns: n_dofs()
class FemSpace final {
 public:
  /// periodic  coordinates by number
  ///   error    throws Error when the nodes of opposite sides do not meet
  FemSpace(std::shared_ptr<const FemMesh> mesh, int order,
           const std::vector<std::size_t>& periodic);

  [[nodiscard]] const Mesh& mesh() const noexcept { return mesh_->mesh; }
  [[nodiscard]] const FemMesh& fem_mesh() const noexcept { return *mesh_; }
  [[nodiscard]] const LagrangeBasis& basis() const noexcept { return basis_; }
  [[nodiscard]] std::size_t n_dofs() const noexcept { return n_dofs_; }
  [[nodiscard]] std::size_t n_places() const noexcept { return dof_.size(); }
  /// The places of a cell's functions.
  void places(std::size_t cell, std::uint32_t* out) const;
  [[nodiscard]] std::uint32_t dof(std::size_t place) const { return dof_[place]; }
  /// Coordinates of a place.
  void point(std::size_t place, double* x) const;

 private:
  std::shared_ptr<const FemMesh> mesh_;
  LagrangeBasis basis_;
  std::vector<std::uint32_t> dof_;  // of each place
  std::size_t n_dofs_ = 0;
};

}  // namespace cauchy::detail
