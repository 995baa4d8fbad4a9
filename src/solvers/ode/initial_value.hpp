#pragma once

#include <string>
#include <vector>

#include <cauchy/base/function_ref.hpp>
#include <cauchy/solvers/ode.hpp>

#include "solvers/ode/ode_conditions.hpp"
#include "solvers/ode/ode_field.hpp"

namespace cauchy::detail {

/// What was found along the interval.
struct OdeNodes {
  OdeCubics cubics;
  std::string method;  ///< "dop853"
  std::string trouble = {};
  std::vector<std::string> remarks = {};
  std::size_t steps = 0;
  bool interrupted = false;
};

/// A solution inside of one step: its state and slope at theta in [0, 1].
using OdeStepCurve = FunctionRef<void(double theta, std::span<double> y, std::span<double> dy)>;
/// Adds the nodes of a step from s to s + h to cubics that end at s (or are empty): as many that
/// between them cubics differ from the curve by at most the tolerance times the sizes of the
/// components.
void add_step(OdeCubics& cubics, double s, double h, OdeStepCurve curve,
              std::span<const double> sizes, double tolerance);

/// Conditions at one point: integration from there to both ends of the interval.
///   relative   tolerance of each step
[[nodiscard]] OdeNodes solve_initial_value(const OdeProblem& problem, OdeIntegrator integrator,
                                           double relative, const StopAsked& stop);

}  // namespace cauchy::detail
