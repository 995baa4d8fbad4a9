#pragma once

#include <cmath>
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

/// |v_r| for row r of the weights of a unit_rows operation.
template <class T>
T row_norm(const T* parameters, const Operation& op, int r) {
  const std::ptrdiff_t cols = op.n_weights / op.rows;
  T sum = 0;
  for (std::ptrdiff_t w = op.weights + r * cols; w < op.weights + (r + 1) * cols; ++w) {
    sum += parameters[w] * parameters[w];
  }
  return std::sqrt(sum);
}

}  // namespace cauchy::detail
