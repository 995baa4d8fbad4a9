#pragma once

#include <span>
#include <vector>

#include "solvers/fem/fem_space.hpp"

namespace cauchy::detail {

/// Number of the pair (i, j) among i <= j of d coordinates.
[[nodiscard]] constexpr std::size_t pair_number(std::size_t i, std::size_t j, std::size_t d) {
  const std::size_t a = i < j ? i : j, b = i < j ? j : i;
  return a * d - a * (a + 1) / 2 + b;
}

/// Polynomial preserving recovery: around each node a polynomial of one degree more than the
/// elements is fitted to the values of the surrounding cells; its derivatives are those of the
/// node. Exact for polynomials of that degree, also at the boundary. Across the boundary of a
/// material fields have kinks: each material has its own, of its nodes alone.
class NodeRecovery final {
 public:
  explicit NodeRecovery(const FemSpace& space, int part = 0);

  /// Row-major nodes x d.
  [[nodiscard]] std::vector<double> gradients(std::span<const double> values) const;
  /// Row-major nodes x pairs, d(d+1)/2 of them.
  [[nodiscard]] std::vector<double> second_derivatives(std::span<const double> values) const;

 private:
  [[nodiscard]] std::vector<double> apply(std::span<const double> values, std::size_t first,
                                          std::size_t count) const;

  std::size_t d_, n_nodes_, rows_;  // rows_: derivatives per node, first and second
  std::vector<std::size_t> begin_;  // of each node's patch
  std::vector<std::uint32_t> places_;
  std::vector<double> weights_;  // per place of a patch: rows_ numbers
};

}  // namespace cauchy::detail
