#pragma once

#include <string>
#include <vector>

#include "solvers/pinn/pinn_assembly.hpp"

namespace cauchy::detail {

/// Throws Error when Pinn::last_layer asks for a fit and the network has no linear last layer.
void check_last_layer(const Pinn& method, const Graph& graph);

/// Parameters after a fit, and what it did, for people.
struct LastLayerFit {
  std::vector<double> theta;
  std::string text;
};
/// Fits the last linear layer to the rows of the loss at the points that the executor has, all
/// other parameters held: damped Gauss-Newton steps from a last layer of zeros, with a small ridge.
/// One step is the minimum where the residuals are linear in the fields. The old parameters stay
/// when the loss does not fall or is not finite.
///   cost     about as many gradients as the layer has parameters, per step
[[nodiscard]] LastLayerFit fit_last_layer(const PinnAssembly& pinn, Executor& executor,
                                          std::vector<double> theta);

}  // namespace cauchy::detail
