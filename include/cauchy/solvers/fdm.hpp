#pragma once

#include <cstdint>

#include <cauchy/solvers/time.hpp>

namespace cauchy {

class OptionVisitor;

/// How first derivatives are taken where convection outweighs diffusion on the grid:
///   automatic  against the flow at nodes whose cell Peclet number is above 2, else central
///   never      central everywhere
///   always     against the flow everywhere
enum class Upwind : std::uint8_t { automatic, never, always };

/// How the equations of a steady problem on a grid are solved.
///   automatic   multigrid for large ones of one field on a box, else direct
///   direct      sparse factors
///   jacobi, gauss_seidel, sor, cg   iterations; cg needs a symmetric definite matrix, the others
///               converge for diagonally dominant ones
///   multigrid   one field on a box, order 2 in space
enum class LinearSolver : std::uint8_t {
  automatic,
  direct,
  jacobi,
  gauss_seidel,
  sor,
  cg,
  multigrid
};

/// Finite differences on a grid of any region, implicit or explicit in time.
struct Fdm {
  int n = 0;      ///< cells along the longest side; 0: refined until the tolerance is met
  int order = 2;  ///< of accuracy in space: 2, and on boxes 4 or 6
  Upwind upwind = Upwind::automatic;
  LinearSolver linear_solver = LinearSolver::automatic;
  double tolerance = 0;  ///< relative error that is aimed at; 0: a tenth of the problem's
  TimeOptions time = {};
};
void visit_options(Fdm& method, OptionVisitor& visitor);

}  // namespace cauchy
