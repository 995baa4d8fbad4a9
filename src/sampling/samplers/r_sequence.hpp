#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cauchy::detail {

/// A number of [0, 1) as high / 2^64 + low / 2^128.
struct Fixed128 {
  std::uint64_t high = 0, low = 0;
};

/// g, g^2, ..., g^d for the root g of g^d + g^{d+1} = 1, that is g = 1 / phi_d with phi_d^{d+1} =
/// phi_d + 1, each with an error below (d + 2)^2 2^-127.
[[nodiscard]] std::vector<Fixed128> r_sequence_multipliers(std::size_t dimension);

}  // namespace cauchy::detail
