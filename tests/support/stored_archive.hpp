#pragma once

#include <cstdint>
#include <string>

#include "io/raw_bytes.hpp"

namespace cauchy {

/// A ZIP archive of one stored member.
inline std::string stored_archive(const std::string& name, const std::string& bytes) {
  std::uint32_t sum = ~0u;  // CRC-32
  for (const char c : bytes) {
    sum ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) sum = sum >> 1 ^ (sum % 2 == 0 ? 0 : 0xEDB88320u);
  }
  sum = ~sum;
  const auto size = static_cast<std::uint32_t>(bytes.size());
  std::string about(8, '\0');  // flags, method, time and date
  for (const std::uint32_t n : {sum, size, size}) detail::append_raw(about, n);
  detail::append_raw(about, static_cast<std::uint32_t>(name.size()));  // and no extra field
  std::string out = "PK\x03\x04" + std::string("\x14\0", 2) + about + name + bytes;
  const auto directory = static_cast<std::uint32_t>(out.size());
  out += "PK\x01\x02" + std::string("\x14\0\x14\0", 4) + about + std::string(14, '\0') + name;
  const auto length = static_cast<std::uint32_t>(out.size()) - directory;
  out += "PK\x05\x06" + std::string("\0\0\0\0\1\0\1\0", 8);
  for (const std::uint32_t n : {length, directory}) detail::append_raw(out, n);
  return out + std::string(2, '\0');
}

}  // namespace cauchy
