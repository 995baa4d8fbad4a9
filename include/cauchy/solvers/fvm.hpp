#pragma once

#include <cstdint>

namespace cauchy {

class OptionVisitor;

/// Flux between two states at a face; the plug-ins of src/solvers/fvm/fluxes/.
///   automatic  upwind for one equation, HLLC for gas-like systems, else HLL
enum class FvmFlux : std::uint8_t { automatic, upwind, rusanov, hll, hllc };
/// States at the faces.
///   first          those of the cells
///   muscl          linear in the cells, with limited slopes
///   muscl_hancock  the same half a step ahead by the equation in the fields: one stage, order 2
enum class FvmReconstruction : std::uint8_t { first, muscl, muscl_hancock };
/// Slope of a cell from the differences to its neighbours. On triangles minmod is that of Barth and
/// Jespersen, van_leer that of Venkatakrishnan; the others need rows of cells.
enum class FvmLimiter : std::uint8_t { none, minmod, van_leer, mc, superbee };
/// Explicit steps; automatic: euler for first and muscl_hancock, ssprk2 for muscl.
enum class FvmTime : std::uint8_t { automatic, euler, ssprk2, ssprk3 };
/// automatic: boxes on a box, triangles elsewhere.
enum class FvmCells : std::uint8_t { automatic, boxes, triangles };

/// Finite volumes for balance laws q_t + div F = S in one and two dimensions.
struct Fvm {
  int n = 0;             ///< cells along the longest side; 0: refined until the tolerance is met
  double tolerance = 0;  ///< relative error that is aimed at; 0: a tenth of the problem's
  FvmFlux flux = FvmFlux::automatic;
  FvmReconstruction reconstruction = FvmReconstruction::muscl;
  FvmLimiter limiter = FvmLimiter::van_leer;
  FvmTime time = FvmTime::automatic;
  double cfl = 0.4;  ///< share of the largest stable step, all directions counted; at most 1
  FvmCells cells = FvmCells::automatic;
};
void visit_options(Fvm& method, OptionVisitor& visitor);

}  // namespace cauchy
