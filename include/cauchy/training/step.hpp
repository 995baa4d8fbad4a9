#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <cauchy/optimizers/optimizer.hpp>  // OptimizerState

namespace cauchy {

/// Everything that a rule of a training carries from step to step, as named arrays and numbers.
using TrainingState = OptimizerState;

/// Where a training stands when its rules are asked, before a step.
struct TrainingStep {
  std::size_t stage = 0;            ///< number of the stage
  std::uint64_t step_in_stage = 0;  ///< steps of it that are done
  std::uint64_t step = 0;           ///< steps of the whole training that are done
  bool first_order = true;          ///< the method takes one gradient per step
  std::uint64_t redraw = 0;         ///< Stage::redraw
  std::span<const double> theta = {};
};

}  // namespace cauchy
