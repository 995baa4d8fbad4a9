#pragma once

#include <vector>

#include <cauchy/tensor/graph.hpp>

namespace cauchy::detail {

/// Kept modes of every axis of a grid of tokens, as spectrum() counts them: along the last axis the
/// lowest part of n / 2 + 1 frequencies, along the others of both bands, positive and negative.
[[nodiscard]] std::vector<int> afno_modes(const std::vector<int>& tokens, double kept);

/// F^-1 S_lambda(W_2 relu(W_1 F z + b_1) + b_2); see Afno.
int add_afno_mixer(TensorGraph& graph, int z, int blocks, double sparsity, double kept);

}  // namespace cauchy::detail
