#pragma once

#include <string>
#include <vector>

#include <cauchy/engine/graph.hpp>
#include <cauchy/solvers/pinn.hpp>

#include "problem/lowering.hpp"

namespace cauchy::detail {

/// What a mixture of experts gives beside the fields: nothing, its gates (gate_1, ... or u_gate_1,
/// ... where networks are separate), or also every field of every expert (u_expert_1, ...), scaled
/// and with its hard conditions: u = gate_1 u_expert_1 + gate_2 u_expert_2 + ...
enum class ExpertOutputs { none, gates, all };

/// Names of all gates; empty without experts, or with one alone.
[[nodiscard]] std::vector<std::string> gate_names(const Problem& problem, const Pinn& method);

/// The network of a problem: coordinates brought to [-1, 1], periodic ones wound up, then the
/// layers, fields brought to their size, hard conditions built in.
///   error    throws Error naming a hard condition that cannot be built in, with the reason
[[nodiscard]] Graph make_pinn_graph(const Problem& problem, const Pinn& method,
                                    const Lowering& lower, const Sizes& sizes,
                                    ExpertOutputs outputs = ExpertOutputs::none);

}  // namespace cauchy::detail
