#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include <cauchy/math/matrix.hpp>
#include <cauchy/sampling/random_field.hpp>

namespace cauchy {

inline std::vector<RandomFieldAxis> unit_axes(std::size_t d, FieldBoundary boundary) {
  return std::vector<RandomFieldAxis>(d, {0, 1, boundary});
}

/// n equidistant nodes from a to b, or all but the last of them.
inline std::vector<double> linspace(double a, double b, std::size_t n, bool last = true) {
  std::vector<double> x;
  for (std::size_t i = 0; i + (last ? 0 : 1) < n; ++i) {
    x.push_back(a + (b - a) * static_cast<double>(i) / static_cast<double>(n - 1));
  }
  return x;
}

/// Means and covariances of n draws of a Gaussian field at points (row-major) against the formula.
///   tolerance  5 deviations of the estimate: sqrt((c_ii c_jj + c_ij^2) / n) for products of normal
///              numbers; and `lost` for what the series leaves out
inline void expect_covariance(const RandomField& field, const std::vector<double>& points,
                              const std::function<double(const double*, const double*)>& covariance,
                              std::uint64_t n, double lost = 1e-9) {
  const std::size_t d = field.dimension(), m = points.size() / d;
  const auto sampler = field.on_points(points);
  std::vector<double> u(m), mean(m);
  Matrix products(m, m);
  const double weight = 1 / static_cast<double>(n);
  for (std::uint64_t number = 0; number < n; ++number) {
    sampler->sample(Rng(11), number, u);
    for (std::size_t i = 0; i < m; ++i) {
      mean[i] += weight * u[i];
      for (std::size_t j = 0; j <= i; ++j) products(i, j) += weight * u[i] * u[j];
    }
  }
  for (std::size_t i = 0; i < m; ++i) {
    const double* x = &points[i * d];
    const double c_ii = covariance(x, x);
    EXPECT_LT(std::abs(mean[i]), 5 * std::sqrt(c_ii * weight) + 1e-12) << i;
    for (std::size_t j = 0; j <= i; ++j) {
      const double* y = &points[j * d];
      const double c_ij = covariance(x, y), c_jj = covariance(y, y);
      const double deviation = std::sqrt((c_ii * c_jj + c_ij * c_ij) * weight);
      EXPECT_LT(std::abs(products(i, j) - c_ij), 5 * deviation + lost) << i << " " << j;
    }
  }
}

}  // namespace cauchy
