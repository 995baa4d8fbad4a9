#pragma once

#include <cstdint>
#include <string>

#include <cauchy/engine/activation.hpp>
#include <cauchy/tensor/field_grid.hpp>
#include <cauchy/tensor/graph.hpp>

namespace cauchy {

class OptionVisitor;

/// Multipole graph operator (Li et al. 2020) on grids and clouds: kernels of short range on many
/// points, of long range on few. Level 0 are all points, level 1 `samples` of them, every next
/// level a quarter of the one before; levels are nested and evenly spread (farthest point first).
///   down  v_{l+1} = s(K_{l+1,l} v_l)
///   up    v_l <- s(W_l v_l + b_l + K_{l,l} v_l + K_{l,l+1} v_{l+1}), the coarsest without the last
/// once per cycle, no s behind level 0 of the last one. K: means over the points within a radius of
/// kernels k(x, y, a(x), a(y)), diagonal; radius 2^l on level l, all points on the coarsest.
///   parameters  per cycle, L coarser levels: (L + 1) (w^2 + w) + (3 L + 1) K,
///               K = (F + 1) h + (D - 1) (h + 1) h + (h + 1) w
///   cost        O(n_points neighbours (F h + D h^2 + h w)) per cycle for level 0
struct MultipoleOperator {
  int width = 32;
  int cycles = 3;
  int levels = 2;        ///< coarser than the points themselves
  int samples = 256;     ///< points of level 1
  double radius = 0.05;  ///< of level 0, in the box scaled to sides of 1
  int neighbours = 16;   ///< as GraphOperator
  int kernel_width = 32;
  int kernel_depth = 2;
  std::uint64_t seed = 1;
  int projection = 128;
  Activation activation = Activation::gelu;
};

///   error    throws Error on options outside their ranges, more samples than points, a coarsest
///            level of no point
int add_field_network(TensorGraph& graph, const MultipoleOperator& network, int input,
                      const FieldGrid& grid, int n_outputs);
void visit_options(MultipoleOperator& network, OptionVisitor& visitor);
[[nodiscard]] std::string describe(const MultipoleOperator& network);

}  // namespace cauchy
