#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <cauchy/engine/activation.hpp>
#include <cauchy/tensor/field_grid.hpp>
#include <cauchy/tensor/graph.hpp>

namespace cauchy {

class OptionVisitor;

/// What stands beside the Fourier part of a layer: W v, v itself, or nothing.
enum class FnoSkip : std::uint8_t { linear, identity, none };
/// How the weights R[out][in][mode] of a layer are written.
///   tucker  U G_k V: matrices U, V for all modes, a core of rank x rank per mode
///   cp      sum_r U[out][r] c[r][mode] V[r][in]
enum class FnoFactorization : std::uint8_t { none, tucker, cp };

/// Fourier neural operator (Li et al. 2020) on grids of 1 to 3 axes.
///   v_0 = P a              P: linear, or with one hidden layer of `lifting` channels
///   v_{l+1} = s(W v_l + b + C v_l + F^-1 R_l F v_l), no s behind the last layer
///   u = Q v_depth          Q: one hidden layer of `projection` channels; 0: linear
/// F keeps modes 0 ... m - 1 along the last axis, -m ... m - 1 along the others; R_l is one complex
/// matrix per mode, shared by all grids. C: an optional convolution. a comes with the coordinates:
/// x in [0, 1], along a periodic axis cos 2 pi x and sin 2 pi x.
///   padding     axes that are not periodic get zeros behind their end, until the period is
///               1 + padding of their length, whatever the resolution
///   trapezoid   with padding, F is an integral over the box by the trapezoidal rule in every
///   layer:
///               nodes at its ends count half, those behind them nothing. Otherwise, as in the
///               published code, all nodes count alike, and a box is half a cell longer at each
///               end, another one on every grid
///   parameters  width w, depth d, modes M = 2 m_1 ... 2 m_{n-1} m_n, c channels in, o out:
///               (c + 1) w + d (2 w^2 M + w^2 + w) + (w + 1) p + (p + 1) o
///               tucker: 2 (r^2 M + 2 w r) in place of 2 w^2 M; cp: 2 (r M + 2 w r);
///               separable: 2 w M; identity, none: no w^2; local: w^2 k^n more; smooth: no W and C
///               in the last layer
///   cost        per sample and layer O(w n_points sum m + w^2 M + w^2 n_points)
struct Fno {
  int width = 32;
  int depth = 4;
  std::vector<int> modes = {12};  ///< per axis; one number: for all axes
  int lifting = 0;
  int projection = 128;
  Activation activation = Activation::gelu;
  bool coordinates = true;
  double padding = 0.125;
  bool trapezoid = true;
  FnoSkip skip = FnoSkip::linear;
  int local = 0;  ///< points of C along each axis, odd; it depends on the resolution; 0: no C
  FnoFactorization factorization = FnoFactorization::none;
  int rank = 16;           ///< of the factorisation
  bool separable = false;  ///< R_l is diagonal: one complex number per channel and mode
  double dropout = 0;      ///< behind all layers but the last
  /// The last layer is F^-1 R_l F v + b alone: v_depth is a Fourier series of the kept modes, which
  /// has exact derivatives (physics with derivative = exact).
  bool smooth = false;
};

/// Adds the layers on top of a value [channels, grid]; returns a value [n_outputs, grid].
///   error    throws Error on options outside their ranges, a cloud, more modes than frequencies
int add_field_network(TensorGraph& graph, const Fno& network, int input, const FieldGrid& grid,
                      int n_outputs);
void visit_options(Fno& network, OptionVisitor& visitor);
/// For people: "FNO of width 32, 4 layers, 12 x 12 modes".
[[nodiscard]] std::string describe(const Fno& network);

}  // namespace cauchy
