#pragma once

#include <string>
#include <vector>

#include "operators/deeponet/deeponet_map.hpp"

namespace cauchy::detail {

/// One sentence for every input whose sensors are too few, as cautions() has them.
///   data     functions to judge by where the problem draws none; may be empty
[[nodiscard]] std::vector<std::string> sensor_cautions(const DeepOnetMap& map,
                                                       const OperatorProblem& problem,
                                                       const DataSet& data);

}  // namespace cauchy::detail
