#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include <cauchy/base/rng.hpp>
#include <cauchy/geometry/shapes/solid.hpp>

namespace cauchy::solid_test {

struct Case {
  std::string name;
  ShapePtr shape;
};

inline ShapePtr skew_tetrahedron() {
  const std::vector<Point3> v = {{0.1, 0, 0}, {2, 0.3, -0.2}, {0.4, 1.5, 0.1}, {0.2, 0.4, 1.2}};
  return tetrahedron_shape(v);
}

/// Every primitive, turned and shifted where it can be, and shapes in 4 to 7 dimensions.
inline std::vector<Case> primitives() {
  const std::vector<double> l3 = {-1, 0.5, 2}, u3 = {1, 2, 2.5}, l5 = {0, -1, 0, 1, 2},
                            u5 = {1, 1, 0.5, 2, 4}, c3 = {0.3, -0.4, 1}, c4 = {0.1, 0.2, 0.3, 0.4},
                            c7(7, -0.2);
  return {{"box", box_shape(l3, u3)},
          {"box in 5 dimensions", box_shape(l5, u5)},
          {"ball", ball_shape(c3, 1.3)},
          {"ball in 4 dimensions", ball_shape(c4, 0.8)},
          {"ball in 7 dimensions", ball_shape(c7, 1.1)},
          {"ellipsoid", ellipsoid_shape({0.5, -0.2, 0.1}, {1, 2, 0.6})},
          {"oblate spheroid", ellipsoid_shape({0, 0, 0}, {2, 2, 0.5})},
          {"prolate spheroid", ellipsoid_shape({0, 0, 1}, {0.7, 3, 0.7})},
          {"cylinder", cylinder_shape({0.2, 0.1, -0.5}, {1, 1.4, 0.6}, 0.7)},
          {"cone", cone_shape({0.2, 0.1, -0.5}, {1, 1.4, 0.6}, 0.9)},
          {"flat cone", cone_shape({0, 0, 0}, {0, 0, 0.4}, 2)},
          {"torus", torus_shape({0.4, 0, -0.3}, {1, 2, -0.5}, 1.5, 0.6)},
          {"tetrahedron", skew_tetrahedron()}};
}

/// Largest coordinate or side of the bounds.
inline double size_of(const Shape& s) {
  double size = 0;
  for (std::size_t i = 0; i < s.dimension(); ++i) {
    size = std::max({size, std::abs(s.bounds().lower[i]), std::abs(s.bounds().upper[i])});
  }
  return size;
}

/// Uniform in the bounds, widened on each side by `margin` of their width.
inline std::vector<double> random_point(const Shape& s, Rng& rng, double margin) {
  std::vector<double> x(s.dimension());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double a = s.bounds().lower[i], b = s.bounds().upper[i];
    x[i] = rng.uniform(a - margin * (b - a), b + margin * (b - a));
  }
  return x;
}

inline std::vector<double> random_unit(std::size_t n, Rng& rng) {
  std::vector<double> u(n);
  rng.fill_uniform(u);
  return u;
}

inline std::vector<double> moved(const std::vector<double>& x, const std::vector<double>& n,
                                 double step) {
  std::vector<double> y = x;
  for (std::size_t i = 0; i < x.size(); ++i) y[i] += step * n[i];
  return y;
}

inline double separation(const std::vector<double>& x, const std::vector<double>& y) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += (x[i] - y[i]) * (x[i] - y[i]);
  return std::sqrt(sum);
}

/// Share of the bounds that the shape fills, times their volume, and its standard deviation.
struct Estimate {
  double value, deviation;
};
inline Estimate monte_carlo_volume(const Shape& s, std::size_t n, std::uint64_t seed) {
  Rng rng(seed);
  double box = 1;
  for (std::size_t i = 0; i < s.dimension(); ++i) box *= s.bounds().upper[i] - s.bounds().lower[i];
  std::size_t hits = 0;
  for (std::size_t k = 0; k < n; ++k) hits += s.contains(random_point(s, rng, 0).data()) ? 1 : 0;
  const double share = static_cast<double>(hits) / static_cast<double>(n);
  return {box * share, box * std::sqrt(share * (1 - share) / static_cast<double>(n))};
}

/// sqrt(det J'J) of a map from m to d numbers by central differences of step h.
template <class Map>
double stretch(const Map& map, const std::vector<double>& u, std::size_t d, double h) {
  const std::size_t m = u.size();
  std::vector<double> jacobian(m * d);
  for (std::size_t k = 0; k < m; ++k) {
    std::vector<double> up = u, down = u, x(d), y(d);
    up[k] += h;
    down[k] -= h;
    map(up.data(), x.data());
    map(down.data(), y.data());
    for (std::size_t i = 0; i < d; ++i) jacobian[k * d + i] = (x[i] - y[i]) / (2 * h);
  }
  // Gram-Schmidt: the product of the heights is the volume of the parallelepiped.
  double volume = 1;
  for (std::size_t k = 0; k < m; ++k) {
    double* row = &jacobian[k * d];
    for (std::size_t l = 0; l < k; ++l) {
      const double* unit = &jacobian[l * d];
      double along = 0;
      for (std::size_t i = 0; i < d; ++i) along += row[i] * unit[i];
      for (std::size_t i = 0; i < d; ++i) row[i] -= along * unit[i];
    }
    double height = 0;
    for (std::size_t i = 0; i < d; ++i) height = std::hypot(height, row[i]);
    for (std::size_t i = 0; i < d; ++i) row[i] /= height;
    volume *= height;
  }
  return volume;
}

}  // namespace cauchy::solid_test
