#include "geometry/shapes/solid_table.hpp"

#include <algorithm>
#include <cmath>

namespace cauchy::detail {
namespace {

// Gauss-Legendre with 4 points on [0, 1].
constexpr double gauss_nodes[4] = {0.06943184420297371, 0.33000947820757187, 0.6699905217924281,
                                   0.9305681557970262};
constexpr double gauss_weights[4] = {0.17392742256872693, 0.32607257743127307,
                                     0.32607257743127307, 0.17392742256872693};

/// Cubic on [0, 1] that rises by `rise` with the slopes a and b at its ends. Slopes above three
/// times the mean one are cut, which keeps it monotone.
struct Cubic {
  double rise, a, b;
  Cubic(double rise_, double a_, double b_)
      : rise(rise_), a(std::clamp(a_, 0.0, 3 * rise_)), b(std::clamp(b_, 0.0, 3 * rise_)) {}
  [[nodiscard]] double value(double x) const {
    return x * (a + x * (3 * rise - 2 * a - b + x * (a + b - 2 * rise)));
  }
  [[nodiscard]] double slope(double x) const {
    return a + x * (2 * (3 * rise - 2 * a - b) + x * 3 * (a + b - 2 * rise));
  }
  [[nodiscard]] double solve(double target) const {
    if (!(rise > 0)) return 0.5;
    double low = 0, high = 1, x = std::clamp(target / rise, 0.0, 1.0);
    for (int i = 0; i < 60; ++i) {
      const double f = value(x) - target;
      if (f == 0) break;
      (f < 0 ? low : high) = x;
      double next = x - f / slope(x);
      if (!(next >= low && next <= high)) next = 0.5 * (low + high);
      const double step = std::abs(next - x);
      x = next;
      if (step <= 1e-15) break;
    }
    return x;
  }
};

/// Well-spread points of the unit square: multiples of the inverse powers of the plastic number.
void spread_point(std::size_t i, double& s, double& t) {
  const double k = static_cast<double>(i) + 0.5;
  s = std::fmod(k * 0.7548776662466927, 1.0);
  t = std::fmod(k * 0.5698402909980532, 1.0);
}

}  // namespace

SurfaceTable::SurfaceTable(Density w) {
  double smallest = INFINITY, largest = 0;
  for (std::size_t i = 0; i < 256; ++i) {
    double s, t;
    spread_point(i, s, t);
    const double value = w(s, t);
    smallest = std::min(smallest, value);
    largest = std::max(largest, value);
  }
  if (largest - smallest <= 1e-13 * largest) {
    total_ = 0.5 * (smallest + largest);
    return;
  }
  for (std::size_t n = 32; n <= 256; n *= 2) {
    build(w, n);
    error_ = measure_error(w);
    if (error_ < 1e-7) return;
  }
  if (error_ > 1e-2) {  // kinks or jumps: cubics across the rows would overshoot
    smooth_ = false;
    error_ = measure_error(w);
  }
}

void SurfaceTable::build(Density w, std::size_t n) {
  n_ = n;
  const double h = 1 / static_cast<double>(n);
  const auto row_integral = [&](double s, std::size_t j) {
    double sum = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      sum += gauss_weights[k] * w(s, (static_cast<double>(j) + gauss_nodes[k]) * h);
    }
    return sum * h;
  };
  integral_.assign((n + 1) * (n + 1), 0);
  density_.assign((n + 1) * (n + 1), 0);
  marginal_.assign(n + 1, 0);
  slope_.assign(n + 1, 0);
  for (std::size_t i = 0; i <= n; ++i) {
    const double s = static_cast<double>(i) * h;
    double* integral = &integral_[i * (n + 1)];
    for (std::size_t j = 0; j <= n; ++j) {
      density_[i * (n + 1) + j] = w(s, static_cast<double>(j) * h);
      if (j < n) integral[j + 1] = integral[j] + row_integral(s, j);
    }
    slope_[i] = integral[n];
    if (i == n) break;
    double cell = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      double row = 0;
      for (std::size_t j = 0; j < n; ++j) row += row_integral(s + gauss_nodes[k] * h, j);
      cell += gauss_weights[k] * row;
    }
    marginal_[i + 1] = marginal_[i] + cell * h;
  }
  total_ = marginal_[n];
}

SurfaceTable::Rows SurfaceTable::rows_at(double s) const {
  const double x = s * static_cast<double>(n_);
  const std::size_t i = std::min(static_cast<std::size_t>(x), n_ - 1);
  Rows rows;
  if (!smooth_) {
    rows.first = i;
    rows.count = 2;
    rows.weight[1] = x - static_cast<double>(i);
    rows.weight[0] = 1 - rows.weight[1];
    return rows;
  }
  rows.first = std::min(i == 0 ? 0 : i - 1, n_ - 3);
  rows.count = 4;
  const double y = x - static_cast<double>(rows.first);  // Lagrange at 0, 1, 2, 3
  rows.weight[0] = -(y - 1) * (y - 2) * (y - 3) / 6;
  rows.weight[1] = y * (y - 2) * (y - 3) / 2;
  rows.weight[2] = -y * (y - 1) * (y - 3) / 2;
  rows.weight[3] = y * (y - 1) * (y - 2) / 6;
  return rows;
}

double SurfaceTable::blend(const std::vector<double>& table, const Rows& rows,
                           std::size_t column) const {
  double sum = 0;
  for (std::size_t k = 0; k < rows.count; ++k) {
    sum += rows.weight[k] * table[(rows.first + k) * (n_ + 1) + column];
  }
  return sum;
}

void SurfaceTable::map(const double* u, double* st) const {
  if (n_ == 0) {
    st[0] = u[0];
    st[1] = u[1];
    return;
  }
  const double h = 1 / static_cast<double>(n_);
  const double target = u[0] * total_;
  const auto above = std::upper_bound(marginal_.begin() + 1, marginal_.end() - 1, target);
  const auto i = static_cast<std::size_t>(above - marginal_.begin()) - 1;
  const Cubic cell(marginal_[i + 1] - marginal_[i], slope_[i] * h, slope_[i + 1] * h);
  st[0] = std::min(1.0, (static_cast<double>(i) + cell.solve(target - marginal_[i])) * h);

  const Rows rows = rows_at(st[0]);
  const double share = u[1] * blend(integral_, rows, n_);
  std::size_t low = 0, high = n_;
  while (high - low > 1) {
    const std::size_t middle = (low + high) / 2;
    (blend(integral_, rows, middle) <= share ? low : high) = middle;
  }
  const double start = blend(integral_, rows, low);
  const Cubic column(blend(integral_, rows, low + 1) - start, blend(density_, rows, low) * h,
                     blend(density_, rows, low + 1) * h);
  st[1] = std::min(1.0, (static_cast<double>(low) + column.solve(share - start)) * h);
}

double SurfaceTable::measure_error(Density w) const {
  const double h = 1 / static_cast<double>(n_);
  double error = 0;
  for (std::size_t k = 0; k < 512; ++k) {
    double s, t;
    spread_point(k, s, t);
    const auto i = std::min(static_cast<std::size_t>(s * static_cast<double>(n_)), n_ - 1);
    const auto j = std::min(static_cast<std::size_t>(t * static_cast<double>(n_)), n_ - 1);
    const Cubic cell(marginal_[i + 1] - marginal_[i], slope_[i] * h, slope_[i + 1] * h);
    const Rows rows = rows_at(s);
    const Cubic column(blend(integral_, rows, j + 1) - blend(integral_, rows, j),
                       blend(density_, rows, j) * h, blend(density_, rows, j + 1) * h);
    const double along_s = cell.slope(s * static_cast<double>(n_) - static_cast<double>(i)) / h;
    const double along_t = column.slope(t * static_cast<double>(n_) - static_cast<double>(j)) / h;
    const double density = along_s * along_t / blend(integral_, rows, n_);
    error = std::max(error, std::abs(density - w(s, t)) / total_);
  }
  return error;
}

}  // namespace cauchy::detail
