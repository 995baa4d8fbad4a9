#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace cauchy {

/// The points that the numbers of a sample belong to: the nodes of a grid over a box, or a cloud of
/// points. Row-major, the last axis contiguous, as TensorShape.
///   nodes    along a periodic axis lower + i (upper - lower) / n, along any other
///            lower + i (upper - lower) / (n - 1): both ends are nodes
struct FieldGrid {
  struct Axis {
    std::string name = "x";
    int n = 1;
    double lower = 0, upper = 1;
    bool periodic = false;
    [[nodiscard]] double spacing() const noexcept;
    [[nodiscard]] double node(int i) const noexcept { return lower + i * spacing(); }
    friend bool operator==(const Axis&, const Axis&) = default;
  };
  std::vector<Axis> axes = {};  ///< 1 to 3
  /// Of a cloud: row-major n x axes; empty: the nodes of the grid. Axes then give the box, and
  /// their n mean nothing.
  std::vector<double> cloud = {};
  /// Of a cloud: quadrature weights, which add up to the measure; empty: all the same.
  std::vector<double> cloud_weights = {};

  [[nodiscard]] bool is_cloud() const noexcept { return !cloud.empty(); }
  /// Lengths of the axes of an array over these points: those of the grid; of a cloud one.
  [[nodiscard]] std::vector<int> sizes() const;
  [[nodiscard]] std::size_t n_points() const;
  /// Row-major n x axes.
  [[nodiscard]] std::vector<double> positions() const;
  /// Quadrature weights: of a grid those of the trapezoidal rule; they add up to the measure.
  [[nodiscard]] std::vector<double> weights() const;
  /// The same box with other numbers of nodes.
  ///   error    throws Error for a cloud, another number of axes, or fewer than 2 nodes
  [[nodiscard]] FieldGrid resized(const std::vector<int>& sizes) const;
  friend bool operator==(const FieldGrid&, const FieldGrid&) = default;
};

/// For people: "64 x 64 on [0, 1] x [0, 1]".
[[nodiscard]] std::string to_string(const FieldGrid& grid);

}  // namespace cauchy
