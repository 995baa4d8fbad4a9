#pragma once

#include <vector>

#include <cauchy/tensor/graph.hpp>

#include "operators/physics_values.hpp"

namespace cauchy::detail {

/// The mean square of functions over the nodes of a place, weighted, or of what is left of them
/// when high frequencies count less:
///   |r|^2 = sum_k |r_k|^2 / (1 + lambda_k / lambda_1)^s
/// r_k: coefficients by sin(pi k x / L) along axes of space, cos and sin(2 pi k x / L) where they
/// are periodic; lambda_k those of the Laplacian, lambda_1 the lowest that is not 0. With s = 1 a
/// residual of second order then counts as the slope of the error behind it, with s = 2 as the
/// error.
class ResidualNorm final {
 public:
  /// weights    one per node, not negative; they need not add up to 1
  /// box        where they may be positive
  /// smoothing  s; 0: the plain mean square
  ResidualNorm(const PhysicsValues& values, std::vector<double> weights, NodeBox box,
               double smoothing);

  /// [channels, sizes] to [channels], one number each.
  [[nodiscard]] int add_mean_square(TensorGraph& graph, int value) const;

 private:
  std::vector<double> weights_;  // of the box, their sum is 1
  NodeBox box_;
  bool whole_;
  struct Transform {
    std::size_t axis;
    PointMatrix matrix;
  };
  std::vector<Transform> transforms_;
  std::vector<double> filter_;  // of the nodes of the box
};

}  // namespace cauchy::detail
