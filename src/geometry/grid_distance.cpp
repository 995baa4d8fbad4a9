#include <cauchy/geometry/grid_distance.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

#include "geometry/grid_sweep.hpp"

namespace cauchy {
namespace {

constexpr const char* grid_distance_place = "[geometry.grid_distance]";
constexpr std::size_t max_nodes = std::size_t{1} << 27;

void check_box(const Bounds& box) {
  const std::size_t d = box.lower.size();
  if (d < 1 || d > 3 || box.upper.size() != d) {
    throw Error(fmt::format("a grid needs a box of 1, 2 or 3 dimensions, got {} lower and {} upper "
                            "ends",
                            d, box.upper.size()),
                grid_distance_place, "use the distance of the shape itself in more dimensions");
  }
  for (std::size_t i = 0; i < d; ++i) {
    if (!std::isfinite(box.lower[i]) || !std::isfinite(box.upper[i]) ||
        !(box.lower[i] < box.upper[i])) {
      throw Error(fmt::format("the box must be finite and not empty, coordinate {} runs from {} to "
                              "{}",
                              i + 1, box.lower[i], box.upper[i]),
                  grid_distance_place, "give a finite box around the region");
    }
  }
}

std::vector<std::size_t> nodes_for(const Bounds& box, std::size_t cells) {
  check_box(box);
  if (cells < 2 || cells >= max_nodes) {
    throw Error(fmt::format("the number of cells must be from 2 to 2^27, got {}", cells),
                grid_distance_place, "64 is a good start");
  }
  double longest = 0;
  for (std::size_t i = 0; i < box.lower.size(); ++i) {
    longest = std::max(longest, box.upper[i] - box.lower[i]);
  }
  std::vector<std::size_t> nodes;
  for (std::size_t i = 0; i < box.lower.size(); ++i) {
    const double share = (box.upper[i] - box.lower[i]) / longest;
    nodes.push_back(1 + std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(
                                                     share * static_cast<double>(cells)))));
  }
  return nodes;
}

Bounds widened(const Shape& shape) {
  Bounds box = shape.bounds();
  double longest = 0;
  for (std::size_t i = 0; i < box.lower.size(); ++i) {
    longest = std::max(longest, box.upper[i] - box.lower[i]);
  }
  for (std::size_t i = 0; i < box.lower.size(); ++i) {
    box.lower[i] -= 0.1 * longest;
    box.upper[i] += 0.1 * longest;
  }
  return box;
}

}  // namespace

GridDistance::GridDistance(Bounds box, std::vector<std::size_t> nodes,
                           const GridDistanceOptions& options)
    : box_(std::move(box)), nodes_(std::move(nodes)) {
  check_box(box_);
  if (!(options.tolerance > 0) || options.max_rounds < 1) {
    throw Error("tolerance and max_rounds must be positive", grid_distance_place,
                "leave them at their defaults");
  }
  std::size_t total = 1;
  double widest = 0;
  for (std::size_t i = 0; i < dimension(); ++i) {
    if (nodes_[i] < 2 || nodes_[i] > max_nodes / total) {
      throw Error(fmt::format("a grid needs 2 nodes or more along each coordinate and at most 2^27 "
                              "in all, got {} along coordinate {}",
                              nodes_[i], i + 1),
                  grid_distance_place, "use fewer cells");
    }
    total *= nodes_[i];
    spacing_.push_back((box_.upper[i] - box_.lower[i]) / static_cast<double>(nodes_[i] - 1));
    widest = std::max(widest, spacing_[i]);
  }
  smoothing_ = options.smoothing == 0 ? widest : options.smoothing;
  if (!(smoothing_ >= widest / 8) || !std::isfinite(smoothing_)) {
    throw Error(fmt::format("the smoothing must be at least 1/8 of the grid spacing {}, got {}",
                            widest, options.smoothing),
                grid_distance_place, "use more cells, or 0 for the spacing itself");
  }
}

GridDistance::GridDistance(const Bounds& box, Inside inside, const GridDistanceOptions& options)
    : GridDistance(box, nodes_for(box, options.cells), options) {
  const auto point = [this](std::size_t node) {
    std::array<double, 3> x{};
    for (std::size_t i = dimension(); i-- > 0; node /= nodes_[i]) {
      const std::size_t k = node % nodes_[i];
      x[i] =
          k + 1 == nodes_[i] ? box_.upper[i] : box_.lower[i] + static_cast<double>(k) * spacing_[i];
    }
    return x;
  };
  // Share of the way to the next node along the axis at which the region begins or ends.
  const auto crossing = [&](std::size_t node, std::size_t axis) {
    std::array<double, 3> x = point(node);
    const double start = x[axis];
    const bool side = inside(x.data());
    double same = 0, other = 1;
    for (int k = 0; k < 40; ++k) {
      const double middle = 0.5 * (same + other);
      x[axis] = start + middle * spacing_[axis];
      (inside(x.data()) == side ? same : other) = middle;
    }
    return 0.5 * (same + other);
  };
  solve([&](std::size_t node) { return inside(point(node).data()); }, crossing, options);
}

GridDistance::GridDistance(const Shape& shape, const GridDistanceOptions& options)
    : GridDistance(
          widened(shape), [&shape](const double* x) { return shape.contains(x); }, options) {}

GridDistance GridDistance::from_mask(const Bounds& box, std::span<const std::size_t> nodes,
                                     std::span<const std::uint8_t> mask,
                                     const GridDistanceOptions& options) {
  check_box(box);
  std::size_t total = nodes.size() == box.lower.size() ? 1 : 0;
  for (const std::size_t n : nodes) total = n > max_nodes ? 0 : std::min(total * n, 2 * max_nodes);
  if (total != mask.size() || total == 0) {
    throw Error(fmt::format("the mask has {} values for a grid of {} nodes", mask.size(), total),
                grid_distance_place, "give one value for each node");
  }
  GridDistance result(box, std::vector<std::size_t>(nodes.begin(), nodes.end()), options);
  result.solve([&](std::size_t node) { return mask[node] != 0; },
               [](std::size_t, std::size_t) { return 0.5; }, options);
  return result;
}

void GridDistance::solve(FunctionRef<bool(std::size_t)> node_inside,
                         FunctionRef<double(std::size_t, std::size_t)> crossing,
                         const GridDistanceOptions& options) {
  detail::GridSweep sweep(nodes_, spacing_, smoothing_, node_inside, crossing);
  if (!sweep.has_boundary()) {
    throw Error("the boundary of the region does not cross the grid", grid_distance_place,
                "give a box that holds part of the boundary, or more cells for a thin region");
  }
  status_ = Status::budget_exhausted;
  for (rounds_ = 1; rounds_ <= options.max_rounds; ++rounds_) {
    if (sweep.round() <= options.tolerance * smoothing_) {
      status_ = Status::converged;
      break;
    }
  }
  rounds_ = std::min(rounds_, options.max_rounds);
  values_ = sweep.signed_values();
}

double GridDistance::distance(const double* x) const {
  std::array<double, 3> unused{};
  return gradient(x, unused.data());
}

double GridDistance::gradient(const double* x, double* gradient) const {
  const std::size_t d = dimension();
  std::array<std::size_t, 3> cell{};
  std::array<double, 3> share{};
  double outside = 0;
  for (std::size_t i = 0; i < d; ++i) {
    const double inside = std::clamp(x[i], box_.lower[i], box_.upper[i]);
    if (std::isnan(inside)) {
      std::fill(gradient, gradient + d, inside);
      return inside;
    }
    outside = std::hypot(outside, x[i] - inside);
    const double position = (inside - box_.lower[i]) / spacing_[i];
    cell[i] = std::min(static_cast<std::size_t>(position), nodes_[i] - 2);
    share[i] = position - static_cast<double>(cell[i]);
    gradient[i] = 0;
  }
  double value = 0;
  for (std::size_t corner = 0; corner < (std::size_t{1} << d); ++corner) {
    std::size_t node = 0;
    for (std::size_t i = 0; i < d; ++i) node = node * nodes_[i] + cell[i] + ((corner >> i) & 1);
    double weight = 1;
    for (std::size_t i = 0; i < d; ++i) weight *= (corner >> i) & 1 ? share[i] : 1 - share[i];
    value += weight * values_[node];
    for (std::size_t i = 0; i < d; ++i) {
      double slope = (corner >> i) & 1 ? 1 / spacing_[i] : -1 / spacing_[i];
      for (std::size_t j = 0; j < d; ++j) {
        if (j != i) slope *= (corner >> j) & 1 ? share[j] : 1 - share[j];
      }
      gradient[i] += slope * values_[node];
    }
  }
  return value - outside;
}

}  // namespace cauchy
