#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <cauchy/sampling/points.hpp>

namespace cauchy {

/// Points and positive weights of a part of d-dimensional space.
struct CellRule {
  std::size_t dimension = 0;
  std::vector<double> points;   ///< row-major size() x dimension
  std::vector<double> weights;  ///< the sum is the measure of the part

  [[nodiscard]] std::size_t size() const noexcept { return weights.size(); }
};

// Gauss rules of a simplex in collapsed coordinates, order^d points, all inside: the Gauss-Jacobi
// weights hold the Jacobian of the collapse, so that all polynomials of total degree 2 order - 1
// are integrated exactly.
//   error    throws Error when order is 0, or the simplex is flat or not finite

[[nodiscard]] CellRule triangle_rule(const std::array<std::array<double, 2>, 3>& vertices,
                                     std::size_t order);
[[nodiscard]] CellRule tetrahedron_rule(const std::array<std::array<double, 3>, 4>& vertices,
                                        std::size_t order);
/// A simplex of m dimensions in space of d >= m; vertices row-major (m + 1) x d.
[[nodiscard]] CellRule simplex_rule(std::span<const double> vertices, std::size_t d,
                                    std::size_t order);
/// The same as points with columns, one name per dimension.
[[nodiscard]] Points simplex_points(const std::vector<std::string>& columns,
                                    std::span<const double> vertices, std::size_t order);

/// Gauss quadrature of a domain: sum_i weights[i] f(row i) is about the integral of f. Time and
/// ranges are tensor factors with `order` Gauss-Legendre nodes each (exact to degree 2 order - 1).
/// Space:
///   box                interval, rectangle, any dimension: tensor Gauss-Legendre, order^d points,
///                      exact to degree 2 order - 1 in each coordinate
///   triangle, tetrahedron   simplex_rule, exact to total degree 2 order - 1
///   ellipse, annulus   Gauss in the squared radius times equal angles, exact to total degree
///                      2 order - 1 (disks are ellipses)
///   ellipsoid          Gauss in radius and height times equal angles, 2 order^3 points, exact to
///                      total degree 2 order - 1 (balls of space are ellipsoids)
///   other shapes with a map from the unit cube   tensor Gauss-Legendre in the cube: exact for
///                      constants, of high order only where the map is smooth
/// The kind is recognised by measures and boundary points, hence also after transformations.
///   error    throws Error when order is 0, a region is unbounded, or it has neither form nor map
[[nodiscard]] Points gauss_points(const Domain& domain, std::size_t order);

/// Gauss quadrature on a part of the boundary, with normals, times time and ranges. The sum of the
/// weights is the measure. Gauss-Legendre in the measure-preserving parameter of a piece:
///   plane    order points on each segment and arc, also where a piece has several of them: exact
///            to degree 2 order - 1 on segments, spectrally accurate on arcs
///   space    order^2 points on each piece: exact to degree 2 order - 1 on rectangles and
///            triangles, of high order on others as far as the parameter is smooth; on a group of
///            a triangle surface exact for constants only
///   select   pieces as a whole; a condition must hold on all of a piece or nowhere on it, which is
///            looked up at 257 points
///   error    throws Error when order is 0, nothing is selected, or a piece is selected or left
///            standing only in part in a way that has no closed form: then use boundary_points
[[nodiscard]] Points boundary_gauss_points(const Domain& domain, std::string_view where,
                                           std::size_t order);

}  // namespace cauchy
