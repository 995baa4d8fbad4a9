#pragma once

#include <cstdint>
#include <string>

#include <cauchy/engine/activation.hpp>
#include <cauchy/tensor/field_grid.hpp>
#include <cauchy/tensor/graph.hpp>

namespace cauchy {

class OptionVisitor;

/// What a kernel sees besides the two positions.
enum class KernelFamily : std::uint8_t {
  f1,  ///< k(x, y)
  f2,  ///< k(x, y, a(x), a(y)), a: what the network is given
  f3,  ///< k(x, y, v(x), v(y)), v: the layer below; the operator is then not linear in v
};
/// Values of a kernel: matrices of width x width, or their diagonals.
enum class KernelForm : std::uint8_t { diagonal, matrix };

/// Kernel integral operator (Li et al. 2020, Kovachki et al. 2023) on grids and clouds.
///   v_0 = P a,  v_{l+1} = s(W v_l + b + sum_j w_j k_l(x, y_j, ...) v_l(y_j)), no s behind the last
///   u = Q v_depth, one hidden layer of `projection` channels
/// k_l: fully connected, `kernel_depth` hidden layers of `kernel_width`. w_j: quadrature weights of
/// the points, as parts of the measure, so that they add up to 1. Positions are scaled to [0, 1],
/// cosine and sine along periodic axes, and are inputs of P too. Kernels start around the unit
/// matrix, so that integrals start as means.
///   samples     Nystrom: y_j are that many of the points, spread evenly (farthest first from one
///               that the seed chooses); w_j is the weight of the points that are nearest to y_j;
///               0: all points
///   parameters  per layer w^2 + w + K, K = (F + 1) h + (D - 1) (h + 1) h + (h + 1) w (matrix:
///               w^2), F = 2 p, 2 (p + c), 2 (p + w) for p position features, c inputs
///   cost        O(n_points samples (F h + D h^2 + h w)) per layer, and that many numbers
struct KernelOperator {
  KernelFamily family = KernelFamily::f2;
  KernelForm form = KernelForm::diagonal;
  int width = 32;
  int depth = 4;
  int kernel_width = 64;
  int kernel_depth = 2;
  int samples = 64;
  std::uint64_t seed = 1;
  int projection = 128;
  Activation activation = Activation::gelu;
};

///   error    throws Error on options outside their ranges, more samples than points, so many pairs
///            that no machine holds them
int add_field_network(TensorGraph& graph, const KernelOperator& network, int input,
                      const FieldGrid& grid, int n_outputs);
void visit_options(KernelOperator& network, OptionVisitor& visitor);
[[nodiscard]] std::string describe(const KernelOperator& network);

}  // namespace cauchy
