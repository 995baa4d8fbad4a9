#pragma once

#include "solvers/time/stepper.hpp"

namespace cauchy::detail {

/// Eigenvalues of dy'/dy at a state that decide on stability: all of them up to 240 unknowns,
/// else Ritz values of an Arnoldi iteration, which find the outer ones, stretched to the bound of
/// Gershgorin's circles (after balancing) where that is close.
[[nodiscard]] std::vector<std::complex<double>> outer_spectrum(SemiDiscrete& system, Rates& rates,
                                                               const TimePoint& at);

/// The largest step at which no mode grows that should not. A mode that oscillates may grow tenfold
/// over the whole time, as consistent schemes let it: for explicit Euler and u_t + c u_x = 0 the
/// limit is of the order of h^2.
///   returns  infinity without a limit, 0 when the spectrum is not known
[[nodiscard]] double stability_limit(const Stepper& stepper,
                                     const std::vector<std::complex<double>>& spectrum,
                                     double duration);

}  // namespace cauchy::detail
