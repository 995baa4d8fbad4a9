#pragma once

#include <memory>

#include "solvers/fvm/fvm_operator.hpp"

namespace cauchy::detail {

/// One step of conserved quantities, one row of cells each.
class FvmStepper {
 public:
  virtual ~FvmStepper() = default;
  /// The largest stable step (FvmOperator::largest_step).
  [[nodiscard]] virtual double largest_step(double t, const Rows& q) = 0;
  /// Steps from t to t + dt; the result is the largest stable step from there.
  virtual double step(double t, double dt, Rows& q) = 0;
};

/// Forward Euler, or strong-stability-preserving Runge-Kutta of order 2 or 3 (Shu and Osher): means
/// of Euler steps, so that what one such step keeps (bounds, positivity) all of them keep.
[[nodiscard]] std::unique_ptr<FvmStepper> make_stepper(FvmOperator& balance, FvmTime time);

/// Whether there are kernels (euler_kernels.hpp) for a scheme: they take the compressible Euler
/// equations on boxes in two dimensions, the flux of Rusanov, no source and no diffusion, and
/// either first order, or muscl_hancock with central slopes and periodic sides.
[[nodiscard]] bool euler_kernels_fit(const BalanceLaw& law, const std::optional<GasForm>& gas,
                                     const FvmScheme& scheme, FvmTime time, bool boxes,
                                     const std::vector<bool>& periodic);

/// The same step as make_stepper by these kernels; null where they do not fit.
[[nodiscard]] std::unique_ptr<FvmStepper> make_euler_stepper(
    FvmOperator& balance, const BalanceLaw& law, const std::optional<GasForm>& gas,
    const FvmMesh& mesh, const FvmScheme& scheme, FvmTime time, int threads);

}  // namespace cauchy::detail
