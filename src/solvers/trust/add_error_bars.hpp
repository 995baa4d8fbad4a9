#pragma once

#include <string>
#include <vector>

#include <cauchy/problem/run_options.hpp>
#include <cauchy/problem/solution.hpp>

namespace cauchy::detail {

/// Gives an answer with checks and measured errors its estimate (Solution::estimate), and corrects
/// it where that was asked for (RunOptions::improve). An estimate of the method itself stays.
/// At most a fifth of the time of the run, or five seconds.
///   returns  what should be told, one sentence each
[[nodiscard]] std::vector<std::string> add_error_bars(Solution& solution,
                                                      const RunOptions& options);

}  // namespace cauchy::detail
