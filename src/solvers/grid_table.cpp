#include "solvers/grid_table.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

namespace cauchy::detail {

GridTable::GridTable(const Table& table, const std::vector<std::string>& axes,
                     const std::string& column)
    : name_(column) {
  std::vector<std::vector<double>> columns;
  std::size_t total = 1;
  for (const std::string& name : axes) {
    columns.push_back(table.column(name));
    std::vector<double> values = columns.back();
    std::sort(values.begin(), values.end());
    // Equal up to rounding of the file counts as one.
    const double slack = 1e-9 * (values.empty() ? 0 : values.back() - values.front());
    std::vector<double> distinct;
    for (const double v : values) {
      if (distinct.empty() || v - distinct.back() > slack) distinct.push_back(v);
    }
    total *= distinct.size();
    axes_.push_back(std::move(distinct));
  }
  const std::vector<double> numbers = table.column(column);
  if (total != numbers.size() || total == 0) {
    throw Error(fmt::format("{} rows are no full grid of ({}): that would be {} rows",
                            numbers.size(), fmt::join(axes, ", "), total),
                table.source.empty() ? "[table]" : table.source);
  }
  values_.assign(total, std::nan(""));
  for (std::size_t r = 0; r < numbers.size(); ++r) {
    std::size_t at = 0;
    for (std::size_t k = 0; k < axes_.size(); ++k) {
      const auto& axis = axes_[k];
      auto it = std::lower_bound(axis.begin(), axis.end(), columns[k][r]);
      if (it == axis.end() ||
          (it != axis.begin() && columns[k][r] - *(it - 1) < *it - columns[k][r])) {
        --it;
      }
      at = at * axis.size() + static_cast<std::size_t>(it - axis.begin());
    }
    values_[at] = numbers[r];
  }
  for (const double v : values_) {
    if (std::isnan(v)) {
      throw Error(fmt::format("the rows of '{}' are no full grid: some point is missing", column),
                  table.source.empty() ? "[table]" : table.source);
    }
  }
}

double GridTable::value(std::span<const double> at) const {
  const std::vector<int> none(axes_.size(), 0);
  return derivative(at, none);
}

double GridTable::derivative(std::span<const double> at, std::span<const int> orders) const {
  const std::size_t D = axes_.size();
  std::vector<std::size_t> cell(D);
  std::vector<double> left(D), right(D);  // weights of the two ends of the cell
  for (std::size_t k = 0; k < D; ++k) {
    const auto& axis = axes_[k];
    if (orders[k] > 1) {
      throw Error(fmt::format("a table has no second derivatives: '{}'", name_), "[table]");
    }
    if (axis.size() == 1) {
      cell[k] = 0;
      left[k] = orders[k] == 0 ? 1 : 0;
      right[k] = 0;
      continue;
    }
    const auto it = std::upper_bound(axis.begin(), axis.end() - 1, at[k]);
    cell[k] = it == axis.begin() ? 0 : static_cast<std::size_t>(it - axis.begin()) - 1;
    cell[k] = std::min(cell[k], axis.size() - 2);
    const double h = axis[cell[k] + 1] - axis[cell[k]];
    const double raw = (at[k] - axis[cell[k]]) / h;
    const double s = std::clamp(raw, 0.0, 1.0);
    if (orders[k] == 0) {
      left[k] = 1 - s;
      right[k] = s;
    } else {
      const bool beyond = raw < 0 || raw > 1;
      left[k] = beyond ? 0 : -1 / h;
      right[k] = beyond ? 0 : 1 / h;
    }
  }
  double sum = 0;
  for (std::size_t corner = 0; corner < (std::size_t{1} << D); ++corner) {
    double weight = 1;
    std::size_t index = 0;
    for (std::size_t k = 0; k < D; ++k) {
      const bool upper = (corner >> k & 1U) != 0;
      weight *= upper ? right[k] : left[k];
      index = index * axes_[k].size() + std::min(cell[k] + (upper ? 1 : 0), axes_[k].size() - 1);
    }
    if (weight != 0) sum += weight * values_[index];
  }
  return sum;
}

}  // namespace cauchy::detail
