#include "math/sphere/legendre_tables.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/memory.hpp>

#include "math/sphere/legendre_sweep.hpp"

namespace cauchy::detail {

LegendreTables::LegendreTables(const SphereGrid& grid, std::size_t degree, bool vectors)
    : degree_(degree), half_((grid.n_latitudes + 1) / 2), n_kinds_(vectors ? 3 : 1) {
  const double n = static_cast<double>(degree + 1), n_rows = n * (n + 1) / 2;
  require_memory(8.0 * static_cast<double>(n_kinds_ * half_) * n_rows,
                 fmt::format("the transform of degree {}", degree),
                 vectors ? "take a smaller degree, or scalars alone" : "take a smaller degree",
                 "[math.spherical_harmonics]");
  orders_.resize(degree + 1);
  for (Order& order : orders_) order.first = half_;
  // Sectoral values follow each other in m, circle by circle; all else belongs to one order.
  std::vector<std::vector<ScaledReal>> sectoral(half_);
  std::vector<long double> x(half_), sine(half_);
  for (std::size_t j = 0; j < half_; ++j) {
    x[j] = 2 * j + 1 == grid.n_latitudes ? 0 : grid.x[j];
    sine[j] = std::sqrt((1 - x[j]) * (1 + x[j]));
    sectoral[j] = sectoral_values(degree, sine[j]);
  }
  std::vector<long double> q(degree + 1), above(degree + 1);
  for (std::size_t m = 0; m <= degree; ++m) {
    const LegendreSweep sweep(degree, m), next(degree, m + 1);
    Order& order = orders_[m];
    const std::size_t total = degree - m + 1, even = rows(m, 0);
    for (std::size_t j = 0; j < half_; ++j) {
      sweep(x[j], sectoral[j][m], q);
      if (order.first == half_) {
        if (std::none_of(q.begin(), q.begin() + static_cast<std::ptrdiff_t>(total),
                         [](long double v) { return v != 0; })) {
          continue;
        }
        order.first = j;
        order.numbers.resize(n_kinds_ * total * (half_ - j));
      }
      const std::size_t cols = half_ - order.first;
      if (vectors && m == 0 && degree > 0) {
        next(x[j], sectoral[j][1], above);  // dP_l0/dtheta = sqrt(l (l+1)) P_l1
      }
      for (std::size_t l = m; l <= degree; ++l) {
        const std::size_t k = l - m, row = k % 2 * even + k / 2;
        double* const out = order.numbers.data() + row * cols + (j - order.first);
        out[0] = static_cast<double>(m == 0 ? q[k] : q[k] * sine[j]);
        if (!vectors || l == 0) continue;
        const auto n_l = static_cast<long double>(l);
        const long double norm = std::sqrt(n_l * (n_l + 1));
        const long double dp =
            m == 0 ? above[l - 1] * sine[j]
                   : (n_l * x[j] * q[k] - (k == 0 ? 0 : sweep.slope(l) * q[k - 1])) / norm;
        out[slope * total * cols] = static_cast<double>(dp);
        out[turn * total * cols] = static_cast<double>(static_cast<long double>(m) * q[k] / norm);
      }
    }
  }
}

MatrixView<const double> LegendreTables::table(Kind kind, std::size_t m, std::size_t parity) const {
  const Order& order = orders_[m];
  const std::size_t cols = half_ - order.first, n = rows(m, parity);
  if (n == 0 || cols == 0) return {nullptr, n, 0};
  const std::size_t total = degree_ - m + 1;
  return {order.numbers.data() + (kind * total + parity * rows(m, 0)) * cols, n, cols};
}

}  // namespace cauchy::detail
