#pragma once

#include <vector>

#include "operators/physics_loss.hpp"

namespace cauchy::detail {

/// An answer of a map, or a truth in its place, as frames of the fields of its problem. Where the
/// first frame comes later than the beginning of time and a condition gives the value there, that
/// is one more frame before the others.
///   error    throws Error (unsupported) for a cloud, and a problem of another dimension
[[nodiscard]] PhysicsPlace physics_place(TensorGraph& graph, const FieldMap& map,
                                         const OperatorProblem& problem, const FieldGrid& space,
                                         GridDerivative derivative, int in, const MapAnswer& answer,
                                         const std::vector<double>& times);

}  // namespace cauchy::detail
