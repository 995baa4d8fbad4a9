// Building functions that move numbers between points.
#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <cauchy/tensor/graph.hpp>

#include "tensor/border.hpp"
#include "tensor/graph_checks.hpp"

namespace cauchy {

using detail::for_each_point;
using detail::refuse_tensor;
using detail::require_per_axis;
using detail::sizes_text;
using detail::strides_of;

namespace {

using Picks = std::vector<std::ptrdiff_t>;

/// Picks of all channels from those of the points of one.
Picks picks_of_channels(const Picks& points, int channels, std::size_t points_of_input) {
  Picks picks;
  picks.reserve(points.size() * static_cast<std::size_t>(channels));
  for (int c = 0; c < channels; ++c) {
    const auto base = static_cast<std::ptrdiff_t>(points_of_input) * c;
    for (const std::ptrdiff_t p : points) picks.push_back(p < 0 ? -1 : base + p);
  }
  return picks;
}

/// Points of a grid, each from the point node(axis, i) of another one; -1: none.
template <class Node>
Picks picks_of_points(const std::vector<int>& grid, const std::vector<int>& from, Node node) {
  const std::vector<std::size_t> strides = strides_of(from);
  Picks picks;
  for_each_point(grid, [&](const std::vector<int>& at, std::size_t) {
    std::ptrdiff_t p = 0;
    for (std::size_t a = 0; a < grid.size() && p >= 0; ++a) {
      const int i = node(a, at[a]);
      p = i < 0 ? -1 : p + static_cast<std::ptrdiff_t>(strides[a]) * i;
    }
    picks.push_back(p);
  });
  return picks;
}

void require_boxes(std::string_view where, const std::vector<int>& sizes,
                   const std::vector<int>& grid) {
  require_per_axis(where, "sizes", sizes, grid);
  for (std::size_t a = 0; a < grid.size(); ++a) {
    if (grid[a] % sizes[a] != 0) {
      refuse_tensor(fmt::format("{}: boxes of {} do not divide a grid of {}", where,
                                sizes_text(sizes), sizes_text(grid)),
                    "pad or interpolate first");
    }
  }
}

std::vector<int> quotients(const std::vector<int>& grid, const std::vector<int>& sizes) {
  std::vector<int> result(grid.size());
  for (std::size_t a = 0; a < grid.size(); ++a) result[a] = grid[a] / sizes[a];
  return result;
}

std::vector<int> products(const std::vector<int>& grid, const std::vector<int>& sizes) {
  std::vector<int> result(grid.size());
  for (std::size_t a = 0; a < grid.size(); ++a) result[a] = grid[a] * sizes[a];
  return result;
}

/// picks[i]: the number of [C, fine] that is number i of [C p1 p2 ..., fine / p].
Picks patch_picks(int channels, const std::vector<int>& fine, const std::vector<int>& sizes) {
  const std::vector<int> coarse = quotients(fine, sizes);
  const std::vector<std::size_t> strides = strides_of(fine);
  const auto points = static_cast<std::ptrdiff_t>(TensorShape{1, fine}.points());
  Picks picks;
  for (int c = 0; c < channels; ++c) {
    for_each_point(sizes, [&](const std::vector<int>& within, std::size_t) {
      for_each_point(coarse, [&](const std::vector<int>& at, std::size_t) {
        std::ptrdiff_t p = points * c;
        for (std::size_t a = 0; a < fine.size(); ++a) {
          p += static_cast<std::ptrdiff_t>(strides[a]) * (at[a] * sizes[a] + within[a]);
        }
        picks.push_back(p);
      });
    });
  }
  return picks;
}

/// Linear interpolation at one node of an axis: two nodes and the weight of the second.
struct Between {
  int left, right;
  double weight;
};
Between between(int i, int n, int from, Border border) {
  if (from == 1) return {0, 0, 0};
  if (border == Border::periodic) {
    const double at = static_cast<double>(i) * from / n;
    const int left = static_cast<int>(at);
    return {left, (left + 1) % from, at - left};
  }
  const double at = n == 1 ? 0.5 * (from - 1) : static_cast<double>(i) * (from - 1) / (n - 1);
  const int left = std::min(static_cast<int>(at), from - 2);
  return {left, left + 1, at - left};
}

}  // namespace

int TensorGraph::pick(int x, TensorShape shape, std::vector<std::ptrdiff_t> picks) {
  const auto size = static_cast<std::ptrdiff_t>(this->shape(x).size());
  if (picks.size() != shape.size()) {
    refuse_tensor(fmt::format("pick: {} picks for an array of {}", picks.size(), to_string(shape)));
  }
  for (const std::ptrdiff_t i : picks) {
    if (i < -1 || i >= size) {
      refuse_tensor(fmt::format("pick: there is no number {} in an array of {}", i,
                                to_string(this->shape(x))));
    }
  }
  TensorOperation op{.code = TensorOp::pick, .inputs = {x}, .shape = std::move(shape)};
  op.picks = std::make_shared<const Picks>(std::move(picks));
  return push(std::move(op));
}

int TensorGraph::slice(int x, int begin, int channels) {
  const TensorShape& from = shape(x);
  if (begin < 0 || channels < 1 || begin + channels > from.channels) {
    refuse_tensor(fmt::format("slice: channels {} to {} of a value with {}", begin,
                              begin + channels - 1, from.channels));
  }
  const std::size_t points = from.points();
  Picks picks(points * static_cast<std::size_t>(channels));
  for (std::size_t i = 0; i < picks.size(); ++i) {
    picks[i] = static_cast<std::ptrdiff_t>(points * static_cast<std::size_t>(begin) + i);
  }
  return pick(x, {channels, from.grid}, std::move(picks));
}

int TensorGraph::reshape(int x, TensorShape shape) {
  if (shape.size() != this->shape(x).size()) {
    refuse_tensor(fmt::format("reshape: {} and {} have not as many numbers",
                              to_string(this->shape(x)), to_string(shape)));
  }
  if (shape == this->shape(x)) return x;
  Picks picks(shape.size());
  for (std::size_t i = 0; i < picks.size(); ++i) picks[i] = static_cast<std::ptrdiff_t>(i);
  return pick(x, std::move(shape), std::move(picks));
}

int TensorGraph::transpose(int x, std::vector<int> axes) {
  std::vector<int> from = shape(x).grid;
  from.insert(from.begin(), shape(x).channels);
  std::vector<int> sorted = axes;
  std::sort(sorted.begin(), sorted.end());
  bool permutation = axes.size() == from.size();
  for (std::size_t a = 0; permutation && a < sorted.size(); ++a) {
    permutation = sorted[a] == static_cast<int>(a);
  }
  if (!permutation) {
    refuse_tensor(fmt::format("transpose: {} is no order of the axes 0 to {}",
                              fmt::join(axes, ", "), from.size() - 1));
  }
  std::vector<int> to;
  for (const int a : axes) to.push_back(from[static_cast<std::size_t>(a)]);
  const std::vector<std::size_t> strides = strides_of(from);
  Picks picks;
  for_each_point(to, [&](const std::vector<int>& at, std::size_t) {
    std::ptrdiff_t p = 0;
    for (std::size_t a = 0; a < to.size(); ++a) {
      p += static_cast<std::ptrdiff_t>(strides[static_cast<std::size_t>(axes[a])]) * at[a];
    }
    picks.push_back(p);
  });
  return pick(x, {to[0], {to.begin() + 1, to.end()}}, std::move(picks));
}

int TensorGraph::repeat(int x, std::vector<int> grid) {
  if (!shape(x).grid.empty()) {
    refuse_tensor(fmt::format("repeat: a value of {} has a grid", to_string(shape(x))),
                  "interpolate it");
  }
  const int channels = shape(x).channels;
  Picks picks = picks_of_channels(Picks(TensorShape{1, grid}.points(), 0), channels, 1);
  return pick(x, {channels, std::move(grid)}, std::move(picks));
}

int TensorGraph::roll(int x, std::vector<int> by) {
  const std::vector<int> grid = shape(x).grid;
  if (by.size() != grid.size()) {
    refuse_tensor(
        fmt::format("roll: moved along {} axes, but the grid is {}", by.size(), sizes_text(grid)));
  }
  const Picks points = picks_of_points(grid, grid, [&](std::size_t a, int i) {
    return detail::border_node(i - by[a] % grid[a], grid[a], Border::periodic);
  });
  return pick(x, shape(x), picks_of_channels(points, shape(x).channels, shape(x).points()));
}

int TensorGraph::pad(int x, std::vector<int> before, std::vector<int> behind, Border border) {
  const std::vector<int> from = shape(x).grid;
  require_per_axis("pad", "points before", before, from, 0);
  require_per_axis("pad", "points behind", behind, from, 0);
  std::vector<int> grid = from;
  for (std::size_t a = 0; a < grid.size(); ++a) grid[a] += before[a] + behind[a];
  const Picks points = picks_of_points(grid, from, [&](std::size_t a, int i) {
    return detail::border_node(i - before[a], from[a], border);
  });
  const int channels = shape(x).channels;
  return pick(x, {channels, grid}, picks_of_channels(points, channels, shape(x).points()));
}

int TensorGraph::crop(int x, std::vector<int> begin, std::vector<int> size) {
  const std::vector<int> from = shape(x).grid;
  require_per_axis("crop", "begin", begin, from, 0);
  require_per_axis("crop", "size", size, from);
  for (std::size_t a = 0; a < from.size(); ++a) {
    if (begin[a] + size[a] > from[a]) {
      refuse_tensor(fmt::format("crop: points {} to {} of an axis with {}", begin[a],
                                begin[a] + size[a] - 1, from[a]));
    }
  }
  const Picks points =
      picks_of_points(size, from, [&](std::size_t a, int i) { return begin[a] + i; });
  const int channels = shape(x).channels;
  return pick(x, {channels, size}, picks_of_channels(points, channels, shape(x).points()));
}

int TensorGraph::patch(int x, std::vector<int> sizes) {
  const TensorShape from = shape(x);
  require_boxes("patch", sizes, from.grid);
  const int box = static_cast<int>(TensorShape{1, sizes}.points());
  return pick(x, {from.channels * box, quotients(from.grid, sizes)},
              patch_picks(from.channels, from.grid, sizes));
}

int TensorGraph::unpatch(int x, std::vector<int> sizes) {
  const TensorShape from = shape(x);
  require_per_axis("unpatch", "sizes", sizes, from.grid);
  const int box = static_cast<int>(TensorShape{1, sizes}.points());
  if (from.channels % box != 0) {
    refuse_tensor(
        fmt::format("unpatch: {} channels are no patches of {}", from.channels, sizes_text(sizes)));
  }
  const TensorShape to{from.channels / box, products(from.grid, sizes)};
  const Picks forward = patch_picks(to.channels, to.grid, sizes);
  Picks picks(forward.size());
  for (std::size_t i = 0; i < forward.size(); ++i) {
    picks[static_cast<std::size_t>(forward[i])] = static_cast<std::ptrdiff_t>(i);
  }
  return pick(x, to, std::move(picks));
}

int TensorGraph::along(int x, int axis, int rows, std::vector<double> matrix) {
  TensorShape to = shape(x);
  if (axis < 0 || axis >= static_cast<int>(to.grid.size())) {
    refuse_tensor(fmt::format("along: there is no axis {} in {}", axis, to_string(to)));
  }
  int& length = to.grid[static_cast<std::size_t>(axis)];
  if (rows < 1 ||
      matrix.size() != static_cast<std::size_t>(rows) * static_cast<std::size_t>(length)) {
    refuse_tensor(
        fmt::format("along: {} numbers are no matrix of {} x {}", matrix.size(), rows, length));
  }
  length = rows;
  TensorOperation op{.code = TensorOp::along, .inputs = {x}, .shape = std::move(to), .axis = axis};
  op.fixed = std::make_shared<const std::vector<double>>(std::move(matrix));
  return push(std::move(op));
}

int TensorGraph::sparse(int x, std::shared_ptr<const PointMatrix> matrix, std::vector<int> grid) {
  const TensorShape& from = shape(x);
  if (!matrix || matrix->rows() == 0 || matrix->offsets.front() != 0 ||
      matrix->offsets.back() != matrix->points.size() ||
      matrix->points.size() != matrix->weights.size() ||
      !std::is_sorted(matrix->offsets.begin(), matrix->offsets.end())) {
    refuse_tensor("sparse: offsets, points and weights are no matrix");
  }
  if (matrix->columns != from.points()) {
    refuse_tensor(fmt::format("sparse: a matrix with {} columns for {} points", matrix->columns,
                              from.points()));
  }
  for (const std::size_t p : matrix->points) {
    if (p >= matrix->columns) {
      refuse_tensor(fmt::format("sparse: there is no column {} of {}", p, matrix->columns));
    }
  }
  TensorOperation op{
      .code = TensorOp::sparse, .inputs = {x}, .shape = {from.channels, std::move(grid)}};
  const std::size_t points = op.shape.points();
  if (points == 0 || matrix->rows() % points != 0) {
    refuse_tensor(fmt::format("sparse: a matrix with {} rows for a grid of {}", matrix->rows(),
                              sizes_text(op.shape.grid)));
  }
  op.shape.channels *= static_cast<int>(matrix->rows() / points);
  op.matrix = std::move(matrix);
  return push(std::move(op));
}

int TensorGraph::matrix_over_points(int x, PointMatrix matrix, std::vector<int> grid) {
  matrix.columns = shape(x).points();
  return sparse(x, std::make_shared<const PointMatrix>(std::move(matrix)), std::move(grid));
}

int TensorGraph::interpolate(int x, std::vector<int> grid, Border border) {
  const std::vector<int> from = shape(x).grid;
  require_per_axis("interpolate", "nodes", grid, from);
  if (grid == from) return x;
  const std::vector<std::size_t> strides = strides_of(from);
  PointMatrix matrix;
  matrix.offsets.push_back(0);
  std::vector<Between> axes(grid.size());
  for_each_point(grid, [&](const std::vector<int>& at, std::size_t) {
    for (std::size_t a = 0; a < grid.size(); ++a) {
      axes[a] = between(at[a], grid[a], from[a], border);
    }
    for (unsigned corner = 0; corner < (1u << grid.size()); ++corner) {
      double weight = 1;
      std::size_t p = 0;
      for (std::size_t a = 0; a < grid.size(); ++a) {
        const bool right = (corner >> a & 1u) != 0;
        weight *= right ? axes[a].weight : 1 - axes[a].weight;
        p += strides[a] * static_cast<std::size_t>(right ? axes[a].right : axes[a].left);
      }
      if (weight == 0) continue;
      matrix.points.push_back(p);
      matrix.weights.push_back(weight);
    }
    matrix.offsets.push_back(matrix.points.size());
  });
  return matrix_over_points(x, std::move(matrix), std::move(grid));
}

int TensorGraph::mean_pool(int x, std::vector<int> kernel) {
  const std::vector<int> from = shape(x).grid;
  require_boxes("mean_pool", kernel, from);
  const std::vector<int> grid = quotients(from, kernel);
  const std::vector<std::size_t> strides = strides_of(from);
  const double weight = 1.0 / static_cast<double>(TensorShape{1, kernel}.points());
  PointMatrix matrix;
  matrix.offsets.push_back(0);
  for_each_point(grid, [&](const std::vector<int>& at, std::size_t) {
    for_each_point(kernel, [&](const std::vector<int>& within, std::size_t) {
      std::size_t p = 0;
      for (std::size_t a = 0; a < grid.size(); ++a) {
        p += strides[a] * static_cast<std::size_t>(at[a] * kernel[a] + within[a]);
      }
      matrix.points.push_back(p);
      matrix.weights.push_back(weight);
    });
    matrix.offsets.push_back(matrix.points.size());
  });
  return matrix_over_points(x, std::move(matrix), grid);
}

int TensorGraph::max_pool(int x, std::vector<int> kernel) {
  const TensorShape& from = shape(x);
  require_boxes("max_pool", kernel, from.grid);
  TensorOperation op{.code = TensorOp::max_pool,
                     .inputs = {x},
                     .shape = {from.channels, quotients(from.grid, kernel)}};
  op.convolution.stride = kernel;
  op.convolution.padding.assign(kernel.size(), 0);
  op.convolution.kernel = std::move(kernel);
  return push(std::move(op));
}

int TensorGraph::reduce(int x, std::vector<double> weights) {
  const TensorShape& from = shape(x);
  if (weights.empty()) {
    weights.assign(from.points(), 1 / static_cast<double>(from.points()));
  }
  if (weights.size() != from.points()) {
    refuse_tensor(fmt::format("reduce: {} weights for {} points", weights.size(), from.points()));
  }
  TensorOperation op{.code = TensorOp::reduce, .inputs = {x}, .shape = {from.channels, {}}};
  op.fixed = std::make_shared<const std::vector<double>>(std::move(weights));
  return push(std::move(op));
}

}  // namespace cauchy
