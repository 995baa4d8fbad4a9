#pragma once

#include <optional>
#include <string>
#include <vector>

#include <cauchy/engine/graph.hpp>
#include <cauchy/solvers/pinn.hpp>

#include "problem/initial_layers.hpp"
#include "problem/lowering.hpp"
#include "solvers/pinn/pieces.hpp"

namespace cauchy::detail {

/// What a mixture of experts gives beside the fields: nothing, its gates (gate_1, ... or u_gate_1,
/// ... where networks are separate), or also every field of every expert (u_expert_1, ...), scaled
/// and with its hard conditions: u = gate_1 u_expert_1 + gate_2 u_expert_2 + ...
enum class ExpertOutputs { none, gates, all };

/// Names of all gates; empty without experts, or with one alone.
[[nodiscard]] std::vector<std::string> gate_names(const Problem& problem, const Pinn& method);

/// The network of a problem: coordinates brought to [-1, 1], periodic ones wound up, then the
/// layers, fields brought to their size, hard conditions built in. With pieces, the same for each
/// of them, scaled to its box, with the fields of the piece. A sequential Pinnsformer gives the
/// fields of its tokens too, but with ExpertOutputs::all.
///   error    throws Error naming a hard condition that cannot be built in, with the reason
[[nodiscard]] Graph make_pinn_graph(const Problem& problem, const Pinn& method,
                                    const Lowering& lower, const Sizes& sizes,
                                    const Pieces* pieces = nullptr,
                                    ExpertOutputs outputs = ExpertOutputs::none);

/// The layers that a method adds to its networks (Pinn::initial_layers).
[[nodiscard]] std::vector<InitialLayer> layers_of(const Problem& problem, const Pinn& method,
                                                  const Lowering& lower);

/// u = G + phi N: phi is 0 and G is right wherever a hard condition holds.
struct HardForm {
  Expr extension = 0, factor = 1;
};
/// None where no condition of the field is built in.
[[nodiscard]] std::optional<HardForm> hard_form(const Problem& problem, const Lowering& lower,
                                                const Sizes& sizes, const std::string& field);

}  // namespace cauchy::detail
