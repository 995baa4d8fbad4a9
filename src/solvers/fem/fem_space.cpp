#include "solvers/fem/fem_space.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <cauchy/base/error.hpp>

namespace cauchy::detail {

CellShape cell_shape(const Mesh& mesh, std::size_t cell) {
  CellShape s;
  const auto corner = mesh.cell(cell);
  const double* const p0 = mesh.node(corner[0]);
  const double* const p1 = mesh.node(corner[1]);
  if (mesh.dimension == 1) {
    s.measure = p1[0] - p0[0];
    s.grad[0][0] = -1 / s.measure;
    s.grad[1][0] = 1 / s.measure;
    return s;
  }
  const double* const p2 = mesh.node(corner[2]);
  if (mesh.dimension == 2) {
    const double twice = (p1[0] - p0[0]) * (p2[1] - p0[1]) - (p2[0] - p0[0]) * (p1[1] - p0[1]);
    const double f = 1 / twice;
    s.measure = twice / 2;
    s.grad[0] = {(p1[1] - p2[1]) * f, (p2[0] - p1[0]) * f, 0};
    s.grad[1] = {(p2[1] - p0[1]) * f, (p0[0] - p2[0]) * f, 0};
    s.grad[2] = {(p0[1] - p1[1]) * f, (p1[0] - p0[0]) * f, 0};
    return s;
  }
  const double* const p3 = mesh.node(corner[3]);
  std::array<double, 3> a{}, b{}, c{};
  for (std::size_t k = 0; k < 3; ++k) {
    a[k] = p1[k] - p0[k];
    b[k] = p2[k] - p0[k];
    c[k] = p3[k] - p0[k];
  }
  const auto cross = [](const std::array<double, 3>& u, const std::array<double, 3>& v) {
    return std::array<double, 3>{u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2],
                                 u[0] * v[1] - u[1] * v[0]};
  };
  s.grad[1] = cross(b, c);
  s.grad[2] = cross(c, a);
  s.grad[3] = cross(a, b);
  const double six = a[0] * s.grad[1][0] + a[1] * s.grad[1][1] + a[2] * s.grad[1][2];
  s.measure = six / 6;
  for (std::size_t k = 0; k < 3; ++k) {
    for (std::size_t i = 1; i < 4; ++i) s.grad[i][k] /= six;
    s.grad[0][k] = -(s.grad[1][k] + s.grad[2][k] + s.grad[3][k]);
  }
  return s;
}

FemMesh::FemMesh(Mesh m)
    : mesh(std::move(m)), edges(mesh_edges(mesh)), facet_cell(facet_cells(mesh)) {}

FemSpace::FemSpace(std::shared_ptr<const FemMesh> mesh, int order,
                   const std::vector<std::size_t>& periodic)
    : mesh_(std::move(mesh)), basis_{mesh_->mesh.dimension, order} {
  const std::size_t n =
      this->mesh().n_nodes() + (order == 2 ? mesh_->edges.n_edges() : std::size_t{0});
  const auto d = static_cast<std::size_t>(this->mesh().dimension);
  std::vector<std::uint32_t> master(n);
  std::iota(master.begin(), master.end(), 0u);
  std::vector<double> x(n * d);
  for (std::size_t p = 0; p < n; ++p) point(p, &x[p * d]);
  for (const std::size_t axis : periodic) {
    double low = INFINITY, high = -INFINITY;
    for (std::size_t p = 0; p < n; ++p) {
      low = std::min(low, x[p * d + axis]);
      high = std::max(high, x[p * d + axis]);
    }
    const double slack = 1e-9 * (high - low);
    std::vector<std::uint32_t> lower, upper;
    for (std::uint32_t p = 0; p < n; ++p) {
      if (x[p * d + axis] < low + slack) lower.push_back(p);
      if (x[p * d + axis] > high - slack) upper.push_back(p);
    }
    const auto before = [&](std::uint32_t a, std::uint32_t b) {
      for (std::size_t k = 0; k < d; ++k) {
        const double difference = x[a * d + k] - x[b * d + k];
        if (k != axis && std::abs(difference) > slack) return difference < 0;
      }
      return false;
    };
    std::sort(lower.begin(), lower.end(), before);
    std::sort(upper.begin(), upper.end(), before);
    bool meet = lower.size() == upper.size();
    for (std::size_t i = 0; meet && i < lower.size(); ++i) {
      meet = !before(lower[i], upper[i]) && !before(upper[i], lower[i]);
    }
    if (!meet) {
      throw Error(ErrorKind::unsupported, "the nodes of periodic sides do not meet",
                  "[solvers.fem]", "use a box");
    }
    for (std::size_t i = 0; i < upper.size(); ++i) master[upper[i]] = lower[i];
  }
  for (std::uint32_t& m : master) {  // of a corner through the other sides
    while (master[m] != m) m = master[m];
  }
  dof_.assign(n, 0);
  for (std::size_t p = 0; p < n; ++p) {
    if (master[p] == p) dof_[p] = static_cast<std::uint32_t>(n_dofs_++);
  }
  for (std::size_t p = 0; p < n; ++p) dof_[p] = dof_[master[p]];
}

void FemSpace::places(std::size_t cell, std::uint32_t* out) const {
  const auto corner = mesh().cell(cell);
  std::copy(corner.begin(), corner.end(), out);
  if (basis_.order == 1) return;
  const std::size_t per = MeshEdges::per_cell(mesh().dimension);
  const auto nodes = static_cast<std::uint32_t>(mesh().n_nodes());
  for (std::size_t e = 0; e < per; ++e) {
    out[corner.size() + e] = nodes + mesh_->edges.cell_edges[cell * per + e];
  }
}

void FemSpace::point(std::size_t place, double* x) const {
  const std::size_t nodes = mesh().n_nodes();
  const auto d = static_cast<std::size_t>(mesh().dimension);
  if (place < nodes) {
    std::copy_n(mesh().node(place), d, x);
    return;
  }
  const std::size_t e = place - nodes;
  const double* const a = mesh().node(mesh_->edges.nodes[2 * e]);
  const double* const b = mesh().node(mesh_->edges.nodes[2 * e + 1]);
  for (std::size_t k = 0; k < d; ++k) x[k] = (a[k] + b[k]) / 2;
}

}  // namespace cauchy::detail
