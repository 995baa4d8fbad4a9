#pragma once

#include <cstdint>

#include <cauchy/math/rbf.hpp>
#include <cauchy/sampling/sampler.hpp>

namespace cauchy {

class OptionVisitor;

/// How the dense system is solved; both drop directions below the cutoff.
enum class KansaFactorization : std::uint8_t {
  automatic,  ///< svd up to 400 unknowns, then qr
  qr,         ///< with column pivoting: the condition number is known as a bound
  svd,        ///< several times slower: the condition number is known
};

/// Meshless collocation with radial basis functions: u = sum_k a_k phi(|x - c_k|) + polynomial,
/// rows (L phi_k)(x_j) for the equations and conditions, least squares. Time is one more
/// coordinate. Inside, the longest side of space (and all of time) has length 2.
struct Kansa {
  int n = 0;  ///< centres along the longest side; 0: more and more until the tolerance is met
  RbfKernel kernel = RbfKernel::gaussian;
  double shape =
      0;         ///< eps of the kernel, for lengths as above; 0: by the spacing, 0.05 or 0.2 / h^2
  int tail = 0;  ///< m: a polynomial of degree m - 1 is added; 0: none, or as the kernel needs
  /// Points per centre for each equation. 1: the classical square system, whose centres are the
  /// points, as many rows as unknowns.
  double oversampling = 2;
  /// Layers of centres outside of the region, which keep the accuracy up to the boundary; 0:
  /// centres on the boundary instead.
  int outside = 3;
  SamplerKind sampler = SamplerKind::grid;  ///< of points and centres
  KansaFactorization factorization = KansaFactorization::automatic;
  double cutoff = 1e-14;  ///< directions of the system below this times the largest are dropped
  int iterations = 30;    ///< Gauss-Newton steps; 0: one linear solve, nonlinear problems refused
  double tolerance = 0;   ///< relative error that is aimed at; 0: a tenth of the problem's
};
void visit_options(Kansa& method, OptionVisitor& visitor);

}  // namespace cauchy
