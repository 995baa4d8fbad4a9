#include "solvers/trust/bound_tube.hpp"

#include <algorithm>
#include <cmath>

#include <cauchy/base/rng.hpp>

#include "expr/inertia.hpp"

namespace cauchy::detail {
namespace {

constexpr double tube_infinity = std::numeric_limits<double>::infinity();
/// Beyond this multiple of the sizes a bound says nothing more.
constexpr double hopeless_bound = 1e8;
constexpr int most_balls = 8;

/// (exp(x) - 1) / x.
double exponential_mean(double x) { return std::abs(x) < 1e-12 ? 1 + x / 2 : std::expm1(x) / x; }

/// NaN wins.
double larger_rate(double a, double b) { return b <= a || std::isnan(a) ? a : b; }

double length_of(std::span<const double> way, StateNorm norm) {
  double made = 0;
  for (const double v : way) {
    made = norm == StateNorm::euclidean ? std::hypot(made, v) : larger_rate(made, std::abs(v));
  }
  return made;
}

}  // namespace

std::vector<double> balanced_sizes(const OdeSystem& system, TubeCurve curve,
                                   std::span<const double> edges, std::span<const double> sizes) {
  constexpr std::size_t looks = 50;
  const std::size_t n = sizes.size(), intervals = edges.size() - 1;
  Matrix mean(n, n), j;
  std::vector<double> y(n), dy(n);
  for (std::size_t q = 0; q < looks; ++q) {
    const std::size_t k = q * intervals / looks;
    const double t = edges[k] + tube_place[1] * (edges[k + 1] - edges[k]);
    curve(k * tube_points + 1, t, y, dy);
    system.slope_jacobian(t, y, j);
    for (std::size_t i = 0; i < n * n; ++i) mean.data()[i] += std::abs(j.data()[i]);
  }
  std::vector<double> made(sizes.begin(), sizes.end());
  for (int sweep = 0; sweep < 50; ++sweep) {
    for (std::size_t i = 0; i < n; ++i) {
      double row = 0, column = 0;
      for (std::size_t k = 0; k < n; ++k) {
        if (k == i) continue;
        row += mean(i, k) * made[k] / made[i];
        column += mean(k, i) * made[i] / made[k];
      }
      // Of a component that others do not see, or that sees no other, nothing is known.
      if (!(row > 0) || !(column > 0) || !std::isfinite(row + column)) continue;
      made[i] *= std::clamp(std::sqrt(row / column), 1e-3, 1e3);
    }
  }
  const double most = *std::max_element(sizes.begin(), sizes.end());
  const double own = *std::max_element(made.begin(), made.end());
  for (double& v : made) v = std::isfinite(v) && v > 0 ? v * most / own : most;
  return made;
}

TubeFollower::TubeFollower(const OdeSystem& system, std::vector<double> sizes, bool linear)
    : system_(system), sizes_(std::move(sizes)), linear_(linear), n_(sizes_.size()) {
  for (std::vector<double>* scratch : {&y_, &dy_, &slope_, &defect_, &beside_}) scratch->resize(n_);
  // Directions of a ball: the axes, and some oblique ones.
  for (std::size_t i = 0; i < n_; ++i) {
    for (const double sign : {1.0, -1.0}) {
      std::vector<double> axis(n_);
      axis[i] = sign;
      directions_.push_back(std::move(axis));
    }
  }
  Rng rng(7);
  for (std::size_t k = 0; k < (n_ > 1 ? 4u : 0u); ++k) {
    std::vector<double> way(n_);
    for (double& v : way) v = rng.uniform(-1, 1);
    directions_.push_back(std::move(way));
  }
}

Tube TubeFollower::follow(TubeCurve curve, std::span<const double> edges,
                          std::span<const double> start_error, StateNorm norm) {
  return follow(curve, edges, start_error, norm, {});
}

Tube TubeFollower::follow(TubeCurve curve, std::span<const double> edges,
                          std::span<const double> start_error, StateNorm norm,
                          std::span<const double> jumps) {
  norm_ = norm;
  Tube tube;
  tube.far = {size_of(start_error, norm)};
  tube.near = tube.far;
  if (n_ == 1) tube.low = tube.high = {start_error[0] / sizes_[0]};
  for (std::size_t k = 0; k + 1 < edges.size(); ++k) {
    const double h = edges[k + 1] - edges[k], far = tube.far.back();
    const double jump = jumps.empty() ? 0 : size_of(jumps.subspan(k * n_, n_), norm);
    double radius = linear_ ? 0 : 1.2 * (far + jump);
    double reached = tube_infinity, near = 0, low = 0, high = 0;
    for (int ball = 0; ball < most_balls; ++ball) {
      const Rates rates = rates_between(curve, edges, k, radius);
      tube.largest_rate = larger_rate(tube.largest_rate, rates.up);
      const auto pushed = [&](double rate) {
        return rates.residual * h * exponential_mean(rate * h);
      };
      // Wherever in the interval the jump is, it is carried on by at most the growth of all of it.
      const double carried = jump * std::max(1.0, std::exp(rates.up * h));
      double here = std::exp(rates.up * h) * far + pushed(rates.up) + carried;
      near = std::exp(rates.down * h) * tube.near.back() - pushed(rates.down) - carried;
      if (n_ == 1) {
        high = ahead(tube.high.back(), rates.high, rates, h) + carried;
        low = -ahead(-tube.low.back(), -rates.low, rates, h) - carried;
        here = larger_rate(std::abs(high), std::abs(low));
        near = std::max(low, -high);
      }
      if (!(here <= hopeless_bound)) break;
      const double within = std::max(far, here);
      if (linear_ || within <= radius) {
        reached = here;
        break;
      }
      radius = 1.5 * within;
    }
    if (!(reached <= hopeless_bound)) {
      tube.far.resize(edges.size(), tube_infinity);
      tube.near.resize(edges.size(), 0.0);
      if (n_ == 1) {
        tube.low.resize(edges.size(), -tube_infinity);
        tube.high.resize(edges.size(), tube_infinity);
      }
      return tube;
    }
    tube.far.push_back(reached);
    tube.near.push_back(std::max(0.0, near));
    if (n_ == 1) {
      tube.low.push_back(low);
      tube.high.push_back(high);
    }
  }
  return tube;
}

double TubeFollower::size_of(std::span<const double> e, StateNorm norm) const {
  double made = 0;
  for (std::size_t i = 0; i < n_; ++i) {
    const double v = std::abs(e[i]) / sizes_[i];
    made = norm == StateNorm::euclidean ? std::hypot(made, v) : larger_rate(made, v);
  }
  return made;
}

/// exp(int m) e + int exp(int m) r from above, with m between the rates and r at most this.
double TubeFollower::ahead(double e, double r, const Rates& rates, double h) {
  const double by_e = (e > 0 ? rates.up : rates.down) * h;
  const double by_r = (r > 0 ? rates.up : rates.down) * h;
  return std::exp(by_e) * e + r * h * exponential_mean(by_r);
}

TubeFollower::Rates TubeFollower::rates_between(TubeCurve curve, std::span<const double> edges,
                                                std::size_t k, double radius) {
  Rates rates{-tube_infinity, tube_infinity, 0, tube_infinity, -tube_infinity};
  for (std::size_t g = 0; g < tube_points; ++g) {
    const double t = edges[k] + tube_place[g] * (edges[k + 1] - edges[k]);
    curve(k * tube_points + g, t, y_, dy_);
    system_.slope(t, y_, slope_);
    for (std::size_t i = 0; i < n_; ++i) defect_[i] = dy_[i] - slope_[i];
    rates.residual = larger_rate(rates.residual, size_of(defect_, norm_));
    rates.high = larger_rate(rates.high, defect_[0] / sizes_[0]);
    rates.low = -larger_rate(-rates.low, -defect_[0] / sizes_[0]);
    look_at(t, y_, radius, rates);
  }
  return rates;
}

void TubeFollower::look_at(double t, std::span<const double> y, double radius, Rates& rates) {
  take(t, y, rates);
  if (radius <= 0) return;
  for (const std::vector<double>& way : directions_) {
    const double step = radius / length_of(way, norm_);
    for (std::size_t i = 0; i < n_; ++i) beside_[i] = y[i] + step * sizes_[i] * way[i];
    take(t, beside_, rates);
  }
}

void TubeFollower::take(double t, std::span<const double> y, Rates& rates) {
  limit_.next(60 + 0.25 * static_cast<double>(n_ * n_ * n_));
  system_.slope_jacobian(t, y, jacobian_);
  rates.up = larger_rate(rates.up, rate(1));
  rates.down = -larger_rate(-rates.down, rate(-1));
}

/// The logarithmic norm of sign * J in scaled states.
double TubeFollower::rate(double sign) const {
  if (n_ == 1) return sign * jacobian_(0, 0);
  const auto entry = [&](std::size_t i, std::size_t j) {
    return sign * jacobian_(i, j) * sizes_[j] / sizes_[i];
  };
  if (norm_ == StateNorm::largest) {
    double most = -tube_infinity;
    for (std::size_t i = 0; i < n_; ++i) {
      double sum = entry(i, i);
      for (std::size_t j = 0; j < n_; ++j) sum += i == j ? 0 : std::abs(entry(i, j));
      most = larger_rate(most, sum);
    }
    return most;
  }
  if (n_ == 2) {
    const double mean = (entry(0, 0) + entry(1, 1)) / 2;
    return mean + std::hypot((entry(0, 0) - entry(1, 1)) / 2, (entry(0, 1) + entry(1, 0)) / 2);
  }
  std::vector<double> half(n_ * n_);
  for (std::size_t i = 0; i < n_; ++i) {
    for (std::size_t j = 0; j < n_; ++j) {
      half[i * n_ + j] = (entry(i, j) + entry(j, i)) / 2;
      if (!std::isfinite(half[i * n_ + j])) return tube_infinity;
    }
  }
  return symmetric_eigenvalues(std::move(half), n_).back();
}

}  // namespace cauchy::detail
