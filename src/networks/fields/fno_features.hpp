#pragma once

#include <cauchy/networks/fno.hpp>
#include <cauchy/tensor/field_grid.hpp>
#include <cauchy/tensor/graph.hpp>

namespace cauchy::detail {

/// What an FNO knows before its last layers, which look at one point alone: v_depth.
struct FnoFeatures {
  int value = -1;    ///< [width, period], the nodes of the grid first along every axis
  FieldGrid period;  ///< the grid with its padding; every axis is periodic
};
/// Adds everything up to there; the projection comes next.
///   error    as add_field_network
[[nodiscard]] FnoFeatures add_fno_features(TensorGraph& graph, const Fno& network, int input,
                                           const FieldGrid& grid);
/// Throws what add_field_network throws before it adds anything.
void check_fno_field(const TensorGraph& graph, const Fno& network, int input, const FieldGrid& grid,
                     int n_outputs);

}  // namespace cauchy::detail
