#pragma once

#include <string>
#include <vector>

#include <cauchy/problem/problem.hpp>

namespace cauchy {

/// What joins the two sides of a surface that cuts a domain ("x = 0.5"), read from the equations as
/// they were written:
///   value   jump(u) = 0, and jumps of normal derivatives up to order m - 2, for a field with
///           derivatives of order m >= 2 across the surface
///   flux    jump(F_n) = 0 for every equation, F_n the normal part of what its derivatives act on:
///           div(a*grad(u)) gives jump(a*u_n), q_x in a system jump(q), u_t at a time jump(u). A
///           factor that all derivatives of an equation have in common is left out.
/// So a field of a first-order system is continuous only where an equation says so.
///   error    throws Error when the text is no surface, and when the equations say nothing there
[[nodiscard]] std::vector<Condition> interface_conditions(const Problem& problem,
                                                          const std::string& cut);

/// Surfaces on which networks of their own on both sides pay: where coefficients and sources of the
/// equations jump or have a kink (where, comparisons, sign, abs, floor), and the lines of slits.
/// Each cuts off at least a hundredth of the domain; none occurs twice. In the order of the
/// equations, slits last; empty when the problem is smooth.
[[nodiscard]] std::vector<std::string> suggested_cuts(const Problem& problem);

}  // namespace cauchy
