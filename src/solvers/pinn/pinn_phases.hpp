#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <cauchy/solvers/method.hpp>
#include <cauchy/training/training.hpp>

#include "solvers/pinn/pinn_assembly.hpp"

namespace cauchy::detail {

/// Trainings one after the other, each started from the last: values of a parameter, grids.
struct Phases {
  std::string key;           ///< "continuation": names the numbers in checkpoints
  std::size_t n_before = 0;  ///< phases before the last one, which has all steps of the stages
  double share = 1;          ///< of the steps, in the phases before
  /// Problem and settings of a phase; those whose problem is that of the run watch its error.
  std::function<std::pair<std::shared_ptr<const Problem>, Pinn>(std::size_t phase)> task = {};
  std::function<std::string(std::size_t phase)> name = {};
  /// Parameters of the next phase from those of the last; empty: the same.
  std::function<std::vector<double>(const PinnAssembly& pinn, const TrainingResult& trained,
                                    std::size_t next)>
      hand_on = {};
  /// What task() must know besides the number of the phase to make the same again; empty: nothing.
  std::function<void(Checkpoint&)> save = {};
  std::function<void(const Checkpoint&, std::size_t phase)> restore = {};
};

[[nodiscard]] PreparedMethod::Answer train_phases(const std::shared_ptr<const Problem>& problem,
                                                  const Pinn& method, const RunOptions& options,
                                                  const std::vector<std::string>& choices,
                                                  const Phases& phases);

}  // namespace cauchy::detail
