// W2 s(W1 x + b1) + b2 over the channels of every point, for few channels of the result: the end of
// most networks on grids. A block of points goes through both layers, and back, in the cache; the
// many channels between them are never written, but computed again backward.
#include <algorithm>

#include "tensor/backend/cpu/cpu_operation.hpp"

namespace cauchy::detail {
namespace {

/// With more channels of the result than this two layers one by one are as fast.
constexpr int most_pair_outputs = 4;

template <class T>
class CpuLinearPair final : public CpuOperation<T> {
 public:
  using Base = CpuOperation<T>;
  using typename Base::Call;

  CpuLinearPair(const TensorGraph& graph, int value, int hidden)
      : Base(graph, value),
        first_(graph.ops()[static_cast<std::size_t>(hidden)]),
        in_(static_cast<std::size_t>(graph.shape(first_.inputs[0]).channels)),
        hidden_(static_cast<std::size_t>(first_.shape.channels)),
        out_(this->channels()),
        points_(this->points()) {
    // Rows of the hidden channels and their slopes: a part of the second-level cache.
    constexpr std::size_t cache = 384 * 1024, step = 96;
    const std::size_t fit = cache / sizeof(T) / (2 * hidden_ + 2 * in_) / step * step;
    block_ = std::min(points_, std::clamp<std::size_t>(fit, step, 5 * step));
    constexpr std::size_t line = 64 / sizeof(T);
    stride_ = (block_ + line - 1) / line * line + line;
  }

  [[nodiscard]] std::vector<int> reads_instead() const override { return {first_.inputs[0]}; }
  [[nodiscard]] std::size_t scratch(std::size_t) const override { return 2 * hidden_ * stride_; }
  [[nodiscard]] bool writes_fresh() const override { return true; }

  void forward(const Call& call) const override {
    T* h = call.scratch;
    for_each_block(call, [&](std::size_t s, std::size_t p, std::size_t n) {
      hide(call, s, p, n, h);
      for (std::size_t r = 0; r < hidden_; ++r) {
        T* row = h + r * stride_;
        this->element_.activate(first_.activation, n, row, row, nullptr);
      }
      this->product_.product({.rows = out_,
                              .columns = n,
                              .inner = hidden_,
                              .a = this->weights(call),
                              .a_stride = hidden_,
                              .b = h,
                              .b_stride = stride_,
                              .c = this->out(call, s) + p,
                              .c_stride = points_,
                              .bias = this->bias(call)});
    });
  }

  void backward(const Call& call) const override {
    T *h = call.scratch, *by_h = h + hidden_ * stride_;
    T *by_w = this->by_weights(call), *by_b = this->by_bias(call);
    T *by_w1 = at(call.by_theta, first_.weights - call.skipped),
      *by_b1 = first_.bias < 0 ? nullptr : at(call.by_theta, first_.bias - call.skipped);
    const bool fresh = this->fresh(call, 0);
    for_each_block(call, [&](std::size_t s, std::size_t p, std::size_t n) {
      hide(call, s, p, n, h);
      const T* by_y = this->by_out(call, s) + p;
      for (std::size_t o = 0; by_b != nullptr && o < out_; ++o) {
        by_b[o] += this->element_.sum(n, by_y + o * points_);
      }
      for (std::size_t r = 0; r < hidden_; ++r) {
        T *row = h + r * stride_, *by_row = by_h + r * stride_;
        this->element_.activate(first_.activation, n, row, row, by_row);  // slopes
        for (std::size_t o = 0; by_w != nullptr && o < out_; ++o) {
          by_w[o * hidden_ + r] += this->element_.dot(n, by_y + o * points_, row);
        }
        const T* w = this->weights(call) + r;
        this->element_.scale(n, w[0], by_y, row);
        for (std::size_t o = 1; o < out_; ++o) {
          this->element_.axpy(n, w[o * hidden_], by_y + o * points_, row);
        }
        this->element_.binary(BinaryOp::multiply, n, row, 1, by_row, 1, by_row);
        if (by_b1 != nullptr) by_b1[r] += this->element_.sum(n, by_row);
      }
      if (by_w1 != nullptr) {
        this->product_.product_transposed(hidden_, in_, n, by_h, stride_, block(call, s, p),
                                          points_, by_w1, in_);
      }
      T* by_x = call.by_inputs[0];
      if (by_x == nullptr) return;
      by_x += s * in_ * points_ + p;
      this->product_.product({.rows = in_,
                              .columns = n,
                              .inner = hidden_,
                              .a = call.theta + first_.weights,
                              .a_stride = in_,
                              .a_by_columns = true,
                              .b = by_h,
                              .b_stride = stride_,
                              .c = by_x,
                              .c_stride = points_,
                              .d = fresh ? nullptr : by_x,
                              .d_stride = points_});
    });
  }

 private:
  template <class Body>
  void for_each_block(const Call& call, Body body) const {
    for (std::size_t s = 0; s < call.n; ++s) {
      for (std::size_t p = 0; p < points_; p += block_) body(s, p, std::min(block_, points_ - p));
    }
  }
  [[nodiscard]] const T* block(const Call& call, std::size_t s, std::size_t p) const {
    return call.inputs[0] + s * in_ * points_ + p;
  }
  /// W1 x + b1 of a block of x.
  void hide(const Call& call, std::size_t s, std::size_t p, std::size_t n, T* h) const {
    this->product_.product({.rows = hidden_,
                            .columns = n,
                            .inner = in_,
                            .a = call.theta + first_.weights,
                            .a_stride = in_,
                            .b = block(call, s, p),
                            .b_stride = points_,
                            .c = h,
                            .c_stride = stride_,
                            .bias = first_.bias < 0 ? nullptr : call.theta + first_.bias});
  }
  [[nodiscard]] static T* at(T* numbers, std::ptrdiff_t offset) {
    return numbers == nullptr ? nullptr : numbers + offset;
  }

  const TensorOperation& first_;  ///< the layer of the hidden channels
  std::size_t in_, hidden_, out_, points_, block_, stride_;
};

}  // namespace

template <class T>
AnyCpuOperation<T> make_cpu_linear_pair(const TensorGraph& graph, int value) {
  const auto op = [&](int i) -> const TensorOperation& {
    return graph.ops()[static_cast<std::size_t>(i)];
  };
  const TensorOperation& last = op(value);
  if (last.code != TensorOp::linear || last.inputs.size() != 1) return nullptr;
  const TensorOperation& first = op(last.inputs[0]);
  const bool fits = last.activation == Activation::identity &&
                    last.shape.channels <= most_pair_outputs && first.code == TensorOp::linear &&
                    first.inputs.size() == 1 && first.activation != Activation::identity &&
                    first.shape.channels >= 4 * last.shape.channels && last.shape.points() > 1;
  if (!fits) return nullptr;
  // Where others read the hidden channels too, they are there.
  if (!alone_reads(graph, last, last.inputs[0])) return nullptr;
  return std::make_unique<CpuLinearPair<T>>(graph, value, last.inputs[0]);
}

template AnyCpuOperation<float> make_cpu_linear_pair(const TensorGraph&, int);
template AnyCpuOperation<double> make_cpu_linear_pair(const TensorGraph&, int);

}  // namespace cauchy::detail
