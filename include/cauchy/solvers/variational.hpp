#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <cauchy/math/test_functions.hpp>
#include <cauchy/solvers/pinn.hpp>

namespace cauchy {

class OptionVisitor;

/// How the values that a problem prescribes on its boundary are met by an energy.
///   automatic  hard where they can be built in, else penalty
///   hard       built into the trial functions
///   penalty    penalty * int (u - g)^2 ds is added to the energy
///   nitsche    the same and -int (flux . n) (u - g) ds, so that the answer of the problem is a
///              stationary point for every penalty
enum class Essential : std::uint8_t { automatic, hard, penalty, nitsche };

/// How an energy is integrated.
///   automatic  gauss where the region has such a rule, no slits and at most three dimensions,
///              else random
///   gauss      Gauss quadrature with about points.interior nodes, fixed
///   mesh       the same on the cells of a mesh of the region
///   random     the mean over points.interior points of the sampler times the measure; drawn anew
///              for every step of a first-order method unless points.redraw says otherwise
enum class EnergyRule : std::uint8_t { automatic, gauss, mesh, random };

/// Deep Ritz: the network that makes the energy of the problem smallest,
///   E(u) = int W(x, u, grad u) dx - int B(x, u) ds,  W and B by the weak form of the equations.
/// Natural conditions (fluxes) stand in B. Problems without energy are refused, with the reason.
struct Ritz {
  /// The trial functions and their training. What belongs to residuals at points is refused:
  /// decompose, features, sobolev, goal, last_layer, least-squares optimisers, balancers.
  Pinn trial = {.points = {.redraw = 1}};
  Essential essential = Essential::automatic;
  double penalty = 500;  ///< in units of the flux over a length, as the energy is written
  EnergyRule quadrature = EnergyRule::automatic;
};

/// By what the residual of a test function v is divided.
///   none  1, and the loss is the mean of the squares, as in the notes
///   l2    |v|
///   h1    |grad v| (|v| for constants): the sum of the squares is about the square of the error in
///         the energy norm
enum class TestNorm : std::uint8_t { none, l2, h1 };

/// Variational network: the weak form of every equation against test functions of the whole domain.
///   R(v) = int source v + flux . grad v dx - boundary terms,  loss = sum_v R(v)^2 / |v|^2
/// Boxes have tensor products, other regions the hat functions of a mesh. Time and parameter ranges
/// are axes whose functions need not vanish.
struct Vpinn {
  /// As Ritz::trial, but least squares, last_layer and balancers are welcome.
  Pinn trial = {};
  /// None: legendre on boxes, hat elsewhere.
  std::optional<TestFamily> family = {};
  /// Functions along every axis; 0: 60, 15, 6 for one to three axes. Of a mesh: along its longest
  /// side, and along time and ranges those of legendre.
  std::size_t tests = 0;
  int parts = 1;       ///< how often derivatives are moved to the test functions: 0, 1, 2
  bool vanish = true;  ///< on the boundary; false: boundary terms are kept
  TestNorm norm = TestNorm::h1;
  /// Gauss nodes along every axis, of a mesh in every cell; 0: twice the tests and 10, of a mesh 3.
  std::size_t quadrature = 0;
  double alpha = 1, beta = 1;  ///< of Jacobi polynomials
};

/// The same with elements: boxes of equal sides, each with test functions of its own, and between
/// them the hat functions of inner nodes.
struct HpVpinn {
  Pinn trial = {};
  TestFamily family = TestFamily::legendre;
  std::vector<double> elements = {4};  ///< along every axis; one number serves all
  std::size_t tests = 5;               ///< functions along every axis of an element
  bool vertices = true;                ///< hat functions between elements
  int parts = 1;
  TestNorm norm = TestNorm::h1;
  std::size_t quadrature = 0;  ///< Gauss nodes along every axis of an element; 0: 2 tests + 4
  double alpha = 1, beta = 1;  ///< of Jacobi polynomials
  std::size_t degree = 3;      ///< of splines
};

/// Every key of [method] besides `kind`: those of the trial, and those above.
void visit_options(Ritz& method, OptionVisitor& visitor);
void visit_options(Vpinn& method, OptionVisitor& visitor);
void visit_options(HpVpinn& method, OptionVisitor& visitor);

}  // namespace cauchy
