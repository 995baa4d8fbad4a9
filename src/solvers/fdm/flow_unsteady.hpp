#pragma once

#include <functional>
#include <string>
#include <vector>

#include <cauchy/base/threads.hpp>

#include "solvers/fdm/flow_nodes.hpp"

namespace cauchy::detail {

/// A flow in time at the nodes, at equally spaced times.
struct UnsteadyFlow {
  std::vector<double> times;
  std::vector<FlowNodes> states;
  std::size_t steps = 0;
  double divergence = 0;  ///< largest in a cell at the end, over the speed per spacing
  std::string trouble = {};
  bool interrupted = false;
};

/// Steps in time by projection (second order): backward differences for the rates and the
/// viscosity, extrapolation for everything else, the pressure by increments in rotational form. The
/// step keeps the Courant number below 1/2; when the flow speeds up beyond that, it starts again
/// with half the step.
///   n_states  times at which the flow is kept, the first and the last among them
///   stop      asked before every step with the share that is done
[[nodiscard]] UnsteadyFlow unsteady_flow(const Problem& problem, const FlowForm& form,
                                         const FlowGrid& grid, std::size_t n_states,
                                         Threads& threads,
                                         const std::function<bool(double share)>& stop);

}  // namespace cauchy::detail
