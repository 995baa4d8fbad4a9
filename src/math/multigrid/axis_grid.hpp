#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <cauchy/math/multigrid.hpp>

namespace cauchy::detail {

/// One direction of a grid of control volumes, on any level.
///   x        places of the unknowns, w widths of their volumes (from edge[i] to edge[i + 1])
///   d        n + 1 distances across the faces; at a Dirichlet end that to the wall
struct AxisGrid {
  bool cells = false;
  BoxAxis::End at_lower = {}, at_upper = {};
  double lower = 0, upper = 1;
  std::vector<double> x, w, edge, d;

  static AxisGrid of(const BoxAxis& axis);
  /// Every second node, or pairs of cells; the last one alone where it does not fit.
  [[nodiscard]] AxisGrid coarser() const;
  [[nodiscard]] std::size_t n() const noexcept { return x.size(); }
  [[nodiscard]] bool periodic() const noexcept { return at_lower == BoxAxis::End::periodic; }
  [[nodiscard]] double spacing() const noexcept {
    return (upper - lower) / static_cast<double>(n());
  }
  /// 1 / (w d) at a face of volume i, 0 at a Neumann end.
  [[nodiscard]] double toward_lower(std::size_t i) const;
  [[nodiscard]] double toward_upper(std::size_t i) const;
};

/// Every output is a weighted sum of some inputs along one direction.
struct AxisMap {
  std::size_t n_in = 0;
  std::vector<std::size_t> begin = {0}, index;
  std::vector<double> weight;
  [[nodiscard]] std::size_t n_out() const noexcept { return begin.size() - 1; }
};

/// Linear interpolation from coarse to fine, 0 at Dirichlet ends, constant beyond Neumann ones.
[[nodiscard]] AxisMap interpolation(const AxisGrid& coarse, const AxisGrid& fine);
/// Its adjoint for the inner products of the volumes: full weighting.
[[nodiscard]] AxisMap restriction(const AxisGrid& coarse, const AxisGrid& fine);
/// Shares of the fine volumes in the coarse ones; sums are 1.
[[nodiscard]] AxisMap volume_mean(const AxisGrid& coarse, const AxisGrid& fine);
/// The same for the links between neighbours (and to the ends), n + 1 of them: resistances in
/// series.
[[nodiscard]] AxisMap link_mean(const AxisGrid& coarse, const AxisGrid& fine);

/// The array `in` of the given shape, contracted along one axis.
[[nodiscard]] std::vector<double> contract(std::span<const double> in,
                                           std::span<const std::size_t> shape, std::size_t axis,
                                           const AxisMap& map);

}  // namespace cauchy::detail
