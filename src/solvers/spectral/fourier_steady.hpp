#pragma once

#include <string>

#include <cauchy/problem/run_options.hpp>

#include "solvers/spectral/fourier_flow.hpp"

namespace cauchy::detail {

/// The columns of a steady problem, and how they were found.
struct FourierSteady {
  Modes modes;
  std::string trouble = {};  ///< empty: all went well
  bool stopped = false;
  int steps = 0;  ///< of Newton's method; 0: none was needed
};

/// Solves a = G f(a). Where f does not depend on a that is all; otherwise by Newton's method from
/// f(0), with steps by stabilised bi-conjugate gradients and cut where they do not help. G, the
/// inverse of what is linear with constant coefficients, is the preconditioner.
[[nodiscard]] FourierSteady fourier_steady(FourierFlow& flow, std::size_t n_columns,
                                           const RunOptions& options);

}  // namespace cauchy::detail
