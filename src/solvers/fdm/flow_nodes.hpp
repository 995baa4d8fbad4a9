#pragma once

#include <span>
#include <vector>

#include "solvers/classical/grid_field.hpp"
#include "solvers/fdm/flow_grid.hpp"

namespace cauchy::detail {

/// A flow at the nodes of the cells, where all fields are given together.
struct FlowNodes {
  std::vector<GridAxis> axes;               ///< of space
  std::vector<std::vector<double>> values;  ///< components of the velocity, then the pressure
};

/// Interpolates what lives at faces and in cells to the nodes: six points for the velocity (wall
/// values among them), four for the pressure, which has no values at walls. The constant of the
/// pressure is the one that the problem asks for.
[[nodiscard]] FlowNodes flow_at_nodes(const FlowForm& form, const FlowGrid& grid,
                                      std::span<const double> x, std::span<const double> walls);

/// Richardson: a fine flow and one of twice the spacing, both of second order, give one of fourth.
[[nodiscard]] FlowNodes extrapolated(const FlowNodes& fine, const FlowNodes& coarse);

/// Unknowns of another grid from a flow at nodes, to begin with.
[[nodiscard]] std::vector<double> flow_on_grid(const FlowNodes& nodes, const FlowGrid& grid);

}  // namespace cauchy::detail
