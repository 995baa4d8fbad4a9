#include "operators/residual_norm.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "operators/grid_derivative.hpp"

namespace cauchy::detail {
namespace {

/// An orthonormal transform of m nodes, and the eigenvalue of -d^2/dx^2 of every mode.
struct Modes {
  PointMatrix matrix;
  std::vector<double> eigenvalues;
};

Modes modes_of(const FieldGrid::Axis& axis, int m) {
  const double length = axis.upper - axis.lower, pi = std::numbers::pi;
  const auto n = static_cast<std::size_t>(m);
  Modes all{{.columns = n, .offsets = {0}, .points = {}, .weights = {}}, {}};
  for (int i = 0; i < m; ++i) {
    const int k = axis.periodic ? (i + 1) / 2 : i + 1;
    const double turns = (axis.periodic ? 2 : 1) * pi * k;
    double square = 0;
    for (int j = 0; j < m; ++j) {
      const double angle = axis.periodic ? turns * j / m : turns * (j + 1) / (m + 1);
      const double v = axis.periodic && i % 2 == 0 ? std::cos(angle) : std::sin(angle);
      all.matrix.points.push_back(static_cast<std::size_t>(j));
      all.matrix.weights.push_back(v);
      square += v * v;
    }
    // The last of an even number of modes on a circle is a cosine: its sine is 0 at all nodes.
    if (square < 0.25) {
      for (int j = 0; j < m; ++j) {
        all.matrix.weights[all.matrix.weights.size() - n + static_cast<std::size_t>(j)] =
            j % 2 == 0 ? 1 : -1;
      }
      square = m;
    }
    for (std::size_t j = all.matrix.weights.size() - n; j < all.matrix.weights.size(); ++j) {
      all.matrix.weights[j] /= std::sqrt(square);
    }
    all.matrix.offsets.push_back(all.matrix.points.size());
    all.eigenvalues.push_back(turns * turns / (length * length));
  }
  return all;
}

}  // namespace

ResidualNorm::ResidualNorm(const PhysicsValues& values, std::vector<double> weights, NodeBox box,
                           double smoothing)
    : box_(std::move(box)) {
  const std::vector<int>& sizes = values.sizes();
  whole_ = box_.size == sizes;
  const std::size_t d = sizes.size(), before = values.place().times.empty() ? 0 : 1;
  // The weights of the box.
  std::vector<int> at(d, 0);
  for (const double w : weights) {
    bool inside = true;
    for (std::size_t a = 0; a < d; ++a) {
      inside = inside && at[a] >= box_.begin[a] && at[a] < box_.begin[a] + box_.size[a];
    }
    if (inside) weights_.push_back(w);
    for (std::size_t a = d; a-- > 0;) {
      if (++at[a] < sizes[a]) break;
      at[a] = 0;
    }
  }
  double sum = 0;
  for (const double w : weights_) sum += w;
  for (double& w : weights_) w /= sum;
  if (smoothing == 0) return;
  std::vector<std::vector<double>> eigenvalues;
  double lowest = INFINITY;
  for (std::size_t a = before; a < d; ++a) {
    Modes modes = modes_of(values.place().space.axes[a - before], box_.size[a]);
    for (const double v : modes.eigenvalues) {
      if (v > 0) lowest = std::min(lowest, v);
    }
    eigenvalues.push_back(std::move(modes.eigenvalues));
    transforms_.push_back({a, std::move(modes.matrix)});
  }
  std::fill(at.begin(), at.end(), 0);
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    double lambda = 0;
    for (std::size_t a = before; a < d; ++a) {
      lambda += eigenvalues[a - before][static_cast<std::size_t>(at[a])];
    }
    filter_.push_back(std::pow(1 + lambda / lowest, -smoothing));
    for (std::size_t a = d; a-- > 0;) {
      if (++at[a] < box_.size[a]) break;
      at[a] = 0;
    }
  }
}

int ResidualNorm::add_mean_square(TensorGraph& g, int value) const {
  if (!whole_) value = g.crop(value, box_.begin, box_.size);
  if (filter_.empty()) return g.reduce(g.function(value, ElementFunction::square), weights_);
  std::vector<double> roots;
  for (const double w : weights_) roots.push_back(std::sqrt(w));
  value = g.multiply(value, g.constant({1, box_.size}, std::move(roots)));
  for (const Transform& t : transforms_) value = add_along(g, value, t.axis, t.matrix);
  return g.reduce(g.function(value, ElementFunction::square), filter_);
}

}  // namespace cauchy::detail
