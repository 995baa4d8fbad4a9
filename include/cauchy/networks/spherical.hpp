#pragma once

#include <string>

#include <cauchy/engine/activation.hpp>
#include <cauchy/math/sphere_grid.hpp>
#include <cauchy/tensor/field_grid.hpp>
#include <cauchy/tensor/graph.hpp>

namespace cauchy {

class OptionVisitor;

/// Spherical neural operator in the manner of FourCastNet 3 (Bonev et al. 2025); noise of an
/// ensemble comes with its inputs (operators/ensemble.hpp): an encoder, blocks, a decoder, on grids
/// of latitude and longitude in degrees.
///   encoder  v = s(W disco(a, sin latitude) + b), to an inner grid with 1 / coarsen of the nodes
///   block    v <- v + A_2 s(A_1 C v + b_1) + b_2; C: a local convolution (DISCO), or a global one
///            (a filter of the degrees of spherical harmonics, then a linear map)
///   order    `local` local blocks, a global one, and so on; the last of the depth may be local
///   decoder  u = W_2 (s(W disco(v) + b), a) + b_2, back on the outer grid
/// Kernels and filters are functions of angles: the same parameters serve every grid.
///   symmetry    commutes with rotations about the axis by steps of the inner grid
///   parameters  c channels in, K = 1 + (rings - 1) (1 + 2 harmonics) kernels, w width, h hidden,
///               g global blocks of d, L degree:
///               (K (c + 1) + 1) w + d (2 w h + h + w) + (d - g) (K w + 1) w
///               + g (w (L + 1) + (w + 1) w) + (K w + 1) w + (w + c + 1) o
struct Spherical {
  int width = 32;
  int depth = 5;
  int local = 4;  ///< local blocks for every global one; 0: all are global
  int coarsen = 2;
  int degree = 10;     ///< of the global filters
  double radius = 15;  ///< of the local kernels, degrees
  int rings = 2;       ///< of the local kernels, see DiscoKernel
  int harmonics = 1;
  int hidden = 64;
  Activation activation = Activation::gelu;
};

/// The grid of the sphere that the axes are, latitudes and longitudes in degrees, with 1 / coarsen
/// of its nodes. Its rows go from north to south, those of the axes from south to north.
///   error    throws Error (unsupported) for axes that are no sphere, and for a coarsen that does
///   not
///            divide the nodes
[[nodiscard]] SphereGrid sphere_of(const FieldGrid& grid, int coarsen = 1);

///   error    throws Error on options outside their ranges, and on grids that are not equally
///   spaced
///            latitudes, with or without both poles, and periodic longitudes over 360 degrees; a
///            degree or rings that the inner grid does not carry; numbers of nodes that coarsen
///            does not divide
int add_field_network(TensorGraph& graph, const Spherical& network, int input,
                      const FieldGrid& grid, int n_outputs);
void visit_options(Spherical& network, OptionVisitor& visitor);
[[nodiscard]] std::string describe(const Spherical& network);

}  // namespace cauchy
