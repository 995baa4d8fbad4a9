// Complex matrices over the channels: one per mode, or one for all in diagonal blocks.
#include <algorithm>

#include "tensor/backend/cpu/cpu_operation.hpp"

namespace cauchy::detail {
namespace {

template <class T>
class CpuModeLinear final : public CpuOperation<T> {
 public:
  using typename CpuOperation<T>::Call;

  CpuModeLinear(const TensorGraph& graph, int value)
      : CpuOperation<T>(graph, value),
        sizes_{this->channels_of(0) / 2, this->channels() / 2, this->points()} {}

  [[nodiscard]] OwnParameters own_parameters() const override {
    return {.first = static_cast<std::size_t>(this->op_.weights),
            .count = 2 * sizes_.in * sizes_.out * sizes_.modes,
            .kept = 2 * (sizes_.in + sizes_.out) * sizes_.modes,
            .pieces = this->product_.mode_pieces(sizes_.modes)};
  }
  void pack(std::size_t piece, const double* theta, T* packed) const override {
    this->product_.mode_pack(sizes_, piece, theta, packed);
  }
  void own_gradient(std::size_t piece, std::size_t n, const T* kept, bool add,
                    double* gradient) const override {
    this->product_.mode_gradient(sizes_, piece, n, kept, add, gradient);
  }

  void forward(const Call& call) const override {
    this->product_.mode_forward(product(call), call.inputs[0], call.out);
  }
  void backward(const Call& call) const override {
    if (call.kept != nullptr) {
      this->product_.mode_keep(sizes_, call.n, call.inputs[0], call.by_out, call.kept_first,
                               call.kept_batch, call.kept);
    }
    if (T* by_x = call.by_inputs[0]) {
      this->product_.mode_backward(product(call), call.by_out, !this->fresh(call, 0), by_x);
    }
  }
  [[nodiscard]] bool writes_fresh() const override { return true; }

 private:
  [[nodiscard]] ModeProduct<T> product(const Call& call) const {
    return {call.n, sizes_, this->weights(call)};
  }

  ModeSizes sizes_;
};

/// The matrix of one block is one of real numbers, rows and columns in pairs:
///   w = a + i b stands as [a -b; b a].
template <class T>
class CpuComplexLinear final : public CpuOperation<T> {
 public:
  using typename CpuOperation<T>::Call;

  CpuComplexLinear(const TensorGraph& graph, int value)
      : CpuOperation<T>(graph, value),
        groups_(static_cast<std::size_t>(this->op_.groups)),
        out_(this->channels() / groups_),
        in_(this->channels_of(0) / groups_),
        points_(this->points()) {}

  [[nodiscard]] std::size_t scratch(std::size_t) const override { return 2 * out_ * in_; }

  void forward(const Call& call) const override {
    const T* b = this->bias(call);
    for (std::size_t g = 0; g < groups_; ++g) {
      expand(this->weights(call) + g * out_ * in_ / 2, call.scratch);
      for (std::size_t s = 0; s < call.n; ++s) {
        this->product_.product({.rows = out_,
                                .columns = points_,
                                .inner = in_,
                                .a = call.scratch,
                                .a_stride = in_,
                                .b = this->in(call, 0, s) + g * in_ * points_,
                                .b_stride = points_,
                                .c = this->out(call, s) + g * out_ * points_,
                                .c_stride = points_,
                                .bias = b == nullptr ? b : b + g * out_});
      }
    }
  }

  void backward(const Call& call) const override {
    T *matrix = call.scratch, *by_matrix = matrix + out_ * in_;
    T *by_w = this->by_weights(call), *by_b = this->by_bias(call);
    for (std::size_t g = 0; g < groups_; ++g) {
      const std::size_t at_w = g * out_ * in_ / 2;
      expand(this->weights(call) + at_w, matrix);
      std::fill_n(by_matrix, out_ * in_, T(0));
      for (std::size_t s = 0; s < call.n; ++s) {
        const T* by_z = this->by_out(call, s) + g * out_ * points_;
        for (std::size_t o = 0; by_b != nullptr && o < out_; ++o) {
          by_b[g * out_ + o] += this->element_.sum(points_, by_z + o * points_);
        }
        if (by_w != nullptr) {
          this->product_.product_transposed(out_, in_, points_, by_z, points_,
                                            this->in(call, 0, s) + g * in_ * points_, points_,
                                            by_matrix, in_);
        }
        if (T* by_x = this->by_in(call, 0, s)) {
          by_x += g * in_ * points_;
          this->product_.product({.rows = in_,
                                  .columns = points_,
                                  .inner = out_,
                                  .a = matrix,
                                  .a_stride = in_,
                                  .a_by_columns = true,
                                  .b = by_z,
                                  .b_stride = points_,
                                  .c = by_x,
                                  .c_stride = points_,
                                  .d = by_x,
                                  .d_stride = points_});
        }
      }
      if (by_w != nullptr) gather(by_matrix, by_w + at_w);
    }
  }

 private:
  void expand(const T* w, T* matrix) const {
    for (std::size_t o = 0; o < out_; o += 2) {
      for (std::size_t i = 0; i < in_; i += 2, w += 2) {
        T* at = matrix + o * in_ + i;
        at[0] = w[0];
        at[1] = -w[1];
        at[in_] = w[1];
        at[in_ + 1] = w[0];
      }
    }
  }
  void gather(const T* by_matrix, T* by_w) const {
    for (std::size_t o = 0; o < out_; o += 2) {
      for (std::size_t i = 0; i < in_; i += 2, by_w += 2) {
        const T* at = by_matrix + o * in_ + i;
        by_w[0] += at[0] + at[in_ + 1];
        by_w[1] += at[in_] - at[1];
      }
    }
  }

  std::size_t groups_, out_, in_, points_;  ///< real channels of a block
};

}  // namespace

template <class T>
AnyCpuOperation<T> make_cpu_mode_linear(const TensorGraph& graph, int value) {
  return std::make_unique<CpuModeLinear<T>>(graph, value);
}
template <class T>
AnyCpuOperation<T> make_cpu_complex_linear(const TensorGraph& graph, int value) {
  return std::make_unique<CpuComplexLinear<T>>(graph, value);
}

template AnyCpuOperation<float> make_cpu_mode_linear(const TensorGraph&, int);
template AnyCpuOperation<double> make_cpu_mode_linear(const TensorGraph&, int);
template AnyCpuOperation<float> make_cpu_complex_linear(const TensorGraph&, int);
template AnyCpuOperation<double> make_cpu_complex_linear(const TensorGraph&, int);

}  // namespace cauchy::detail
