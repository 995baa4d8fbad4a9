// Operations number by number, perhaps with trainable numbers.
#include <algorithm>

#include "tensor/backend/cpu/cpu_operation.hpp"

namespace cauchy::detail {
namespace {

template <class T>
class CpuActivation final : public CpuOperation<T> {
 public:
  using CpuOperation<T>::CpuOperation;
  using typename CpuOperation<T>::Call;

  /// The slopes.
  [[nodiscard]] std::size_t saved() const override { return this->size(); }
  void forward(const Call& call) const override {
    this->element_.activate(this->op_.activation, call.n * this->size(), call.inputs[0], call.out,
                            call.saved);
  }
  void backward(const Call& call) const override {
    const std::size_t n = call.n * this->size();
    T* by_x = call.by_inputs[0];
    if (by_x == nullptr) return;
    if (this->fresh(call, 0)) {
      this->element_.binary(BinaryOp::multiply, n, call.by_out, 1, call.saved, 1, by_x);
    } else {
      this->element_.multiply_add(n, T(1), call.by_out, call.saved, by_x);
    }
  }
  [[nodiscard]] bool writes_fresh() const override { return true; }
};

/// x^2, |x|
template <class T>
class CpuFunction final : public CpuOperation<T> {
 public:
  using CpuOperation<T>::CpuOperation;
  using typename CpuOperation<T>::Call;

  void forward(const Call& call) const override {
    const std::size_t n = call.n * this->size();
    const T* x = call.inputs[0];
    switch (this->op_.function) {
      case ElementFunction::square:
        return this->element_.binary(BinaryOp::multiply, n, x, 1, x, 1, call.out);
      case ElementFunction::absolute:
        return this->element_.absolute(n, x, call.out);
    }
  }
  void backward(const Call& call) const override {
    const std::size_t n = call.n * this->size();
    const T* x = call.inputs[0];
    T* by_x = call.by_inputs[0];
    if (by_x == nullptr) return;
    switch (this->op_.function) {
      case ElementFunction::square:
        return this->element_.multiply_add(n, T(2), call.by_out, x, by_x);
      case ElementFunction::absolute:
        return this->element_.absolute_backward(n, x, call.by_out, by_x);
    }
  }
};

template <class T>
class CpuSoftShrink final : public CpuOperation<T> {
 public:
  using CpuOperation<T>::CpuOperation;
  using typename CpuOperation<T>::Call;

  void forward(const Call& call) const override {
    this->element_.soft_shrink(call.n * this->size(), static_cast<T>(this->op_.number),
                               call.inputs[0], call.out);
  }
  void backward(const Call& call) const override {
    if (call.by_inputs[0] == nullptr) return;
    this->element_.soft_shrink_backward(call.n * this->size(), static_cast<T>(this->op_.number),
                                        call.inputs[0], call.by_out, call.by_inputs[0]);
  }
};

/// Times or plus trainable numbers: one, one per channel, or one per number.
template <class T>
class CpuTrainable final : public CpuOperation<T> {
 public:
  using typename CpuOperation<T>::Call;

  CpuTrainable(const TensorGraph& graph, int value)
      : CpuOperation<T>(graph, value),
        scale_(this->op_.code == TensorOp::scale),
        everywhere_(this->op_.n_weights > 1 && this->op_.n_weights == this->size()),
        row_(this->op_.n_weights == 1 || everywhere_ ? this->size() : this->points()) {}

  [[nodiscard]] bool writes_fresh() const override { return true; }

  void forward(const Call& call) const override {
    const BinaryOp op = scale_ ? BinaryOp::multiply : BinaryOp::add;
    for_each_row(call, [&](std::size_t at, std::size_t w) {
      this->element_.binary(op, row_, call.inputs[0] + at, 1, this->weights(call) + w, step(),
                            call.out + at);
    });
  }
  void backward(const Call& call) const override {
    T *by_x = call.by_inputs[0], *by_w = this->by_weights(call);
    for_each_row(call, [&](std::size_t at, std::size_t w) {
      const T *g = call.by_out + at, *u = this->weights(call) + w;
      if (by_x != nullptr && this->fresh(call, 0)) {
        if (scale_) {
          this->element_.binary(BinaryOp::multiply, row_, g, 1, u, step(), by_x + at);
        } else {
          std::copy_n(g, row_, by_x + at);
        }
      } else if (by_x != nullptr) {
        if (!scale_) {
          this->element_.add(row_, g, by_x + at);
        } else if (everywhere_) {
          this->element_.multiply_add(row_, T(1), g, u, by_x + at);
        } else {
          this->element_.axpy(row_, *u, g, by_x + at);
        }
      }
      if (by_w == nullptr) return;
      if (everywhere_ && scale_) {
        this->element_.multiply_add(row_, T(1), g, call.inputs[0] + at, by_w + w);
      } else if (everywhere_) {
        this->element_.add(row_, g, by_w + w);
      } else {
        by_w[w] +=
            scale_ ? this->element_.dot(row_, g, call.inputs[0] + at) : this->element_.sum(row_, g);
      }
    });
  }

 private:
  [[nodiscard]] std::size_t step() const { return everywhere_ ? 1 : 0; }
  /// body(first number, first trainable number) for all stretches with one of them, or one each.
  template <class Body>
  void for_each_row(const Call& call, Body body) const {
    const std::size_t rows = this->size() / row_;
    for (std::size_t i = 0; i < call.n * rows; ++i) body(i * row_, everywhere_ ? 0 : i % rows);
  }

  bool scale_, everywhere_;
  std::size_t row_;
};

}  // namespace

template <class T>
AnyCpuOperation<T> make_cpu_element(const TensorGraph& graph, int value) {
  switch (graph.ops()[static_cast<std::size_t>(value)].code) {
    case TensorOp::activation:
      return std::make_unique<CpuActivation<T>>(graph, value);
    case TensorOp::function:
      return std::make_unique<CpuFunction<T>>(graph, value);
    case TensorOp::soft_shrink:
      return std::make_unique<CpuSoftShrink<T>>(graph, value);
    default:
      return std::make_unique<CpuTrainable<T>>(graph, value);
  }
}

template AnyCpuOperation<float> make_cpu_element(const TensorGraph&, int);
template AnyCpuOperation<double> make_cpu_element(const TensorGraph&, int);

}  // namespace cauchy::detail
