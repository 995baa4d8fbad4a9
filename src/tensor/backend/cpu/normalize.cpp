// (x - mean) / sqrt(variance + epsilon) over stretches of numbers (points of a channel, channels of
// a group) or over the channels of every point; the factors 1 / sqrt are saved.
//   by_x = factor (g - <g> - y <g y>), <>: the mean
#include <cmath>

#include "tensor/backend/cpu/cpu_operation.hpp"

namespace cauchy::detail {
namespace {

template <class T>
class CpuNormalize final : public CpuOperation<T> {
 public:
  using typename CpuOperation<T>::Call;

  CpuNormalize(const TensorGraph& graph, int value)
      : CpuOperation<T>(graph, value),
        columns_(this->op_.over == NormalizeOver::channels && this->points() > 1),
        row_(this->op_.over == NormalizeOver::points
                 ? this->points()
                 : this->size() / static_cast<std::size_t>(this->op_.groups)) {}

  [[nodiscard]] std::size_t saved() const override {
    return columns_ ? this->points() : this->size() / row_;
  }

  [[nodiscard]] bool writes_fresh() const override { return true; }

  void forward(const Call& call) const override {
    const auto epsilon = static_cast<T>(this->op_.number);
    if (columns_) {
      for (std::size_t s = 0; s < call.n; ++s) {
        this->element_.normalize_columns(rows_of(this->in(call, 0, s)), epsilon, this->out(call, s),
                                         call.saved + s * this->points());
      }
      return;
    }
    const auto count = static_cast<T>(row_);
    for (std::size_t i = 0; i < call.n * this->size() / row_; ++i) {
      const T* x = call.inputs[0] + i * row_;
      const T mean = this->element_.sum(row_, x) / count;
      const T variance = this->element_.squares(row_, mean, x) / count;
      call.saved[i] = 1 / std::sqrt(variance + epsilon);
      this->element_.center(row_, call.saved[i], mean, x, call.out + i * row_);
    }
  }

  void backward(const Call& call) const override {
    if (call.by_inputs[0] == nullptr) return;
    if (columns_) {
      for (std::size_t s = 0; s < call.n; ++s) {
        this->element_.normalize_columns_backward(
            rows_of(this->out(call, s)), call.saved + s * this->points(), this->by_out(call, s),
            !this->fresh(call, 0), this->by_in(call, 0, s));
      }
      return;
    }
    const auto count = static_cast<T>(row_);
    for (std::size_t i = 0; i < call.n * this->size() / row_; ++i) {
      const T *g = call.by_out + i * row_, *y = call.out + i * row_;
      const T mean = this->element_.sum(row_, g) / count;
      const T along = this->element_.dot(row_, g, y) / count;
      this->element_.center_backward(row_, call.saved[i], mean, along, g, y, !this->fresh(call, 0),
                                     call.by_inputs[0] + i * row_);
    }
  }

 private:
  [[nodiscard]] RowsOf<const T> rows_of(const T* x) const {
    return {this->channels(), this->points(), x, this->points()};
  }

  bool columns_;
  std::size_t row_;
};

}  // namespace

template <class T>
AnyCpuOperation<T> make_cpu_normalize(const TensorGraph& graph, int value) {
  return std::make_unique<CpuNormalize<T>>(graph, value);
}

template AnyCpuOperation<float> make_cpu_normalize(const TensorGraph&, int);
template AnyCpuOperation<double> make_cpu_normalize(const TensorGraph&, int);

}  // namespace cauchy::detail
