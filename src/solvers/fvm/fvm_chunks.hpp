#pragma once

#include "solvers/fvm/fvm_operator.hpp"

namespace cauchy::detail {

/// Compiled expressions of consecutive cells.
struct FvmOperator::CellChunk {
  IndexRange range;
  std::unique_ptr<NodeProgram> inverse;    // q to w
  std::unique_ptr<NodeProgram> source;     // w to S, and how fast it reacts
  std::unique_ptr<NodeProgram> predictor;  // w and slopes to w_t
};

/// Compiled expressions of consecutive faces.
struct FvmOperator::FaceChunk {
  IndexRange range;
  std::unique_ptr<NodeProgram> states;     // w to q, F_n, speeds, velocity and pressure of a gas
  std::unique_ptr<NodeProgram> diffusion;  // w and slopes to the normal diffusive flux, diffusivity
  std::unique_ptr<NodeProgram> speed;      // w to speed, one equation
};

/// Rows of one chunk, for one worker.
struct FvmOperator::Work {
  Rows w[2], out[2], flux, atoms, diffusion;
  std::vector<double> least[2], largest[2];
  std::vector<std::vector<double>> normal;
};

}  // namespace cauchy::detail
