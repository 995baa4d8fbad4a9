// Fixed matrices over the points: along one axis, sparse, or one row (a weighted sum).
#include <algorithm>
#include <vector>

#include "tensor/backend/cpu/cpu_operation.hpp"

namespace cauchy::detail {
namespace {

/// An array as [outer][length of the axis][inner]: inner numbers are the columns of the product, or
/// (along the last axis) the rows.
template <class T>
class CpuAlong final : public CpuOperation<T> {
 public:
  using typename CpuOperation<T>::Call;

  CpuAlong(const TensorGraph& graph, int value)
      : CpuOperation<T>(graph, value), matrix_(this->op_.fixed->begin(), this->op_.fixed->end()) {
    const auto axis = static_cast<std::size_t>(this->op_.axis);
    from_ = static_cast<std::size_t>(this->shape_of(0).grid[axis]);
    to_ = static_cast<std::size_t>(this->op_.shape.grid[axis]);
    for (std::size_t a = axis + 1; a < this->op_.shape.grid.size(); ++a) {
      inner_ *= static_cast<std::size_t>(this->op_.shape.grid[a]);
    }
    outer_ = this->size() / to_ / inner_;
    if (inner_ > 1) return;
    transposed_.resize(matrix_.size());
    for (std::size_t i = 0; i < to_; ++i) {
      for (std::size_t j = 0; j < from_; ++j) transposed_[j * to_ + i] = matrix_[i * from_ + j];
    }
  }

  void forward(const Call& call) const override {
    if (inner_ == 1) {
      this->product_.product({.rows = call.n * outer_,
                              .columns = to_,
                              .inner = from_,
                              .a = call.inputs[0],
                              .a_stride = from_,
                              .b = transposed_.data(),
                              .b_stride = to_,
                              .c = call.out,
                              .c_stride = to_});
      return;
    }
    for (std::size_t o = 0; o < call.n * outer_; ++o) {
      this->product_.product({.rows = to_,
                              .columns = inner_,
                              .inner = from_,
                              .a = matrix_.data(),
                              .a_stride = from_,
                              .b = call.inputs[0] + o * from_ * inner_,
                              .b_stride = inner_,
                              .c = call.out + o * to_ * inner_,
                              .c_stride = inner_});
    }
  }

  void backward(const Call& call) const override {
    T* by_x = call.by_inputs[0];
    if (by_x == nullptr) return;
    if (inner_ == 1) {
      this->product_.product({.rows = call.n * outer_,
                              .columns = from_,
                              .inner = to_,
                              .a = call.by_out,
                              .a_stride = to_,
                              .b = matrix_.data(),
                              .b_stride = from_,
                              .c = by_x,
                              .c_stride = from_,
                              .d = by_x,
                              .d_stride = from_});
      return;
    }
    for (std::size_t o = 0; o < call.n * outer_; ++o) {
      T* to = by_x + o * from_ * inner_;
      this->product_.product({.rows = from_,
                              .columns = inner_,
                              .inner = to_,
                              .a = matrix_.data(),
                              .a_stride = from_,
                              .a_by_columns = true,
                              .b = call.by_out + o * to_ * inner_,
                              .b_stride = inner_,
                              .c = to,
                              .c_stride = inner_,
                              .d = to,
                              .d_stride = inner_});
    }
  }

 private:
  std::vector<T> matrix_, transposed_;
  std::size_t from_, to_, inner_ = 1, outer_;
};

/// Several channels at a time: an entry of the matrix is read once for all of them.
template <class T>
class CpuSparse final : public CpuOperation<T> {
 public:
  using typename CpuOperation<T>::Call;

  CpuSparse(const TensorGraph& graph, int value)
      : CpuOperation<T>(graph, value),
        matrix_(*this->op_.matrix),
        weights_(matrix_.weights.begin(), matrix_.weights.end()) {}

  void forward(const Call& call) const override {
    for_each_group(call, [&]<std::size_t N>(std::size_t c) {
      const T* x = call.inputs[0] + c * matrix_.columns;
      T* out = call.out + c * matrix_.rows();
      for (std::size_t i = 0; i < matrix_.rows(); ++i) {
        T sums[N] = {};
        for (std::size_t k = matrix_.offsets[i]; k < matrix_.offsets[i + 1]; ++k) {
          const T* at = x + matrix_.points[k];
          for (std::size_t j = 0; j < N; ++j) sums[j] += weights_[k] * at[j * matrix_.columns];
        }
        for (std::size_t j = 0; j < N; ++j) out[j * matrix_.rows() + i] = sums[j];
      }
    });
  }

  void backward(const Call& call) const override {
    if (call.by_inputs[0] == nullptr) return;
    for_each_group(call, [&]<std::size_t N>(std::size_t c) {
      const T* g = call.by_out + c * matrix_.rows();
      T* by_x = call.by_inputs[0] + c * matrix_.columns;
      for (std::size_t i = 0; i < matrix_.rows(); ++i) {
        T by[N];
        for (std::size_t j = 0; j < N; ++j) by[j] = g[j * matrix_.rows() + i];
        for (std::size_t k = matrix_.offsets[i]; k < matrix_.offsets[i + 1]; ++k) {
          T* at = by_x + matrix_.points[k];
          for (std::size_t j = 0; j < N; ++j) at[j * matrix_.columns] += weights_[k] * by[j];
        }
      }
    });
  }

 private:
  template <class Body>
  void for_each_group(const Call& call, Body body) const {
    const std::size_t channels = call.n * this->channels();
    std::size_t c = 0;
    for (; c + 4 <= channels; c += 4) body.template operator()<4>(c);
    for (; c < channels; ++c) body.template operator()<1>(c);
  }

  const PointMatrix& matrix_;
  std::vector<T> weights_;
};

template <class T>
class CpuReduce final : public CpuOperation<T> {
 public:
  using typename CpuOperation<T>::Call;

  CpuReduce(const TensorGraph& graph, int value)
      : CpuOperation<T>(graph, value), weights_(this->op_.fixed->begin(), this->op_.fixed->end()) {}

  void forward(const Call& call) const override {
    const std::size_t P = this->points_of(0);
    for (std::size_t c = 0; c < call.n * this->channels(); ++c) {
      call.out[c] = this->element_.dot(P, weights_.data(), call.inputs[0] + c * P);
    }
  }
  void backward(const Call& call) const override {
    const std::size_t P = this->points_of(0);
    for (std::size_t c = 0; c < call.n * this->channels() && call.by_inputs[0] != nullptr; ++c) {
      this->element_.axpy(P, call.by_out[c], weights_.data(), call.by_inputs[0] + c * P);
    }
  }

 private:
  std::vector<T> weights_;
};

}  // namespace

template <class T>
AnyCpuOperation<T> make_cpu_point_sums(const TensorGraph& graph, int value) {
  switch (graph.ops()[static_cast<std::size_t>(value)].code) {
    case TensorOp::along:
      return std::make_unique<CpuAlong<T>>(graph, value);
    case TensorOp::sparse:
      return std::make_unique<CpuSparse<T>>(graph, value);
    default:
      return std::make_unique<CpuReduce<T>>(graph, value);
  }
}

template AnyCpuOperation<float> make_cpu_point_sums(const TensorGraph&, int);
template AnyCpuOperation<double> make_cpu_point_sums(const TensorGraph&, int);

}  // namespace cauchy::detail
