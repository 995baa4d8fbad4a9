#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace cauchy {

/// The seed nearest to each point (Euclidean; the first of equals). points is row-major n x d,
/// seeds row-major s x d. Cost O(n s d).
///   error    throws Error when a list is empty, not whole rows, or holds a number that is not
///            finite
[[nodiscard]] std::vector<std::size_t> nearest_seeds(std::span<const double> points,
                                                     std::span<const double> seeds,
                                                     std::size_t dimension);

/// Probabilities of the points for importance sampling from the losses J at few seeds (Nabian,
/// Gladstone, Meidani 2021): with rho(j) the seed nearest to point j,
///   q_j = (1 - uniform_share) J_rho(j) / sum_i J_rho(i) + uniform_share / n.
/// They sum to 1 up to rounding, and q_j >= uniform_share / n keeps the factors 1 / (n q_j) of
/// importance_weights below 1 / uniform_share.
///   error    throws Error as above, unless there is one finite loss >= 0 per seed, unless 0 <=
///            uniform_share <= 1, and when all losses that count are 0 and uniform_share is 0
[[nodiscard]] std::vector<double> seed_probabilities(std::span<const double> points,
                                                     std::span<const double> seeds,
                                                     std::size_t dimension,
                                                     std::span<const double> seed_losses,
                                                     double uniform_share = 0.1);

}  // namespace cauchy
