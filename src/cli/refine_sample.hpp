#pragma once

#include <cstddef>
#include <cstdint>

#include <cauchy/files/operator_run.hpp>

#include "cli/command.hpp"

namespace cauchy::cli {

/// Refines the answer of a learnt operator for one sample by the equations of its problem, prints
/// what that changed, and keeps the answer in refined.h5 of the run's folder. The physics is that
/// of the training where it had one. Where the problem draws the sample anew, the equations hold on
/// the grid of its solver, as far as that is not too large.
///   number   of the sample in its problem
///   exit     0 when the error fell, or where there is no truth; else 1
void refine_sample(const LoadedOperator& run, const std::string& folder, const DataSet& data,
                   std::size_t sample, std::uint64_t number, std::uint64_t steps, bool residual,
                   const RunOptions& options, bool json, Console& console);

}  // namespace cauchy::cli
