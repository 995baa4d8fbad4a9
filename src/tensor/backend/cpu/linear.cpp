// s(W x + b + plus) over the channels of every point: a matrix product whose columns are points. A
// block of points goes through product, activation and all adjoints while it is in the cache. Its
// rows are copied next to each other first: channels of a grid are often a power of two apart, and
// then fall into the same few sets of a cache.
#include <algorithm>

#include "tensor/backend/cpu/cpu_operation.hpp"

namespace cauchy::detail {
namespace {

template <class T>
class CpuLinear final : public CpuOperation<T> {
 public:
  using Base = CpuOperation<T>;
  using typename Base::Call;

  CpuLinear(const TensorGraph& graph, int value)
      : Base(graph, value),
        out_(this->channels()),
        in_(this->channels_of(0)),
        points_(this->points()),
        plain_(this->op_.activation == Activation::identity) {
    // Inputs, results and adjoints of a block: a part of the second-level cache.
    constexpr std::size_t cache = 384 * 1024, step = 96;
    const std::size_t fit = cache / sizeof(T) / (2 * in_ + out_) / step * step;
    block_ = std::min(points_, std::clamp<std::size_t>(fit, step, 10 * step));
    constexpr std::size_t line = 64 / sizeof(T);
    stride_ = block_ + line;
  }

  /// The slopes of the activation.
  [[nodiscard]] std::size_t saved() const override { return plain_ ? 0 : out_ * points_; }
  [[nodiscard]] std::size_t scratch(std::size_t n) const override {
    if (points_ == 1) return plain_ ? 0 : n * out_;
    return (2 * in_ + out_) * stride_;
  }

  [[nodiscard]] bool writes_fresh() const override { return true; }

  void forward(const Call& call) const override {
    if (points_ == 1) return forward_vectors(call);
    T *x = call.scratch, *z = x + in_ * stride_;
    for (std::size_t s = 0; s < call.n; ++s) {
      const T *from = this->in(call, 0, s), *plus = plus_of(call, s);
      T *out = this->out(call, s), *slopes = plain_ ? nullptr : call.saved + s * out_ * points_;
      for (std::size_t p = 0; p < points_; p += block_) {
        const std::size_t n = std::min(block_, points_ - p);
        take(in_, n, from + p, x);
        this->product_.product({.rows = out_,
                                .columns = n,
                                .inner = in_,
                                .a = this->weights(call),
                                .a_stride = in_,
                                .b = x,
                                .b_stride = stride_,
                                .c = z,
                                .c_stride = stride_,
                                .bias = this->bias(call)});
        for (std::size_t o = 0; o < out_; ++o) {
          const std::size_t at = o * points_ + p;
          T* row = z + o * stride_;
          if (plain_ && plus != nullptr) {
            this->element_.binary(BinaryOp::add, n, row, 1, plus + at, 1, out + at);
          } else if (plain_) {
            std::copy_n(row, n, out + at);
          } else {
            if (plus != nullptr) this->element_.add(n, plus + at, row);
            this->element_.activate(this->op_.activation, n, row, out + at, slopes + at);
          }
        }
      }
    }
  }

  void backward(const Call& call) const override {
    if (points_ == 1) return backward_vectors(call);
    T *by_w = this->by_weights(call), *by_b = this->by_bias(call);
    T *x = call.scratch, *by_z = x + in_ * stride_, *to_x = by_z + out_ * stride_;
    const bool fresh_x = this->fresh(call, 0), fresh_plus = is_fresh_plus(call);
    for (std::size_t s = 0; s < call.n; ++s) {
      const T *from = this->in(call, 0, s), *by_y = this->by_out(call, s);
      T *by_x = this->by_in(call, 0, s), *by_plus = by_plus_of(call, s);
      for (std::size_t p = 0; p < points_; p += block_) {
        const std::size_t n = std::min(block_, points_ - p);
        for (std::size_t o = 0; o < out_; ++o) {
          const std::size_t at = o * points_ + p;
          T* row = by_z + o * stride_;
          if (plain_) {
            std::copy_n(by_y + at, n, row);
          } else {
            this->element_.binary(BinaryOp::multiply, n, by_y + at, 1,
                                  call.saved + s * out_ * points_ + at, 1, row);
          }
          if (by_plus != nullptr) give(n, row, fresh_plus, by_plus + at);
          if (by_b != nullptr) by_b[o] += this->element_.sum(n, row);
        }
        if (by_w != nullptr) {
          take(in_, n, from + p, x);
          this->product_.product_transposed(out_, in_, n, by_z, stride_, x, stride_, by_w, in_);
        }
        if (by_x == nullptr) continue;
        this->product_.product({.rows = in_,
                                .columns = n,
                                .inner = out_,
                                .a = this->weights(call),
                                .a_stride = in_,
                                .a_by_columns = true,
                                .b = by_z,
                                .b_stride = stride_,
                                .c = to_x,
                                .c_stride = stride_});
        for (std::size_t i = 0; i < in_; ++i) {
          give(n, to_x + i * stride_, fresh_x, by_x + i * points_ + p);
        }
      }
    }
  }

 private:
  /// Rows of a block, next to each other.
  void take(std::size_t rows, std::size_t n, const T* from, T* to) const {
    for (std::size_t r = 0; r < rows; ++r) std::copy_n(from + r * points_, n, to + r * stride_);
  }
  /// To a fresh adjoint, or added to it.
  void give(std::size_t n, const T* row, bool is_fresh, T* to) const {
    if (is_fresh) {
      std::copy_n(row, n, to);
    } else {
      this->element_.add(n, row, to);
    }
  }
  [[nodiscard]] const T* plus_of(const Call& call, std::size_t s) const {
    return this->op_.inputs.size() > 1 ? this->in(call, 1, s) : nullptr;
  }
  [[nodiscard]] T* by_plus_of(const Call& call, std::size_t s) const {
    return this->op_.inputs.size() > 1 ? this->by_in(call, 1, s) : nullptr;
  }

  [[nodiscard]] bool is_fresh_plus(const Call& call) const {
    return this->op_.inputs.size() > 1 && this->fresh(call, 1);
  }

  // Without a grid a sample is one vector: rows of the products are samples, and what runs along
  // the vectors are channels.

  void forward_vectors(const Call& call) const {
    const T *b = this->bias(call), *plus = plus_of(call, 0);
    T* z = call.out;
    for (std::size_t i = 0; i < call.n * out_; ++i) {
      z[i] = (b == nullptr ? T(0) : b[i % out_]) + (plus == nullptr ? T(0) : plus[i]);
    }
    this->product_.product_transposed(call.n, out_, in_, call.inputs[0], in_, this->weights(call),
                                      in_, z, out_);
    if (!plain_) this->element_.activate(this->op_.activation, call.n * out_, z, z, call.saved);
  }

  void backward_vectors(const Call& call) const {
    const T* by_z = call.by_out;
    const std::size_t size = call.n * out_;
    if (!plain_) {
      this->element_.binary(BinaryOp::multiply, size, by_z, 1, call.saved, 1, call.scratch);
      by_z = call.scratch;
    }
    if (is_fresh_plus(call)) this->clear_fresh(call, 1);
    if (T* by_plus = by_plus_of(call, 0)) this->element_.add(size, by_z, by_plus);
    if (T* by_b = this->by_bias(call)) {
      for (std::size_t s = 0; s < call.n; ++s) this->element_.add(out_, by_z + s * out_, by_b);
    }
    if (T* by_w = this->by_weights(call)) {
      this->product_.product({.rows = out_,
                              .columns = in_,
                              .inner = call.n,
                              .a = by_z,
                              .a_stride = out_,
                              .a_by_columns = true,
                              .b = call.inputs[0],
                              .b_stride = in_,
                              .c = by_w,
                              .c_stride = in_,
                              .d = by_w,
                              .d_stride = in_});
    }
    if (T* by_x = call.by_inputs[0]) {
      this->product_.product({.rows = call.n,
                              .columns = in_,
                              .inner = out_,
                              .a = by_z,
                              .a_stride = out_,
                              .b = this->weights(call),
                              .b_stride = in_,
                              .c = by_x,
                              .c_stride = in_,
                              .d = this->fresh(call, 0) ? nullptr : by_x,
                              .d_stride = in_});
    }
  }

  std::size_t out_, in_, points_;
  bool plain_;
  std::size_t block_, stride_;  ///< points of a block, from row to row of its copies
};

}  // namespace

template <class T>
AnyCpuOperation<T> make_cpu_linear(const TensorGraph& graph, int value) {
  return std::make_unique<CpuLinear<T>>(graph, value);
}

template AnyCpuOperation<float> make_cpu_linear(const TensorGraph&, int);
template AnyCpuOperation<double> make_cpu_linear(const TensorGraph&, int);

}  // namespace cauchy::detail
