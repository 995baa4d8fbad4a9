#pragma once

#include <vector>

#include <cauchy/dynamics/ode_layer.hpp>

namespace cauchy::detail {

/// A Runge-Kutta scheme whose first stage is the slope at the start and whose last stage has the
/// new state as its argument:
///   Y_i = y + h sum_{j <= i} a_ij k_j,  k_i = F(Y_i),  next y = Y_{stages - 1}
/// Stages beyond `stages` belong to the continuous extension.
struct FlowTable {
  int order;                       ///< of the step
  double error_power;              ///< the estimate is proportional to h^error_power
  double beta, smallest, largest;  ///< of the step control
  std::size_t stages, all_stages;
  std::vector<std::vector<double>> a = {};  ///< rows of i + 1 numbers, the last one on the diagonal
  std::vector<double> c = {}, error = {}, error_low = {};
  std::size_t n_dense = 0;                      ///< 0: no continuous extension
  std::vector<std::vector<double>> dense = {};  ///< rows n_dense - 4 of all_stages numbers
  [[nodiscard]] bool is_implicit(std::size_t stage) const { return a[stage].back() != 0; }
  /// Weights w with y(theta) = y + h sum_j w_j k_j; 0 < theta <= 1.
  void dense_weights(double theta, std::vector<double>& w) const;
};
[[nodiscard]] const FlowTable& flow_table(FlowScheme scheme);

}  // namespace cauchy::detail
