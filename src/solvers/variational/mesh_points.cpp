#include "solvers/variational/mesh_points.hpp"

#include <cmath>

#include <cauchy/base/error.hpp>
#include <cauchy/geometry/make_mesh.hpp>
#include <cauchy/sampling/quadrature_points.hpp>

namespace cauchy::detail {

Points mesh_points(const Domain& domain, std::size_t n) {
  const bool fits = domain.space() != nullptr && domain.time() == nullptr &&
                    domain.ranges().empty() && domain.dimension() >= 2 && domain.dimension() <= 3;
  if (!fits) {
    throw Error(ErrorKind::unsupported,
                "the nodes of a mesh need a region of two or three dimensions without time and "
                "ranges",
                "[solvers.ritz]", "use quadrature = \"gauss\" or \"random\"");
  }
  constexpr std::size_t order = 2;
  const ShapePtr shape = domain.shape(std::vector<double>());
  const std::size_t d = shape->dimension();
  // Regular simplices of side h have the measure h^2 sqrt(3) / 4, h^3 / (6 sqrt(2)).
  const double unit = d == 2 ? std::sqrt(3.0) / 4 : 1 / (6 * std::sqrt(2.0));
  const double cells = std::ceil(static_cast<double>(n) / std::pow(order, d));
  const double size = std::pow(shape->measure() / (cells * unit), 1 / static_cast<double>(d));
  const Mesh mesh = make_mesh(shape, {.size = size});
  Points all;
  all.columns = domain.space()->coordinates();
  for (std::size_t c = 0; c < mesh.n_cells(); ++c) {
    std::vector<double> corners;
    for (const Mesh::Index i : mesh.cell(c)) {
      corners.insert(corners.end(), mesh.node(i), mesh.node(i) + d);
    }
    const CellRule rule = simplex_rule(corners, d, order);
    all.values.insert(all.values.end(), rule.points.begin(), rule.points.end());
    all.weights.insert(all.weights.end(), rule.weights.begin(), rule.weights.end());
  }
  return all;
}

}  // namespace cauchy::detail
