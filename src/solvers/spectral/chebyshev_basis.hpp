#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace cauchy::detail {

/// n roots of T_n, moved_coefficients to [lower, upper], ascending: points inside at which
/// equations are collocated.
[[nodiscard]] std::vector<double> chebyshev_gauss_points(double lower, double upper, std::size_t n);

/// The Chebyshev polynomials T_0, ..., T_{n-1} of [lower, upper] and their derivatives at places.
/// They come from the differentiated recurrence, so that high derivatives are exact to rounding,
/// unlike powers of differentiation matrices.
class ChebyshevTable final {
 public:
  ChebyshevTable() = default;
  ChebyshevTable(double lower, double upper, std::size_t n, std::span<const double> at, int order);

  [[nodiscard]] std::size_t n() const noexcept { return n_; }
  [[nodiscard]] std::size_t places() const noexcept { return places_; }
  /// The n values of the derivative of this order at a place.
  [[nodiscard]] const double* row(int order, std::size_t place) const {
    return values_.data() + (static_cast<std::size_t>(order) * places_ + place) * n_;
  }

 private:
  std::size_t n_ = 0, places_ = 0;
  std::vector<double> values_;  // orders x places x n
};

/// A table of one axis and the order of the derivative.
struct ChebyshevFactor {
  const ChebyshevTable* table;
  int order;
};

/// Values at all combinations of the places of the tables of a series with the given coefficients
/// (the last axis runs fastest in both), differentiated as the factors say.
[[nodiscard]] std::vector<double> evaluate_chebyshev(std::span<const double> coefficients,
                                                     std::span<const ChebyshevFactor> factors);

/// row += factor x the products of all polynomials of the axes at one place each: the row of a
/// linear system that belongs to a derivative at a point. `work` is scratch memory.
void add_chebyshev_product(double* row, double factor, std::span<const ChebyshevFactor> factors,
                           std::span<const std::size_t> places, std::vector<double>& work);

/// Coefficients of the polynomials through values at Lobatto points along every axis; sizes are the
/// numbers of points, in units of which the result has the same shape.
[[nodiscard]] std::vector<double> chebyshev_coefficients(std::vector<double> values,
                                                         std::span<const std::size_t> sizes);

/// All combinations of indices below the sizes, the last one fastest.
template <class Do>
void for_each_chebyshev_place(std::span<const std::size_t> sizes, Do&& act) {
  std::vector<std::size_t> index(sizes.size(), 0);
  if (std::find(sizes.begin(), sizes.end(), std::size_t{0}) != sizes.end()) return;
  while (true) {
    act(std::span<const std::size_t>(index));
    std::size_t a = sizes.size();
    while (a > 0 && ++index[a - 1] == sizes[a - 1]) index[--a] = 0;
    if (a == 0) return;
  }
}

}  // namespace cauchy::detail
