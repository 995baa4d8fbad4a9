#include "dynamics/trained_times.hpp"

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

namespace cauchy::detail {

void require_after_start(const TrajectoryData& known,
                         const std::vector<std::vector<double>>& times) {
  for (std::size_t i = 0; i < times.size(); ++i) {
    const Trajectory& t = known.trajectories.at(i);
    if (times[i].empty() || times[i].front() >= t.times.front()) continue;
    throw Error(
        fmt::format("time {:.6g} lies before the start {:.6g}", times[i].front(), t.times.front()),
        fmt::format("trajectory {}", t.name), "ask for later times");
  }
}

void require_parameters(std::size_t wanted, std::size_t got) {
  if (got == wanted) return;
  throw Error(ErrorKind::file, fmt::format("the model has {} parameters, its file {}", wanted, got),
              "[dynamics]", "the run belongs to another problem");
}

}  // namespace cauchy::detail
