#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <cauchy/engine/activation.hpp>
#include <cauchy/tensor/graph.hpp>

namespace cauchy {

class OptionVisitor;

/// The network of MORPH (Rautela et al. 2025) from some moments of a trajectory in UPTF-7 to the
/// next one, for any number of fields and any grid of 1 to 3 axes:
///   h    = s(K * ... s(K * (P u)))        in every moment and field; K: 3 x 3 x 3 points, P:
///                                         components to filters, u lifted to `components` by zeros
///   e    = E patch(h)                     patches of `patch` points along axes that have some
///   z    = W_O concat_h softmax(q W_Q (e W_K)' / sqrt(d)) e W_V + G p   over the fields, q learnt;
///                                         p: harmonics of the place and of the moment
///   z   <- z + A_T N(z) + A_D N(z) + A_H N(z) + A_W N(z)                axial attention
///   z   <- z + B_2 s(B_1 N(z) + b_1) + b_2
///   y_f  = unpatch(O s(D_1 N(z) + D_2 e_f + d) + o)                     of the last moment
/// A_a is attention along one axis, other axes apart; along an axis of one token nothing can be
/// exchanged and it is left out. y is equivariant under permutations of the fields, z invariant.
/// Fields need no number of their own: the decoder asks z with what a field is at the moment.
///   parameters  depend on none of moments, fields, grid and border: one vector serves all. Patches
///               of lower dimension are those of 3 axes with zeros in all but the first layer
///   start       O = 0: y = 0
///   cost        of the attentions O(T D H W (T + D + H + W)) in tokens; all of them at once would
///               cost O((T D H W)^2)
struct MorphNetwork {
  std::string variant = "nano";
  int filters = 8;
  int convolutions = 2;
  int width = 64;
  int depth = 2;
  int heads = 4;
  int hidden = 256;    ///< of the layers of channels
  int patch = 4;       ///< points along each axis
  int components = 3;  ///< most of a field
  int positions = 4;   ///< harmonics of the place of a patch along each axis, and of a moment
  Activation activation = Activation::gelu;
};

struct MorphVariant {
  std::string_view name;
  std::string_view description;  ///< one phrase
  MorphNetwork options;
  double published = 0;  ///< parameters, of the paper; 0: not of the paper
};
/// nano, which trains on a processor in minutes, and the four of the paper: ti, s, m, l.
[[nodiscard]] const std::vector<MorphVariant>& all_morph_variants();
void visit_options(MorphNetwork& network, OptionVisitor& visitor);
/// For people: "MORPH nano of width 64, 2 layers, 4 heads, patches of 4 points".
[[nodiscard]] std::string describe(const MorphNetwork& network);
/// From a graph that is built and not run.
[[nodiscard]] std::size_t n_parameters(const MorphNetwork& network);

/// Low-rank updates (Hu et al. 2021) of the linear layers that act on tokens: W + (alpha / rank) B
/// A, A of `rank` rows. B starts at 0: the network is the one without, bit for bit. Blocks of A and
/// B are called lora...; all others are the network's own, in their order.
struct Lora {
  int rank = 0;  ///< 0: none
  double alpha = 1;
};
[[nodiscard]] bool is_lora(const ParameterBlock& block) noexcept;

/// What a graph of the network is made for: moments, fields and points of the samples.
struct MorphShape {
  int moments = 1, fields = 1;
  std::array<int, 3> grid = {1, 1, 1};  ///< D, H, W; of one axis: (1, 1, n), of two: (1, n, m)
  std::array<bool, 3> periodic = {};
};

/// Throws Error on options outside their ranges and a grid that patches do not divide.
void check_fits(const MorphNetwork& network, const MorphShape& shape);
/// Adds the layers on top of a value [components, {moments * fields, D, H, W}], the fields of one
/// moment together; returns y, [components, {fields, D, H, W}].
///   error    as check_fits, and for an input of another shape
int add_morph(TensorGraph& graph, const MorphNetwork& network, const MorphShape& shape, int input,
              const Lora& lora = {});

}  // namespace cauchy
