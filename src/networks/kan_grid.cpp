#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/math/lapack.hpp>
#include <cauchy/networks/kan_model.hpp>

#include "networks/kan_layers.hpp"

namespace cauchy {
namespace {

constexpr double grid_margin = 0.05;       // of the range of hidden features, on both sides
constexpr double least_grid_width = 1e-3;  // of a grid around features that are all the same
constexpr std::size_t most_samples = 2000;
constexpr std::size_t samples_per_function = 10;  // equally spaced samples beside the features

/// Ends of `grid` intervals: quantiles of sorted samples blended with equal intervals.
std::vector<double> blended_grid(std::span<const double> sorted, int grid, double lower,
                                 double upper, double uniform) {
  std::vector<double> ends;
  for (int k = 0; k <= grid; ++k) {
    const double share = static_cast<double>(k) / grid;
    const double equal = lower + (upper - lower) * share;
    const double place = share * static_cast<double>(sorted.size() - 1);
    const auto at = std::min(static_cast<std::size_t>(place), sorted.size() - 1);
    const std::size_t next = std::min(at + 1, sorted.size() - 1);
    double quantile = std::lerp(sorted[at], sorted[next], place - static_cast<double>(at));
    if (k == 0) quantile = lower;
    if (k == grid) quantile = upper;
    ends.push_back(uniform * equal + (1 - uniform) * quantile);
  }
  return ends;
}

}  // namespace

KanModel KanModel::regridded(int grid, std::span<const double> points, double uniform) const {
  const auto* kan = std::get_if<Kan>(&network_);
  if (kan == nullptr) {
    throw Error(fmt::format("'{}' has no grid of splines", entry_of(network_).name),
                "[networks.kan_grid]", "use kan");
  }
  if (grid < 1 || !(uniform > 0 && uniform <= 1) || points.empty()) {
    throw Error("a new grid needs intervals, points and a part of equal intervals in (0, 1]",
                "[networks.kan_grid]");
  }
  const auto x = features(points);
  Kan made = *kan;
  made.grid = grid;
  made.knots.clear();
  std::vector<Layer> layers = layers_;
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const Layer& from = layers_[l];
    Layer& to = layers[l];
    to.n_functions = static_cast<std::size_t>(grid + kan->order);
    to.coefficients.assign(from.n_in * from.n_out * to.n_functions, 0.0);
    for (std::size_t i = 0; i < from.n_in; ++i) {
      std::vector<double> samples;
      for (std::size_t p = i; p < x[l].size(); p += from.n_in) samples.push_back(x[l][p]);
      std::ranges::sort(samples);
      double lower = samples.front(), upper = samples.back();
      if (l == 0) {
        lower = std::min(lower, kan->lower);
        upper = std::max(upper, kan->upper);
      } else {
        const double extra =
            std::max(grid_margin * (upper - lower), least_grid_width * (1 + std::abs(lower)));
        lower -= extra;
        upper += extra;
      }
      const std::vector<double> ends = blended_grid(samples, grid, lower, upper, uniform);
      made.knots.insert(made.knots.end(), ends.begin(), ends.end());
      // The old functions at the features and at equally spaced places.
      std::vector<double> at;
      const std::size_t stride = 1 + samples.size() / most_samples;
      for (std::size_t p = 0; p < samples.size(); p += stride) at.push_back(samples[p]);
      const std::size_t n_equal = samples_per_function * (to.n_functions + from.n_functions);
      for (std::size_t k = 0; k <= n_equal; ++k) {
        at.push_back(
            std::lerp(lower, upper, static_cast<double>(k) / static_cast<double>(n_equal)));
      }
      const auto basis = bspline_basis(detail::extended_knots(ends, kan->order), kan->order);
      Matrix a(at.size(), to.n_functions), b(at.size(), from.n_out);
      std::vector<double> old(from.n_functions);
      for (std::size_t p = 0; p < at.size(); ++p) {
        basis->derivatives(at[p], 0, a.row(p).data());
        functions(from, i, at[p], old);
        for (std::size_t o = 0; o < from.n_out; ++o) {
          const double* c = from.coefficients.data() + (o * from.n_in + i) * from.n_functions;
          b(p, o) = std::inner_product(old.begin(), old.end(), c, 0.0);
        }
      }
      const auto fit = least_squares(a, b);
      if (fit.status != Factorization::ok) continue;  // features that are not finite: all 0
      for (std::size_t o = 0; o < from.n_out; ++o) {
        for (std::size_t j = 0; j < to.n_functions; ++j) {
          to.coefficients[(o * from.n_in + i) * to.n_functions + j] = fit.x(j, o);
        }
      }
    }
  }
  return with_layers(std::move(made), layers);
}

}  // namespace cauchy
