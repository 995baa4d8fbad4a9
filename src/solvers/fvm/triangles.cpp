#include "solvers/fvm/triangles.hpp"

#include <cauchy/geometry/make_mesh.hpp>

namespace cauchy::detail {
namespace {

Triangulation triangulation_of(const Mesh& mesh) {
  Triangulation t;
  for (std::size_t i = 0; i < mesh.n_nodes(); ++i) {
    t.vertices.push_back({mesh.node(i)[0], mesh.node(i)[1]});
  }
  for (std::size_t c = 0; c < mesh.n_cells(); ++c) {
    const auto v = mesh.cell(c);
    t.triangles.push_back({v[0], v[1], v[2]});
  }
  return t;
}

}  // namespace

Triangulation triangulate_box(std::span<const double> lower, std::span<const double> upper,
                              std::size_t nx, std::size_t ny) {
  const std::size_t counts[] = {nx, ny};
  return triangulation_of(structured_mesh(lower, upper, counts));
}

Triangulation triangulate(const ShapePtr& shape, double h) {
  return triangulation_of(make_mesh(shape, {.size = h}));
}

}  // namespace cauchy::detail
