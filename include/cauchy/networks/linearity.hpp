#pragma once

#include <cauchy/engine/graph.hpp>

namespace cauchy {

/// Whether all fields of a graph are affine functions of its weights: random features, radial
/// functions with fixed centres. Least squares of a linear problem are then solved by one step of
/// Gauss-Newton. Unknown constants do not count.
[[nodiscard]] bool linear_in_weights(const Graph& graph);

}  // namespace cauchy
