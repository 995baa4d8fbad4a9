#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <cauchy/io/table.hpp>
#include <cauchy/math/bspline.hpp>
#include <cauchy/problem/problem.hpp>

namespace cauchy::detail {

/// Whether a reference table is measured at its rows instead of being interpolated: these are no
/// full grid of the axes, or one with a single node in some direction.
///   error    throws Error for a coordinate that is not finite
[[nodiscard]] bool is_scattered(const Table& table, const std::vector<std::string>& axes);

/// A column of a table over a full rectangular grid of some other columns, rows in any order.
///   cubic    tensor product of cubic splines with not-a-knot ends: exact for cubics, error O(h^4);
///            a direction of fewer than 4 nodes is linear
///   linear   multilinear: error O(h^2), never beyond the values at the corners of a cell
///   nearest  the value of the nearest node, halfway of the larger coordinate: error O(h)
///   beyond   the grid it is constant
///   cost     O(nodes) once; 4^d (cubic), 2^d (linear) products or d searches per value
///   error    the constructor throws Error when the rows are no full grid or not finite
class GridTable final {
 public:
  GridTable(const Table& table, const std::vector<std::string>& axes, const std::string& column,
            TableInterpolation interpolation = TableInterpolation::cubic);

  [[nodiscard]] double value(std::span<const double> at) const;
  /// Those of the interpolation: up to the second in a cubic direction, the first in a linear one,
  /// higher ones throw Error; all of them 0 for the nearest node.
  [[nodiscard]] double derivative(std::span<const double> at, std::span<const int> orders) const;

  /// Of the nearest node: the mean along the line between two points that differ in one coordinate
  /// at most, exactly. 1 / mean of 1 / value; the mean itself where values vanish or change sign.
  [[nodiscard]] double mean_along(std::span<const double> from, std::span<const double> to) const;

 private:
  struct Axis {
    std::vector<double> nodes;          // sorted
    std::optional<BSplineBasis> basis;  // as many functions as nodes; none: the nearest node
  };
  /// Values at the nodes of axis k become coefficients of its basis, on all lines of the grid.
  void solve_along(std::size_t k);

  std::vector<Axis> axes_;
  bool nearest_;
  std::vector<double> coefficients_;  // the last axis runs fastest
  std::string name_;
};

/// A function of a problem at single points: its table, or its code.
class FunctionValues final {
 public:
  ///   error    as GridTable
  explicit FunctionValues(const TabulatedFunction& function);
  /// orders: one per argument, or none for the function itself.
  [[nodiscard]] double operator()(std::span<const double> at, std::span<const int> orders) const;

 private:
  std::optional<GridTable> table_;
  FunctionCode code_;
};

/// The table of a function of a problem.
///   error    throws Error when there is none of this name
[[nodiscard]] const TabulatedFunction& table_of(const Problem& problem, const std::string& name);

/// Values of a call of a tabulated function, f(x + 1, y), or of its derivative at rows of the
/// coordinates of a problem.
[[nodiscard]] std::vector<double> call_values(const Problem& problem, const Expr& call,
                                              std::span<const double> rows);

}  // namespace cauchy::detail
