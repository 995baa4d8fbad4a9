#pragma once

#include <cstddef>

// One pass over a symmetric matrix that updates it and multiplies it by a vector.
//
// Only the lower triangle is stored, in strips of four rows; a strip is a row of tiles of 4 x 8
// entries, so that the whole matrix is read and written in the order of its addresses. Tile k of a
// strip holds the columns 8k to 8k + 7; the last tile of rows 4t to 4t + 3 is tile t / 2, where the
// diagonal runs. Entries right of the diagonal are never used.

namespace cauchy::detail {

inline constexpr std::size_t strip_rows = 4, tile_columns = 8;

/// Entries before strip t: 32 per tile.
[[nodiscard]] constexpr std::size_t strip_offset(std::size_t t) noexcept {
  const std::size_t b = t / 2;
  return strip_rows * tile_columns * (b * (b + 1) + (t % 2) * (b + 1));
}
/// Place of entry (i, j), j <= i.
[[nodiscard]] constexpr std::size_t entry_offset(std::size_t i, std::size_t j) noexcept {
  return strip_offset(i / strip_rows) + j / tile_columns * (strip_rows * tile_columns) +
         i % strip_rows * tile_columns + j % tile_columns;
}

/// The value of an updated entry; the same operations, hence bits, in every path.
[[nodiscard]] inline double updated_entry(double m, double scale, double s, double p, double w,
                                          double q) noexcept {
  return scale * m + (s * p + w * q);
}

struct SymmetricPass {
  double* matrix;           ///< of strip 0
  std::size_t first, last;  ///< strips, last is excluded
  bool update;              ///< m(i, j) <- scale m(i, j) + (s_i p_j + w_i q_j)
  double scale;             ///< this and the next four are read when update is set
  const double *s, *w, *p, *q;
  const double* x;
  /// Receives what the entries of these strips, and their mirror images, contribute to the product
  /// with x: 4 last entries, rounded up to a multiple of 8 by zeros.
  double* product;
};

/// Runs one pass. No fused multiply-adds, and eight partial sums whatever the vector length: the
/// bits do not depend on the instruction set.
void run_symmetric_pass(const SymmetricPass& pass);

}  // namespace cauchy::detail
