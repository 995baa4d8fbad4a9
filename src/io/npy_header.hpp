#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace cauchy::detail {

/// What the header of an NPY file says, and where its data starts.
struct NpyHeader {
  char kind = 'f';            // f, i, u or b (bool)
  std::size_t item_size = 8;  // bytes per element
  bool big_endian = false;
  bool fortran_order = false;
  std::vector<std::size_t> shape;
  std::size_t data_offset = 0;
};

/// Reads the header strictly. Throws Error at name.
NpyHeader parse_npy_header(std::string_view bytes, std::string_view name);

}  // namespace cauchy::detail
