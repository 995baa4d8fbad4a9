#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <cauchy/engine/graph.hpp>
#include <cauchy/networks/network.hpp>

namespace cauchy::detail {

/// What the networks of the family have in common, for given numbers of inputs and outputs.
struct KanShape {
  std::vector<int> widths;  ///< of inputs, hidden layers, outputs
  /// Per layer: one basis for all inputs, or one for each.
  std::vector<std::vector<std::shared_ptr<const Basis>>> bases;
  std::vector<double> deviation;  ///< of the first coefficients of each layer
  bool base = false;              ///< with w_b silu(x)
  bool squash = false;            ///< z = tanh(x)
  bool layer_norm = false;        ///< of hidden features
  bool edges = false;             ///< one by one, with w_s

  [[nodiscard]] std::size_t n_layers() const noexcept { return widths.size() - 1; }
};

/// Where the numbers of a layer stand in a parameter vector; -1: it has none of these.
///   coefficients   [output][input][function]; base, scale: [output][input]
struct KanOffsets {
  std::ptrdiff_t coefficients = -1, base = -1, scale = -1;
};

/// None for a network of another family.
///   error    throws Error when a number is out of its range
[[nodiscard]] std::optional<KanShape> kan_shape(const Network& network, int n_inputs,
                                                int n_outputs);
/// Adds the layers; `offsets`, where given, gets one entry per layer.
int add_kan(Graph& graph, const KanShape& shape, int input,
            std::vector<KanOffsets>* offsets = nullptr);

/// The same for layers that stand alone, from 0; `total`, where given, gets the number of their
/// parameters.
[[nodiscard]] std::vector<KanOffsets> kan_offsets(const KanShape& shape,
                                                  std::size_t* total = nullptr);

/// Ends of intervals, continued by `order` more of their mean width on both sides.
[[nodiscard]] std::vector<double> extended_knots(std::span<const double> ends, int order);

}  // namespace cauchy::detail
