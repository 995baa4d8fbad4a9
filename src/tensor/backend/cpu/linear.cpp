// s(W x + b + plus) over the channels of every point: a matrix product whose columns are points. A
// block of points goes through product, activation and all adjoints while it is in the cache.
//
// Where it is the layer of an FNO, s(W x + b + F^-1 c), the other array is made of the modes c,
// line by line of the block: it is never written, nor is its adjoint.
#include <algorithm>
#include <optional>

#include "tensor/backend/cpu/cpu_operation.hpp"
#include "tensor/backend/cpu/real_transform.hpp"

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
    find_modes();
  }

  /// The slopes of the activation.
  [[nodiscard]] std::size_t saved() const override { return plain_ ? 0 : out_ * points_; }
  [[nodiscard]] std::size_t scratch(std::size_t n) const override {
    if (points_ == 1) return plain_ ? 0 : n * out_;
    return out_ * stride_ + rows_size_ + (inverse_ ? inverse_->rows_scratch(out_) : 0);
  }
  [[nodiscard]] std::vector<int> reads_instead() const override {
    if (!inverse_) return {};
    return {this->op_.inputs[0], modes_};
  }

  [[nodiscard]] bool writes_fresh() const override { return true; }

  void forward(const Call& call) const override {
    if (points_ == 1) return forward_vectors(call);
    T* z = call.scratch;
    for (std::size_t s = 0; s < call.n; ++s) {
      const T *from = this->in(call, 0, s), *plus = plus_of(call, s);
      T *out = this->out(call, s), *slopes = plain_ ? nullptr : call.saved + s * out_ * points_;
      const T* rows = inverse_ ? make_rows(call, s) : nullptr;
      for (std::size_t p = 0; p < points_; p += block_) {
        const std::size_t n = std::min(block_, points_ - p);
        this->product_.product({.rows = out_,
                                .columns = n,
                                .inner = in_,
                                .a = this->weights(call),
                                .a_stride = in_,
                                .b = from + p,
                                .b_stride = points_,
                                .c = z,
                                .c_stride = stride_,
                                .bias = this->bias(call)});
        if (inverse_) add_lines(rows, p, n, z);
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
    T* by_z = call.scratch;
    const bool fresh_x = this->fresh(call, 0), fresh_plus = is_fresh_plus(call);
    for (std::size_t s = 0; s < call.n; ++s) {
      const T *from = this->in(call, 0, s), *by_y = this->by_out(call, s);
      T *by_x = this->by_in(call, 0, s), *by_plus = by_plus_of(call, s);
      const bool to_modes = inverse_ && call.by_inputs[1] != nullptr;
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
        if (to_modes) take_lines(by_z, p, n, rows_of(call));
        if (by_w != nullptr) {
          this->product_.product_transposed(out_, in_, n, by_z, stride_, from + p, points_, by_w,
                                            in_);
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
                                .c = by_x + p,
                                .c_stride = points_,
                                .d = fresh_x ? nullptr : by_x + p,
                                .d_stride = points_});
      }
      if (to_modes) {
        inverse_->from_rows(out_, rows_of(call), !fresh_plus, by_modes(call, s), work_of(call));
      }
    }
  }

 private:
  /// To a fresh adjoint, or added to it.
  void give(std::size_t n, const T* row, bool is_fresh, T* to) const {
    if (is_fresh) {
      std::copy_n(row, n, to);
    } else {
      this->element_.add(n, row, to);
    }
  }
  [[nodiscard]] bool adds_array() const { return this->op_.inputs.size() > 1 && !inverse_; }
  [[nodiscard]] const T* plus_of(const Call& call, std::size_t s) const {
    return adds_array() ? this->in(call, 1, s) : nullptr;
  }
  [[nodiscard]] T* by_plus_of(const Call& call, std::size_t s) const {
    return adds_array() ? this->by_in(call, 1, s) : nullptr;
  }

  [[nodiscard]] bool is_fresh_plus(const Call& call) const {
    return this->op_.inputs.size() > 1 && this->fresh(call, 1);
  }

  // --- the inverse transform ---

  void find_modes() {
    if (this->op_.inputs.size() < 2 || points_ == 1) return;
    const int plus = this->op_.inputs[1];
    const TensorOperation& from = this->graph_.ops()[static_cast<std::size_t>(plus)];
    if (from.code != TensorOp::from_spectrum || plus == this->op_.inputs[0]) return;
    if (!alone_reads(this->graph_, this->op_, plus)) return;
    modes_ = from.inputs[0];
    inverse_.emplace(modes_of(this->op_.shape.grid, this->graph_.shape(modes_).grid), true);
    if (!inverse_->in_halves()) {
      inverse_.reset();
      return;
    }
    table_ = inverse_->line_table();
    columns_ = inverse_->line_columns();
    rows_size_ = inverse_->lines() * out_ * inverse_->row_size();
  }
  [[nodiscard]] T* rows_of(const Call& call) const { return call.scratch + out_ * stride_; }
  [[nodiscard]] T* work_of(const Call& call) const { return rows_of(call) + rows_size_; }
  [[nodiscard]] T* by_modes(const Call& call, std::size_t s) const {
    return call.by_inputs[1] + s * this->graph_.shape(modes_).size();
  }
  const T* make_rows(const Call& call, std::size_t s) const {
    const T* c = call.inputs[1] + s * this->graph_.shape(modes_).size();
    if (inverse_->lines() == 1) return c;  // they are the rows
    inverse_->to_rows(out_, c, rows_of(call), work_of(call));
    return rows_of(call);
  }
  /// body(line, first point in it, points, place in the block) for the lines of a block.
  template <class Body>
  void for_each_line(std::size_t p, std::size_t n, Body body) const {
    const std::size_t length = inverse_->line();
    for (std::size_t done = 0; done < n;) {
      const std::size_t line = (p + done) / length, first = (p + done) % length;
      const std::size_t count = std::min(length - first, n - done);
      body(line, first, count, done);
      done += count;
    }
  }
  /// z += F^-1 c for n points from p on.
  void add_lines(const T* rows, std::size_t p, std::size_t n, T* z) const {
    const std::size_t size = inverse_->row_size();
    for_each_line(p, n,
                  [&](std::size_t line, std::size_t first, std::size_t count, std::size_t at) {
                    this->product_.product({.rows = out_,
                                            .columns = count,
                                            .inner = size,
                                            .a = rows + line * out_ * size,
                                            .a_stride = size,
                                            .b = table_.data() + first,
                                            .b_stride = inverse_->line(),
                                            .c = z + at,
                                            .c_stride = stride_,
                                            .d = z + at,
                                            .d_stride = stride_});
                  });
  }
  /// The adjoint: rows of these lines, begun by their first points.
  void take_lines(const T* by_z, std::size_t p, std::size_t n, T* rows) const {
    const std::size_t size = inverse_->row_size();
    for_each_line(p, n,
                  [&](std::size_t line, std::size_t first, std::size_t count, std::size_t at) {
                    T* row = rows + line * out_ * size;
                    this->product_.product({.rows = out_,
                                            .columns = size,
                                            .inner = count,
                                            .a = by_z + at,
                                            .a_stride = stride_,
                                            .b = columns_.data() + first * size,
                                            .b_stride = size,
                                            .c = row,
                                            .c_stride = size,
                                            .d = first == 0 ? nullptr : row,
                                            .d_stride = size});
                  });
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
  std::size_t block_, stride_;               ///< points of a block, from row to row of its copies
  std::optional<RealTransform<T>> inverse_;  ///< F^-1, where the other array is one
  int modes_ = -1;                           ///< c
  std::size_t rows_size_ = 0;
  std::vector<T> table_, columns_;  ///< of a line, by rows and by columns
};

}  // namespace

template <class T>
AnyCpuOperation<T> make_cpu_linear(const TensorGraph& graph, int value) {
  return std::make_unique<CpuLinear<T>>(graph, value);
}

template AnyCpuOperation<float> make_cpu_linear(const TensorGraph&, int);
template AnyCpuOperation<double> make_cpu_linear(const TensorGraph&, int);

}  // namespace cauchy::detail
