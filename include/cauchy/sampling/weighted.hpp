#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <cauchy/base/rng.hpp>

namespace cauchy {

// Drawing indices i with probabilities q_i = w_i / sum w from weights that need not sum to 1.
//   error    every function throws Error when there are no weights, one is negative or not finite,
//            all are zero, or their sum overflows

/// Walker's alias table in Vose's form: draws with replacement at constant cost.
///   cost     O(m) to build for m weights, two random words per draw
class AliasTable final {
 public:
  explicit AliasTable(std::span<const double> weights);
  [[nodiscard]] std::size_t size() const noexcept { return alias_.size(); }
  /// One index; indices with weight 0 are never drawn.
  [[nodiscard]] std::size_t draw(Rng& rng) const;
  /// The probability that draw returns i, as the table has it; differs from q_i by rounding only.
  [[nodiscard]] double probability(std::size_t i) const;

 private:
  std::vector<double> keep_;  // column i keeps i with this probability, else its alias
  std::vector<std::size_t> alias_;
};

/// n independent indices, with replacement.
[[nodiscard]] std::vector<std::size_t> weighted_indices(std::span<const double> weights,
                                                        std::size_t n, Rng& rng);

/// n indices with replacement by systematic sampling: the numbers (i + U) / n, i < n, with one
/// uniform U, looked up in the cumulated q. Index i occurs floor(n q_i) or ceil(n q_i) times, n q_i
/// times in the mean; ascending order; lower variance than independent draws for ordered data.
[[nodiscard]] std::vector<std::size_t> systematic_indices(std::span<const double> weights,
                                                          std::size_t n, Rng& rng);

/// n distinct indices: successive draws without replacement, each proportional to the weights that
/// are left, in the order drawn. Efraimidis and Spirakis (2006): the n largest of log(U_i) / w_i.
///   error    also when fewer than n weights are positive
[[nodiscard]] std::vector<std::size_t> weighted_subset(std::span<const double> weights,
                                                       std::size_t n, Rng& rng);

/// n distinct indices of points, spread evenly: index i with the probability min(1, s w_i), s such
/// that these sum to n, by systematic sampling along a space-filling curve (Stevens and Olsen 2004,
/// "Spatially balanced sampling"). Whatever part of space the curve visits in one go gets its
/// expected number of points up to one. points is row-major, weights.size() x dimension; columns
/// are measured in units of their ranges. Order of the curve (Morton; on the line ascending).
///   error    also when fewer than n weights are positive, or the points are not such rows
[[nodiscard]] std::vector<std::size_t> balanced_subset(std::span<const double> points,
                                                       std::size_t dimension,
                                                       std::span<const double> weights,
                                                       std::size_t n, Rng& rng);

/// Factors that undo the choice of q: 1 / (m q_i) for each drawn index i of m weights, so that
///   mean over draws of factor_i f_i
/// has the expectation (f_1 + ... + f_m) / m whatever q > 0 is; its variance is 0 for q
/// proportional to f.
///   error    also when an index is out of range or has weight 0
[[nodiscard]] std::vector<double> importance_weights(std::span<const double> weights,
                                                     std::span<const std::size_t> indices);

}  // namespace cauchy
