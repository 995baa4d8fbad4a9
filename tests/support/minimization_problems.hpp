#pragma once

#include <algorithm>
#include <cauchy/base/rng.hpp>
#include <cstdint>
#include <span>
#include <vector>

// Functions with known minima: f(x, g) returns the value and writes the gradient unless g is empty.

namespace cauchy::minimization {

using Span = std::span<const double>;

/// Independent pairs of Rosenbrock's function; minimum 0 at (1, ..., 1).
inline double extended_rosenbrock(Span x, std::span<double> g) {
  double f = 0;
  for (std::size_t i = 0; i + 1 < x.size(); i += 2) {
    const double u = x[i + 1] - x[i] * x[i], v = 1 - x[i];
    f += 100 * u * u + v * v;
    if (g.empty()) continue;
    g[i] = -400 * x[i] * u - 2 * v;
    g[i + 1] = 200 * u;
  }
  return f;
}

/// Each entry is tied to the next; minimum 0 at (1, ..., 1).
inline double chained_rosenbrock(Span x, std::span<double> g) {
  double f = 0;
  std::fill(g.begin(), g.end(), 0.0);
  for (std::size_t i = 0; i + 1 < x.size(); ++i) {
    const double u = x[i + 1] - x[i] * x[i], v = 1 - x[i];
    f += 100 * u * u + v * v;
    if (g.empty()) continue;
    g[i] += -400 * x[i] * u - 2 * v;
    g[i + 1] += 200 * u;
  }
  return f;
}

/// Four entries; minimum 0 at 0, where the Hessian is singular.
inline double powell_singular(Span x, std::span<double> g) {
  const double a = x[0] + 10 * x[1], b = x[2] - x[3], c = x[1] - 2 * x[2], d = x[0] - x[3];
  if (!g.empty()) {
    g[0] = 2 * a + 40 * d * d * d;
    g[1] = 20 * a + 4 * c * c * c;
    g[2] = 10 * b - 8 * c * c * c;
    g[3] = -10 * b - 40 * d * d * d;
  }
  return a * a + 5 * b * b + c * c * c * c + 10 * d * d * d * d;
}

/// Two entries; minimum 0 at (3, 1/2).
inline double beale(Span x, std::span<double> g) {
  const double target[] = {1.5, 2.25, 2.625};
  double f = 0, power = 1;
  std::fill(g.begin(), g.end(), 0.0);
  for (int k = 1; k <= 3; ++k) {
    const double lower = power;
    power *= x[1];
    const double r = target[k - 1] - x[0] * (1 - power);
    f += r * r;
    if (g.empty()) continue;
    g[0] -= 2 * r * (1 - power);
    g[1] += 2 * r * x[0] * k * lower;
  }
  return f;
}

/// f = (x - c)'A(x - c) / 2 with A = Q diag(l) Q', Q a product of reflections.
struct Quadratic {
  std::vector<double> a, c;
  Quadratic(const std::vector<double>& l, std::uint64_t seed)
      : a(l.size() * l.size()), c(l.size()) {
    const std::size_t n = l.size();
    Rng rng(seed);
    for (std::size_t i = 0; i < n; ++i) a[i * n + i] = l[i];
    for (int reflection = 0; reflection < 3; ++reflection) {
      std::vector<double> v(n);
      double vv = 0;
      for (double& e : v) {
        e = rng.normal();
        vv += e * e;
      }
      for (int side = 0; side < 2; ++side) {  // A <- R A, then its transpose: R A R
        std::vector<double> va(n, 0.0), b = a;
        for (std::size_t i = 0; i < n; ++i)
          for (std::size_t j = 0; j < n; ++j) va[j] += v[i] * a[i * n + j];
        for (std::size_t i = 0; i < n; ++i)
          for (std::size_t j = 0; j < n; ++j) b[i * n + j] -= 2 * v[i] * va[j] / vv;
        for (std::size_t i = 0; i < n; ++i)
          for (std::size_t j = 0; j < n; ++j) a[j * n + i] = b[i * n + j];
      }
    }
    for (double& e : c) e = rng.normal();
  }
  double operator()(Span x, std::span<double> g) const {
    const std::size_t n = c.size();
    double f = 0;
    for (std::size_t i = 0; i < n; ++i) {
      double r = 0;
      for (std::size_t j = 0; j < n; ++j) r += a[i * n + j] * (x[j] - c[j]);
      f += r * (x[i] - c[i]) / 2;
      if (!g.empty()) g[i] = r;
    }
    return f;
  }
};

}  // namespace cauchy::minimization
