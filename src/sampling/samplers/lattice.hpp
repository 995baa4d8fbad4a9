#pragma once

#include <cstddef>
#include <cstdint>

namespace cauchy::detail {

/// Squared worst-case error of the Korobov lattice z = (1, a, a^2, ...) mod n for periodic
/// functions with square-integrable mixed first derivatives, weights 1 / j:
///   P = -1 + 1/n sum_i prod_j (1 + 2 pi^2 / j B_2({i z_j / n})),  B_2(x) = x^2 - x + 1/6
/// for coordinates j = 1, ..., d. Cost O(n d).
[[nodiscard]] double korobov_error(std::uint64_t n, std::uint64_t a, std::size_t dimension);

/// The generator a of the lattice of n points; see lattice.cpp for how it is chosen.
[[nodiscard]] std::uint64_t korobov_generator(std::uint64_t n, std::size_t dimension);

}  // namespace cauchy::detail
