#pragma once

#include <string>

#include <cauchy/engine/activation.hpp>
#include <cauchy/tensor/field_grid.hpp>
#include <cauchy/tensor/graph.hpp>

namespace cauchy {

class OptionVisitor;

/// Low-rank neural operator (Kovachki et al. 2023) on grids and clouds.
///   v_{l+1} = s(W v_l + b + sum_r phi_r <psi_r, v_l>),  <f, g> = sum_j w_j f(y_j) . g(y_j)
/// phi, psi: functions of (x, a(x)) with rank x width values, fully connected with one hidden layer
/// of `kernel_width`. P, Q and the weights w_j are those of KernelOperator.
///   parameters  per layer w^2 + w + 2 ((F + 1) h + (h + 1) r w), F = p + c
///   cost        O(n_points h r w) per layer: linear in the points
struct LowRankOperator {
  int width = 32;
  int depth = 4;
  int rank = 8;
  int kernel_width = 64;
  int projection = 128;
  Activation activation = Activation::gelu;
};

int add_field_network(TensorGraph& graph, const LowRankOperator& network, int input,
                      const FieldGrid& grid, int n_outputs);
void visit_options(LowRankOperator& network, OptionVisitor& visitor);
[[nodiscard]] std::string describe(const LowRankOperator& network);

}  // namespace cauchy
