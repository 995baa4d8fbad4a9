#pragma once

#include <algorithm>
#include <cmath>

namespace cauchy::detail {

/// The length of the next step of a Runge-Kutta pair from the error of the last one, as a share of
/// what is allowed: proportional and integral control, the last error damps the change (Hairer,
/// Norsett, Wanner, II.4, and Hairer, Wanner, IV.2).
struct StepControl {
  double order;              ///< p: the error of a step is proportional to h^p
  double beta;               ///< h ~ error^(-1/p + 0.75 beta) last^beta
  double smallest, largest;  ///< change of the step
  double previous = 1e-4;
  bool rejected = false;

  /// After a step of length h that is not taken; unbounded: it met a number that is not finite.
  [[nodiscard]] double after_rejection(double h, double error, bool unbounded) {
    rejected = true;
    const double limit = 1 / smallest;
    return h * (unbounded ? 0.1 : 1 / std::min(limit, std::pow(error, 1.0 / order) / 0.9));
  }
  /// After one that is taken.
  [[nodiscard]] double after_step(double h, double error) {
    double change = std::pow(error, 1.0 / order - 0.75 * beta) / std::pow(previous, beta);
    change = std::clamp(change / 0.9, 1 / largest, 1 / smallest);
    double next = h / change;
    if (rejected) next = std::min(next, h);
    previous = std::max(error, 1e-4);
    rejected = false;
    return next;
  }
};

}  // namespace cauchy::detail
