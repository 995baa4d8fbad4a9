#pragma once

#include <vector>

#include <cauchy/tensor/graph.hpp>

namespace cauchy::detail {

/// The modes along one axis of spectrum() and from_spectrum() on a grid of n points.
struct AxisModes {
  int n = 1;      ///< points of the grid
  int count = 1;  ///< kept modes: 2 m, along the last axis m
  bool last = true;

  /// Frequency of mode i: 0 ... m - 1, -m ... -1; along the last axis 0 ... m - 1.
  [[nodiscard]] int frequency(int i) const noexcept {
    return last || 2 * i < count ? i : i - count;
  }
  /// How often mode i counts in from_spectrum(): along the last axis twice unless its conjugate is
  /// itself; along the others once, not at all where an odd axis has it already.
  [[nodiscard]] double weight(int i) const noexcept {
    const int k = frequency(i);
    if (last) return k == 0 || 2 * k == n ? 1 : 2;
    return k < 0 && n + k < count / 2 ? 0 : 1;
  }
};

/// Of every axis, for the grid of points and the grid of the modes.
[[nodiscard]] inline std::vector<AxisModes> modes_of(const std::vector<int>& points,
                                                     const std::vector<int>& modes) {
  std::vector<AxisModes> axes;
  for (std::size_t a = 0; a < points.size(); ++a) {
    axes.push_back({points[a], modes[a], a + 1 == points.size()});
  }
  return axes;
}

}  // namespace cauchy::detail
