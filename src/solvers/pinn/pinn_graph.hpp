#pragma once

#include <cauchy/engine/graph.hpp>
#include <cauchy/solvers/pinn.hpp>

#include "problem/lowering.hpp"
#include "solvers/pinn/pieces.hpp"

namespace cauchy::detail {

/// The network of a problem: coordinates brought to [-1, 1], periodic ones wound up, then the
/// layers, fields brought to their size, hard conditions built in. With pieces, the same for each
/// of them, scaled to its box, with the fields of the piece.
///   error    throws Error naming a hard condition that cannot be built in, with the reason
[[nodiscard]] Graph make_pinn_graph(const Problem& problem, const Pinn& method,
                                    const Lowering& lower, const Sizes& sizes,
                                    const Pieces* pieces = nullptr);

}  // namespace cauchy::detail
