// Sums, products and quotients of two values, row by row; a row is a channel, unless both operands
// have the shape of the result.
#include <algorithm>

#include "tensor/backend/cpu/cpu_operation.hpp"

namespace cauchy::detail {
namespace {

template <class T>
class CpuArithmetic final : public CpuOperation<T> {
 public:
  using typename CpuOperation<T>::Call;

  CpuArithmetic(const TensorGraph& graph, int value)
      : CpuOperation<T>(graph, value),
        code_(this->op_.code == TensorOp::add        ? BinaryOp::add
              : this->op_.code == TensorOp::subtract ? BinaryOp::subtract
              : this->op_.code == TensorOp::multiply ? BinaryOp::multiply
                                                     : BinaryOp::divide) {
    const bool whole = this->points() == 1 || (full(0) && full(1));
    row_ = whole ? this->size() : this->points();
    for (std::size_t k = 0; k < 2; ++k) {
      const std::size_t numbers = this->shape_of(k).size();
      // Rows of an operand: their length, and how far one is from the next.
      if (whole) {
        operands_[k] = {numbers == row_ ? std::size_t{1} : 0, 0};
      } else {
        const std::size_t points = this->points_of(k);
        operands_[k] = {points == row_ ? std::size_t{1} : 0,
                        this->shape_of(k).channels == 1 ? 0 : points};
      }
    }
  }

  [[nodiscard]] std::size_t scratch(std::size_t) const override {
    return code_ == BinaryOp::divide ? row_ : 0;
  }

  void forward(const Call& call) const override {
    const Operand x = operands_[0], y = operands_[1];
    for_each_row(call, [&](std::size_t s, std::size_t r, std::size_t at) {
      this->element_.binary(code_, row_, this->in(call, 0, s) + r * x.stride, x.step,
                            this->in(call, 1, s) + r * y.stride, y.step, call.out + at);
    });
  }

  [[nodiscard]] bool writes_fresh() const override { return true; }

  void backward(const Call& call) const override {
    const Operand x = operands_[0], y = operands_[1];
    const bool fresh_x = starts(call, 0), fresh_y = starts(call, 1);
    for_each_row(call, [&](std::size_t s, std::size_t r, std::size_t at) {
      const T* g = call.by_out + at;
      T* by_x = this->by_in(call, 0, s);
      T* by_y = this->by_in(call, 1, s);
      if (by_x != nullptr) by_x += r * x.stride;
      if (by_y != nullptr) by_y += r * y.stride;
      switch (code_) {
        case BinaryOp::add:
        case BinaryOp::subtract:
          collect(T(1), g, x.step, fresh_x, by_x);
          collect(code_ == BinaryOp::add ? T(1) : T(-1), g, y.step, fresh_y, by_y);
          return;
        case BinaryOp::multiply:
          collect_product(T(1), g, this->in(call, 1, s) + r * y.stride, y.step, x.step, fresh_x,
                          by_x);
          collect_product(T(1), g, this->in(call, 0, s) + r * x.stride, x.step, y.step, fresh_y,
                          by_y);
          return;
        case BinaryOp::divide:  // q = x / y: by_x = g / y, by_y = -(g / y) q
          this->element_.binary(BinaryOp::divide, row_, g, 1, this->in(call, 1, s) + r * y.stride,
                                y.step, call.scratch);
          collect(T(1), call.scratch, x.step, fresh_x, by_x);
          collect_product(T(-1), call.scratch, call.out + at, 1, y.step, fresh_y, by_y);
          return;
      }
    });
  }

 private:
  struct Operand {
    std::size_t step, stride;  ///< within a row (0: one number), from row to row
  };

  [[nodiscard]] bool full(std::size_t input) const {
    return this->shape_of(input).size() == this->size();
  }
  template <class Body>
  void for_each_row(const Call& call, Body body) const {
    const std::size_t rows = this->size() / row_;
    for (std::size_t s = 0; s < call.n; ++s) {
      for (std::size_t r = 0; r < rows; ++r) body(s, r, (s * rows + r) * row_);
    }
  }
  /// An adjoint that is written, not added to: every number of the operand serves one of the
  /// result. Others start with 0.
  [[nodiscard]] bool starts(const Call& call, std::size_t input) const {
    if (full(input)) return this->fresh(call, input);
    this->clear_fresh(call, input);
    return false;
  }
  /// by += a g, or the sum of it where one number serves the row.
  void collect(T a, const T* g, std::size_t step, bool fresh, T* by) const {
    if (by == nullptr) return;
    if (step == 0) {
      *by += a * this->element_.sum(row_, g);
    } else if (fresh) {
      this->element_.scale(row_, a, g, by);
    } else {
      this->element_.axpy(row_, a, g, by);
    }
  }
  /// by += a g w
  void collect_product(T a, const T* g, const T* w, std::size_t w_step, std::size_t step,
                       bool fresh, T* by) const {
    if (w_step == 0) return collect(a * *w, g, step, fresh, by);
    if (by == nullptr) return;
    if (step == 0) {
      *by += a * this->element_.dot(row_, g, w);
      return;
    }
    if (fresh) std::fill_n(by, row_, T(0));
    this->element_.multiply_add(row_, a, g, w, by);
  }

  BinaryOp code_;
  std::size_t row_;
  Operand operands_[2];
};

/// y_r = sum_j M_rj v_j in every point.
template <class T>
class CpuMatrixVector final : public CpuOperation<T> {
 public:
  using CpuOperation<T>::CpuOperation;
  using typename CpuOperation<T>::Call;

  void forward(const Call& call) const override {
    const std::size_t P = this->points();
    for_each_entry(call, [&](std::size_t s, std::size_t r, std::size_t j, std::size_t at) {
      const T *m = this->in(call, 0, s) + at * P, *v = this->in(call, 1, s) + j * P;
      T* y = this->out(call, s) + r * P;
      if (j == 0) {
        this->element_.binary(BinaryOp::multiply, P, m, 1, v, 1, y);
      } else {
        this->element_.multiply_add(P, T(1), m, v, y);
      }
    });
  }

  void backward(const Call& call) const override {
    const std::size_t P = this->points();
    for_each_entry(call, [&](std::size_t s, std::size_t r, std::size_t j, std::size_t at) {
      const T* g = this->by_out(call, s) + r * P;
      if (T* by_m = this->by_in(call, 0, s)) {
        this->element_.multiply_add(P, T(1), g, this->in(call, 1, s) + j * P, by_m + at * P);
      }
      if (T* by_v = this->by_in(call, 1, s)) {
        this->element_.multiply_add(P, T(1), g, this->in(call, 0, s) + at * P, by_v + j * P);
      }
    });
  }

 private:
  template <class Body>
  void for_each_entry(const Call& call, Body body) const {
    const std::size_t rows = this->channels(), columns = this->channels_of(1);
    for (std::size_t s = 0; s < call.n; ++s) {
      for (std::size_t at = 0; at < rows * columns; ++at) {
        body(s, at / columns, at % columns, at);
      }
    }
  }
};

}  // namespace

template <class T>
AnyCpuOperation<T> make_cpu_arithmetic(const TensorGraph& graph, int value) {
  if (graph.ops()[static_cast<std::size_t>(value)].code == TensorOp::matrix_vector) {
    return std::make_unique<CpuMatrixVector<T>>(graph, value);
  }
  return std::make_unique<CpuArithmetic<T>>(graph, value);
}

template AnyCpuOperation<float> make_cpu_arithmetic(const TensorGraph&, int);
template AnyCpuOperation<double> make_cpu_arithmetic(const TensorGraph&, int);

}  // namespace cauchy::detail
