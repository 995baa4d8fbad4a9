#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <cauchy/base/function_ref.hpp>

namespace cauchy::detail {

/// Gauss-Seidel sweeps with over-relaxation for v = t lap v, v = 1 on the boundary, in u = -s log v
/// with s = sqrt(t): at a node with neighbours j and weights w_j
///     u = s log(1 + sum w_j) - s log sum w_j exp(-u_j / s).
class GridSweep final {
 public:
  /// crossing(node, axis) is asked where node and its next along the axis lie on different sides,
  /// and tells the share of the way from node to next at which the boundary lies.
  GridSweep(std::span<const std::size_t> nodes, std::span<const double> spacing, double smoothing,
            FunctionRef<bool(std::size_t)> node_inside,
            FunctionRef<double(std::size_t, std::size_t)> crossing);

  [[nodiscard]] bool has_boundary() const noexcept { return !cuts_.empty(); }
  /// One sweep in each of the 2^d orders; returns the largest change of u.
  double round();
  /// u at inside nodes, -u at the others.
  [[nodiscard]] std::vector<double> signed_values() const;

 private:
  static constexpr std::uint32_t regular = 0xffffffff;
  /// Weights of a node next to the boundary or to a face of the box; 0 towards the box.
  struct Cut {
    std::array<double, 6> weight{};  // lower, upper of each axis
    std::array<bool, 6> boundary{};  // u = 0 at the end of this arm
    double offset = 0;               // log(1 + sum of weights)
  };
  /// visit(node) for all nodes in each of the 2^d orders.
  template <class Visit>
  void sweep(const Visit& visit) const;
  /// First guess: length of the shortest path along grid lines, at least the distance.
  void start(std::span<const double> spacing);
  [[nodiscard]] double update(std::size_t node) const;

  std::vector<std::size_t> nodes_, stride_;
  double smoothing_;
  std::vector<double> u_;
  std::vector<std::uint8_t> inside_;
  std::vector<std::uint32_t> cut_;  // index into edges_ and cuts_ of the nodes that are not regular
  std::vector<Cut> edges_;
  std::vector<std::size_t> cuts_;  // nodes with a boundary arm
  std::array<double, 3> regular_weight_{};
  double regular_offset_ = 0;
};

}  // namespace cauchy::detail
