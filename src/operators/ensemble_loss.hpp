#pragma once

#include <span>

#include <cauchy/tensor/field_grid.hpp>
#include <cauchy/tensor/graph.hpp>

namespace cauchy::detail {

/// The fair continuous ranked probability score, number by number, of members x_i for a truth y:
/// of the misfits e_i = x_i - y
///   mean of |e_i| - sum over i < j of |e_i - e_j| / (M (M - 1)),   of one member |e_1|.
[[nodiscard]] int add_crps(TensorGraph& graph, std::span<const int> misfits);

/// Its mean over channels and the points of a sphere by their area: one number.
///   error    throws Error for a grid that has no latitudes
[[nodiscard]] int add_spatial_crps(TensorGraph& graph, std::span<const int> misfits,
                                   const FieldGrid& grid);

/// (4 pi N)^-1/2 times the sum of that of the N = (L + 1)^2 coefficients of the real orthonormal
/// harmonics that the grid carries, mean over channels: one number. White noise has the same score
/// in both.
///   error    throws Error for a grid that is no sphere
[[nodiscard]] int add_spectral_crps(TensorGraph& graph, std::span<const int> misfits,
                                    const FieldGrid& grid);

}  // namespace cauchy::detail
