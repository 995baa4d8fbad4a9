#pragma once

#include <cstddef>
#include <vector>

#include <cauchy/tensor/field_grid.hpp>

namespace cauchy::detail {

/// Means of a function over boxes around the nodes of a grid, from its values on a finer one. A box
/// has one width along every axis, whatever the grid; what lies outside of an axis that is not
/// periodic does not count. A value holds up to halfway to its neighbours.
class BoxMean final {
 public:
  BoxMean(std::vector<FieldGrid::Axis> axes, double width);

  /// The axes of the values that the means are taken of, four or more of them across a box.
  [[nodiscard]] const std::vector<FieldGrid::Axis>& fine() const noexcept { return fine_; }
  /// Row-major over the fine axes; returns the means, row-major over the axes.
  [[nodiscard]] std::vector<double> operator()(std::vector<double> values) const;

 private:
  struct Row {
    std::size_t first;            ///< fine node; they go on around a circle
    std::vector<double> weights;  ///< add up to 1
  };
  std::vector<FieldGrid::Axis> fine_;
  std::vector<std::vector<Row>> rows_;  ///< per axis and node
};

}  // namespace cauchy::detail
