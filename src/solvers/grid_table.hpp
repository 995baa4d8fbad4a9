#pragma once

#include <span>
#include <string>
#include <vector>

#include <cauchy/io/table.hpp>

namespace cauchy::detail {

/// A column of a table over a full rectangular grid of some other columns, rows in any order.
/// Linear interpolation, constant beyond the grid.
///   error    the constructor throws Error when the rows are no full grid
class GridTable final {
 public:
  GridTable(const Table& table, const std::vector<std::string>& axes, const std::string& column);

  [[nodiscard]] double value(std::span<const double> at) const;
  /// First derivatives are those of the interpolation; higher ones throw Error.
  [[nodiscard]] double derivative(std::span<const double> at, std::span<const int> orders) const;

 private:
  std::vector<std::vector<double>> axes_;  // sorted values
  std::vector<double> values_;             // the last axis runs fastest
  std::string name_;
};

}  // namespace cauchy::detail
