#include "solvers/fdm/flow_nodes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <cauchy/math/difference.hpp>

#include "math/multigrid/axis_grid.hpp"

namespace cauchy::detail {
namespace {

/// Interpolation along an axis by the polynomial through the nearest `width` of the positions; with
/// a period the positions go on around.
AxisMap lagrange(const std::vector<double>& from, const std::vector<double>& to, double period,
                 std::size_t width) {
  AxisMap map;
  map.n_in = from.size();
  const auto n = static_cast<std::ptrdiff_t>(from.size());
  const auto count = static_cast<std::ptrdiff_t>(std::min(width, from.size()));
  const auto place = [&](std::ptrdiff_t i) {
    const std::ptrdiff_t turn = i < 0 ? -1 : i / n;
    return from[static_cast<std::size_t>(i - turn * n)] + static_cast<double>(turn) * period;
  };
  for (const double x : to) {
    std::ptrdiff_t first = std::upper_bound(from.begin(), from.end(), x) - from.begin() - count / 2;
    if (period == 0) first = std::clamp<std::ptrdiff_t>(first, 0, n - count);
    std::vector<double> nodes;
    for (std::ptrdiff_t i = first; i < first + count; ++i) nodes.push_back(place(i));
    const Matrix w = difference_weights(x, nodes, 0);
    for (std::ptrdiff_t i = 0; i < count; ++i) {
      map.index.push_back(static_cast<std::size_t>(((first + i) % n + n) % n));
      map.weight.push_back(w(0, static_cast<std::size_t>(i)));
    }
    map.begin.push_back(map.index.size());
  }
  return map;
}

double period_of(const FlowGrid& grid, std::size_t axis) {
  return grid.periodic(axis) ? grid.upper(axis) - grid.lower(axis) : 0;
}

std::vector<double> centres(const FlowGrid& grid, std::size_t axis) {
  std::vector<double> x;
  for (int i = 0; i < grid.cells(axis); ++i) {
    x.push_back(grid.lower(axis) + (i + 0.5) * grid.spacing(axis));
  }
  return x;
}

/// Faces across an axis: both walls, or all but the last of a period.
std::vector<double> faces(const FlowGrid& grid, std::size_t axis) {
  std::vector<double> x;
  for (int i = 0; i < grid.cells(axis) + (grid.periodic(axis) ? 0 : 1); ++i) {
    x.push_back(grid.lower(axis) + i * grid.spacing(axis));
  }
  return x;
}

/// Fills values that are not known at the ends of lines along an axis from their neighbours.
void fill_ends(std::vector<double>& v, const std::vector<std::size_t>& shape, std::size_t axis,
               const std::vector<double>& x) {
  std::size_t inner = 1, outer = 1;
  for (std::size_t k = 0; k < axis; ++k) outer *= shape[k];
  for (std::size_t k = axis + 1; k < shape.size(); ++k) inner *= shape[k];
  const std::size_t n = shape[axis];
  if (n < 5) return;
  for (const bool last : {false, true}) {
    std::vector<double> nodes;
    for (std::size_t j = 1; j <= 4; ++j) nodes.push_back(x[last ? n - 1 - j : j]);
    const Matrix w = difference_weights(x[last ? n - 1 : 0], nodes, 0);
    for (std::size_t o = 0; o < outer; ++o) {
      for (std::size_t i = 0; i < inner; ++i) {
        const auto at = [&](std::size_t j) -> double& { return v[(o * n + j) * inner + i]; };
        if (!std::isnan(at(last ? n - 1 : 0))) continue;
        double sum = 0;
        for (std::size_t j = 1; j <= 4; ++j) sum += w(0, j - 1) * at(last ? n - 1 - j : j);
        at(last ? n - 1 : 0) = sum;
      }
    }
  }
}

std::vector<double> component_at_nodes(const FlowGrid& grid, std::size_t m,
                                       std::span<const double> x, std::span<const double> walls) {
  const std::size_t dim = grid.dimension();
  std::vector<std::vector<double>> from;
  std::vector<std::size_t> shape;
  for (std::size_t k = 0; k < dim; ++k) {
    from.push_back(k == m ? faces(grid, k) : centres(grid, k));
    if (k != m && !grid.periodic(k)) {
      from[k].insert(from[k].begin(), grid.lower(k));
      from[k].push_back(grid.upper(k));
    }
    shape.push_back(from[k].size());
  }
  std::vector<double> v;
  FlowGrid::Place at{};
  const std::size_t last = dim < 3 ? 1 : shape[2];
  for (at[0] = 0; at[0] < static_cast<int>(shape[0]); ++at[0]) {
    for (at[1] = 0; at[1] < static_cast<int>(shape[1]); ++at[1]) {
      for (at[2] = 0; at[2] < static_cast<int>(last); ++at[2]) {
        v.push_back(grid.at(m, at, x, walls));
      }
    }
  }
  for (std::size_t k = 0; k < dim; ++k) fill_ends(v, shape, k, from[k]);
  for (std::size_t k = 0; k < dim; ++k) {
    if (k == m) continue;
    const AxisMap map = lagrange(from[k], faces(grid, k), period_of(grid, k), 6);
    v = contract(v, shape, k, map);
    shape[k] = map.n_out();
  }
  return v;
}

std::vector<std::size_t> shape_of_axes(const std::vector<GridAxis>& axes) {
  std::vector<std::size_t> shape;
  for (const GridAxis& a : axes) shape.push_back(a.nodes.size());
  return shape;
}

/// Value of a grid of nodes at one point.
double value_at(const std::vector<GridAxis>& axes, std::vector<double> v,
                const std::vector<double>& point) {
  std::vector<std::size_t> shape = shape_of_axes(axes);
  for (std::size_t k = 0; k < axes.size(); ++k) {
    v = contract(v, shape, k, lagrange(axes[k].nodes, {point[k]}, axes[k].period, 6));
    shape[k] = 1;
  }
  return v[0];
}

}  // namespace

FlowNodes flow_at_nodes(const FlowForm& form, const FlowGrid& grid, std::span<const double> x,
                        std::span<const double> walls) {
  const std::size_t dim = grid.dimension();
  FlowNodes nodes;
  for (std::size_t k = 0; k < dim; ++k) {
    GridAxis axis;
    axis.name = form.space[k];
    axis.nodes = faces(grid, k);
    axis.period = period_of(grid, k);
    axis.kind = grid.periodic(k) ? GridAxis::Kind::periodic : GridAxis::Kind::local;
    nodes.axes.push_back(std::move(axis));
  }
  for (std::size_t m = 0; m < dim; ++m) {
    nodes.values.push_back(component_at_nodes(grid, m, x, walls));
  }
  std::vector<double> p(x.begin() + static_cast<std::ptrdiff_t>(grid.offset(dim)), x.end());
  double mean = 0, volume = 1;
  for (const double v : p) mean += v / static_cast<double>(p.size());
  std::vector<std::size_t> shape;
  for (std::size_t k = 0; k < dim; ++k) {
    shape.push_back(static_cast<std::size_t>(grid.cells(k)));
    volume *= grid.upper(k) - grid.lower(k);
  }
  for (std::size_t k = 0; k < dim; ++k) {
    const AxisMap map = lagrange(centres(grid, k), faces(grid, k), period_of(grid, k), 4);
    p = contract(p, shape, k, map);
    shape[k] = map.n_out();
  }
  const double shift = form.level.point.empty()
                           ? form.level.value / volume - mean
                           : form.level.value - value_at(nodes.axes, p, form.level.point);
  for (double& v : p) v += shift;
  nodes.values.push_back(std::move(p));
  return nodes;
}

FlowNodes extrapolated(const FlowNodes& fine, const FlowNodes& coarse) {
  FlowNodes result = fine;
  for (std::size_t f = 0; f < fine.values.size(); ++f) {
    // What is gained at the nodes that both have, (fine - coarse) / 3, is interpolated.
    std::vector<double> gain = fine.values[f];
    std::vector<std::size_t> shape = shape_of_axes(fine.axes);
    for (std::size_t k = 0; k < shape.size(); ++k) {
      AxisMap every_second;
      every_second.n_in = shape[k];
      for (std::size_t i = 0; i < shape[k]; i += 2) {
        every_second.index.push_back(i);
        every_second.weight.push_back(1);
        every_second.begin.push_back(every_second.index.size());
      }
      gain = contract(gain, shape, k, every_second);
      shape[k] = every_second.n_out();
    }
    for (std::size_t i = 0; i < gain.size(); ++i) gain[i] = (gain[i] - coarse.values[f][i]) / 3;
    for (std::size_t k = 0; k < shape.size(); ++k) {
      const AxisMap map =
          lagrange(coarse.axes[k].nodes, fine.axes[k].nodes, fine.axes[k].period, 6);
      gain = contract(gain, shape, k, map);
      shape[k] = map.n_out();
    }
    for (std::size_t i = 0; i < gain.size(); ++i) result.values[f][i] += gain[i];
  }
  return result;
}

std::vector<double> flow_on_grid(const FlowNodes& nodes, const FlowGrid& grid) {
  const std::size_t dim = grid.dimension();
  std::vector<double> x;
  for (std::size_t kind = 0; kind <= dim; ++kind) {
    std::vector<double> v = nodes.values[kind];
    std::vector<std::size_t> shape = shape_of_axes(nodes.axes);
    for (std::size_t k = 0; k < dim; ++k) {
      std::vector<double> to = k == kind ? faces(grid, k) : centres(grid, k);
      if (k == kind && !grid.periodic(k)) to = {to.begin() + 1, to.end() - 1};
      const AxisMap map = lagrange(nodes.axes[k].nodes, to, nodes.axes[k].period, 4);
      v = contract(v, shape, k, map);
      shape[k] = map.n_out();
    }
    x.insert(x.end(), v.begin(), v.end());
  }
  return x;
}

}  // namespace cauchy::detail
