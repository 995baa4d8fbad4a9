#pragma once

namespace cauchy::cli {

/// What a GPU of today does with networks on grids, operations per second, for estimates of time.
inline constexpr double gpu_flops = 5e13;

}  // namespace cauchy::cli
