#pragma once

#include <optional>
#include <string>
#include <vector>

#include <cauchy/engine/graph.hpp>
#include <cauchy/solvers/pinn.hpp>

#include "problem/lowering.hpp"

namespace cauchy::detail {

/// The network of a problem: coordinates brought to [-1, 1], periodic ones wound up, then the
/// layers, fields brought to their size, hard conditions built in.
///   error    throws Error naming a hard condition that cannot be built in, with the reason
[[nodiscard]] Graph make_pinn_graph(const Problem& problem, const Pinn& method,
                                    const Lowering& lower, const Sizes& sizes);

/// Coordinates as the layers see them: [-1, 1], or cosine and sine of a periodic one.
///   of       those of these names; empty: all
[[nodiscard]] std::vector<Expr> network_inputs(const Problem& problem, const Sizes& sizes,
                                               const std::vector<std::string>& of = {});

/// u = G + phi N: phi is 0 and G is right wherever a hard condition holds.
struct HardForm {
  Expr extension = 0, factor = 1;
};
/// None where no condition of the field is built in.
[[nodiscard]] std::optional<HardForm> hard_form(const Problem& problem, const Lowering& lower,
                                                const Sizes& sizes, const std::string& field);

}  // namespace cauchy::detail
