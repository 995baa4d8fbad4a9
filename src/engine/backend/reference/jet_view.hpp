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

/// Affine operations, trained or fixed: element k of a row of the block of W that it belongs to,
/// which has `cols` columns; the bias of a row.
template <class T>
T affine_weight(const Operation& op, const T* shared, int cols, int row, int k) {
  const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(row) * cols + k;
  return op.fixed ? static_cast<T>((*op.fixed)[static_cast<std::size_t>(at)])
                  : shared[op.weights + at];
}

template <class T>
T affine_bias(const Operation& op, const T* shared, int row) {
  if (op.fixed) {
    return static_cast<T>((*op.fixed)[op.fixed->size() - static_cast<std::size_t>(op.rows - row)]);
  }
  return op.bias >= 0 ? shared[op.bias + row] : T(0);
}

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
