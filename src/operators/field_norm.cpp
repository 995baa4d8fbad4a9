#include "operators/field_norm.hpp"

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
