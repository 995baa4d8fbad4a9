#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <cauchy/geometry/isosurface.hpp>
#include <cauchy/geometry/oriented_points.hpp>
#include <cauchy/tensor/field_grid.hpp>

namespace cauchy {

// From points with outward normals to the solid that they lie on (Poisson surface reconstruction,
// Kazhdan et al. 2006), on n x n x n nodes of the periodic unit cube. The occupancy o of a solid is
// 1 inside and 0 outside; its gradient is -n delta on the surface, n the outward normal, hence with
//     V = sum_i a_i n_i delta(x - p_i),   lap phi = div V
// a_i the area that point i stands for, phi = -o up to a constant. The sign is that of outward
// normals: phi rises from the inside to the outside.

/// Where a cloud lies in the unit cube: place (x - lower) / side.
struct UnitCube {
  Point3 lower = {0, 0, 0};
  double side = 1;
};
/// The cube around a cloud whose longest side takes this share of it, the cloud in the middle.
///   error    throws Error for points that are all the same
[[nodiscard]] UnitCube cube_around(const OrientedPoints& cloud, double share = 0.7);
/// The cloud in coordinates of the cube.
///   error    throws Error for the first point that lies outside, with its number (from 1)
[[nodiscard]] OrientedPoints in_cube(const OrientedPoints& cloud, const UnitCube& cube);

/// n nodes i / n along x, y and z of the periodic unit cube.
[[nodiscard]] FieldGrid cube_grid(int n);

/// Sums of values at points, spread over the 8 nodes around each with trilinear weights and divided
/// by the volume of a cell: the sum over nodes times that volume is the sum over the points.
///   points   in the unit cube, both ends are the same
///   values   `channels` numbers per point, [point][channel]; returns [channel][node]
[[nodiscard]] std::vector<double> rasterize(std::span<const Point3> points,
                                            std::span<const double> values, std::size_t channels,
                                            int n);
/// Trilinear values of a function on the nodes at points.
[[nodiscard]] std::vector<double> interpolate(std::span<const double> function, int n,
                                              std::span<const Point3> points);
/// Convolution with a Gaussian of this variance along each axis, by Fourier transforms; variances
/// of 0 and below leave the function alone.
void smooth(std::span<double> function, int n, double variance);

/// The area that every point stands for, from the density of points around it,
///     a = 1 / (sqrt(2 pi) w rho),   rho the density of points in space, by a Gaussian of width w:
/// exact for even points on planes, whatever w is; less by O(w) at edges and on thin parts.
///   width    standard deviation w, share of the cube; at least 0.6 of the distance of nodes
[[nodiscard]] std::vector<double> point_areas(const OrientedPoints& cloud, int n, double width);

/// V on the nodes, [3][node], smoothed by a Gaussian of this width. Rasterisation smooths by
/// 1 / (6 n^2) in variance, which is taken off: the width is the same on every grid.
[[nodiscard]] std::vector<double> normal_field(const OrientedPoints& cloud,
                                               std::span<const double> areas, int n, double width);
/// Divergence of [3][node] on the periodic unit cube by central differences of order 4.
[[nodiscard]] std::vector<double> divergence(std::span<const double> field, int n);

struct PoissonSurfaceOptions {
  int n = 64;        ///< nodes along each axis of the cube, at least 8
  double width = 0;  ///< of the Gaussian that smooths V, share of the cube; 0: 1.5 / n
};
struct PoissonSurface {
  std::vector<double> occupancy;  ///< at the nodes
  double jump = 0;                ///< of phi over the surface; 1 for a closed one with exact areas
};
/// Solves lap phi = div V by Fourier transforms, all derivatives spectral. The occupancy is
///     o = (phi_out - phi) / (2 (phi_out - phi_surface)),
/// phi_surface the mean over the points by area, phi_out that over the faces of the cube.
///   cloud    in the unit cube, see in_cube
///   error    throws Error where the points enclose nothing, or normals point inwards
///   order    the surface o = 1/2 is right to O(width^2) where the curvature is bounded
[[nodiscard]] PoissonSurface poisson_surface(const OrientedPoints& cloud,
                                             const PoissonSurfaceOptions& options = {});

/// The surface o = 1/2 in the coordinates of the cube.
[[nodiscard]] TriangleMesh occupancy_surface(std::span<const double> occupancy, int n,
                                             const UnitCube& cube = {});

/// Nodes inside both over nodes inside one of them (o > 1/2); 1 where both are empty.
[[nodiscard]] double intersection_over_union(std::span<const double> a, std::span<const double> b);

}  // namespace cauchy
