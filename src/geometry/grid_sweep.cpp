#include "geometry/grid_sweep.hpp"

#include <algorithm>
#include <cmath>

namespace cauchy::detail {
namespace {

/// Weights of a second difference with arms a (below) and b (above), in units of the smoothing:
/// exact for 1, exp(x) and exp(-x). {of the lower neighbour, of the upper neighbour}
std::array<double, 2> fitted_weights(double a, double b) {
  const auto cosh_minus_one = [](double q) {
    const double half = std::sinh(0.5 * q);
    return 2 * half * half;
  };
  const double sa = std::sinh(a), sb = std::sinh(b);
  const double scale = sa * cosh_minus_one(b) + sb * cosh_minus_one(a);
  return {sb / scale, sa / scale};
}

}  // namespace

GridSweep::GridSweep(std::span<const std::size_t> nodes, std::span<const double> spacing,
                     double smoothing, FunctionRef<bool(std::size_t)> node_inside,
                     FunctionRef<double(std::size_t, std::size_t)> crossing)
    : nodes_(nodes.begin(), nodes.end()), stride_(nodes.size()), smoothing_(smoothing) {
  const std::size_t d = nodes_.size();
  std::size_t total = 1;
  for (std::size_t i = d; i-- > 0;) {
    stride_[i] = total;
    total *= nodes_[i];
  }
  cut_.assign(total, regular);
  inside_.resize(total);
  for (std::size_t node = 0; node < total; ++node) inside_[node] = node_inside(node) ? 1 : 0;

  double sum = 0;
  for (std::size_t i = 0; i < d; ++i) {
    regular_weight_[i] = fitted_weights(spacing[i] / smoothing, spacing[i] / smoothing)[0];
    sum += 2 * regular_weight_[i];
  }
  regular_offset_ = std::log1p(sum);

  // Shares from bisection are no better than this.
  constexpr double shortest = 1e-12;
  for (std::size_t node = 0; node < total; ++node) {
    Cut cut;
    bool is_regular = true, any_boundary = false;
    double weights = 0;
    for (std::size_t i = 0; i < d; ++i) {
      const std::size_t k = node / stride_[i] % nodes_[i];
      const bool exists[2] = {k > 0, k + 1 < nodes_[i]};
      double arm[2] = {1, 1};
      for (std::size_t side = 0; side < 2; ++side) {
        if (!exists[side]) continue;
        const std::size_t next = side ? node + stride_[i] : node - stride_[i];
        if (inside_[next] == inside_[node]) continue;
        const double share = side ? crossing(node, i) : 1 - crossing(next, i);
        arm[side] = std::clamp(share, shortest, 1.0);
        cut.boundary[2 * i + side] = true;
        any_boundary = true;
      }
      const bool both = exists[0] && exists[1];
      is_regular = is_regular && both && !cut.boundary[2 * i] && !cut.boundary[2 * i + 1];
      if (!both) {  // a mirror: the arm that exists counts twice
        const double only = exists[0] ? arm[0] : arm[1];
        const auto w = fitted_weights(only * spacing[i] / smoothing, only * spacing[i] / smoothing);
        cut.weight[2 * i + (exists[0] ? 0 : 1)] = 2 * w[0];
      } else {
        const auto w =
            fitted_weights(arm[0] * spacing[i] / smoothing, arm[1] * spacing[i] / smoothing);
        cut.weight[2 * i] = w[0];
        cut.weight[2 * i + 1] = w[1];
      }
      weights += cut.weight[2 * i] + cut.weight[2 * i + 1];
    }
    if (is_regular) continue;
    cut.offset = std::log1p(weights);
    cut_[node] = static_cast<std::uint32_t>(edges_.size());
    edges_.push_back(cut);
    if (any_boundary) cuts_.push_back(node);
  }
  start(spacing);
}

double GridSweep::update(std::size_t node) const {
  const std::size_t d = nodes_.size();
  double value[6] = {}, weight[6] = {};
  std::size_t count = 0;
  double offset = regular_offset_;
  if (cut_[node] == regular) {
    for (std::size_t i = 0; i < d; ++i) {
      value[count] = u_[node - stride_[i]];
      weight[count++] = regular_weight_[i];
      value[count] = u_[node + stride_[i]];
      weight[count++] = regular_weight_[i];
    }
  } else {
    const Cut& cut = edges_[cut_[node]];
    offset = cut.offset;
    for (std::size_t k = 0; k < 2 * d; ++k) {
      if (cut.weight[k] == 0) continue;
      const std::size_t stride = stride_[k / 2];
      value[count] = cut.boundary[k] ? 0 : u_[k % 2 ? node + stride : node - stride];
      weight[count++] = cut.weight[k];
    }
  }
  double smallest = INFINITY;
  for (std::size_t k = 0; k < count; ++k) smallest = std::min(smallest, value[k]);
  double sum = 0;
  for (std::size_t k = 0; k < count; ++k) {
    sum += weight[k] * std::exp((smallest - value[k]) / smoothing_);
  }
  return smallest + smoothing_ * (offset - std::log(sum));
}

template <class Visit>
void GridSweep::sweep(const Visit& visit) const {
  const std::size_t d = nodes_.size();
  // Axes that do not exist have one node.
  std::array<std::size_t, 3> n{1, 1, 1}, stride{0, 0, 0};
  for (std::size_t i = 0; i < d; ++i) {
    n[i] = nodes_[i];
    stride[i] = stride_[i];
  }
  for (std::size_t order = 0; order < (std::size_t{1} << d); ++order) {
    const auto at = [&](std::size_t axis, std::size_t k) {
      return ((order >> axis) & 1 ? n[axis] - 1 - k : k) * stride[axis];
    };
    for (std::size_t a = 0; a < n[0]; ++a) {
      for (std::size_t b = 0; b < n[1]; ++b) {
        const std::size_t line = at(0, a) + at(1, b);
        for (std::size_t c = 0; c < n[2]; ++c) visit(line + at(2, c));
      }
    }
  }
}

void GridSweep::start(std::span<const double> spacing) {
  u_.assign(inside_.size(), INFINITY);
  for (const std::size_t node : cuts_) u_[node] = *std::max_element(spacing.begin(), spacing.end());
  bool changed = !cuts_.empty();
  while (changed) {
    changed = false;
    sweep([&](std::size_t node) {
      for (std::size_t i = 0; i < nodes_.size(); ++i) {
        const std::size_t k = node / stride_[i] % nodes_[i];
        for (std::size_t side = 0; side < 2; ++side) {
          if (side ? k + 1 == nodes_[i] : k == 0) continue;
          const std::size_t next = side ? node + stride_[i] : node - stride_[i];
          if (inside_[next] != inside_[node] || !(u_[next] + spacing[i] < u_[node])) continue;
          u_[node] = u_[next] + spacing[i];
          changed = true;
        }
      }
    });
  }
}

double GridSweep::round() {
  // The best factor for the smooth errors of v: the system in log v has the same spectrum. Where v
  // is not yet right by a factor of 2 the plain step is safer, and next to mirrors over-relaxation
  // in alternating orders is slow.
  const double rho = -std::expm1(-regular_offset_);
  const double relaxation = 2 / (1 + std::sqrt(1 - rho * rho));
  double change = 0;
  sweep([&](std::size_t node) {
    double next = update(node);
    const double ratio = 1 + relaxation * std::expm1((u_[node] - next) / smoothing_);
    if (cut_[node] == regular && ratio > 0.5 && ratio < 2)
      next = u_[node] - smoothing_ * std::log(ratio);
    change = std::max(change, std::abs(next - u_[node]));
    u_[node] = next;
  });
  return change;
}

std::vector<double> GridSweep::signed_values() const {
  std::vector<double> values(u_.size());
  for (std::size_t i = 0; i < u_.size(); ++i) values[i] = inside_[i] ? u_[i] : -u_[i];
  return values;
}

}  // namespace cauchy::detail
