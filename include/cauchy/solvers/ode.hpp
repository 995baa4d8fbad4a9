#pragma once

#include <cstdint>

namespace cauchy {

class OptionVisitor;

/// How a system of ordinary differential equations is solved.
///   automatic    conditions at one point: dop853, or cvode where the equations turn out stiff, or
///                ida where they cannot be solved for the highest derivatives; else collocation
///   dopri5       Dormand and Prince 5(4); dop853: 8(5,3)
///   cvode        backward differentiation formulas of SUNDIALS for y' = f(t, y)
///   ida          the same for F(t, y, y') = 0
///   collocation  Gauss collocation on an adaptive mesh; for conditions at any points
enum class OdeIntegrator : std::uint8_t { automatic, dopri5, dop853, cvode, ida, collocation };

/// Ordinary differential equations: initial and boundary value problems in one variable.
struct Ode {
  OdeIntegrator integrator = OdeIntegrator::automatic;
  double tolerance = 0;  ///< relative error that is aimed at; 0: a tenth of the problem's
};
void visit_options(Ode& method, OptionVisitor& visitor);

}  // namespace cauchy
