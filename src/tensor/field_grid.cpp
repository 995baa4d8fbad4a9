#include <cauchy/tensor/field_grid.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

#include "tensor/graph_checks.hpp"

namespace cauchy {

double FieldGrid::Axis::spacing() const noexcept {
  const int intervals = periodic ? n : n - 1;
  return intervals > 0 ? (upper - lower) / intervals : 0;
}

std::vector<int> FieldGrid::sizes() const {
  if (is_cloud()) return {static_cast<int>(n_points())};
  std::vector<int> result;
  for (const Axis& axis : axes) result.push_back(axis.n);
  return result;
}

std::size_t FieldGrid::n_points() const {
  if (is_cloud()) return axes.empty() ? 0 : cloud.size() / axes.size();
  std::size_t n = 1;
  for (const Axis& axis : axes) n *= static_cast<std::size_t>(axis.n);
  return n;
}

std::vector<double> FieldGrid::positions() const {
  if (is_cloud()) return cloud;
  std::vector<double> result;
  result.reserve(n_points() * axes.size());
  detail::for_each_point(sizes(), [&](const std::vector<int>& at, std::size_t) {
    for (std::size_t a = 0; a < axes.size(); ++a) result.push_back(axes[a].node(at[a]));
  });
  return result;
}

std::vector<double> FieldGrid::weights() const {
  if (is_cloud()) {
    if (!cloud_weights.empty()) return cloud_weights;
    double measure = 1;
    for (const Axis& axis : axes) measure *= axis.upper - axis.lower;
    return std::vector<double>(n_points(), measure / static_cast<double>(n_points()));
  }
  // A single node stands for the whole length of its axis.
  const auto weight = [](const Axis& axis, int i) {
    if (axis.n == 1) return axis.upper - axis.lower;
    const bool end = !axis.periodic && (i == 0 || i + 1 == axis.n);
    return end ? axis.spacing() / 2 : axis.spacing();
  };
  std::vector<double> result;
  result.reserve(n_points());
  detail::for_each_point(sizes(), [&](const std::vector<int>& at, std::size_t) {
    double product = 1;
    for (std::size_t a = 0; a < axes.size(); ++a) product *= weight(axes[a], at[a]);
    result.push_back(product);
  });
  return result;
}

FieldGrid FieldGrid::resized(const std::vector<int>& sizes) const {
  if (is_cloud()) {
    throw Error(ErrorKind::unsupported, "a cloud of points has no other resolution", "[tensor]",
                "give other points");
  }
  if (sizes.size() != axes.size()) {
    throw Error(fmt::format("{} sizes for a grid of {} axes", sizes.size(), axes.size()),
                "[tensor]", "give one number of nodes per axis");
  }
  FieldGrid result = *this;
  for (std::size_t a = 0; a < sizes.size(); ++a) {
    if (sizes[a] < 2) {
      throw Error(fmt::format("axis '{}' needs at least 2 nodes, got {}", axes[a].name, sizes[a]),
                  "[tensor]");
    }
    result.axes[a].n = sizes[a];
  }
  return result;
}

std::string to_string(const FieldGrid& grid) {
  std::vector<std::string> intervals;
  for (const FieldGrid::Axis& axis : grid.axes) {
    intervals.push_back(
        fmt::format("[{}, {}{}", axis.lower, axis.upper, axis.periodic ? ")" : "]"));
  }
  return fmt::format("{} on {}",
                     grid.is_cloud() ? fmt::format("{} points", grid.n_points())
                                     : detail::sizes_text(grid.sizes()),
                     fmt::join(intervals, " x "));
}

}  // namespace cauchy
