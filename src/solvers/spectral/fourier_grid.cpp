#include "solvers/spectral/fourier_grid.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

namespace cauchy::detail {
namespace {

using Complex = std::complex<double>;

/// k of the i-th of 2 K + 1 modes: 0, 1, ..., K, -K, ..., -1.
long mode_index(std::size_t i, std::size_t highest) {
  return i <= highest ? static_cast<long>(i)
                      : static_cast<long>(i) - static_cast<long>(2 * highest + 1);
}

double whole_power(double x, int n) {
  double p = 1;
  for (int i = 0; i < n; ++i) p *= x;
  return p;
}

}  // namespace

FourierGrid::FourierGrid(std::vector<double> lower, std::vector<double> length,
                         std::vector<std::size_t> n, std::vector<std::size_t> highest)
    : lower_(std::move(lower)), length_(std::move(length)), highest_(std::move(highest)), fft_(n) {
  for (std::size_t d = 0; d < n.size(); ++d) {
    if (2 * highest_[d] + 1 > n[d]) {
      throw Error(fmt::format("{} points do not hold {} modes", n[d], 2 * highest_[d] + 1),
                  "[solvers.spectral]");
    }
  }
  const std::size_t last = n.size() - 1;
  n_last_ = highest_[last] + 1;
  std::size_t rows = 1;
  for (std::size_t d = 0; d < last; ++d) rows *= 2 * highest_[d] + 1;
  n_modes_ = rows * n_last_;
  for (std::size_t r = 0; r < rows; ++r) {
    std::size_t at = 0;
    for (std::size_t d = 0; d < last; ++d) {
      const long k = index(r * n_last_, d);
      at = at * n[d] + static_cast<std::size_t>(k < 0 ? k + static_cast<long>(n[d]) : k);
    }
    row_at_.push_back(at * (n[last] / 2 + 1));
  }
}

long FourierGrid::index(std::size_t mode, std::size_t direction) const {
  const std::size_t last = highest_.size() - 1;
  if (direction == last) return static_cast<long>(mode % n_last_);
  std::size_t rest = mode / n_last_;
  for (std::size_t d = last; d-- > direction + 1;) rest /= 2 * highest_[d] + 1;
  return mode_index(rest % (2 * highest_[direction] + 1), highest_[direction]);
}

double FourierGrid::wave_number(std::size_t mode, std::size_t direction) const {
  return 2 * std::numbers::pi * static_cast<double>(index(mode, direction)) / length_[direction];
}

double FourierGrid::weight(std::size_t mode) const { return mode % n_last_ == 0 ? 1 : 2; }

double FourierGrid::mean_square(std::span<const Complex> modes) const {
  double sum = 0;
  for (std::size_t k = 0; k < n_modes_; ++k) sum += weight(k) * std::norm(modes[k]);
  return sum;
}

std::vector<double> FourierGrid::nodes(std::size_t direction) const {
  std::vector<double> x(n()[direction]);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = lower_[direction] +
           length_[direction] * static_cast<double>(i) / static_cast<double>(x.size());
  }
  return x;
}

Points FourierGrid::points(const std::vector<std::string>& names) const {
  Points p;
  p.columns = names;
  std::vector<std::vector<double>> x;
  for (std::size_t d = 0; d < names.size(); ++d) x.push_back(nodes(d));
  p.values.resize(n_points() * names.size());
  for (std::size_t i = 0; i < n_points(); ++i) {
    std::size_t rest = i;
    for (std::size_t d = names.size(); d-- > 0; rest /= n()[d]) {
      p.values[i * names.size() + d] = x[d][rest % n()[d]];
    }
  }
  return p;
}

FourierGrid::Scratch FourierGrid::scratch() const {
  return {Modes(fft_.complex_size()), Modes(fft_.complex_size()),
          AlignedVector<double>(fft_.work_size())};
}

FourierGrid::Derivative FourierGrid::derivative(std::span<const int> orders) const {
  const std::size_t last = highest_.size() - 1;
  Derivative out;
  // The inverse transform divides by the number of points.
  out.rows.assign(row_at_.size(), static_cast<double>(n_points()));
  for (std::size_t r = 0; r < row_at_.size(); ++r) {
    for (std::size_t d = 0; d < last; ++d) {
      out.rows[r] *= whole_power(wave_number(r * n_last_, d), orders[d]);
    }
  }
  for (std::size_t j = 0; j < n_last_; ++j) {
    out.last.push_back(whole_power(wave_number(j, last), orders[last]));
  }
  for (const int o : orders) out.turns = (out.turns + o) % 4;
  return out;
}

void FourierGrid::to_points(std::span<const Complex> modes, const Derivative& derivative,
                            std::span<double> values, Scratch& scratch) const {
  // i^turns (a + i b) has the parts (a, b), (-b, a), (-a, -b) or (b, -a).
  const std::size_t first = derivative.turns % 2 == 0 ? 0 : 1;
  const double sign_re = derivative.turns == 1 || derivative.turns == 2 ? -1 : 1;
  const double sign_im = derivative.turns >= 2 ? -1 : 1;
  for (std::size_t r = 0; r < row_at_.size(); ++r) {
    const auto* from = reinterpret_cast<const double*>(modes.data() + r * n_last_);
    auto* to = reinterpret_cast<double*>(scratch.spectrum.data() + row_at_[r]);
    const double re = sign_re * derivative.rows[r], im = sign_im * derivative.rows[r];
    for (std::size_t j = 0; j < n_last_; ++j) {
      to[2 * j] = re * derivative.last[j] * from[2 * j + first];
      to[2 * j + 1] = im * derivative.last[j] * from[2 * j + 1 - first];
    }
  }
  fft_.inverse(scratch.spectrum, values, scratch.work);
}

void FourierGrid::to_modes(std::span<const double> values, std::span<Complex> modes,
                           Scratch& scratch) const {
  fft_.forward(values, scratch.result, scratch.work);
  const double unit = 1 / static_cast<double>(n_points());
  for (std::size_t r = 0; r < row_at_.size(); ++r) {
    const Complex* from = scratch.result.data() + row_at_[r];
    for (std::size_t j = 0; j < n_last_; ++j) modes[r * n_last_ + j] = unit * from[j];
  }
}

double FourierGrid::value_at(std::span<const Complex> modes, std::span<const double> x) const {
  double sum = 0;
  for (std::size_t k = 0; k < n_modes_; ++k) {
    double phase = 0;
    for (std::size_t d = 0; d < x.size(); ++d) phase += wave_number(k, d) * (x[d] - lower_[d]);
    sum += weight(k) * (modes[k] * std::polar(1.0, phase)).real();
  }
  return sum;
}

}  // namespace cauchy::detail
