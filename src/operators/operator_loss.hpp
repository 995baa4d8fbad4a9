#pragma once

#include <memory>
#include <vector>

#include <cauchy/data/operator_problem.hpp>
#include <cauchy/tensor/executor.hpp>

#include "operators/field_map.hpp"
#include "operators/field_norm.hpp"
#include "operators/physics_loss.hpp"

namespace cauchy::detail {

/// The loss of one item as a graph with the inputs of OperatorSamples: "in", "out", "scale", and
/// "physics/in" where equations have inputs of their own: the network then stands twice in it, with
/// one set of parameters.
struct LossGraph {
  std::shared_ptr<const TensorGraph> graph;
  std::vector<TensorTerm> terms;
  int answer = -1;  ///< of the network, where the equations are asked if they are
};

/// What a loss looks at: the norm of the kind of loss.
[[nodiscard]] FieldNorm norm_of(OperatorLoss loss, const FieldGrid& grid);

/// mean over steps of sqrt(mean over fields of |answer - truth|^2 scale), or mean squares.
///   steps    of a roll-out, one after the other; the network and its parameters are the same
///   times    of the outputs, for a time axis
///   physics  of the equations of the problem; null: they are not asked
///   error    as add_field_network and add_physics
[[nodiscard]] LossGraph make_loss(const FieldMap& map, const FieldOperator& method,
                                  const OperatorProblem& problem, const std::vector<double>& times,
                                  std::size_t steps, const PhysicsTerms* physics = nullptr);

/// What a relative error is the error of.
struct RelativeError {
  std::vector<std::size_t> field = {};  ///< of each channel; steps one after the other
  std::size_t n_fields = 1, steps = 1;
  Precision precision = Precision::f32;
};
/// The relative error of an answer and a truth [channels, grid] in a graph, a value with one
/// number; scale: a value [1, {steps x fields}].
[[nodiscard]] int add_error(TensorGraph& graph, int answer, int truth, int scale,
                            const FieldNorm& norm, const RelativeError& options);

}  // namespace cauchy::detail
