#pragma once

#include <map>

#include <cauchy/expr/expr.hpp>  // MultiIndex

#include "networks/fields/fno_features.hpp"

namespace cauchy::detail {

/// An FNO as a function of the place: u = Q(v), v = v_depth the trigonometric polynomial through
/// its nodes, and derivatives of u to any order by those of v and the chain rule:
///   u_x = Q'(v) v_x,  u_xx = Q'(v) v_xx + Q''(v)[v_x, v_x], ...
/// All share the parameters of the one network.
///   exact    where v is a Fourier series of the kept modes (Fno::smooth, or nothing beside the
///            Fourier part); else to all powers of h along periodic axes
///   error    throws Error (unsupported) for axes that are not periodic and a v that is no such
///            series, and as add_field_network
///   cost     per derivative one transform along an axis of `width` channels, and two products as
///            in the projection
class FnoFunction final {
 public:
  /// Adds the network to a graph, which must outlive it.
  FnoFunction(TensorGraph& graph, const Fno& network, int input, const FieldGrid& grid,
              int n_outputs);

  /// The value [n_outputs, grid]; with an index a derivative, to be asked when no parameters are
  /// reused.
  ///   error    throws Error (unsupported) for an activation without that derivative
  [[nodiscard]] int operator()(const MultiIndex& index = {});

 private:
  [[nodiscard]] int features(const MultiIndex& index);
  [[nodiscard]] int hidden(const MultiIndex& index);
  /// W x with the weights of a value that was made by linear().
  [[nodiscard]] int linear_again(int made, int x);
  [[nodiscard]] int projected(const MultiIndex& index);

  TensorGraph& graph_;
  Fno network_;
  FieldGrid grid_;
  FnoFeatures features_;
  int z_ = -1, answer_ = -1;  // before the activation of the projection, behind it
  std::map<MultiIndex, int> feature_values_, hidden_values_, values_;
};

}  // namespace cauchy::detail
