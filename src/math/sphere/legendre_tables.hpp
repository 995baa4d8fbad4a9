#pragma once

#include <cstddef>
#include <vector>

#include <cauchy/math/matrix.hpp>
#include <cauchy/math/sphere_grid.hpp>

namespace cauchy::detail {

/// Legendre functions of every order on the northern half of a grid (with the equator, when it has
/// one), rows apart by the parity of l - m:
///   value  P_lm,  even about the equator for even l - m
///   slope  dP_lm/dtheta / sqrt(l (l+1)),  odd for even l - m
///   turn   m P_lm / sin theta / sqrt(l (l+1)),  even for even l - m
/// Circles near the poles, where all functions of an order are below 2^-128, are left out.
class LegendreTables final {
 public:
  enum Kind : std::size_t { value, slope, turn };

  LegendreTables(const SphereGrid& grid, std::size_t degree, bool vectors);

  [[nodiscard]] bool has_vectors() const noexcept { return n_kinds_ == 3; }
  [[nodiscard]] std::size_t half() const noexcept { return half_; }
  /// The first circle of an order.
  [[nodiscard]] std::size_t first(std::size_t m) const { return orders_[m].first; }
  /// Degrees l = m + parity, m + parity + 2, ...: how many.
  [[nodiscard]] std::size_t rows(std::size_t m, std::size_t parity) const {
    return degree_ + 1 > m + parity ? (degree_ - m - parity) / 2 + 1 : 0;
  }
  /// rows(m, parity) x (half() - first(m)).
  [[nodiscard]] MatrixView<const double> table(Kind kind, std::size_t m, std::size_t parity) const;

 private:
  struct Order {
    std::size_t first = 0;
    std::vector<double> numbers = {};  // kinds one behind the other, even rows first
  };

  std::size_t degree_, half_, n_kinds_;
  std::vector<Order> orders_;
};

}  // namespace cauchy::detail
