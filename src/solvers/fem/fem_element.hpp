#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace cauchy::detail {

/// Points and weights on a simplex: barycentric coordinates, weights that sum to 1.
struct SimplexRule {
  std::size_t corners = 3;     ///< dimension + 1
  std::vector<double> lambda;  ///< size() x corners
  std::vector<double> weights;

  [[nodiscard]] std::size_t size() const noexcept { return weights.size(); }
  [[nodiscard]] const double* point(std::size_t q) const { return &lambda[q * corners]; }
};
/// A rule of dimension 0 to 3 that is exact for polynomials of this degree; weights are positive.
[[nodiscard]] SimplexRule simplex_rule(int dimension, int degree);

/// Lagrange functions of order 1 or 2 on a simplex as functions of the barycentric coordinates:
/// corners first, then the middles of the edges in the order of MeshEdges::edge_ends.
struct LagrangeBasis {
  int dimension = 2, order = 1;

  static constexpr std::size_t most = 10;  ///< functions: order 2 in space
  [[nodiscard]] std::size_t corners() const { return static_cast<std::size_t>(dimension) + 1; }
  [[nodiscard]] std::size_t size() const;
  /// size() values.
  void values(const double* lambda, double* phi) const;
  /// size() x corners(): derivatives by the barycentric coordinates, as if they were independent.
  void slopes(const double* lambda, double* slope) const;
  /// size() x corners() x corners(): second derivatives; the same all over.
  void curvatures(double* curvature) const;
};

}  // namespace cauchy::detail
