#include <cauchy/applications/surface_reconstruction.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/math/fft.hpp>

namespace cauchy {
namespace {

constexpr const char* surface_place = "[applications.surfaces]";
constexpr int least_nodes = 8;
/// Of phi between the surface and the outside, in units of what areas promise: less encloses
/// nothing.
constexpr double least_jump = 0.02;

std::size_t nodes_of(int n) {
  const auto m = static_cast<std::size_t>(n);
  return m * m * m;
}

void require_nodes(int n, std::size_t values, std::size_t channels) {
  if (n >= least_nodes && values == channels * nodes_of(n)) return;
  throw Error(
      fmt::format("{} numbers for {} functions on {} nodes along each axis", values, channels, n),
      surface_place, fmt::format("a cube has at least {}", least_nodes));
}

/// The 8 nodes around a point with their weights.
struct Corners {
  std::array<std::size_t, 8> node{};
  std::array<double, 8> weight{};
};
Corners corners_of(const Point3& x, int n) {
  std::array<std::array<std::size_t, 2>, 3> i{};
  std::array<std::array<double, 2>, 3> w{};
  const auto m = static_cast<std::size_t>(n);
  for (std::size_t a = 0; a < 3; ++a) {
    const double s = x[a] * n, low = std::floor(s);
    i[a][0] = static_cast<std::size_t>(low) % m;
    i[a][1] = (i[a][0] + 1) % m;
    w[a] = {1 - (s - low), s - low};
  }
  Corners c;
  for (std::size_t k = 0; k < 8; ++k) {
    const std::size_t p = k >> 2U, q = (k >> 1U) & 1U, r = k & 1U;
    c.node[k] = (i[0][p] * m + i[1][q]) * m + i[2][r];
    c.weight[k] = w[0][p] * w[1][q] * w[2][r];
  }
  return c;
}

/// 2 pi k of the mode i of n; the highest one of an even n has no derivative.
double wave_number(std::size_t i, std::size_t n, bool derivative) {
  if (derivative && 2 * i == n) return 0;
  const auto k = static_cast<double>(i), m = static_cast<double>(n);
  return 2 * std::numbers::pi * (2 * i > n ? k - m : k);
}

/// Calls body(index, kx, ky, kz) for every coefficient of a real transform of n^3 numbers.
template <class Body>
void for_modes(int n, bool derivative, Body body) {
  const auto m = static_cast<std::size_t>(n);
  std::size_t index = 0;
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < m; ++j) {
      for (std::size_t k = 0; k <= m / 2; ++k) {
        body(index++, wave_number(i, m, derivative), wave_number(j, m, derivative),
             wave_number(k, m, derivative));
      }
    }
  }
}

RealFft<double> cube_transform(int n) {
  const auto m = static_cast<std::size_t>(n);
  return RealFft<double>({m, m, m});
}

/// Mean over the faces of the cube.
double mean_outside(std::span<const double> f, int n) {
  const auto m = static_cast<std::size_t>(n);
  double sum = 0;
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < m; ++j) {
      sum += f[i * m + j] + f[i * m * m + j] + f[(i * m + j) * m];
    }
  }
  return sum / (3.0 * n * n);
}

}  // namespace

UnitCube cube_around(const OrientedPoints& cloud, double share) {
  Point3 low = cloud.points.front(), high = low;
  for (const Point3& x : cloud.points) {
    for (std::size_t k = 0; k < 3; ++k) {
      low[k] = std::min(low[k], x[k]);
      high[k] = std::max(high[k], x[k]);
    }
  }
  const double longest = std::max({high[0] - low[0], high[1] - low[1], high[2] - low[2]});
  if (!(longest > 0)) throw Error("all points are the same", surface_place);
  UnitCube cube{.side = longest / share};
  for (std::size_t k = 0; k < 3; ++k) cube.lower[k] = (low[k] + high[k] - cube.side) / 2;
  return cube;
}

OrientedPoints in_cube(const OrientedPoints& cloud, const UnitCube& cube) {
  OrientedPoints inside = cloud;
  for (std::size_t i = 0; i < inside.size(); ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      double& x = inside.points[i][k];
      x = (x - cube.lower[k]) / cube.side;
      if (x >= 0 && x <= 1) continue;
      const Point3& p = cloud.points[i];
      throw Error(
          fmt::format("point {} at ({}, {}, {}) lies outside of the cube", i + 1, p[0], p[1], p[2]),
          surface_place, "take a larger cube, or leave the point out");
    }
  }
  return inside;
}

FieldGrid cube_grid(int n) {
  FieldGrid grid;
  for (const char* name : {"x", "y", "z"}) {
    grid.axes.push_back({.name = name, .n = n, .lower = 0, .upper = 1, .periodic = true});
  }
  return grid;
}

std::vector<double> rasterize(std::span<const Point3> points, std::span<const double> values,
                              std::size_t channels, int n) {
  if (values.size() != channels * points.size()) {
    throw Error(fmt::format("{} values of {} channels for {} points", values.size(), channels,
                            points.size()),
                surface_place);
  }
  const std::size_t nodes = nodes_of(n);
  std::vector<double> sums(channels * nodes, 0);
  const double per_volume = static_cast<double>(nodes);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Corners c = corners_of(points[i], n);
    for (std::size_t k = 0; k < 8; ++k) {
      for (std::size_t a = 0; a < channels; ++a) {
        sums[a * nodes + c.node[k]] += per_volume * c.weight[k] * values[i * channels + a];
      }
    }
  }
  return sums;
}

std::vector<double> interpolate(std::span<const double> function, int n,
                                std::span<const Point3> points) {
  require_nodes(n, function.size(), 1);
  std::vector<double> values;
  values.reserve(points.size());
  for (const Point3& x : points) {
    const Corners c = corners_of(x, n);
    double sum = 0;
    for (std::size_t k = 0; k < 8; ++k) sum += c.weight[k] * function[c.node[k]];
    values.push_back(sum);
  }
  return values;
}

void smooth(std::span<double> function, int n, double variance) {
  require_nodes(n, function.size(), 1);
  if (!(variance > 0)) return;
  const RealFft<double> fft = cube_transform(n);
  std::vector<std::complex<double>> modes(fft.complex_size());
  fft.forward(function, modes);
  for_modes(n, false, [&](std::size_t i, double kx, double ky, double kz) {
    modes[i] *= std::exp(-variance * (kx * kx + ky * ky + kz * kz) / 2);
  });
  fft.inverse(modes, function);
}

std::vector<double> point_areas(const OrientedPoints& cloud, int n, double width) {
  const double h = 1.0 / n;
  if (!(width >= 0.6 * h)) {
    throw Error(fmt::format("a width of {} is less than 0.6 / {}", width, n), surface_place);
  }
  std::vector<double> density =
      rasterize(cloud.points, std::vector<double>(cloud.size(), 1.0), 1, n);
  // Rasterisation and interpolation have variances of h^2 / 6 each.
  smooth(density, n, width * width - h * h / 3);
  std::vector<double> areas = interpolate(density, n, cloud.points);
  for (double& a : areas) a = 1 / (std::sqrt(2 * std::numbers::pi) * width * a);
  return areas;
}

std::vector<double> normal_field(const OrientedPoints& cloud, std::span<const double> areas, int n,
                                 double width) {
  if (areas.size() != cloud.size()) {
    throw Error(fmt::format("{} areas for {} points", areas.size(), cloud.size()), surface_place);
  }
  std::vector<double> vectors;
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    for (const double v : cloud.normals[i]) vectors.push_back(areas[i] * v);
  }
  std::vector<double> field = rasterize(cloud.points, vectors, 3, n);
  const double variance = width * width - 1.0 / (6.0 * n * n);
  for (std::size_t a = 0; a < 3; ++a) {
    smooth(std::span(field).subspan(a * nodes_of(n), nodes_of(n)), n, variance);
  }
  return field;
}

std::vector<double> divergence(std::span<const double> field, int n) {
  require_nodes(n, field.size(), 3);
  const auto m = static_cast<std::size_t>(n);
  const std::size_t nodes = nodes_of(n), strides[3] = {m * m, m, 1};
  std::vector<double> sum(nodes, 0);
  for (std::size_t a = 0; a < 3; ++a) {
    const std::span<const double> f = field.subspan(a * nodes, nodes);
    const std::size_t s = strides[a];
    for (std::size_t i = 0; i < nodes; ++i) {
      const std::size_t at = i / s % m, base = i - at * s;
      const auto value = [&](std::size_t steps) { return f[base + (at + steps) % m * s]; };
      sum[i] += n * (8 * (value(1) - value(m - 1)) - (value(2) - value(m - 2))) / 12;
    }
  }
  return sum;
}

PoissonSurface poisson_surface(const OrientedPoints& cloud, const PoissonSurfaceOptions& options) {
  const int n = options.n;
  if (n < least_nodes || n > 2048) {
    throw Error(fmt::format("{} nodes along an axis; {} to 2048 can be", n, least_nodes),
                surface_place);
  }
  const double width = options.width > 0 ? options.width : 1.5 / n;
  const std::vector<double> areas = point_areas(cloud, n, width);
  const std::vector<double> field = normal_field(cloud, areas, n, width);
  const RealFft<double> fft = cube_transform(n);
  const std::size_t nodes = nodes_of(n);
  std::vector<std::complex<double>> part(fft.complex_size()), phi(fft.complex_size());
  for (std::size_t a = 0; a < 3; ++a) {
    fft.forward(std::span(field).subspan(a * nodes, nodes), part);
    for_modes(n, true, [&](std::size_t i, double kx, double ky, double kz) {
      const double k[3] = {kx, ky, kz};
      phi[i] += std::complex<double>(0, k[a]) * part[i];
    });
  }
  for_modes(n, false, [&](std::size_t i, double kx, double ky, double kz) {
    const double square = kx * kx + ky * ky + kz * kz;
    phi[i] = square > 0 ? -phi[i] / square : 0;
  });
  PoissonSurface result;
  result.occupancy.resize(nodes);
  fft.inverse(phi, result.occupancy);
  const std::vector<double> at_points = interpolate(result.occupancy, n, cloud.points);
  double sum = 0, area = 0;
  for (std::size_t i = 0; i < at_points.size(); ++i) {
    sum += areas[i] * at_points[i];
    area += areas[i];
  }
  const double outside = mean_outside(result.occupancy, n), half = outside - sum / area;
  result.jump = 2 * half;
  if (!(half > least_jump)) {
    throw Error(half < -least_jump ? "the normals point inwards" : "the points enclose nothing",
                surface_place,
                half < -least_jump ? "turn them around" : "give points on all sides of a solid");
  }
  for (double& f : result.occupancy) f = (outside - f) / (2 * half);
  return result;
}

TriangleMesh occupancy_surface(std::span<const double> occupancy, int n, const UnitCube& cube) {
  require_nodes(n, occupancy.size(), 1);
  const auto m = static_cast<std::size_t>(n);
  const double h = cube.side / n;
  return isosurface(occupancy, {.n = {m, m, m}, .lower = cube.lower, .spacing = {h, h, h}}, 0.5);
}

double intersection_over_union(std::span<const double> a, std::span<const double> b) {
  if (a.size() != b.size()) {
    throw Error(fmt::format("{} and {} nodes cannot be compared", a.size(), b.size()),
                surface_place);
  }
  std::size_t both = 0, one = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const bool in_a = a[i] > 0.5, in_b = b[i] > 0.5;
    both += in_a && in_b ? 1 : 0;
    one += in_a || in_b ? 1 : 0;
  }
  return one == 0 ? 1 : static_cast<double>(both) / static_cast<double>(one);
}

}  // namespace cauchy
