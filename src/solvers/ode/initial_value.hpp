#pragma once

#include <string>
#include <vector>

#include <cauchy/solvers/ode.hpp>

#include "solvers/ode/ode_conditions.hpp"

namespace cauchy::detail {

/// States at nodes that ascend, near enough to each other for interpolation by polynomials through
/// `width` of them.
struct OdeNodes {
  std::vector<double> nodes;
  std::vector<std::vector<double>> states;
  int width = 8;
  std::string method;  ///< "dop853"
  std::string trouble = {};
  std::vector<std::string> remarks = {};
  std::size_t steps = 0;
  bool interrupted = false;
};

/// Conditions at one point: integration from there to both ends of the interval.
///   relative   tolerance of each step
[[nodiscard]] OdeNodes solve_initial_value(const OdeProblem& problem, OdeIntegrator integrator,
                                           double relative, const StopAsked& stop);

}  // namespace cauchy::detail
