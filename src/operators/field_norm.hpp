#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <cauchy/tensor/field_grid.hpp>
#include <cauchy/tensor/graph.hpp>

namespace cauchy::detail {

/// Squared norms of functions on a grid: the integral of v^2 by the weights of the grid, and, if so
/// asked, of the squares of its first differences along every axis, each on the cells between
/// neighbours.
///   error    throws Error for differences on a cloud
class FieldNorm final {
 public:
  FieldNorm(const FieldGrid& grid, bool differences);
  /// The integral over the unit sphere of functions of latitude and longitude in degrees.
  ///   error    throws Error for another grid
  [[nodiscard]] static FieldNorm on_sphere(const FieldGrid& grid);

  /// Of one channel, in double precision.
  [[nodiscard]] double squared(std::span<const double> v) const;
  /// Of every channel of a value [channels, grid]: a value [channels] without grid.
  [[nodiscard]] int add_squared(TensorGraph& graph, int value) const;
  [[nodiscard]] double measure() const;  ///< of the box
  [[nodiscard]] const std::vector<double>& weights() const noexcept { return weights_; }

 private:
  /// Differences along one axis: cells are n - 1, or n when periodic.
  struct Difference {
    std::size_t axis, n, stride;
    bool periodic;
    std::vector<double> weights;  // of the cells, over the square of the spacing
  };
  std::vector<int> sizes_;
  std::vector<double> weights_;
  std::vector<Difference> differences_;
};

}  // namespace cauchy::detail
