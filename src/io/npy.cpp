#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include <cauchy/base/error.hpp>
#include <cauchy/io/files.hpp>
#include <cauchy/io/npy.hpp>

#include "base/regular_file.hpp"
#include "io/npy_header.hpp"

namespace cauchy {
namespace {

static_assert(std::endian::native == std::endian::little, "the formats here are little endian");

// Turns n elements of type T at bytes into doubles.
template <class T>
void convert(const char* bytes, bool swap, std::vector<double>& out) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    char item[sizeof(T)];
    std::memcpy(item, bytes + i * sizeof(T), sizeof(T));
    if (swap) std::reverse(item, item + sizeof(T));
    T value;
    std::memcpy(&value, item, sizeof(T));
    out[i] = static_cast<double>(value);
  }
}

void convert(const detail::NpyHeader& header, const char* data, std::vector<double>& out) {
  const bool swap = header.big_endian;
  switch (header.kind) {
    case 'f':
      return header.item_size == 4 ? convert<float>(data, swap, out)
                                   : convert<double>(data, swap, out);
    case 'i':
      return header.item_size == 1   ? convert<std::int8_t>(data, swap, out)
             : header.item_size == 2 ? convert<std::int16_t>(data, swap, out)
             : header.item_size == 4 ? convert<std::int32_t>(data, swap, out)
                                     : convert<std::int64_t>(data, swap, out);
    case 'u':
      return header.item_size == 1   ? convert<std::uint8_t>(data, swap, out)
             : header.item_size == 2 ? convert<std::uint16_t>(data, swap, out)
             : header.item_size == 4 ? convert<std::uint32_t>(data, swap, out)
                                     : convert<std::uint64_t>(data, swap, out);
    default:
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = data[i] != 0 ? 1.0 : 0.0;
  }
}

// C order from Fortran order: walks the result in order and keeps the position in the source.
std::vector<double> from_fortran(const std::vector<double>& source,
                                 const std::vector<std::size_t>& shape) {
  const std::size_t rank = shape.size();
  std::vector<std::size_t> stride(rank, 1), index(rank, 0);
  for (std::size_t k = 1; k < rank; ++k) stride[k] = stride[k - 1] * shape[k - 1];
  std::vector<double> result(source.size());
  std::size_t at = 0;
  for (double& value : result) {
    value = source[at];
    for (std::size_t k = rank; k-- > 0;) {
      at += stride[k];
      if (++index[k] < shape[k]) break;
      at -= stride[k] * shape[k];
      index[k] = 0;
    }
  }
  return result;
}

}  // namespace

Array parse_npy(std::string_view bytes, std::string_view name) {
  const detail::NpyHeader header = detail::parse_npy_header(bytes, name);
  const std::size_t count = shape_size(header.shape, name);
  const std::size_t available = bytes.size() - header.data_offset;
  // By division: count times the size of an element may not fit into a size_t.
  if (available % header.item_size != 0 || available / header.item_size != count)
    throw Error(ErrorKind::file,
                fmt::format("shape ({}) of {}-byte elements does not match the {} bytes of data",
                            fmt::join(header.shape, ", "), header.item_size, available),
                name, "the file is damaged or was cut off");
  detail::require_numbers_fit(count, name);  // bytes become doubles
  Array array{header.shape, std::vector<double>(count)};
  convert(header, bytes.data() + header.data_offset, array.values);
  if (header.fortran_order && header.shape.size() > 1 && count > 0)
    array.values = from_fortran(array.values, array.shape);
  return array;
}

Array read_npy(const std::filesystem::path& path) {
  return parse_npy(read_file(path), path.string());
}

std::string to_npy(const Array& array) {
  check_array(array, "[io.npy]");
  std::string dict = fmt::format("{{'descr': '<f8', 'fortran_order': False, 'shape': ({}{}), }}",
                                 fmt::join(array.shape, ", "), array.shape.size() == 1 ? "," : "");
  // The data starts at a multiple of 64 bytes; the header ends in a line break.
  constexpr std::size_t kPrefix = 10, kAlignment = 64;
  dict.append(kAlignment - 1 - (kPrefix + dict.size()) % kAlignment, ' ');
  dict += '\n';
  if (dict.size() > 0xFFFF) throw Error("array has too many axes", "[io.npy]");
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(dict.size() & 0xFF);
  bytes += static_cast<char>(dict.size() >> 8);
  bytes += dict;
  bytes.append(reinterpret_cast<const char*>(array.values.data()),
               array.values.size() * sizeof(double));
  return bytes;
}

void write_npy(const std::filesystem::path& path, const Array& array) {
  write_file_atomically(path, to_npy(array));
}

}  // namespace cauchy
