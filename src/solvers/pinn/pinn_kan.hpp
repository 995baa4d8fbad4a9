#pragma once

#include <string>
#include <vector>

#include <cauchy/io/checkpoint.hpp>
#include <cauchy/solvers/method.hpp>
#include <cauchy/training/loss.hpp>

#include "solvers/pinn/pinn_assembly.hpp"

namespace cauchy::detail {

/// One of the networks of a PINN: what it delivers, what it sees, where its parameters begin.
struct NetworkPlace {
  std::vector<std::string> fields;
  std::vector<Expr> inputs;
  std::size_t offset = 0, n_parameters = 0;
};
[[nodiscard]] std::vector<NetworkPlace> network_places(const PinnAssembly& pinn);
/// Inputs of a network at points of the domain (row-major, columns as the coordinates).
[[nodiscard]] std::vector<double> inputs_at(const PinnAssembly& pinn, const NetworkPlace& place,
                                            std::span<const double> points);

/// Throws Error when an equation has derivatives that the splines of the network lack, or their
/// grid leaves out a part of the domain.
void check_splines(const PinnAssembly& pinn);
/// The sparsity terms of a Kan; empty: it asks for none.
[[nodiscard]] TrainingLoss::Penalty kan_penalty(const PinnAssembly& pinn);

/// The grids of a Kan, which a training may have changed, with the answer.
void save_grids(Checkpoint& checkpoint, const Network& network);
void load_grids(const Checkpoint& checkpoint, Network& network);
/// The settings with the grids of the run or archive that `start` names, where these have moved;
/// a GridCurriculum has grids of its own.
[[nodiscard]] Pinn with_grids_of_start(Pinn method);

/// Throws Error when a GridCurriculum does not fit.
void expect_grids(const Problem& problem, const Pinn& method);
/// Trains on finer and finer grids (GridCurriculum).
[[nodiscard]] PreparedMethod::Answer refine_grids(const std::shared_ptr<const Problem>& problem,
                                                  const Pinn& method, const RunOptions& options,
                                                  const std::vector<std::string>& choices);

}  // namespace cauchy::detail
