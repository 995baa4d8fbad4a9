#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "sampling/random_fields/karhunen_loeve.hpp"
#include "sampling/random_fields/random_fields.hpp"
#include "sampling/random_fields/stationary_kernel.hpp"

namespace cauchy {

void visit_options(KarhunenLoeveField& o, OptionVisitor& v) {
  v.word("kernel", o.kernel,
         {{"gaussian", FieldKernel::gaussian},
          {"exponential", FieldKernel::exponential},
          {"matern", FieldKernel::matern}});
  v.number("nu", o.nu, NumberRange::positive);
  v.numbers("length", o.length, NumberRange::positive);
  v.number("sigma", o.sigma, NumberRange::positive);
  v.count("terms", o.terms, 0, 1024);
}

void visit_options(GaussianProcessField& o, OptionVisitor& v) {
  v.numbers("length", o.length, NumberRange::positive);
  v.number("sigma", o.sigma, NumberRange::positive);
}

namespace detail {
namespace {

/// Of one axis: the kernels of the axes are multiplied.
StationaryKernel axis_kernel(const KarhunenLoeveField& o, std::string_view place) {
  if (o.kernel == FieldKernel::gaussian) return gaussian_kernel(1);
  if (o.kernel == FieldKernel::exponential) return exponential_kernel(1);
  check_nu(o.nu, place);
  return matern_kernel(o.nu, 1);
}

/// Terms per axis that are taken without being asked for.
std::size_t most_terms(std::size_t d) { return d == 1 ? 128 : d == 2 ? 64 : 32; }

/// The series of one axis of `size` lengths.
KarhunenLoeve axis_series(const StationaryKernel& kernel, double size, std::size_t terms,
                          std::size_t most, std::string_view place) {
  if (terms > 0) return karhunen_loeve(kernel.correlation, size, terms);
  // Eigenvalue i is about the density at the frequency of i half waves.
  const double estimate = std::ceil(cutoff_of(kernel, 0) * size / std::numbers::pi) + 8;
  const auto n = static_cast<std::size_t>(std::min(estimate, static_cast<double>(most)));
  KarhunenLoeve series = karhunen_loeve(kernel.correlation, size, n, 1e-8);
  double kept = 0;
  for (const double value : series.values) kept += value;
  require_variance(kept / size, "terms", place);
  return series;
}

MadeField make_kl(const KarhunenLoeveField& o, const Axes& axes, std::string_view place) {
  refuse_periodic(axes, place);
  const std::size_t d = axes.size();
  const std::vector<double> lengths = lengths_of(o.length, d, place);
  const StationaryKernel kernel = axis_kernel(o, place);
  Series series;
  std::vector<std::vector<double>> amplitudes;
  std::map<double, KarhunenLoeve> of_size;  // axes are often equal
  for (std::size_t a = 0; a < d; ++a) {
    const double size = (axes[a].upper - axes[a].lower) / lengths[a];
    if (!of_size.contains(size)) {
      of_size[size] = axis_series(kernel, size, o.terms, most_terms(d), place);
    }
    series.bases.push_back(of_size[size].functions);
    amplitudes.push_back(of_size[size].values);
    for (double& v : amplitudes.back()) v = std::sqrt(v);
  }
  series.amplitude = product_amplitudes(amplitudes, place);
  for (double& a : series.amplitude) a *= o.sigma;
  return make_series_field(std::move(series), axes, place);
}

}  // namespace

MadeField make_field(const KarhunenLoeveField& o, const Axes& axes) {
  return make_kl(o, axes, "[random_field.kl]");
}

MadeField make_field(const GaussianProcessField& o, const Axes& axes) {
  return make_kl({.kernel = FieldKernel::gaussian, .length = o.length, .sigma = o.sigma}, axes,
                 "[random_field.gp]");
}

}  // namespace detail
}  // namespace cauchy
