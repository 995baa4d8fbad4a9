#pragma once

#include <cstddef>

namespace cauchy {

/// Rows of a packed matrix are cut into panels of at most 8 rows, as equal as possible.
constexpr std::size_t panel_rows = 8;

constexpr std::size_t panel_count(std::size_t rows) { return (rows + panel_rows - 1) / panel_rows; }
constexpr std::size_t panel_begin(std::size_t rows, std::size_t panel) {
  return rows * panel / panel_count(rows);
}

/// Panel p holds its rows interleaved: element (k, i) of the panel is A[begin + i][k]. Same number
/// of elements as A. Strides allow packing A' without forming it.
template <class T, class Source>
void pack_panels(std::size_t rows, std::size_t cols, const Source* a, std::size_t row_stride,
                 std::size_t col_stride, T* out) {
  for (std::size_t p = 0; p < panel_count(rows); ++p) {
    const std::size_t begin = panel_begin(rows, p), end = panel_begin(rows, p + 1);
    for (std::size_t k = 0; k < cols; ++k) {
      for (std::size_t i = begin; i < end; ++i) {
        *out++ = static_cast<T>(a[i * row_stride + k * col_stride]);
      }
    }
  }
}

}  // namespace cauchy
