#pragma once

#include <string>
#include <vector>

#include <cauchy/dynamics/trajectories.hpp>

namespace cauchy::detail {

/// Throws Error for a time that lies before the first known row of its trajectory.
void require_after_start(const TrajectoryData& known,
                         const std::vector<std::vector<double>>& times);

/// Throws Error unless a model that is read back has as many numbers as its problem asks for.
void require_parameters(std::size_t wanted, std::size_t got);

}  // namespace cauchy::detail
