#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include "tensor/backend/cpu/field_kernels.hpp"
#include "tensor/backend/tensor_kernels.hpp"

namespace cauchy::detail {

/// Whether no operation but `reader` reads a value.
[[nodiscard]] inline bool alone_reads(const TensorGraph& graph, const TensorOperation& reader,
                                      int value) {
  return std::all_of(graph.ops().begin(), graph.ops().end(), [&](const TensorOperation& op) {
    return &op == &reader ||
           std::find(op.inputs.begin(), op.inputs.end(), value) == op.inputs.end();
  });
}

/// One operation of a graph with fast loops: what TensorKernels asks of it, with its tables.
template <class T>
class CpuOperation {
 public:
  using Call = TensorCall<T>;

  CpuOperation(const TensorGraph& graph, int value)
      : graph_(graph), op_(graph.ops()[static_cast<std::size_t>(value)]) {}
  virtual ~CpuOperation() = default;
  CpuOperation(const CpuOperation&) = delete;
  CpuOperation& operator=(const CpuOperation&) = delete;

  [[nodiscard]] virtual std::size_t saved() const { return 0; }
  [[nodiscard]] virtual std::size_t scratch(std::size_t /*n*/) const { return 0; }
  virtual void forward(const Call& call) const = 0;
  virtual void backward(const Call& call) const = 0;
  /// Backward looks at fresh().
  [[nodiscard]] virtual bool writes_fresh() const { return false; }
  [[nodiscard]] virtual std::vector<int> reads_instead() const { return {}; }
  [[nodiscard]] virtual OwnParameters own_parameters() const { return {}; }
  virtual void pack(std::size_t /*piece*/, const double* /*theta*/, T* /*packed*/) const {}
  virtual void own_gradient(std::size_t /*piece*/, std::size_t /*n*/, const T* /*kept*/,
                            bool /*add*/, double* /*gradient*/) const {}

 protected:
  [[nodiscard]] const TensorShape& shape_of(std::size_t input) const {
    return graph_.ops()[static_cast<std::size_t>(op_.inputs[input])].shape;
  }
  [[nodiscard]] std::size_t channels() const {
    return static_cast<std::size_t>(op_.shape.channels);
  }
  [[nodiscard]] std::size_t channels_of(std::size_t input) const {
    return static_cast<std::size_t>(shape_of(input).channels);
  }
  [[nodiscard]] std::size_t size() const { return op_.shape.size(); }
  [[nodiscard]] std::size_t points() const { return op_.shape.points(); }
  [[nodiscard]] std::size_t points_of(std::size_t input) const { return shape_of(input).points(); }

  // Arrays of sample s of a call.
  [[nodiscard]] const T* in(const Call& call, std::size_t input, std::size_t s) const {
    return call.inputs[input] + s * shape_of(input).size();
  }
  [[nodiscard]] T* out(const Call& call, std::size_t s) const { return call.out + s * size(); }
  [[nodiscard]] const T* by_out(const Call& call, std::size_t s) const {
    return call.by_out + s * size();
  }
  /// Null: not wanted.
  [[nodiscard]] T* by_in(const Call& call, std::size_t input, std::size_t s) const {
    T* all = call.by_inputs[input];
    return all == nullptr ? nullptr : all + s * shape_of(input).size();
  }
  /// The adjoint of this input holds nothing yet: it is written, not added to.
  [[nodiscard]] static bool fresh(const Call& call, std::size_t input) {
    return !call.fresh.empty() && call.fresh[input] != 0;
  }
  /// For those that only add: 0 in a fresh adjoint.
  void clear_fresh(const Call& call, std::size_t input) const {
    T* by_x = call.by_inputs[input];
    if (by_x != nullptr && fresh(call, input)) {
      std::fill_n(by_x, call.n * shape_of(input).size(), T(0));
    }
  }
  [[nodiscard]] const T* weights(const Call& call) const { return call.theta + op_.weights; }
  /// Null: there is none.
  [[nodiscard]] const T* bias(const Call& call) const {
    return op_.bias < 0 ? nullptr : call.theta + op_.bias;
  }
  /// Null: not wanted.
  [[nodiscard]] T* by_weights(const Call& call) const {
    return call.by_theta == nullptr ? nullptr : call.by_theta + (op_.weights - call.skipped);
  }
  [[nodiscard]] T* by_bias(const Call& call) const {
    return call.by_theta == nullptr || op_.bias < 0 ? nullptr
                                                    : call.by_theta + (op_.bias - call.skipped);
  }

  const TensorGraph& graph_;
  const TensorOperation& op_;
  const ProductKernels<T>& product_ = product_kernels<T>();
  const ElementKernels<T>& element_ = element_kernels<T>();
};

template <class T>
using AnyCpuOperation = std::unique_ptr<CpuOperation<T>>;

// One maker per file; float and double.
template <class T>
[[nodiscard]] AnyCpuOperation<T> make_cpu_linear(const TensorGraph& graph, int value);
/// This linear layer and the one before it in one; null: they do not fit.
template <class T>
[[nodiscard]] AnyCpuOperation<T> make_cpu_linear_pair(const TensorGraph& graph, int value);
template <class T>
[[nodiscard]] AnyCpuOperation<T> make_cpu_complex_linear(const TensorGraph& graph, int value);
template <class T>
[[nodiscard]] AnyCpuOperation<T> make_cpu_mode_linear(const TensorGraph& graph, int value);
/// spectrum, from_spectrum
template <class T>
[[nodiscard]] AnyCpuOperation<T> make_cpu_spectrum(const TensorGraph& graph, int value);
/// convolution, transposed_convolution
template <class T>
[[nodiscard]] AnyCpuOperation<T> make_cpu_convolution(const TensorGraph& graph, int value);
template <class T>
[[nodiscard]] AnyCpuOperation<T> make_cpu_attention(const TensorGraph& graph, int value);
template <class T>
[[nodiscard]] AnyCpuOperation<T> make_cpu_normalize(const TensorGraph& graph, int value);
/// activation, function, soft_shrink, scale, shift
template <class T>
[[nodiscard]] AnyCpuOperation<T> make_cpu_element(const TensorGraph& graph, int value);
/// add, subtract, multiply, divide, matrix_vector
template <class T>
[[nodiscard]] AnyCpuOperation<T> make_cpu_arithmetic(const TensorGraph& graph, int value);
/// concatenate, pick, max_pool
template <class T>
[[nodiscard]] AnyCpuOperation<T> make_cpu_moves(const TensorGraph& graph, int value);
/// along, sparse, reduce
template <class T>
[[nodiscard]] AnyCpuOperation<T> make_cpu_point_sums(const TensorGraph& graph, int value);

}  // namespace cauchy::detail
