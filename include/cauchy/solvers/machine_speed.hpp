#pragma once

#include <cauchy/base/run_limit.hpp>
#include <cauchy/base/work.hpp>

namespace cauchy {

/// Measures how many units of every kind of work this machine does in a second on one thread: small
/// workloads of each kind, the fastest of some runs. For seconds that people are shown, never for a
/// plan or a verdict (base/machine_rates.hpp).
///   cost    some seconds
///   error   throws Error (interrupted) when the limit comes first
[[nodiscard]] WorkRates measure_rates(const RunLimit& limit = {});

/// Keeps them in machine_rates_file(), for programs that start later.
///   error   throws Error (file) where nothing can be written
void keep_machine_rates(const WorkRates& rates);

}  // namespace cauchy
