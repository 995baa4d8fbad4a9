#include <cauchy/networks/spherical_layers.hpp>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/math/spherical_harmonics.hpp>

#include "math/sphere/legendre_sweep.hpp"

namespace cauchy {
namespace {

constexpr const char* spherical_place = "[networks.spherical_layers]";

void require_carried(const SphereGrid& grid, std::size_t degree) {
  if (degree <= grid.max_degree()) return;
  throw Error(fmt::format("degree {} does not fit the grid of {} x {} points ({})", degree,
                          grid.n_latitudes, grid.n_longitudes, to_string(grid.latitudes)),
              spherical_place, fmt::format("take degree {} at most", grid.max_degree()));
}

void require_coefficients(const TensorGraph& g, int a, std::size_t degree) {
  const TensorShape& shape = g.shape(a);
  if (shape.grid.size() == 1 && shape.points() == 2 * spectrum_size(degree)) return;
  throw Error(fmt::format("a value of {} points holds no coefficients of degree {}", shape.points(),
                          degree),
              spherical_place, "make it by add_spherical_analysis with the same degree");
}

/// use(l, m, j, P_lm(x_j)) for all that is not 0.
template <class Use>
void for_legendre(const SphereGrid& grid, std::size_t degree, Use use) {
  std::vector<long double> q(degree + 1);
  std::vector<detail::LegendreSweep> sweeps;
  for (std::size_t m = 0; m <= degree; ++m) sweeps.emplace_back(degree, m);
  for (std::size_t j = 0; j < grid.n_latitudes; ++j) {
    const long double x = grid.x[j], sine = std::sqrt((1 - x) * (1 + x));
    const auto first = detail::sectoral_values(degree, sine);
    for (std::size_t m = 0; m <= degree; ++m) {
      sweeps[m](x, first[m], q);
      for (std::size_t l = m; l <= degree; ++l) {
        use(l, m, j, static_cast<double>(m == 0 ? q[l] : q[l - m] * sine));
      }
    }
  }
}

/// A block of Legendre functions for every order: rows are coefficients (with their two parts),
/// columns circle j and wave m (with its two parts); or the other way round.
std::shared_ptr<const PointMatrix> legendre_matrix(const SphereGrid& grid, std::size_t degree,
                                                   bool analysis) {
  const std::size_t waves = degree + 1, coefficients = 2 * spectrum_size(degree);
  const std::size_t circles = grid.n_latitudes * 2 * waves;
  std::vector<std::vector<std::pair<std::size_t, double>>> rows(analysis ? coefficients : circles);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].reserve(analysis ? grid.n_latitudes : waves - i / 2 % waves);
  }
  for_legendre(grid, degree, [&](std::size_t l, std::size_t m, std::size_t j, double p) {
    if (p == 0) return;
    for (const std::size_t part : {0u, 1u}) {
      const std::size_t a = 2 * spectrum_index(degree, l, m) + part, c = (j * waves + m) * 2 + part;
      if (analysis) {
        rows[a].emplace_back(c, grid.area(j) * p);
      } else {
        rows[c].emplace_back(a, m == 0 ? p : 2 * p);
      }
    }
  });
  PointMatrix matrix;
  matrix.columns = analysis ? circles : coefficients;
  matrix.offsets.push_back(0);
  for (const auto& row : rows) matrix.offsets.push_back(matrix.offsets.back() + row.size());
  matrix.points.reserve(matrix.offsets.back());
  matrix.weights.reserve(matrix.offsets.back());
  for (const auto& row : rows) {
    for (const auto& [point, weight] : row) {
      matrix.points.push_back(point);
      matrix.weights.push_back(weight);
    }
  }
  return std::make_shared<const PointMatrix>(std::move(matrix));
}

/// Real and imaginary parts of exp(-i m lambda_k): [2 (degree + 1)][n_longitudes].
std::vector<double> fourier_rows(const SphereGrid& grid, std::size_t degree) {
  std::vector<double> rows;
  const auto n = grid.n_longitudes;
  for (std::size_t m = 0; m <= degree; ++m) {
    for (const std::size_t part : {0u, 1u}) {
      for (std::size_t k = 0; k < n; ++k) {
        const double angle =
            2 * std::numbers::pi * static_cast<double>(m * k % n) / static_cast<double>(n);
        rows.push_back(part == 0 ? std::cos(angle) : m == 0 ? 0 : -std::sin(angle));
      }
    }
  }
  return rows;
}

}  // namespace

int add_spherical_analysis(TensorGraph& g, int x, const SphereGrid& grid, std::size_t degree) {
  require_carried(grid, degree);
  const std::vector<int> sizes = {static_cast<int>(grid.n_latitudes),
                                  static_cast<int>(grid.n_longitudes)};
  if (g.shape(x).grid != sizes) {
    throw Error(fmt::format("a value of {} points does not lie on the grid of {} x {}",
                            g.shape(x).points(), sizes[0], sizes[1]),
                spherical_place);
  }
  const int waves = g.along(x, 1, static_cast<int>(2 * (degree + 1)), fourier_rows(grid, degree));
  return g.sparse(waves, legendre_matrix(grid, degree, true),
                  {static_cast<int>(2 * spectrum_size(degree))});
}

int add_spherical_synthesis(TensorGraph& g, int a, const SphereGrid& grid, std::size_t degree) {
  require_carried(grid, degree);
  require_coefficients(g, a, degree);
  const auto waves = static_cast<int>(2 * (degree + 1)), n = static_cast<int>(grid.n_longitudes);
  const int circles = g.sparse(a, legendre_matrix(grid, degree, false),
                               {static_cast<int>(grid.n_latitudes), waves});
  const std::vector<double> rows = fourier_rows(grid, degree);
  std::vector<double> back(rows.size());
  for (std::size_t w = 0; w < static_cast<std::size_t>(waves); ++w) {
    for (std::size_t k = 0; k < grid.n_longitudes; ++k) {
      back[k * static_cast<std::size_t>(waves) + w] = rows[w * grid.n_longitudes + k];
    }
  }
  return g.along(circles, 1, n, std::move(back));
}

int add_degree_filter(TensorGraph& g, int a, std::size_t degree, std::string_view name) {
  require_coefficients(g, a, degree);
  const int channels = g.shape(a).channels;
  const auto degrees = static_cast<int>(degree + 1);
  // One number per channel and degree, then one per coefficient.
  const TensorShape shape{channels, {degrees}};
  std::vector<double> first;
  const double top = std::max(1.0, static_cast<double>(degree));
  for (int c = 0; c < channels; ++c) {
    for (int l = 0; l < degrees; ++l) first.push_back(std::exp(-l * (l + 1) / (top * top)));
  }
  const int numbers = g.shift(g.constant(shape, first), 0, true, name);
  const std::size_t points = 2 * spectrum_size(degree);
  std::vector<std::ptrdiff_t> picks(static_cast<std::size_t>(channels) * points);
  for (std::size_t c = 0; c < static_cast<std::size_t>(channels); ++c) {
    for (std::size_t m = 0; m <= degree; ++m) {
      for (std::size_t l = m; l <= degree; ++l) {
        for (const std::size_t part : {0u, 1u}) {
          picks[c * points + 2 * spectrum_index(degree, l, m) + part] =
              static_cast<std::ptrdiff_t>(c * (degree + 1) + l);
        }
      }
    }
  }
  return g.multiply(a, g.pick(numbers, {channels, {static_cast<int>(points)}}, std::move(picks)));
}

int add_spherical_convolution(TensorGraph& g, int x, const SphereGrid& grid, std::size_t degree,
                              int channels, Activation activation, int plus,
                              std::string_view name) {
  const int a = add_spherical_analysis(g, x, grid, degree);
  const int filtered = add_degree_filter(g, a, degree, std::string(name) + "_filter");
  const int back = add_spherical_synthesis(g, filtered, grid, degree);
  return g.linear(back, channels, activation, true, name, plus);
}

}  // namespace cauchy
