#pragma once

#include <functional>
#include <string>
#include <vector>

#include "solvers/fdm/flow_grid.hpp"

namespace cauchy::detail {

/// A steady state on a staggered grid, or why there is none.
struct SteadyFlow {
  std::vector<double> x;  ///< unknowns of the grid; the pressure is 0 in the first cell
  int steps = 0;          ///< of Newton's method
  std::string trouble = {};
  bool interrupted = false;
};

/// Solves the equations of momentum and continuity at once by Newton's method with sparse LU
/// factors, damped; where that stalls, by implicit steps in an artificial time that grow as the
/// residual falls.
///   start    unknowns to begin with, or empty: fluid at rest
///   stop     asked before every factorisation
[[nodiscard]] SteadyFlow steady_flow(const Problem& problem, const FlowForm& form,
                                     const FlowGrid& grid, std::vector<double> start,
                                     const std::function<bool()>& stop);

/// Largest divergence in a cell, and the part of it that wall values force on all cells: what they
/// let in more than out, over the volume.
struct FlowDivergence {
  double largest = 0, forced = 0;
};
[[nodiscard]] FlowDivergence flow_divergence(const Problem& problem, const FlowForm& form,
                                             const FlowGrid& grid, std::span<const double> x,
                                             double time = 0);

}  // namespace cauchy::detail
