#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <cauchy/base/progress.hpp>
#include <cauchy/base/status.hpp>
#include <cauchy/engine/executor.hpp>
#include <cauchy/optimizers/adam.hpp>

namespace cauchy {

struct TrainOptions {
  std::uint64_t steps = 1000;
  AdamOptions adam = {};
  /// The rate is multiplied by this number over the whole run, falling exponentially.
  double final_rate_factor = 1;
  std::uint64_t history_every = 100;  ///< steps between two entries of the history
  double max_seconds = 0;             ///< 0: no limit
  /// Called before each step with its number, for example to draw new points into the executor.
  std::function<void(std::uint64_t step)> before_step = {};
  Progress* progress = nullptr;  ///< null: silent
};

struct TrainReport {
  struct Entry {
    std::uint64_t step;
    double loss;
    std::vector<double> terms;
  };
  Status status = Status::ok;  ///< ok, budget_exhausted (time), interrupted or not_finite
  /// Finite gradients; each was followed by a step of Adam unless the run ended there.
  std::uint64_t steps = 0;
  double loss = 0;  ///< at theta; not finite only when it was so before the first step
  double seconds = 0;
  std::vector<Entry> history;
};

/// Trains the parameters in place with Adam. A loss that is not finite ends the run
/// with Status::not_finite, and theta is the last vector whose loss and gradient were finite.
///   error    throws Error on options of Adam that it does not accept, or a final_rate_factor that
///            is not positive
TrainReport train(Executor& executor, std::span<double> theta, const TrainOptions& options);

}  // namespace cauchy
