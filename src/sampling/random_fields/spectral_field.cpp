#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/options.hpp>
#include <cauchy/math/quadrature.hpp>

#include "sampling/random_fields/axis_bases.hpp"
#include "sampling/random_fields/stationary_kernel.hpp"

namespace cauchy::detail {
namespace {

constexpr double pi = std::numbers::pi;

/// Eigenfunctions of -d^2/dx^2 along one axis, with their scaled frequencies and norms.
struct AxisModes {
  std::shared_ptr<const AxisBasis> basis;
  std::vector<double> q;      ///< (length omega)^2
  std::vector<double> scale;  ///< 1 / norm of the function over the axis
};

/// Length of an axis in lengths of the covariance, or of the larger axis that a free one is cut
/// from.
double period_of(const RandomFieldAxis& axis, double length, const StationaryKernel& kernel) {
  const double scaled = (axis.upper - axis.lower) / length;
  return axis.boundary == FieldBoundary::free ? scaled + reach_of(kernel) : scaled;
}

bool has_waves(const RandomFieldAxis& axis) {
  return axis.boundary == FieldBoundary::free || axis.boundary == FieldBoundary::periodic;
}

/// All modes up to wave number n.
AxisModes modes_of(const RandomFieldAxis& axis, double length, double period, std::size_t n) {
  const bool waves = has_waves(axis);
  const double step = (waves ? 2 : 1) * pi / period;
  AxisModes out;
  const auto add = [&](std::size_t k) {
    const double omega = step * static_cast<double>(k);
    out.q.push_back(omega * omega);
    out.scale.push_back(std::sqrt((k == 0 ? 1 : 2) / period));
  };
  if (axis.boundary != FieldBoundary::dirichlet) add(0);
  for (std::size_t k = 1; k <= n; ++k) {
    add(k);
    if (waves) add(k);
  }
  out.basis = waves ? fourier_basis(n, period * length / (axis.upper - axis.lower))
              : axis.boundary == FieldBoundary::dirichlet ? sine_basis(n)
                                                          : cosine_basis(n);
  return out;
}

/// Integral of the density over |omega| > cutoff, by omega = cutoff / t.
double variance_beyond(const StationaryKernel& kernel, std::size_t d, double cutoff) {
  constexpr std::array<double, 3> sphere = {2, 2 * pi, 4 * pi};
  const double factor = sphere[d - 1] / std::pow(2 * pi, static_cast<double>(d));
  return factor * scaled(gauss_legendre(64), 0, 1).integrate([&](double t) {
    const double u = cutoff / t;
    return kernel.density(u * u) * std::pow(u, static_cast<double>(d)) / t;
  });
}

}  // namespace

double reach_of(const StationaryKernel& kernel) {
  double r = 1e-3;
  while (kernel.correlation(r) > 1e-6) r *= 1.05;
  return r;
}

double cutoff_of(const StationaryKernel& kernel, double first) {
  double u = std::max(first, 1e-3);
  const double least = 1e-8 * kernel.density(first * first);
  while (kernel.density(u * u) > least && u < 1e6) u *= 1.05;
  return u;
}

std::size_t most_functions(std::size_t d) noexcept { return d == 1 ? 512 : d == 2 ? 128 : 48; }

std::vector<double> lengths_of(const std::vector<double>& length, std::size_t d,
                               std::string_view place) {
  for (const double l : length) {
    if (!std::isfinite(l)) throw Error(fmt::format("a length must be finite, got {}", l), place);
  }
  if (length.size() == d) return length;
  if (length.size() == 1) return std::vector<double>(d, length.front());
  throw Error(fmt::format("{} lengths do not fit {} axes", length.size(), d), place,
              "give one for all, or one for each");
}

void require_variance(double kept, std::string_view key, std::string_view place) {
  if (kept >= 0.9) return;
  throw Error(ErrorKind::unsupported,
              fmt::format("the default number of {} holds only about {:.0f} % of the variance", key,
                          100 * kept),
              place, fmt::format("give '{}', or a smoother field", key));
}

std::unique_ptr<RandomField> make_spectral_field(const StationaryKernel& kernel, double sigma,
                                                 const std::vector<double>& length,
                                                 const FieldModes& options,
                                                 std::vector<RandomFieldAxis> axes,
                                                 std::string_view place) {
  const std::size_t d = axes.size();
  const std::vector<double> lengths = lengths_of(length, d, place);
  std::vector<double> periods, steps;
  bool has_constant = true;
  for (std::size_t a = 0; a < d; ++a) {
    axes[a].boundary = options.boundary.value_or(axes[a].boundary);
    if (axes[a].boundary == FieldBoundary::free && options.zero_mean) {
      throw Error("a free boundary cuts the box out of a larger one, whose mean is not its own",
                  place, "set zero_mean = false, or another boundary");
    }
    has_constant = has_constant && axes[a].boundary != FieldBoundary::dirichlet;
    periods.push_back(period_of(axes[a], lengths[a], kernel));
    steps.push_back((has_waves(axes[a]) ? 2 : 1) * pi / periods[a]);
  }
  const double cutoff = cutoff_of(kernel, *std::min_element(steps.begin(), steps.end()));
  std::vector<AxisModes> modes;
  double size = 1, least_cutoff = INFINITY;
  for (std::size_t a = 0; a < d; ++a) {
    // Sines and cosines come in pairs; a larger box has room for more of them.
    const bool pairs = axes[a].boundary == FieldBoundary::periodic;
    const auto most = static_cast<double>(most_functions(d) / (pairs ? 2 : 1));
    const double n = options.modes > 0 ? static_cast<double>(options.modes)
                                       : std::clamp(std::ceil(cutoff / steps[a]), 1.0, most);
    modes.push_back(modes_of(axes[a], lengths[a], periods[a], static_cast<std::size_t>(n)));
    size *= periods[a];
    least_cutoff = std::min(least_cutoff, n * steps[a]);
  }
  Series series;
  std::vector<std::vector<double>> scales;
  for (const AxisModes& m : modes) {
    series.bases.push_back(m.basis);
    scales.push_back(m.scale);
  }
  series.amplitude = product_amplitudes(scales, place);
  double kept = 0;
  const std::size_t n1 = d > 1 ? modes[1].q.size() : 1, n2 = d > 2 ? modes[2].q.size() : 1;
  for (std::size_t i = 0; i < series.amplitude.size(); ++i) {
    double q = modes[0].q[i / (n1 * n2)];
    if (d > 1) q += modes[1].q[i / n2 % n1];
    if (d > 2) q += modes[2].q[i % n2];
    const double power = kernel.density(q);
    kept += power / size;
    series.amplitude[i] *= sigma * std::sqrt(power);
  }
  if (options.modes == 0) {
    require_variance(kept / (kept + variance_beyond(kernel, d, least_cutoff)), "modes", place);
  }
  if (options.zero_mean && has_constant) series.amplitude.front() = 0;
  return make_series_field(std::move(series), axes, place);
}

void visit_options(FieldModes& o, OptionVisitor& v) {
  using enum FieldBoundary;
  v.word("boundary", o.boundary,
         {{"axes", std::nullopt},
          {"periodic", periodic},
          {"dirichlet", dirichlet},
          {"neumann", neumann},
          {"free", free}});
  v.count("modes", o.modes, 0, 4096);
  v.flag("zero_mean", o.zero_mean);
}

}  // namespace cauchy::detail
