#include "solvers/trust/bound_sines.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <cauchy/base/error.hpp>

namespace cauchy::detail {
namespace {

constexpr std::size_t cell_points = 3;
/// Cells next to a face are halved so often.
constexpr int face_halvings = 4;
constexpr std::size_t most_axis_points = 900;

/// Gauss points of cells of one axis.
Rule graded_rule(double lower, double upper, std::size_t cells, std::vector<double> cuts) {
  std::vector<double> edges = std::move(cuts);
  const std::size_t fine = cells >= 24 ? face_halvings : cells >= 12 ? 2 : 0;
  const std::size_t plain_cells = std::max<std::size_t>(1, cells - 2 * fine);
  const double h = (upper - lower) / static_cast<double>(plain_cells);
  for (std::size_t k = 0; k <= plain_cells; ++k) {
    edges.push_back(k == plain_cells ? upper : lower + static_cast<double>(k) * h);
  }
  double step = h;
  for (std::size_t k = 0; k < fine; ++k) {
    step /= 2;
    edges.push_back(lower + step);
    edges.push_back(upper - step);
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end(),
                          [&](double a, double b) { return b - a < 1e-9 * (upper - lower); }),
              edges.end());
  const Rule gauss = gauss_legendre(cell_points);
  Rule made;
  for (std::size_t k = 0; k + 1 < edges.size(); ++k) {
    const Rule cell = scaled(gauss, edges[k], edges[k + 1]);
    made.nodes.insert(made.nodes.end(), cell.nodes.begin(), cell.nodes.end());
    made.weights.insert(made.weights.end(), cell.weights.begin(), cell.weights.end());
  }
  return made;
}

}  // namespace

SineGrid::SineGrid(Bounds box, std::size_t max_points, std::span<const BoundForm::Plane> cuts)
    : box_(std::move(box)) {
  if (box_.lower.size() > 3) {
    throw Error("a grid of sines has at most three dimensions", "[solvers.error_bounds]");
  }
  const std::size_t d = box_.lower.size();
  const double share = std::pow(static_cast<double>(max_points), 1 / static_cast<double>(d));
  const std::size_t cells = std::clamp<std::size_t>(
      static_cast<std::size_t>(share + 1e-9) / cell_points, 2, most_axis_points / cell_points);
  modes_ = std::max<std::size_t>(2, cells / 2);
  for (std::size_t k = 0; k < d; ++k) {
    std::vector<double> mine;
    for (const BoundForm::Plane& p : cuts) {
      if (p.axis == k && p.at > box_.lower[k] && p.at < box_.upper[k]) mine.push_back(p.at);
    }
    axes_.push_back(graded_rule(box_.lower[k], box_.upper[k], cells, std::move(mine)));
  }
  weights_ = {1};
  for (const Rule& axis : axes_) {
    std::vector<double> next;
    for (const double w : weights_) {
      for (const double v : axis.weights) next.push_back(w * v);
    }
    weights_ = std::move(next);
  }
}

std::vector<double> SineGrid::row(std::size_t point) const {
  std::vector<double> made(axes_.size());
  for (std::size_t k = axes_.size(); k-- > 0; point /= axes_[k].size()) {
    made[k] = axes_[k].nodes[point % axes_[k].size()];
  }
  return made;
}

Points SineGrid::points(const BoundForm& form, std::optional<double> time,
                        std::vector<std::size_t>& inside) const {
  Points made;
  made.columns = form.problem->coordinates();
  inside.clear();
  for (std::size_t i = 0; i < size(); ++i) {
    const std::vector<double> x = row(i);
    if (!form.is_box && !form.shape->contains(x.data())) continue;
    inside.push_back(i);
    if (time) made.values.push_back(*time);
    made.values.insert(made.values.end(), x.begin(), x.end());
  }
  return made;
}

Points SineGrid::points_on(const BoundForm& form, BoundForm::Plane plane,
                           std::vector<std::size_t>& inside) const {
  Points made;
  made.columns = form.problem->coordinates();
  inside.clear();
  const std::size_t n = size() / axes_[plane.axis].size(), d = axes_.size();
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<double> x(d);
    std::size_t rest = i;
    for (std::size_t k = d; k-- > 0;) {
      if (k == plane.axis) {
        x[k] = plane.at;
        continue;
      }
      x[k] = axes_[k].nodes[rest % axes_[k].size()];
      rest /= axes_[k].size();
    }
    if (!form.is_box && !form.shape->contains(x.data())) continue;
    inside.push_back(i);
    made.values.insert(made.values.end(), x.begin(), x.end());
  }
  return made;
}

std::vector<double> SineGrid::weights_on(std::size_t axis) const {
  std::vector<double> made = {1};
  for (std::size_t k = 0; k < axes_.size(); ++k) {
    if (k == axis) continue;
    std::vector<double> next;
    for (const double w : made) {
      for (const double v : axes_[k].weights) next.push_back(w * v);
    }
    made = std::move(next);
  }
  return made;
}

double SineGrid::wave(std::size_t axis, std::size_t k) const {
  return static_cast<double>(k) * std::numbers::pi / (box_.upper[axis] - box_.lower[axis]);
}

/// One axis after the other: the first axis of what is left goes, its modes come behind the others,
/// so that in the end the axes stand in their order.
std::vector<double> SineGrid::contracted(std::vector<double> values,
                                         std::optional<std::size_t> along,
                                         std::optional<std::size_t> left_out) const {
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    if (left_out == a) continue;
    const Rule& axis = axes_[a];
    const std::size_t n = axis.size(), rest = values.size() / n;
    const double length = box_.upper[a] - box_.lower[a], norm = std::sqrt(2 / length);
    std::vector<double> table(n * modes_), next(rest * modes_, 0.0);
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t k = 0; k < modes_; ++k) {
        const double w = wave(a, k + 1), x = axis.nodes[j] - box_.lower[a];
        table[j * modes_ + k] =
            norm * axis.weights[j] * (along == a ? w * std::cos(w * x) : std::sin(w * x));
      }
    }
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t r = 0; r < rest; ++r) {
        const double v = values[j * rest + r];
        if (v == 0) continue;
        for (std::size_t k = 0; k < modes_; ++k) next[r * modes_ + k] += v * table[j * modes_ + k];
      }
    }
    values = std::move(next);
  }
  return values;
}

std::vector<double> SineGrid::coefficients(std::span<const double> values,
                                           std::optional<std::size_t> along) const {
  return contracted({values.begin(), values.end()}, along, {});
}

std::vector<double> SineGrid::coefficients_on(BoundForm::Plane plane,
                                              std::span<const double> values,
                                              double& square) const {
  const std::vector<double> own = contracted({values.begin(), values.end()}, {}, plane.axis);
  square = 0;
  for (const double v : own) square += v * v;
  const double length = box_.upper[plane.axis] - box_.lower[plane.axis];
  std::size_t behind = 1;  // coefficients of the axes behind that of the surface
  for (std::size_t k = plane.axis + 1; k < axes_.size(); ++k) behind *= modes_;
  std::vector<double> made(own.size() * modes_);
  for (std::size_t i = 0; i < made.size(); ++i) {
    const std::size_t k = i / behind % modes_, other = i / (behind * modes_) * behind + i % behind;
    made[i] = own[other] * std::sqrt(2 / length) *
              std::sin(wave(plane.axis, k + 1) * (plane.at - box_.lower[plane.axis]));
  }
  return made;
}

std::vector<double> SineGrid::eigenvalues(std::span<const double> factors) const {
  std::vector<double> made = {0};
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    std::vector<double> next;
    for (const double v : made) {
      for (std::size_t k = 1; k <= modes_; ++k)
        next.push_back(v + factors[a] * wave(a, k) * wave(a, k));
    }
    made = std::move(next);
  }
  return made;
}

double SineGrid::first_eigenvalue(std::span<const double> factors) const {
  double made = 0;
  for (std::size_t a = 0; a < axes_.size(); ++a) made += factors[a] * wave(a, 1) * wave(a, 1);
  return made;
}

double SineGrid::next_eigenvalue(std::span<const double> factors) const {
  const double first = first_eigenvalue(factors);
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    const double w = wave(a, modes_ + 1), one = wave(a, 1);
    least = std::min(least, first + factors[a] * (w * w - one * one));
  }
  return least;
}

}  // namespace cauchy::detail
