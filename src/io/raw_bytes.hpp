#pragma once

#include <bit>
#include <cstring>
#include <string>
#include <type_traits>

namespace cauchy::detail {

static_assert(std::endian::native == std::endian::little, "the file formats are little endian");

/// Appends the bytes of a number.
template <class T>
void append_raw(std::string& out, T value) {
  static_assert(std::is_trivially_copyable_v<T>);
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  out.append(bytes, sizeof(T));
}

}  // namespace cauchy::detail
