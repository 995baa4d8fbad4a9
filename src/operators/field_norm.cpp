#include "operators/field_norm.hpp"

#include <cmath>
#include <numbers>

#include <cauchy/base/error.hpp>

namespace cauchy::detail {
namespace {

/// Weights of the trapezoidal rule along one axis; of the midpoint rule on its cells, if so asked.
std::vector<double> axis_weights(const FieldGrid::Axis& axis, bool cells) {
  const auto n = static_cast<std::size_t>(axis.n);
  const double h = axis.spacing();
  std::vector<double> w(cells && !axis.periodic ? n - 1 : n, h);
  if (!cells && !axis.periodic) w.front() = w.back() = h / 2;
  return w;
}

/// Weights of the nodes, cells along one axis.
std::vector<double> cell_weights(const FieldGrid& grid, std::size_t axis) {
  std::vector<double> all = {1};
  for (std::size_t k = 0; k < grid.axes.size(); ++k) {
    const std::vector<double> line = axis_weights(grid.axes[k], k == axis);
    std::vector<double> next;
    next.reserve(all.size() * line.size());
    for (const double a : all) {
      for (const double b : line) next.push_back(a * b);
    }
    all = std::move(next);
  }
  return all;
}

}  // namespace

FieldNorm::FieldNorm(const FieldGrid& grid, bool differences)
    : sizes_(grid.sizes()), weights_(grid.weights()) {
  if (!differences) return;
  if (grid.is_cloud()) {
    throw Error("the H1 norm needs a grid, the samples are given at scattered points",
                "[operators]", "use loss = \"relative_l2\"");
  }
  std::size_t stride = grid.n_points();
  for (std::size_t k = 0; k < grid.axes.size(); ++k) {
    const FieldGrid::Axis& axis = grid.axes[k];
    const auto n = static_cast<std::size_t>(axis.n);
    stride /= n;
    std::vector<double> weights = cell_weights(grid, k);
    const double h = axis.spacing();
    for (double& w : weights) w /= h * h;
    differences_.push_back({k, n, stride, axis.periodic, std::move(weights)});
  }
}

FieldNorm FieldNorm::on_sphere(const FieldGrid& grid) {
  constexpr double degrees = 180 / std::numbers::pi;
  const bool is_sphere = grid.axes.size() == 2 && !grid.is_cloud() &&
                         grid.axes[0].name == "latitude" && grid.axes[0].lower >= -90 &&
                         grid.axes[0].upper <= 90;
  if (!is_sphere) {
    throw Error(ErrorKind::unsupported,
                "loss = \"sphere\" needs a grid whose first axis is the latitude in degrees",
                "[train]", "use loss = \"mean_square\"");
  }
  FieldNorm made(grid, false);
  // Of a node the zone half way to its neighbours, at the ends to the poles.
  const FieldGrid::Axis &phi = grid.axes[0], &lambda = grid.axes[1];
  const auto n_lon = static_cast<std::size_t>(lambda.n);
  const double half = phi.spacing() / 2, width = (lambda.upper - lambda.lower) / lambda.n / degrees;
  for (std::size_t i = 0; i < made.weights_.size(); ++i) {
    const auto row = static_cast<int>(i / n_lon);
    const double south = row == 0 ? -90 : phi.node(row) - half;
    const double north = row + 1 == phi.n ? 90 : phi.node(row) + half;
    made.weights_[i] = (std::sin(north / degrees) - std::sin(south / degrees)) * width;
  }
  return made;
}

double FieldNorm::squared(std::span<const double> v) const {
  double sum = 0;
  for (std::size_t i = 0; i < v.size(); ++i) sum += weights_[i] * v[i] * v[i];
  for (const Difference& d : differences_) {
    const std::size_t cells = d.periodic ? d.n : d.n - 1, outer = v.size() / (d.n * d.stride);
    std::size_t at = 0;
    for (std::size_t o = 0; o < outer; ++o) {
      for (std::size_t i = 0; i < cells; ++i) {
        const double* here = &v[(o * d.n + i) * d.stride];
        const double* next = &v[(o * d.n + (i + 1) % d.n) * d.stride];
        for (std::size_t j = 0; j < d.stride; ++j, ++at) {
          sum += d.weights[at] * (next[j] - here[j]) * (next[j] - here[j]);
        }
      }
    }
  }
  return sum;
}

int FieldNorm::add_squared(TensorGraph& g, int value) const {
  int sum = g.reduce(g.function(value, ElementFunction::square), weights_);
  for (const Difference& d : differences_) {
    int difference = -1;
    if (d.periodic) {
      std::vector<int> by(sizes_.size(), 0);
      by[d.axis] = -1;
      difference = g.subtract(g.roll(value, by), value);
    } else {
      std::vector<int> begin(sizes_.size(), 0), size = sizes_;
      --size[d.axis];
      const int here = g.crop(value, begin, size);
      begin[d.axis] = 1;
      difference = g.subtract(g.crop(value, begin, size), here);
    }
    sum = g.add(sum, g.reduce(g.function(difference, ElementFunction::square), d.weights));
  }
  return sum;
}

double FieldNorm::measure() const {
  double sum = 0;
  for (const double w : weights_) sum += w;
  return sum;
}

}  // namespace cauchy::detail
