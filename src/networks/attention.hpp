#pragma once

#include <span>
#include <string_view>

#include <cauchy/engine/graph.hpp>

// Attention over a few tokens, composed of operations on rows: all derivatives are exact. Tokens
// stand one after the other in the rows of one value.

namespace cauchy::detail {

/// The same affine map on every token: one set of weights for all.
int each_token(Graph& graph, std::span<const int> tokens, int rows, std::string_view name);
int each_token(Graph& graph, int x, int n_tokens, int rows, std::string_view name);

struct Attention {
  int width;  ///< of a token, a multiple of heads
  int heads;
};
/// Multi-head attention of Vaswani et al. 2017, with D = width / heads:
///   out_i = W_o concat_h sum_j softmax_j(q_ih . k_jh / sqrt(D)) v_jh + b_o
/// q from the tokens that ask, k and v from the tokens that are looked at. Permuted tokens that ask
/// give permuted answers; the order of those that are looked at does not matter.
int attention(Graph& graph, const Attention& shape, int x, int n_tokens, int source, int n_source);

}  // namespace cauchy::detail
