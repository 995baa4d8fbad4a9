#pragma once

#include <string_view>

#include <cauchy/applications/morph_network.hpp>

namespace cauchy::detail {

/// Linear layers of MORPH with their low-rank updates.
class MorphLayers final {
 public:
  MorphLayers(TensorGraph& graph, const Lora& lora) : graph_(graph), lora_(lora) {}

  /// s(W x + b + plus + (alpha / rank) B A x).
  int linear(int x, int channels, std::string_view name,
             Activation activation = Activation::identity, int plus = -1);
  /// Parameters of a layer that a shape does not use: they are there all the same.
  void unused_linear(int cols, int channels, std::string_view name);

  /// A learnt vector that asks all fields of every token: from e [E, {T * F, D, H, W}] to
  /// [E, {T, D, H, W}], plus `plus`. For one field the weights of the softmax are 1.
  int field_attention(int e, int fields, int heads, int plus);
  /// sum + A_a x for the axes a of x [E, {T, D, H, W}], one after the other.
  int axial_attention(int x, int heads, int sum);

 private:
  int attention_along(int x, int axis, int heads, int sum);

  TensorGraph& graph_;
  const Lora& lora_;
};

}  // namespace cauchy::detail
