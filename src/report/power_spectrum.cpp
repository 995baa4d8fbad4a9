#include <algorithm>
#include <cmath>
#include <complex>

#include <cauchy/base/error.hpp>
#include <cauchy/math/fft.hpp>
#include <cauchy/report/operator_report.hpp>

namespace cauchy {
namespace {

/// One axis of the periodic continuation of a function.
struct SpectrumAxis {
  std::size_t n, period;  // nodes, and those of the continuation
  double cycles;          // of its first frequency, per length of the longest axis

  /// The node that stands at position i of the continuation.
  [[nodiscard]] std::size_t source(std::size_t i) const { return i < n ? i : period - i; }
  [[nodiscard]] double frequency(std::size_t k) const {
    return cycles * static_cast<double>(std::min(k, period - k));
  }
};

}  // namespace

std::vector<double> power_spectrum(const FieldGrid& grid, std::span<const double> rows) {
  if (grid.is_cloud()) {
    throw Error("scattered points have no spectrum", "[report]", "give samples on a grid");
  }
  double longest = 0;
  for (const FieldGrid::Axis& a : grid.axes) longest = std::max(longest, a.upper - a.lower);
  std::vector<SpectrumAxis> axes;
  std::vector<std::size_t> shape;
  double highest = INFINITY;
  for (const FieldGrid::Axis& a : grid.axes) {
    const auto n = static_cast<std::size_t>(a.n);
    const double ratio = longest / (a.upper - a.lower);
    axes.push_back(a.periodic ? SpectrumAxis{n, n, ratio}
                              : SpectrumAxis{n, std::max<std::size_t>(2 * n - 2, 1), ratio / 2});
    shape.push_back(axes.back().period);
    highest = std::min(highest, axes.back().frequency(axes.back().period / 2));
  }
  const RealFft<double> transform(shape);
  std::vector<double> values(transform.real_size());
  std::vector<std::complex<double>> c(transform.complex_size());
  std::vector<double> power(static_cast<std::size_t>(highest) + 1, 0.0);
  const std::size_t points = grid.n_points(), n_rows = points == 0 ? 0 : rows.size() / points;
  const std::size_t d = axes.size(), half = shape.back() / 2 + 1;
  std::vector<std::size_t> at(d);
  for (std::size_t r = 0; r < n_rows; ++r) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      std::size_t rest = i;
      for (std::size_t k = d; k-- > 0;) {
        at[k] = axes[k].source(rest % shape[k]);
        rest /= shape[k];
      }
      std::size_t source = 0;
      for (std::size_t k = 0; k < d; ++k) source = source * axes[k].n + at[k];
      values[i] = rows[r * points + source];
    }
    transform.forward(values, c);
    for (std::size_t i = 0; i < c.size(); ++i) {
      std::size_t rest = i / half;
      const std::size_t last = i % half;
      double square = std::pow(axes.back().frequency(last), 2);
      for (std::size_t k = d - 1; k-- > 0;) {
        square += std::pow(axes[k].frequency(rest % shape[k]), 2);
        rest /= shape[k];
      }
      const auto bin = static_cast<std::size_t>(std::sqrt(square) + 0.5);
      if (bin >= power.size()) continue;
      // The half that a real transform leaves out.
      const double twice = last > 0 && 2 * last != shape.back() ? 2 : 1;
      power[bin] += twice * std::norm(c[i]);
    }
  }
  const double scale =
      static_cast<double>(n_rows) * std::pow(static_cast<double>(values.size()), 2);
  for (double& p : power) p /= std::max(scale, 1.0);
  return power;
}

}  // namespace cauchy
