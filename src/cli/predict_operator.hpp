#pragma once

#include <optional>
#include <string>

#include "cli/command.hpp"
#include "cli/options.hpp"

namespace cauchy::cli {

/// `cauchy predict` of a run that has learnt an operator: its answers at points, for the input
/// functions of the test samples or of a file.
struct OperatorPrediction {
  std::string folder, at, grid, of, data, out;
  std::optional<std::size_t> sample = {};  ///< none: all of them
};
void predict_operator(const OperatorPrediction& prediction, const CommonOptions& o,
                      Console& console);

}  // namespace cauchy::cli
