#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cauchy::detail {

/// Dimensions of the table of direction numbers.
inline constexpr std::size_t kSobolDimensions = 2048;
/// Binary digits of a coordinate; the sequence ends after 2^52 points.
inline constexpr unsigned kSobolBits = 52;

/// Direction numbers v[bit * dimension + k] of coordinates k = 0, ..., dimension - 1: v_{bit+1} =
/// m_{bit+1} / 2^{bit+1} as a fixed-point number with kSobolBits digits after the point, where for
/// bit >= s
///   m_i = 2 c_1 m_{i-1} ^ ... ^ 2^{s-1} c_{s-1} m_{i-s+1} ^ 2^s m_{i-s} ^ m_{i-s}
/// and x^s + c_1 x^{s-1} + ... + c_{s-1} x + 1 is the primitive polynomial of the coordinate.
[[nodiscard]] std::vector<std::uint64_t> sobol_directions(std::size_t dimension);

/// Plain reference: coordinate k of the point whose index has the binary digits of `code`, the
/// XOR of v_{bit} over the digits that are 1. The sequence in Gray-code order has code = n ^ n / 2.
[[nodiscard]] double sobol_coordinate(const std::vector<std::uint64_t>& directions,
                                      std::size_t dimension, std::size_t k, std::uint64_t code);

}  // namespace cauchy::detail
