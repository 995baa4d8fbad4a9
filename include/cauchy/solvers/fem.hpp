#pragma once

#include <cstdint>
#include <string>

#include <cauchy/solvers/time.hpp>

namespace cauchy {

class OptionVisitor;

/// Stabilisation of first derivatives where they outweigh the diffusion on a cell:
///   automatic  streamline diffusion (SUPG) when the cell Peclet number exceeds 1 somewhere
///   never      plain Galerkin
///   always     SUPG everywhere
enum class Stabilization : std::uint8_t { automatic, never, always };

/// How the mesh of a steady problem becomes finer from level to level:
///   uniform    a mesh of half the size
///   adaptive   cells with large indicators are cut: jumps of the flux and residuals of the
///              equations or, with a goal, what they contribute to its error
enum class FemRefinement : std::uint8_t { uniform, adaptive };

/// Finite elements on simplices: the weak form of the problem on piecewise polynomials.
struct Fem {
  int n = 0;      ///< cells along the longest side; 0: refined until the tolerance is met. Of
                  ///< adaptive meshes: those of the first one
  int order = 0;  ///< of the polynomials: 1 or 2; 0: 2, and 1 in 3 dimensions. Flows have 2 for the
                  ///< velocity and 1 for the pressure
  Stabilization stabilization = Stabilization::automatic;
  FemRefinement refinement = FemRefinement::uniform;
  /// Of a steady problem: the integral of this expression of fields, slopes and coordinates over
  /// the domain. Its value and its error, by the dual problem, are told; empty: none.
  std::string goal = {};
  double tolerance = 0;  ///< relative error that is aimed at; 0: a tenth of the problem's
  TimeOptions time = {};
};
void visit_options(Fem& method, OptionVisitor& visitor);

}  // namespace cauchy
