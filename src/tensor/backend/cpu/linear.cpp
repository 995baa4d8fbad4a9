// s(W x + b + plus) over the channels of every point: a matrix product whose columns are points. A
// block of points goes through product, activation and all adjoints while it is in the cache.
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
    // Arguments, slopes and adjoints of a block: a part of the second-level cache.
    constexpr std::size_t cache = 192 * 1024, step = 96;
    const std::size_t fit = cache / sizeof(T) / (in_ + 2 * out_) / step * step;
    block_ = std::min(points_, std::max(fit, step));
  }

  /// The slopes of the activation.
  [[nodiscard]] std::size_t saved() const override { return plain_ ? 0 : out_ * points_; }
  [[nodiscard]] std::size_t scratch(std::size_t n) const override {
    if (plain_) return 0;
    return points_ == 1 ? n * out_ : out_ * block_;
  }

  [[nodiscard]] bool writes_fresh() const override { return true; }

  void forward(const Call& call) const override {
    if (points_ == 1) return forward_vectors(call);
    for (std::size_t s = 0; s < call.n; ++s) {
      const T *x = this->in(call, 0, s), *plus = plus_of(call, s);
      T *z = this->out(call, s), *slopes = plain_ ? nullptr : call.saved + s * out_ * points_;
      for (std::size_t p = 0; p < points_; p += block_) {
        const std::size_t n = std::min(block_, points_ - p);
        this->product_.product({.rows = out_,
                                .columns = n,
                                .inner = in_,
                                .a = this->weights(call),
                                .a_stride = in_,
                                .b = x + p,
                                .b_stride = points_,
                                .c = z + p,
                                .c_stride = points_,
                                .d = plus == nullptr ? plus : plus + p,
                                .d_stride = points_,
                                .bias = this->bias(call)});
        if (plain_) continue;
        for (std::size_t at = p; at < out_ * points_; at += points_) {
          this->element_.activate(this->op_.activation, n, z + at, z + at, slopes + at);
        }
      }
    }
  }

  void backward(const Call& call) const override {
    if (points_ == 1) return backward_vectors(call);
    T *by_w = this->by_weights(call), *by_b = this->by_bias(call);
    const bool fresh_x = this->fresh(call, 0), fresh_plus = is_fresh_plus(call);
    for (std::size_t s = 0; s < call.n; ++s) {
      const T *x = this->in(call, 0, s), *by_y = this->by_out(call, s);
      T *by_x = this->by_in(call, 0, s), *by_plus = by_plus_of(call, s);
      for (std::size_t p = 0; p < points_; p += block_) {
        const std::size_t n = std::min(block_, points_ - p);
        const T* by_z = by_y + p;
        std::size_t stride = points_;
        if (!plain_) {
          const T* slopes = call.saved + s * out_ * points_ + p;
          for (std::size_t o = 0; o < out_; ++o) {
            this->element_.binary(BinaryOp::multiply, n, by_z + o * points_, 1,
                                  slopes + o * points_, 1, call.scratch + o * block_);
          }
          by_z = call.scratch;
          stride = block_;
        }
        for (std::size_t o = 0; by_plus != nullptr && o < out_; ++o) {
          T* to = by_plus + o * points_ + p;
          if (fresh_plus) {
            std::copy_n(by_z + o * stride, n, to);
          } else {
            this->element_.add(n, by_z + o * stride, to);
          }
        }
        for (std::size_t o = 0; by_b != nullptr && o < out_; ++o) {
          by_b[o] += this->element_.sum(n, by_z + o * stride);
        }
        if (by_w != nullptr) {
          this->product_.product_transposed(out_, in_, n, by_z, stride, x + p, points_, by_w, in_);
        }
        if (by_x != nullptr) {
          this->product_.product({.rows = in_,
                                  .columns = n,
                                  .inner = out_,
                                  .a = this->weights(call),
                                  .a_stride = in_,
                                  .a_by_columns = true,
                                  .b = by_z,
                                  .b_stride = stride,
                                  .c = by_x + p,
                                  .c_stride = points_,
                                  .d = fresh_x ? nullptr : by_x + p,
                                  .d_stride = points_});
        }
      }
    }
  }

 private:
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
  std::size_t block_;  ///< points
};

}  // namespace

template <class T>
AnyCpuOperation<T> make_cpu_linear(const TensorGraph& graph, int value) {
  return std::make_unique<CpuLinear<T>>(graph, value);
}

template AnyCpuOperation<float> make_cpu_linear(const TensorGraph&, int);
template AnyCpuOperation<double> make_cpu_linear(const TensorGraph&, int);

}  // namespace cauchy::detail
