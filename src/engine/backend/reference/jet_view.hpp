#pragma once

#include <cstddef>

#include <cauchy/engine/plan.hpp>

namespace cauchy::detail {

/// One value or adjoint in the arena: element (row, component, point).
template <class T>
class JetView final {
 public:
  JetView(const Plan<T>& plan, T* arena, std::ptrdiff_t offset)
      : base_(arena + offset), row_stride_(plan.row_stride()), block_(plan.block()) {}

  T& operator()(int row, int component, std::size_t point) const {
    return row_begin(row, component)[point];
  }
  /// The points of one component of one row.
  [[nodiscard]] T* row_begin(int row, int component) const {
    return base_ + static_cast<std::size_t>(row) * row_stride_ +
           static_cast<std::size_t>(component) * block_;
  }

 private:
  T* base_;
  std::size_t row_stride_, block_;
};

/// The row of an operand that serves row `row` of the result: a single row serves all.
inline int operand_row(int operand_rows, int row) { return operand_rows == 1 ? 0 : row; }

}  // namespace cauchy::detail
