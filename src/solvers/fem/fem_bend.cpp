// Given values on curved sides of elements of order 2.
#include <algorithm>
#include <cmath>

#include "solvers/fem/fem_system.hpp"

namespace cauchy::detail {

void FemSystem::add_bends(EssentialTerm& given, std::size_t field,
                          const std::vector<std::array<std::size_t, 3>>& middles) {
  if (middles.empty()) return;
  const Mesh& mesh = mesh_->mesh;
  const auto d = static_cast<std::size_t>(mesh.dimension);
  std::vector<Mesh::Index> ends;
  for (const auto& [number, cell, edge] : middles) {
    for (const auto end : MeshEdges::edge_ends[edge]) {
      ends.push_back(mesh.cell(cell)[static_cast<std::size_t>(end)]);
    }
  }
  const std::vector<double> arcs = edge_middles(mesh, ends);
  for (std::size_t k = 0; k < middles.size(); ++k) {
    const auto& [number, cell, edge] = middles[k];
    double* const point = &given.points[number * d];
    const double* const arc = &arcs[k * d];
    double length = 0, height = 0;
    for (std::size_t i = 0; i < d; ++i) {
      const double side = mesh.node(ends[2 * k + 1])[i] - mesh.node(ends[2 * k])[i];
      length += side * side;
      height += (arc[i] - point[i]) * (arc[i] - point[i]);
    }
    // Straight; or so coarse that its function, continued, says nothing about the arc.
    if (!(height > 1e-20 * length) || !(height < 0.04 * length)) continue;
    Bend bend{
        .unknown = given.unknowns[number], .field = field, .cell = static_cast<Mesh::Index>(cell)};
    const CellShape shape = cell_shape(mesh, cell);
    const double* const origin = mesh.node(mesh.cell(cell)[0]);
    for (std::size_t a = 0; a <= d; ++a) {
      bend.arc[a] = a == 0 ? 1 : 0;
      for (std::size_t i = 0; i < d; ++i) bend.arc[a] += shape.grad[a][i] * (arc[i] - origin[i]);
    }
    std::copy_n(arc, d, point);
    bends_.push_back(bend);
  }
}

double FemSystem::bend(std::span<const double> y) {
  double most = 0;
  std::array<double, LagrangeBasis::most> phi{};
  for (Bend& b : bends_) {
    const LagrangeBasis& basis = spaces_[b.field]->basis();
    basis.values(b.arc.data(), phi.data());
    const std::uint32_t* const dofs = &cell_dofs_[b.cell * n_local_ + local_offset_[b.field]];
    double shift = y[b.unknown];
    for (std::size_t a = 0; a < basis.size(); ++a) shift -= phi[a] * y[dofs[a]];
    const double change = std::abs(shift - b.shift);
    if (!(change <= most)) most = change;
    b.shift = shift;
  }
  return most;
}

}  // namespace cauchy::detail
