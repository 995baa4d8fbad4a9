#pragma once

#include "solvers/ode/initial_value.hpp"

namespace cauchy::detail {

/// Conditions at any points of the interval: the solution is a continuous piecewise polynomial of
/// degree 4 that fulfils the equations at the four Gauss points of every interval of a mesh (error
/// h^8 at the mesh points), found by Newton's method with damping. Intervals are cut until the
/// defect between the Gauss points, over the slope and times the interval, is below the tolerance.
///   intervals  of the first mesh, equal
///   trouble    Newton's method did not converge, singular equations (no or many solutions), more
///              than 100,000 unknowns
[[nodiscard]] OdeNodes solve_collocation(const OdeProblem& problem, std::size_t intervals,
                                         double tolerance, const StopAsked& stop);

}  // namespace cauchy::detail
