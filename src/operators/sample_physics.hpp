#pragma once

#include <vector>

#include "operators/physics_loss.hpp"
#include "operators/physics_residual.hpp"

namespace cauchy::detail {

/// Throws Error for options of the loss that only equations written as text have, for a simulator
/// that does not say its equations, and for a map that does not answer all moments at once.
void require_sample_equations(const FieldMap& map, const PhysicsLoss& options,
                              const OperatorProblem& problem);

/// Adds what an answer leaves over of the equations of a simulator, as add_residuals does. High
/// frequencies count less by PhysicsLoss::smoothing; functions are cosines along the axes:
///   |r|^2 = sum_k |r_k|^2 / (1 + lambda_k / lambda_1)^s,  lambda_k = |pi k / lengths|^2
///   in, answer  of the map: raw inputs, and outputs in the order of its ChannelTable
[[nodiscard]] std::vector<PhysicsResidual> add_sample_residuals(
    TensorGraph& graph, const FieldMap& map, const PhysicsLoss& options,
    const OperatorProblem& problem, int in, int answer, ResidualParts parts);

/// As physics_inputs, for the problem of a simulator.
[[nodiscard]] std::vector<double> drawn_sample_inputs(const OperatorProblem& problem,
                                                      const DataSet& data,
                                                      std::span<const std::uint64_t> numbers,
                                                      Threads& pool);

}  // namespace cauchy::detail
