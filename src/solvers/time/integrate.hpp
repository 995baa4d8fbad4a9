#pragma once

#include <vector>

#include <cauchy/solvers/time.hpp>

#include "solvers/classical/semi_discrete.hpp"

namespace cauchy::detail {

/// An initial value problem F(t, y, y') = 0 of index 1, begin <= t <= end.
struct TimeTask {
  SemiDiscrete& system;
  double begin = 0, end = 1;
  std::vector<double> start = {};         ///< algebraic unknowns: a first guess
  std::vector<int> fields = {};           ///< of the unknowns, for sizes; empty: one field
  SemiDiscrete* implicit_part = nullptr;  ///< of imex: the same rows without the explicit terms
  std::vector<double> stops = {};         ///< last times before coefficients jump: steps end there
  std::size_t most_numbers = 8'000'000;   ///< of all states kept; beyond, every second one goes
  double most_step = 0;                   ///< of adapted steps; 0: no bound
  std::size_t most_steps = 2'000'000;
};

/// Integrates by the scheme of the options (automatic: esdirk), with their step, or with steps
/// whose errors sum up to about the tolerance (0: 1e-6). The states at the steps are kept.
///   error    throws Error when the step is above the stability limit of the scheme, with the
///            limit, and for bad options; numerical failure is TimeResult::trouble
[[nodiscard]] TimeResult integrate(const TimeTask& task, const TimeOptions& options,
                                   const StopAsked& stop = {});

/// The largest stable step of a scheme at a state, infinity where there is no limit.
[[nodiscard]] double stable_step(const TimeTask& task, const TimeOptions& options);

}  // namespace cauchy::detail
