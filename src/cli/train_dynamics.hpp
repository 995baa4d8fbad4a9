#pragma once

#include <string>

#include <cauchy/problem/run_options.hpp>

#include "cli/command.hpp"
#include "cli/options.hpp"

namespace cauchy::cli {

/// `cauchy train` of a file with [dynamics].
struct DynamicsTraining {
  std::string file, out;
  double max_seconds = 0, target_error = 0;
  double checkpoint_seconds = RunOptions{}.checkpoint_seconds;
  bool resume = false, quiet = false;
};
void train_dynamics(const DynamicsTraining& training, const CommonOptions& o, Console& console);

/// `cauchy predict` of a run that has learnt dynamics.
struct DynamicsPrediction {
  std::string folder, at, out;
  double until = 0;
  std::size_t times = 101;  ///< from the start to `until`
};
void predict_dynamics(const DynamicsPrediction& prediction, const CommonOptions& o,
                      Console& console);

}  // namespace cauchy::cli
