#include "networks/fields/point_set.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/rng.hpp>

namespace cauchy::detail {
namespace {

void check_box(const FieldGrid& grid, std::string_view place) {
  if (grid.axes.empty() || grid.axes.size() > 3) {
    throw Error(fmt::format("a grid has 1 to 3 axes, got {}", grid.axes.size()), place);
  }
  for (const FieldGrid::Axis& axis : grid.axes) {
    if (axis.upper > axis.lower && std::isfinite(axis.upper - axis.lower)) continue;
    throw Error(fmt::format("axis '{}' goes from {} to {}", axis.name, axis.lower, axis.upper),
                place, "give it a positive length");
  }
  if (!grid.is_cloud()) return;
  if (grid.cloud.size() % grid.axes.size() != 0) {
    throw Error(fmt::format("a cloud of {} numbers has no points of {} coordinates",
                            grid.cloud.size(), grid.axes.size()),
                place);
  }
  if (!grid.cloud_weights.empty() && grid.cloud_weights.size() != grid.n_points()) {
    throw Error(fmt::format("{} weights for {} points of a cloud", grid.cloud_weights.size(),
                            grid.n_points()),
                place, "give one for each");
  }
}

/// Weights that add up to 1.
void scale_weights(std::vector<double>& weights, std::string_view place) {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  const bool negative = std::any_of(weights.begin(), weights.end(), [](double w) { return w < 0; });
  if (negative || !(sum > 0) || !std::isfinite(sum)) {
    throw Error("weights of points must not be negative and add up to more than 0", place);
  }
  for (double& w : weights) w /= sum;
}

/// Index of the point of `chosen` that is nearest to point i; the first of several.
std::size_t nearest_chosen(const PointSet& points, std::size_t i,
                           std::span<const std::size_t> chosen) {
  std::size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t c = 0; c < chosen.size(); ++c) {
    const double d2 = points.distance2(points.at(i), points.at(chosen[c]));
    if (d2 < least) least = d2, best = c;
  }
  return best;
}

}  // namespace

double PointSet::distance2(std::span<const double> a, std::span<const double> b) const {
  double sum = 0;
  for (std::size_t k = 0; k < axes(); ++k) {
    double d = std::abs(a[k] - b[k]);
    if (periodic[k]) d = std::min(d, std::abs(1 - d));
    sum += d * d;
  }
  return sum;
}

PointSet points_of(const FieldGrid& grid, std::string_view place) {
  check_box(grid, place);
  PointSet points{{}, grid.positions(), grid.weights()};
  for (const FieldGrid::Axis& axis : grid.axes) points.periodic.push_back(axis.periodic);
  for (std::size_t i = 0; i < points.positions.size(); ++i) {
    const FieldGrid::Axis& axis = grid.axes[i % grid.axes.size()];
    double& x = points.positions[i];
    if (!std::isfinite(x)) throw Error("coordinates of points must be finite", place);
    x = (x - axis.lower) / (axis.upper - axis.lower);
  }
  scale_weights(points.weights, place);
  return points;
}

PointSet patches_of(const FieldGrid& grid, const std::vector<int>& patch, std::string_view place) {
  PointSet points = points_of(grid, place);
  if (std::all_of(patch.begin(), patch.end(), [](int p) { return p == 1; })) return points;
  const std::size_t d = grid.axes.size();
  std::size_t n_patches = 1, n_inside = 1;
  for (std::size_t a = 0; a < d; ++a) {
    n_patches *= static_cast<std::size_t>(grid.axes[a].n / patch[a]);
    n_inside *= static_cast<std::size_t>(patch[a]);
  }
  PointSet centres{points.periodic, std::vector<double>(n_patches * d, 0.0),
                   std::vector<double>(n_patches, 0.0)};
  for (std::size_t i = 0; i < points.size(); ++i) {
    // Row-major number of the patch of point i, axis by axis from the last.
    std::size_t rest = i, patch_number = 0, stride = 1;
    for (std::size_t a = d; a-- > 0;) {
      const auto n = static_cast<std::size_t>(grid.axes[a].n);
      const auto p = static_cast<std::size_t>(patch[a]);
      patch_number += rest % n / p * stride;
      rest /= n;
      stride *= n / p;
    }
    centres.weights[patch_number] += points.weights[i];
    for (std::size_t a = 0; a < d; ++a) {
      centres.positions[patch_number * d + a] +=
          points.positions[i * d + a] / static_cast<double>(n_inside);
    }
  }
  return centres;
}

std::vector<std::size_t> farthest_first(const PointSet& points, std::size_t m, std::uint64_t seed) {
  std::vector<double> start(points.axes());
  Rng(seed).fill_uniform(start);
  // Distances to the chosen points; before the first one those to the start, with the sign turned,
  // so that the farthest is the nearest to it.
  std::vector<double> distance(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    distance[i] = -points.distance2(points.at(i), start);
  }
  std::vector<std::size_t> chosen;
  for (std::size_t k = 0; k < std::min(m, points.size()); ++k) {
    const auto far = std::max_element(distance.begin(), distance.end());
    const auto next = static_cast<std::size_t>(far - distance.begin());
    chosen.push_back(next);
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double d2 = points.distance2(points.at(i), points.at(next));
      distance[i] = k == 0 ? d2 : std::min(distance[i], d2);
    }
    // Points that coincide with a chosen one stay behind it.
    distance[next] = -1;
  }
  return chosen;
}

PointSet chosen_points(const PointSet& points, std::span<const std::size_t> chosen) {
  PointSet result{points.periodic, {}, std::vector<double>(chosen.size(), 0.0)};
  for (const std::size_t i : chosen) {
    const std::span<const double> x = points.at(i);
    result.positions.insert(result.positions.end(), x.begin(), x.end());
  }
  for (std::size_t i = 0; i < points.size(); ++i) {
    result.weights[nearest_chosen(points, i, chosen)] += points.weights[i];
  }
  return result;
}

std::shared_ptr<const PointMatrix> taking(std::size_t columns, std::vector<std::size_t> points) {
  auto matrix = std::make_shared<PointMatrix>();
  matrix->columns = columns;
  matrix->weights.assign(points.size(), 1.0);
  matrix->offsets.resize(points.size() + 1);
  std::iota(matrix->offsets.begin(), matrix->offsets.end(), std::size_t{0});
  matrix->points = std::move(points);
  return matrix;
}

int at_points(TensorGraph& graph, int x, std::span<const std::size_t> chosen) {
  return graph.sparse(x, taking(graph.shape(x).points(), {chosen.begin(), chosen.end()}),
                      {static_cast<int>(chosen.size())});
}

int add_positions(TensorGraph& graph, const PointSet& points, int harmonics,
                  std::vector<int> sizes) {
  std::vector<double> features;
  int channels = 0;
  for (std::size_t a = 0; a < points.axes(); ++a) {
    const auto add = [&](auto&& feature) {
      for (std::size_t i = 0; i < points.size(); ++i) features.push_back(feature(points.at(i)[a]));
      ++channels;
    };
    if (!points.periodic[a]) add([](double x) { return x; });
    const double period = (points.periodic[a] ? 2 : 1) * std::numbers::pi;
    const int least = points.periodic[a] ? 1 : 0;
    for (int k = 1; k <= std::max(harmonics, least); ++k) {
      add([&](double x) { return std::cos(period * k * x); });
      add([&](double x) { return std::sin(period * k * x); });
    }
  }
  return graph.constant({channels, std::move(sizes)}, std::move(features));
}

}  // namespace cauchy::detail
