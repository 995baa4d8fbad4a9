#pragma once

#include <cstddef>
#include <vector>

#include <cauchy/engine/graph.hpp>

namespace cauchy {

/// The parameters of the last linear layer: all outputs of the graph are affine functions of these
/// numbers together when every other parameter is held. Ascending offsets; empty: there is no such
/// layer, because an activation or a product of two trained values comes last.
[[nodiscard]] std::vector<std::size_t> linear_parameters(const Graph& graph);

}  // namespace cauchy
