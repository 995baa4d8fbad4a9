#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include <cauchy/math/sphere_grid.hpp>
#include <cauchy/tensor/graph.hpp>

namespace cauchy {

// Layers of networks on the sphere, from operations of TensorGraph alone, so that reverse mode and
// every back end come with them. Values have the grid {n_latitudes, n_longitudes} of a SphereGrid.
// Rows may also stand from south to north: a filter of degrees does not see it.

/// The coefficients of the harmonics (spherical_harmonics.hpp) of every channel: [channels,
/// {2 spectrum_size(degree)}], real and imaginary parts in turn, as SphericalTransform::analyze.
///   error    throws Error when the grid does not carry the degree, or x lies on another grid
///   cost     per channel 4 degree n_points for the circles, 2 degree^2 n_latitudes for the orders
int add_spherical_analysis(TensorGraph& graph, int x, const SphereGrid& grid, std::size_t degree);
/// The values of such coefficients, as SphericalTransform::synthesize; on any grid that carries the
/// degree.
int add_spherical_synthesis(TensorGraph& graph, int a, const SphereGrid& grid, std::size_t degree);

/// Coefficients times one trainable real number per channel and degree l, the same for all orders:
/// the convolution of every channel with a kernel that depends on the distance alone. It commutes
/// with every rotation of the sphere. The numbers begin as exp(-l (l+1) / degree^2).
int add_degree_filter(TensorGraph& graph, int a, std::size_t degree,
                      std::string_view name = "filter");

/// A spherical convolution: the filter of degrees between the transforms, then a linear map of the
/// channels, s(W filtered(x) + b + plus). Commutes with rotations where `plus` does.
int add_spherical_convolution(TensorGraph& graph, int x, const SphereGrid& grid, std::size_t degree,
                              int channels, Activation activation = Activation::identity,
                              int plus = -1, std::string_view name = "sphere");

/// The kernels of a local convolution on the sphere: products of a hat function of the geodesic
/// distance r and a wave of the angle alpha against the east (turning to the north),
///     hat_k(r) = max(0, 1 - |r / d - k|),   d = radius / rings,   k = 0 ... rings - 1,
///     1, cos(m alpha), sin(m alpha),        m = 1 ... harmonics,
/// divided by the area of the cap r < radius; hat_0 without waves. The same functions on every
/// grid.
struct DiscoKernel {
  double radius = 0.2;  ///< of the support, radians
  int rings = 3;
  int harmonics = 1;  ///< 0: all kernels are isotropic
  [[nodiscard]] int size() const noexcept { return 1 + (rings - 1) * (1 + 2 * harmonics); }
};
/// Integrals of every channel against every kernel about each point of `to`, by the quadrature of
/// `from` (discrete-continuous convolution, DISCO; Ocampo et al. 2022): channel c size() + b of
/// the result is channel c against kernel b. A sparse matrix that is made once; it commutes with
/// rotations about the axis by steps that both grids have.
///   south    rows of values stand from south to north, on both grids
///   error    throws Error for a radius outside (0, pi/2], kernels that reach no further than to
///            the next circle of latitude of `from`, and x on another grid
///   cost     per channel size() times the points of `to` times those of `from` in a cap
int add_disco(TensorGraph& graph, int x, const SphereGrid& from, const SphereGrid& to,
              const DiscoKernel& kernel, bool south = false);
/// The matrix of add_disco, and the layer with a matrix that several layers share.
[[nodiscard]] std::shared_ptr<const PointMatrix> disco_matrix(const SphereGrid& from,
                                                              const SphereGrid& to,
                                                              const DiscoKernel& kernel,
                                                              bool south = false);
int add_disco(TensorGraph& graph, int x, std::shared_ptr<const PointMatrix> matrix,
              const SphereGrid& to);
/// A local convolution: s(W disco(x) + b + plus).
int add_local_convolution(TensorGraph& graph, int x, const SphereGrid& from, const SphereGrid& to,
                          const DiscoKernel& kernel, int channels,
                          Activation activation = Activation::identity, int plus = -1,
                          std::string_view name = "local", bool south = false);

}  // namespace cauchy
