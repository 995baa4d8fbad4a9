#include <cauchy/training/diagnosis.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/math/blas.hpp>
#include <cauchy/math/lapack.hpp>

#include "optimizers/vector_ops.hpp"

namespace cauchy {
namespace {

std::span<const double> row_of(MatrixView<const double> a, std::size_t i) {
  return a.row(i).span();
}

double ratio_of(double a, double b) {
  return b > 0 ? a / b : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

double signal_to_noise(MatrixView<const double> g) {
  if (g.rows() < 2) {
    throw Error(fmt::format("noise is between batches, got {} of them", g.rows()),
                "[training.diagnosis]");
  }
  const auto B = static_cast<double>(g.rows());
  double signal = 0, noise = 0;
  for (std::size_t j = 0; j < g.cols(); ++j) {
    // Deviations from the first row: those of identical rows are exactly 0.
    double shift = 0, square = 0;
    for (std::size_t b = 0; b < g.rows(); ++b) shift += g(b, j) - g(0, j);
    shift /= B;
    for (std::size_t b = 0; b < g.rows(); ++b) {
      const double off = g(b, j) - g(0, j) - shift;
      square += off * off;
    }
    const double mean = g(0, j) + shift;
    signal += mean * mean;
    noise += square / B;
  }
  if (noise == 0 && signal > 0) return std::numeric_limits<double>::infinity();
  return std::sqrt(ratio_of(signal, noise));
}

Matrix cosines_between(MatrixView<const double> g) {
  Matrix c(g.rows(), g.rows());
  std::vector<double> lengths;
  for (std::size_t i = 0; i < g.rows(); ++i) lengths.push_back(detail::norm(row_of(g, i)));
  for (std::size_t i = 0; i < g.rows(); ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      const double cosine =
          ratio_of(ratio_of(detail::dot(row_of(g, i), row_of(g, j)), lengths[i]), lengths[j]);
      c(i, j) = c(j, i) = std::isnan(cosine) ? cosine : std::clamp(cosine, -1.0, 1.0);
    }
  }
  return c;
}

Matrix tangent_kernel(Executor& executor, std::size_t term, std::span<const double> theta) {
  Matrix j(executor.n_residuals(term), executor.n_parameters());
  executor.jacobian(term, theta, {j.data(), j.size()});
  Matrix k(j.rows(), j.rows());
  syrk(Half::lower, Transpose::no, 1, j, 0, k);
  for (std::size_t a = 0; a < k.rows(); ++a) {
    for (std::size_t b = 0; b < a; ++b) k(b, a) = k(a, b);
  }
  return k;
}

double kernel_drift(MatrixView<const double> k, MatrixView<const double> k0) {
  if (k.rows() != k0.rows() || k.cols() != k0.cols()) {
    throw Error("kernels of different points have no distance", "[training.diagnosis]");
  }
  double change = 0, size = 0;
  for (std::size_t i = 0; i < k.rows(); ++i) {
    for (std::size_t j = 0; j < k.cols(); ++j) {
      change += (k(i, j) - k0(i, j)) * (k(i, j) - k0(i, j));
      size += k0(i, j) * k0(i, j);
    }
  }
  return std::sqrt(ratio_of(change, size));
}

KernelModes kernel_modes(MatrixView<const double> k, std::span<const double> r) {
  KernelModes modes{.condition = std::numeric_limits<double>::quiet_NaN()};
  const SymmetricEigen<double> eigen = symmetric_eigen(k);
  if (eigen.status != Factorization::ok || eigen.values.empty()) return modes;
  const std::size_t n = eigen.values.size();
  const double size = detail::dot(r, r), largest = std::max(0.0, eigen.values.back());
  const double rounding = static_cast<double>(n) * std::numeric_limits<double>::epsilon() * largest;
  for (std::size_t i = n; i-- > 0;) {
    const double value = std::max(0.0, eigen.values[i]);
    double along = 0;
    for (std::size_t p = 0; p < n; ++p) along += eigen.vectors(p, i) * r[p];
    modes.values.push_back(value);
    modes.shares.push_back(ratio_of(along * along, size));
    if (value > rounding) modes.condition = largest / value;
  }
  return modes;
}

std::vector<double> kernel_flow(MatrixView<const double> k, std::span<const double> first,
                                std::span<const double> y, double t) {
  const std::size_t n = k.rows();
  const SymmetricEigen<double> eigen = symmetric_eigen(k);
  if (first.size() != n || y.size() != n || eigen.status != Factorization::ok) {
    throw Error(
        fmt::format("a kernel of {} points, {} values and {} data", n, first.size(), y.size()),
        "[training.diagnosis]", "give one of each per point, all finite");
  }
  std::vector<double> f(y.begin(), y.end());
  for (std::size_t i = 0; i < n; ++i) {
    double along = 0;
    for (std::size_t p = 0; p < n; ++p) along += eigen.vectors(p, i) * (first[p] - y[p]);
    along *= std::exp(-eigen.values[i] * t);
    for (std::size_t p = 0; p < n; ++p) f[p] += along * eigen.vectors(p, i);
  }
  return f;
}

std::vector<double> filter_direction(std::span<const ParameterBlock> blocks,
                                     std::span<const double> theta, Rng rng) {
  std::vector<double> direction(theta.size(), 0.0);
  for (const ParameterBlock& block : blocks) {
    if (block.role == ParameterBlock::Role::constant) continue;
    const bool weight = block.role == ParameterBlock::Role::weight;
    const auto all = static_cast<std::size_t>(block.size());
    const std::size_t part = weight ? static_cast<std::size_t>(block.cols) : all;
    for (std::size_t at = 0; at < all; at += part) {
      const std::size_t from = static_cast<std::size_t>(block.offset) + at;
      const std::span<double> d = std::span(direction).subspan(from, part);
      rng.fill_normal(d);
      const double length = detail::norm(d), wanted = detail::norm(theta.subspan(from, part));
      for (double& v : d) v *= length > 0 ? wanted / length : 0;
    }
  }
  return direction;
}

}  // namespace cauchy
