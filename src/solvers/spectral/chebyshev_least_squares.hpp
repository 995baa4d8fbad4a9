#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <cauchy/math/lapack.hpp>  // Factorization

namespace cauchy::detail {

/// An overdetermined system whose unknowns come in equal blocks, one behind the other. A row has
/// entries in one block, in two that are neighbours, in the last and the first, or in all.
class ChebyshevRows final {
 public:
  ChebyshevRows(std::size_t blocks, std::size_t width) : blocks_(blocks), width_(width) {}

  [[nodiscard]] std::size_t blocks() const noexcept { return blocks_; }
  [[nodiscard]] std::size_t width() const noexcept { return width_; }  ///< unknowns of a block
  [[nodiscard]] std::size_t unknowns() const noexcept { return blocks_ * width_; }
  [[nodiscard]] std::size_t size() const noexcept { return rows_.size(); }
  /// Numbers that are kept, of all rows.
  [[nodiscard]] std::size_t entries() const noexcept { return entries_.size(); }

  /// A new row of zeros over `span` blocks from `first`, around the end for two from the last one;
  /// its entries. Valid until the next one.
  double* add(std::size_t first, std::size_t span, double rhs);
  [[nodiscard]] double rhs(std::size_t row) const { return rows_[row].rhs; }
  void set_rhs(std::size_t row, double value) { rows_[row].rhs = value; }
  /// Divides the last row by its norm, and returns that; a row of zeros is dropped (0).
  double normalize_last();
  /// The scalar product of a row with a vector of all unknowns.
  [[nodiscard]] double product(std::size_t row, std::span<const double> x) const;

  /// All rows as one matrix, without right sides.
  [[nodiscard]] Matrix dense() const;

  struct Solution {
    Factorization status = Factorization::ok;
    std::vector<double> x;
    std::size_t free = 0;  ///< dimension of what the rows do not determine; x is the shortest there
    double residual = 0;   ///< norm of A x - b
  };
  /// min |A x - b|, block by block by orthogonal transformations: O(blocks x rows of a block x
  /// width^2), four times that with a row around the end; with one over all blocks
  /// O(rows x unknowns^2).
  [[nodiscard]] Solution solve() const;

 private:
  [[nodiscard]] Solution solve_folded() const;
  struct Row {
    std::size_t first, span;
    std::size_t at;  // of its entries
    double rhs;
  };
  std::size_t blocks_, width_;
  std::vector<Row> rows_;
  std::vector<double> entries_;
};

}  // namespace cauchy::detail
