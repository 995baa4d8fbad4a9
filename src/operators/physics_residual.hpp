#pragma once

#include <string>
#include <vector>

#include <cauchy/operators/operator_method.hpp>

#include "operators/physics_values.hpp"

namespace cauchy::detail {

/// What an equation or a condition leaves over, inside of a graph.
struct PhysicsResidual {
  std::string name;  ///< as name_of says
  int value = -1;    ///< mean squares, one number each: [1] of the residual, or [n] of its parts
};

/// What the values are: the residual of every equation and condition, or the summands that it is
/// made of, which give its size (PhysicsSizes).
enum class ResidualParts : bool { whole, summands };

/// Adds the equations and conditions of a problem to the graph of a place.
///   equations   as they were written: div(a*grad(u)) with an input function a stays a divergence,
///               of fluxes between nodes (add_face_derivative) for differences of 3 points, of
///               fluxes at nodes for others; `exact` opens it (a u_xx + a_x u_x), derivatives of a
///               from the grid. Everything else is opened, u_xx is one stencil. They hold at all
///               nodes but the outer `margin` ones of axes that are not periodic, and at all frames
///               that are answers
///   conditions  at the nodes of the boundary, weighted by area, and at all nodes of one frame;
///               derivatives across the boundary by one-sided differences. A periodic condition is
///               part of the grid; an initial value that frames start from holds by itself
///   weights     of equations and conditions multiply the squares
///   error       throws Error (unsupported) at "equation '...'" or "condition '...'" for what a
///   grid
///               cannot treat: integrals, single points, interfaces, unknown constants, a
///               derivative of a higher order than the differences have
[[nodiscard]] std::vector<PhysicsResidual> add_residuals(TensorGraph& graph,
                                                         const PhysicsPlace& place,
                                                         const PhysicsLoss& options,
                                                         ResidualParts parts);

/// What an equation leaves over at the nodes where it holds, [1, sizes of the box]; its weight and
/// its `where` are not looked at.
struct NodeResidual {
  int value = -1;
  NodeBox box;
};
///   error    throws Error as add_residuals
[[nodiscard]] NodeResidual add_node_residual(TensorGraph& graph, const PhysicsPlace& place,
                                             const PhysicsLoss& options,
                                             const ProblemEquation& equation);

}  // namespace cauchy::detail
