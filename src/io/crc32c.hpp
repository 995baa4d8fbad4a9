#pragma once

#include <cstdint>
#include <string_view>

namespace cauchy::detail {

/// CRC-32C (Castagnoli: reflected polynomial 0x82F63B78, start and end inverted) of bytes, 8 bytes
/// at a time; about 1 GB/s.
std::uint32_t crc32c(std::string_view bytes) noexcept;

/// The same from the definition, bit by bit: what crc32c() is compared with.
std::uint32_t crc32c_reference(std::string_view bytes) noexcept;

/// The form in which TensorFlow's record files store it.
constexpr std::uint32_t masked(std::uint32_t crc) noexcept {
  return ((crc >> 15) | (crc << 17)) + 0xA282EAD8U;
}

}  // namespace cauchy::detail
