#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <memory>
#include <vector>

#include "solvers/time/error_norm.hpp"
#include "solvers/time/implicit_solver.hpp"
#include "solvers/time/rates.hpp"

namespace cauchy::detail {

/// Where an integration stands: F(t, y, dy) = 0.
struct TimePoint {
  double t = 0;
  std::vector<double> y, dy;
};

/// What became of a step.
///   error    estimated local error by ErrorNorm; at most 1: good enough
struct StepResult {
  bool solved = false;
  double error = 0;
};

/// What steppers are made of.
struct StepperParts {
  SemiDiscrete& system;
  SemiDiscrete* implicit_part;  ///< of imex, with the same unknowns; else null
  Rates& rates;
  const ErrorNorm& norm;
  double theta;
};

/// One scheme: how to get from one time to the next, and how wrong that is.
class Stepper {
 public:
  virtual ~Stepper() = default;
  /// Global order, and the power of the step in the error estimate.
  [[nodiscard]] virtual int order() const = 0;
  [[nodiscard]] virtual int error_power() const = 0;
  /// Tries a step of size h from `from`; fills `to`.
  virtual StepResult step(const TimePoint& from, double h, TimePoint& to) = 0;
  /// The step that was tried last has been taken.
  virtual void accept(const TimePoint& /*to*/) {}
  /// The past does not count any more: coefficients have jumped.
  virtual void restart() {}
  /// Factor for the next step after one with this error.
  [[nodiscard]] virtual double growth(double error) const {
    return std::clamp(0.9 * std::pow(std::max(error, 1e-10), -1.0 / error_power()), 0.2, 2.5);
  }
  /// Growth per step of y' = lambda y, z = step * lambda; only of schemes with a stability limit.
  [[nodiscard]] virtual bool limited() const { return false; }
  [[nodiscard]] virtual std::complex<double> amplification(std::complex<double> /*z*/) const {
    return 0;
  }
};

using MakeStepper = std::unique_ptr<Stepper> (*)(const StepperParts&);

// One maker per scheme, in schemes/.
std::unique_ptr<Stepper> make_explicit_euler(const StepperParts& parts);
std::unique_ptr<Stepper> make_rk4(const StepperParts& parts);
std::unique_ptr<Stepper> make_dormand_prince(const StepperParts& parts);
std::unique_ptr<Stepper> make_theta(const StepperParts& parts);
std::unique_ptr<Stepper> make_bdf2(const StepperParts& parts);
std::unique_ptr<Stepper> make_bdf(const StepperParts& parts);
std::unique_ptr<Stepper> make_esdirk(const StepperParts& parts);
std::unique_ptr<Stepper> make_imex(const StepperParts& parts);

}  // namespace cauchy::detail
