// A convolution is the product of its weights with a matrix of patches, made for some lines of the
// coarse grid at a time; a transposed convolution is the adjoint of one. Large ones of 3 x 3 points
// in single precision go by Winograd's way.
#include <algorithm>
#include <optional>

#include "tensor/backend/cpu/cpu_operation.hpp"
#include "tensor/backend/cpu/patches.hpp"
#include "tensor/backend/cpu/winograd.hpp"

namespace cauchy::detail {
namespace {

/// From `in` channels on a fine grid to `out` channels on a coarse one, W: out x (in * kernel).
template <class T>
class PatchProducts {
 public:
  PatchProducts(std::size_t in, const std::vector<int>& fine, std::size_t out,
                const std::vector<int>& coarse, const ConvolutionOptions& options)
      : in_(in),
        out_(out),
        points_(TensorShape{1, coarse}.points()),
        fine_(TensorShape{1, fine}.points()),
        patches_(fine, coarse, options),
        inner_(in * patches_.kernel()) {
    constexpr std::size_t cache = 384 * 1024, fewest = 96;
    const std::size_t line = patches_.line(), fit = cache / sizeof(T) / inner_;
    lines_ = std::clamp<std::size_t>(std::max(fit, fewest) / line, 1, patches_.lines());
  }

  [[nodiscard]] std::size_t scratch() const noexcept {
    const std::size_t n = lines_ * patches_.line();
    return room() + (patches_.trivial() ? 0 : inner_ * n) + out_ * (n + gap);
  }

  /// y = b + W patches(x)
  void apply(const T* w, const T* bias, const T* x, bool add, T* y, T* scratch) const {
    const T* padded = patches_.pad(in_, x, scratch);
    for_each_block([&](std::size_t first, std::size_t lines, std::size_t p, std::size_t n) {
      const Matrix patches = take(padded, first, lines, scratch);
      product_.product({.rows = out_,
                        .columns = n,
                        .inner = inner_,
                        .a = w,
                        .a_stride = inner_,
                        .b = patches.numbers,
                        .b_stride = patches.stride,
                        .c = y + p,
                        .c_stride = points_,
                        .d = add ? y + p : nullptr,
                        .d_stride = points_,
                        .bias = bias});
    });
  }

  /// w_bar += y_bar patches(x)'
  void by_weights(const T* x, const T* y_bar, T* w_bar, T* scratch) const {
    const T* padded = patches_.pad(in_, x, scratch);
    for_each_block([&](std::size_t first, std::size_t lines, std::size_t p, std::size_t n) {
      const Matrix patches = take(padded, first, lines, scratch);
      const Matrix y = take_rows(y_bar + p, n, scratch);
      product_.product_transposed(out_, inner_, n, y.numbers, y.stride, patches.numbers,
                                  patches.stride, w_bar, inner_);
    });
  }

  /// x_bar += adjoint of patches (W' y_bar)
  void adjoint(const T* w, const T* y_bar, T* x_bar, T* scratch) const {
    T* padded = room() == 0 ? x_bar : scratch;
    std::fill_n(scratch, room(), T(0));
    for_each_block([&](std::size_t first, std::size_t lines, std::size_t p, std::size_t n) {
      T* to = patches_.trivial() ? x_bar + p : scratch + room();
      const std::size_t stride = patches_.trivial() ? points_ : n;
      const Matrix y = take_rows(y_bar + p, n, scratch);
      product_.product({.rows = inner_,
                        .columns = n,
                        .inner = out_,
                        .a = w,
                        .a_stride = inner_,
                        .a_by_columns = true,
                        .b = y.numbers,
                        .b_stride = y.stride,
                        .c = to,
                        .c_stride = stride,
                        .d = patches_.trivial() ? to : nullptr,
                        .d_stride = stride});
      if (!patches_.trivial()) patches_.give(in_, first, lines, to, padded);
    });
    if (room() != 0) patches_.unpad(in_, scratch, x_bar);
  }

 private:
  struct Matrix {
    const T* numbers;
    std::size_t stride;
  };

  /// Between the rows of a copy: rows that are a power of two apart fill few sets of a cache.
  static constexpr std::size_t gap = 64 / sizeof(T);

  /// n columns of the coarse channels, next to each other at the end of the working memory.
  Matrix take_rows(const T* y, std::size_t n, T* scratch) const {
    T* to = scratch + this->scratch() - out_ * (lines_ * patches_.line() + gap);
    for (std::size_t c = 0; c < out_; ++c) std::copy_n(y + c * points_, n, to + c * (n + gap));
    return {to, n + gap};
  }
  /// Numbers of the channels with their border.
  [[nodiscard]] std::size_t room() const noexcept { return in_ * patches_.padded(); }
  template <class Body>
  void for_each_block(Body body) const {
    for (std::size_t first = 0; first < patches_.lines(); first += lines_) {
      const std::size_t lines = std::min(lines_, patches_.lines() - first);
      body(first, lines, first * patches_.line(), lines * patches_.line());
    }
  }
  Matrix take(const T* padded, std::size_t first, std::size_t lines, T* scratch) const {
    if (patches_.trivial()) return {padded + first * patches_.line(), fine_};
    T* to = scratch + room();
    patches_.take(in_, first, lines, padded, to);
    return {to, lines * patches_.line()};
  }

  const ProductKernels<T>& product_ = product_kernels<T>();
  std::size_t in_, out_, points_, fine_;
  Patches<T> patches_;
  std::size_t inner_, lines_;  ///< rows of patches, lines at a time
};

template <class T>
class CpuConvolution final : public CpuOperation<T> {
 public:
  using typename CpuOperation<T>::Call;

  CpuConvolution(const TensorGraph& graph, int value)
      : CpuOperation<T>(graph, value),
        products_(this->channels_of(0), this->shape_of(0).grid, this->channels(),
                  this->op_.shape.grid, this->op_.convolution) {
    const std::vector<int>&fine = this->shape_of(0).grid, &coarse = this->op_.shape.grid;
    const std::size_t in = this->channels_of(0), out = this->channels();
    if (WinogradConvolution<T>::suits(in, out, fine, coarse, this->op_.convolution)) {
      winograd_.emplace(in, fine, out, coarse, this->op_.convolution);
    }
  }

  [[nodiscard]] std::size_t scratch(std::size_t) const override {
    return winograd_ ? winograd_->scratch() : products_.scratch();
  }

  void forward(const Call& call) const override {
    if (winograd_) {
      winograd_->forward(call.n, this->weights(call), this->bias(call), call.inputs[0], call.out,
                         call.scratch);
      return;
    }
    for (std::size_t s = 0; s < call.n; ++s) {
      products_.apply(this->weights(call), this->bias(call), this->in(call, 0, s), false,
                      this->out(call, s), call.scratch);
    }
  }

  void backward(const Call& call) const override {
    T *by_w = this->by_weights(call), *by_b = this->by_bias(call);
    for (std::size_t s = 0; s < call.n; ++s) {
      const T* g = this->by_out(call, s);
      for (std::size_t c = 0; by_b != nullptr && c < this->channels(); ++c) {
        by_b[c] += this->element_.sum(this->points(), g + c * this->points());
      }
      if (winograd_) continue;
      if (by_w != nullptr) products_.by_weights(this->in(call, 0, s), g, by_w, call.scratch);
      if (T* by_x = this->by_in(call, 0, s)) {
        products_.adjoint(this->weights(call), g, by_x, call.scratch);
      }
    }
    if (winograd_) {
      winograd_->backward(call.n, this->weights(call), call.inputs[0], call.by_out,
                          call.by_inputs[0], by_w, call.scratch);
    }
  }

 private:
  PatchProducts<T> products_;
  std::optional<WinogradConvolution<T>> winograd_;
};

template <class T>
class CpuTransposedConvolution final : public CpuOperation<T> {
 public:
  using typename CpuOperation<T>::Call;

  CpuTransposedConvolution(const TensorGraph& graph, int value)
      : CpuOperation<T>(graph, value),
        products_(this->channels(), this->op_.shape.grid, this->channels_of(0),
                  this->shape_of(0).grid, this->op_.convolution) {}

  [[nodiscard]] std::size_t scratch(std::size_t) const override { return products_.scratch(); }

  void forward(const Call& call) const override {
    const T* b = this->bias(call);
    for (std::size_t s = 0; s < call.n; ++s) {
      T* y = this->out(call, s);
      for (std::size_t c = 0; c < this->channels(); ++c) {
        std::fill_n(y + c * this->points(), this->points(), b == nullptr ? T(0) : b[c]);
      }
      products_.adjoint(this->weights(call), this->in(call, 0, s), y, call.scratch);
    }
  }

  void backward(const Call& call) const override {
    T *by_w = this->by_weights(call), *by_b = this->by_bias(call);
    for (std::size_t s = 0; s < call.n; ++s) {
      const T* g = this->by_out(call, s);
      for (std::size_t c = 0; by_b != nullptr && c < this->channels(); ++c) {
        by_b[c] += this->element_.sum(this->points(), g + c * this->points());
      }
      if (by_w != nullptr) products_.by_weights(g, this->in(call, 0, s), by_w, call.scratch);
      if (T* by_x = this->by_in(call, 0, s)) {
        products_.apply(this->weights(call), nullptr, g, true, by_x, call.scratch);
      }
    }
  }

 private:
  PatchProducts<T> products_;
};

}  // namespace

template <class T>
AnyCpuOperation<T> make_cpu_convolution(const TensorGraph& graph, int value) {
  if (graph.ops()[static_cast<std::size_t>(value)].code == TensorOp::convolution) {
    return std::make_unique<CpuConvolution<T>>(graph, value);
  }
  return std::make_unique<CpuTransposedConvolution<T>>(graph, value);
}

template AnyCpuOperation<float> make_cpu_convolution(const TensorGraph&, int);
template AnyCpuOperation<double> make_cpu_convolution(const TensorGraph&, int);

}  // namespace cauchy::detail
