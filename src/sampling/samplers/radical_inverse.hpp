#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <cauchy/base/rng.hpp>

namespace cauchy::detail {

/// The first `count` primes, 2, 3, 5, ...
[[nodiscard]] std::vector<std::uint32_t> first_primes(std::size_t count);

/// The smallest prime >= n.
[[nodiscard]] std::uint32_t prime_from(std::uint32_t n);

/// Radical inverse of n = sum a_j b^j: sum a_j b^{-j-1}, the digits mirrored at the point; 0 for
/// n = 0. One rounding while n < 2^53 / b. Plain reference.
///   range    n <= 2^48 and 2 <= b < 2^15, so that all integers fit in 63 bits
[[nodiscard]] double radical_inverse(std::uint64_t n, std::uint32_t base);

inline constexpr std::uint64_t kMaxRadicalIndex = std::uint64_t{1} << 48;
/// The first primes below 2^15 are 3512; a round number of them.
inline constexpr std::size_t kMaxRadicalDimensions = 2048;

/// Radical inverses of consecutive integers in one base, optionally with scrambled digits.
///   scramble  digit a at place j becomes f_j a + c_j mod b with random f_j in {1, ..., b - 1} and
///             c_j in {0, ..., b - 1}, at all places that 63 bits hold. Any two distinct digits go
///             to a uniformly random pair of distinct digits, as with a random permutation, so mean
///             and variance of any estimate are those of random digit permutations; for b = 2 and 3
///             these are all permutations.
///   fill      the lowest digits come from a table: one division of doubles per value
class RadicalInverse final {
 public:
  explicit RadicalInverse(std::uint32_t base);
  RadicalInverse(std::uint32_t base, Rng rng);  ///< scrambled

  /// out[i * stride] = inverse of first + i, i < count; first + count <= kMaxRadicalIndex + 1.
  void fill(std::uint64_t first, std::size_t count, double* out, std::size_t stride) const;

 private:
  /// A number of the unit interval as numerator / power, both integers.
  struct Fraction_ {
    std::uint64_t numerator, power;
  };
  [[nodiscard]] std::uint64_t digit(std::uint64_t a, std::size_t place) const;
  [[nodiscard]] Fraction_ upper(std::uint64_t n) const;
  void make_table();

  std::uint32_t base_;
  std::uint64_t block_;                // b^{lower places}
  std::size_t lower_places_ = 0;       // digits that the table holds
  std::vector<std::uint64_t> mirror_;  // mirrored digits of 0, ..., block_ - 1
  std::vector<std::uint64_t> factor_;  // f_j and c_j; empty without scrambling
  std::vector<std::uint64_t> summand_;
};

}  // namespace cauchy::detail
