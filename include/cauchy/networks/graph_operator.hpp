#pragma once

#include <string>

#include <cauchy/networks/kernel_operator.hpp>

namespace cauchy {

/// Graph neural operator (Li et al. 2020) on grids and clouds: a KernelOperator whose integrals go
/// over the points within a radius of x, as means with the quadrature weights.
///   v_{l+1} = s(W v_l + b + sum_{|y_j - x| < r} w_j k_l(x, y_j, ...) v_l(y_j) / sum w_j)
///   radius      in the box scaled to sides of 1; around the circle along periodic axes
///   neighbours  at most that many for each point: those within the radius, sorted by distance, are
///               cut into that many runs, and one of each run stands for its weight; 0: all
///   parameters  as KernelOperator
///   cost        O(n_points neighbours (F h + D h^2 + h w)) per layer
struct GraphOperator {
  KernelFamily family = KernelFamily::f2;
  KernelForm form = KernelForm::diagonal;
  int width = 32;
  int depth = 4;
  int kernel_width = 64;
  int kernel_depth = 2;
  double radius = 0.15;
  int neighbours = 32;
  int projection = 128;
  Activation activation = Activation::gelu;
};

int add_field_network(TensorGraph& graph, const GraphOperator& network, int input,
                      const FieldGrid& grid, int n_outputs);
void visit_options(GraphOperator& network, OptionVisitor& visitor);
[[nodiscard]] std::string describe(const GraphOperator& network);

}  // namespace cauchy
