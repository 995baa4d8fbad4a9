#include "solvers/spectral/chebyshev_basis.hpp"

#include <cmath>

#include <cauchy/expr/expr.hpp>
#include <cauchy/math/matrix.hpp>
#include <cauchy/math/polynomials.hpp>

namespace cauchy::detail {
namespace {

/// Replaces an axis of an array (before x size x after) by the rows of a matrix times it.
std::vector<double> chebyshev_apply(std::span<const double> in, std::size_t before,
                                    std::size_t size, std::size_t after, const double* matrix,
                                    std::size_t rows) {
  std::vector<double> out(before * rows * after);
  for (std::size_t b = 0; b < before; ++b) {
    for (std::size_t i = 0; i < rows; ++i) {
      double* to = out.data() + (b * rows + i) * after;
      for (std::size_t k = 0; k < size; ++k) {
        const double m = matrix[i * size + k];
        const double* from = in.data() + (b * size + k) * after;
        for (std::size_t a = 0; a < after; ++a) to[a] += m * from[a];
      }
    }
  }
  return out;
}

/// Values at n Lobatto points (ascending) to coefficients of T_0, ..., T_{n-1}.
std::vector<double> chebyshev_transform(std::size_t n) {
  std::vector<double> m(n * n, 1);
  if (n == 1) return m;
  const auto last = static_cast<double>(n - 1);
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t j = 0; j < n; ++j) {
      const double half_k = k == 0 || k == n - 1 ? 0.5 : 1, half_j = j == 0 || j == n - 1 ? 0.5 : 1;
      // The place of the j-th point is -cos(pi j / (n - 1)); whole turns are taken off first.
      const double turn = static_cast<double>((k * (n - 1 - j)) % (2 * (n - 1)));
      m[k * n + j] = 2 / last * half_k * half_j * std::cos(pi * turn / last);
    }
  }
  return m;
}

}  // namespace

std::vector<double> chebyshev_gauss_points(double lower, double upper, std::size_t n) {
  std::vector<double> x(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double s = std::sin(pi * (2 * static_cast<double>(i) + 1 - static_cast<double>(n)) /
                              (2 * static_cast<double>(n)));
    x[i] = (lower + upper) / 2 + (upper - lower) / 2 * s;
  }
  return x;
}

ChebyshevTable::ChebyshevTable(double lower, double upper, std::size_t n,
                               std::span<const double> at, int order)
    : n_(n), places_(at.size()), values_(static_cast<std::size_t>(order + 1) * at.size() * n) {
  const OrthogonalPolynomials t = OrthogonalPolynomials::chebyshev_t();
  const auto orders = static_cast<std::size_t>(order + 1);
  Matrix one(orders, n);
  for (std::size_t i = 0; i < places_; ++i) {
    t.evaluate(((at[i] - lower) - (upper - at[i])) / (upper - lower), one.view());
    double unit = 1;
    for (std::size_t q = 0; q < orders; ++q, unit *= 2 / (upper - lower)) {
      double* to = values_.data() + (q * places_ + i) * n;
      for (std::size_t k = 0; k < n; ++k) to[k] = unit * one(q, k);
    }
  }
}

std::vector<double> evaluate_chebyshev(std::span<const double> coefficients,
                                       std::span<const ChebyshevFactor> factors) {
  std::vector<double> values(coefficients.begin(), coefficients.end());
  std::size_t after = 1;
  for (std::size_t a = factors.size(); a-- > 0;) {
    const ChebyshevTable& t = *factors[a].table;
    const std::size_t before = values.size() / (t.n() * after);
    values = chebyshev_apply(values, before, t.n(), after, t.row(factors[a].order, 0), t.places());
    after *= t.places();
  }
  return values;
}

void add_chebyshev_product(double* row, double factor, std::span<const ChebyshevFactor> factors,
                           std::span<const std::size_t> places, std::vector<double>& work) {
  work.assign(1, factor);
  for (std::size_t a = 0; a < factors.size(); ++a) {
    const ChebyshevTable& t = *factors[a].table;
    const double* values = t.row(factors[a].order, places[a]);
    const std::size_t n = t.n(), before = work.size();
    if (a + 1 == factors.size()) {
      for (std::size_t l = 0; l < before; ++l) {
        const double w = work[l];
        for (std::size_t k = 0; k < n; ++k) row[l * n + k] += w * values[k];
      }
      return;
    }
    work.resize(before * n);
    for (std::size_t l = before; l-- > 0;) {
      const double w = work[l];
      for (std::size_t k = n; k-- > 0;) work[l * n + k] = w * values[k];
    }
  }
}

std::vector<double> chebyshev_coefficients(std::vector<double> values,
                                           std::span<const std::size_t> sizes) {
  std::size_t after = 1;
  for (std::size_t a = sizes.size(); a-- > 0; after *= sizes[a]) {
    const std::size_t n = sizes[a];
    values = chebyshev_apply(values, values.size() / (n * after), n, after,
                             chebyshev_transform(n).data(), n);
  }
  return values;
}

}  // namespace cauchy::detail
