#pragma once

#include <optional>
#include <string>
#include <vector>

#include <cauchy/problem/problem.hpp>

namespace cauchy::detail {

/// A condition on one component of the velocity on a part of the boundary:
///   of_value * u + sum_k of_slope[k] * u_{x_k} + remainder = 0
struct FlowCondition {
  std::size_t component = 0;
  std::string where;  ///< text of a Boundary
  std::string name;
  Expr of_value, remainder;
  std::vector<Expr> of_slope;
};

/// What fixes the constant of the pressure: its value at a point of space, or its integral.
struct FlowPressureLevel {
  std::vector<double> point;  ///< empty: the integral
  double value = 0;           ///< zero mean when nothing is said
};

/// Incompressible flow on a box in two or three dimensions: one equation of momentum along every
/// axis, and the divergence of the velocity. All expressions are lowered.
struct FlowForm {
  std::vector<std::string> space;
  std::string time;                   ///< name; empty: steady
  std::vector<std::string> velocity;  ///< the component along each axis
  std::string pressure;
  std::vector<Expr> momentum;  ///< residuals, along each axis
  Expr continuity;             ///< residual
  std::vector<bool> periodic;  ///< per axis
  std::vector<FlowCondition> conditions;
  std::vector<Expr> initial;  ///< velocity at the start
  FlowPressureLevel level;
  std::vector<std::string> remarks;
  // In time: u_t + push p_x + rest = sum_k viscosity[k] u_{x_k x_k} along every axis.
  double push = 0;
  std::vector<std::vector<double>> viscosity;
  std::vector<Expr> rest;
};

/// Reads a problem as incompressible flow; the names of fields and coordinates do not matter.
/// Nothing when it is something else.
///   error    throws Error (unsupported) for flow that a staggered grid cannot treat, with the
///            reason
[[nodiscard]] std::optional<FlowForm> flow_form(const Problem& problem);

}  // namespace cauchy::detail
