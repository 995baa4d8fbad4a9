#include <algorithm>

#include "operators/deeponet/deeponet_map.hpp"

namespace cauchy::detail {

Table grid_rows_of(const FieldGrid& grid, std::span<const double> values, const std::string& name) {
  Table table;
  std::vector<std::size_t> n, stride(grid.axes.size(), 1);
  std::size_t rows = 1;
  for (const FieldGrid::Axis& a : grid.axes) {
    table.columns.push_back(a.name);
    n.push_back(static_cast<std::size_t>(a.n) + (a.periodic ? 1 : 0));
    rows *= n.back();
  }
  for (std::size_t k = grid.axes.size() - 1; k-- > 0;) {
    stride[k] = stride[k + 1] * static_cast<std::size_t>(grid.axes[k + 1].n);
  }
  table.columns.push_back(name);
  table.values.reserve(rows * table.columns.size());
  std::vector<std::size_t> at(grid.axes.size(), 0);
  for (std::size_t r = 0; r < rows; ++r) {
    std::size_t from = 0;
    for (std::size_t k = 0; k < at.size(); ++k) {
      const FieldGrid::Axis& a = grid.axes[k];
      const bool end = at[k] == static_cast<std::size_t>(a.n);
      table.values.push_back(end ? a.upper : a.node(static_cast<int>(at[k])));
      from += (end ? 0 : at[k]) * stride[k];
    }
    table.values.push_back(values[from]);
    for (std::size_t k = at.size(); k-- > 0;) {
      if (++at[k] < n[k]) break;
      at[k] = 0;
    }
  }
  return table;
}

TabulatedFunction input_function(const FieldGrid& grid, std::span<const double> values,
                                 const std::string& name, const std::vector<std::string>& arguments,
                                 TableInterpolation interpolation) {
  FieldGrid own{.axes = {}};
  std::vector<double> kept;
  if (arguments.empty() || arguments.size() == grid.axes.size()) {
    own.axes = grid.axes;
    kept.assign(values.begin(), values.end());
  } else {
    // Constant along the other axes: their first nodes.
    std::vector<std::size_t> stride(grid.axes.size(), 1), steps;
    for (std::size_t k = grid.axes.size() - 1; k-- > 0;) {
      stride[k] = stride[k + 1] * static_cast<std::size_t>(grid.axes[k + 1].n);
    }
    for (std::size_t k = 0; k < grid.axes.size(); ++k) {
      if (std::find(arguments.begin(), arguments.end(), grid.axes[k].name) == arguments.end()) {
        continue;
      }
      own.axes.push_back(grid.axes[k]);
      steps.push_back(stride[k]);
    }
    for (std::size_t i = 0; i < own.n_points(); ++i) {
      std::size_t rest = i, from = 0;
      for (std::size_t k = own.axes.size(); k-- > 0;) {
        const auto n = static_cast<std::size_t>(own.axes[k].n);
        from += rest % n * steps[k];
        rest /= n;
      }
      kept.push_back(values[from]);
    }
  }
  TabulatedFunction f;
  f.name = f.column = name;
  f.interpolation = interpolation;
  f.table = grid_rows_of(own, kept, name);
  for (const FieldGrid::Axis& a : own.axes) f.arguments.push_back(a.name);
  if (!arguments.empty()) f.arguments = arguments;
  return f;
}

}  // namespace cauchy::detail
