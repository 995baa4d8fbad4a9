#include "operators/ensemble_loss.hpp"

#include <cmath>
#include <numbers>
#include <vector>

#include <cauchy/math/spherical_harmonics.hpp>
#include <cauchy/networks/spherical.hpp>  // sphere_of
#include <cauchy/networks/spherical_layers.hpp>

#include "operators/field_norm.hpp"

namespace cauchy::detail {
namespace {

/// times a number.
int scaled(TensorGraph& g, int x, double factor) {
  return g.multiply(x, g.constant({1, {}}, {factor}));
}

/// Mean over the channels of what weights make of the points.
int mean_of_channels(TensorGraph& g, int x, std::vector<double> weights) {
  const int channels = g.shape(x).channels;
  const int row = g.reshape(g.reduce(x, std::move(weights)), {1, {channels}});
  return g.reduce(row);
}

}  // namespace

int add_crps(TensorGraph& g, std::span<const int> misfits) {
  const auto M = static_cast<double>(misfits.size());
  int errors = -1, distances = -1;
  const auto add = [&](int& sum, int x) { sum = sum < 0 ? x : g.add(sum, x); };
  for (std::size_t i = 0; i < misfits.size(); ++i) {
    add(errors, g.function(misfits[i], ElementFunction::absolute));
    for (std::size_t j = 0; j < i; ++j) {
      add(distances, g.function(g.subtract(misfits[i], misfits[j]), ElementFunction::absolute));
    }
  }
  if (distances < 0) return errors;
  return g.subtract(scaled(g, errors, 1 / M), scaled(g, distances, 1 / (M * (M - 1))));
}

int add_spatial_crps(TensorGraph& g, std::span<const int> misfits, const FieldGrid& grid) {
  const FieldNorm area = FieldNorm::on_sphere(grid);
  std::vector<double> weights = area.weights();
  const double sphere = area.measure();
  for (double& w : weights) w /= sphere;
  return mean_of_channels(g, add_crps(g, misfits), std::move(weights));
}

int add_spectral_crps(TensorGraph& g, std::span<const int> misfits, const FieldGrid& grid) {
  const SphereGrid sphere = sphere_of(grid);
  const std::size_t L = sphere.max_degree();
  std::vector<int> spectra = {add_spherical_analysis(g, misfits[0], sphere, L)};
  for (const int e : misfits.subspan(1)) spectra.push_back(g.again(spectra[0], misfits[0], e));
  // Both parts of an order above 0 are coefficients of real harmonics over sqrt(2).
  const auto n = static_cast<double>((L + 1) * (L + 1));
  const double share = 1 / std::sqrt(4 * std::numbers::pi * n);
  std::vector<double> weights(2 * spectrum_size(L), std::numbers::sqrt2 * share);
  for (std::size_t l = 0; l <= L; ++l) {
    weights[2 * spectrum_index(L, l, 0)] = share;
    weights[2 * spectrum_index(L, l, 0) + 1] = 0;
  }
  return mean_of_channels(g, add_crps(g, spectra), std::move(weights));
}

}  // namespace cauchy::detail
