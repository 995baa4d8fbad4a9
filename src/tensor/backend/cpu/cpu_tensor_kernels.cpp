#include <utility>
#include <vector>

#include "tensor/backend/cpu/cpu_operation.hpp"

namespace cauchy::detail {
namespace {

/// Null: the plain loops are good enough.
template <class T>
AnyCpuOperation<T> make_cpu_operation(const TensorGraph& graph, int value) {
  switch (graph.ops()[static_cast<std::size_t>(value)].code) {
    case TensorOp::linear:
      if (AnyCpuOperation<T> pair = make_cpu_linear_pair<T>(graph, value)) return pair;
      return make_cpu_linear<T>(graph, value);
    case TensorOp::activation:
    case TensorOp::function:
    case TensorOp::soft_shrink:
    case TensorOp::scale:
    case TensorOp::shift:
      return make_cpu_element<T>(graph, value);
    case TensorOp::add:
    case TensorOp::subtract:
    case TensorOp::multiply:
    case TensorOp::divide:
    case TensorOp::matrix_vector:
      return make_cpu_arithmetic<T>(graph, value);
    case TensorOp::concatenate:
    case TensorOp::pick:
    case TensorOp::max_pool:
      return make_cpu_moves<T>(graph, value);
    case TensorOp::along:
    case TensorOp::sparse:
    case TensorOp::reduce:
      return make_cpu_point_sums<T>(graph, value);
    case TensorOp::spectrum:
    case TensorOp::from_spectrum:
      return make_cpu_spectrum<T>(graph, value);
    case TensorOp::mode_linear:
      return make_cpu_mode_linear<T>(graph, value);
    case TensorOp::complex_linear:
      return make_cpu_complex_linear<T>(graph, value);
    case TensorOp::convolution:
    case TensorOp::transposed_convolution:
      return make_cpu_convolution<T>(graph, value);
    case TensorOp::normalize:
      return make_cpu_normalize<T>(graph, value);
    case TensorOp::attention:
      return make_cpu_attention<T>(graph, value);
    case TensorOp::input:
    case TensorOp::constant:
    case TensorOp::mode_scale:
    case TensorOp::dropout:
    case TensorOp::expression:
      return nullptr;
  }
  return nullptr;
}

template <class T>
class CpuTensorKernels final : public TensorKernels<T> {
 public:
  CpuTensorKernels(std::shared_ptr<const TensorGraph> graph,
                   const std::map<std::string, double>& known)
      : graph_(std::move(graph)), plain_(make_reference_tensor_kernels<T>(graph_, known)) {
    for (int i = 0; i < static_cast<int>(graph_->ops().size()); ++i) {
      operations_.push_back(make_cpu_operation<T>(*graph_, i));
    }
  }

  [[nodiscard]] std::size_t saved(int value) const override {
    const CpuOperation<T>* f = operation(value);
    return f == nullptr ? plain_->saved(value) : f->saved();
  }
  [[nodiscard]] std::size_t scratch(int value, std::size_t n) const override {
    const CpuOperation<T>* f = operation(value);
    return f == nullptr ? plain_->scratch(value, n) : f->scratch(n);
  }
  void forward(const TensorCall<T>& call) const override {
    const CpuOperation<T>* f = operation(call.value);
    f == nullptr ? plain_->forward(call) : f->forward(call);
  }
  void backward(const TensorCall<T>& call) const override {
    const CpuOperation<T>* f = operation(call.value);
    f == nullptr ? plain_->backward(call) : f->backward(call);
  }
  [[nodiscard]] bool writes_fresh(int value) const override {
    const CpuOperation<T>* f = operation(value);
    return f != nullptr && f->writes_fresh();
  }
  [[nodiscard]] std::vector<int> reads_instead(int value) const override {
    const CpuOperation<T>* f = operation(value);
    return f == nullptr ? std::vector<int>() : f->reads_instead();
  }
  [[nodiscard]] OwnParameters own_parameters(int value) const override {
    const CpuOperation<T>* f = operation(value);
    return f == nullptr ? OwnParameters{} : f->own_parameters();
  }
  void pack(int value, std::size_t piece, const double* theta, T* packed) const override {
    operation(value)->pack(piece, theta, packed);
  }
  void own_gradient(int value, std::size_t piece, std::size_t n, const T* kept, bool add,
                    double* gradient) const override {
    operation(value)->own_gradient(piece, n, kept, add, gradient);
  }

 private:
  [[nodiscard]] const CpuOperation<T>* operation(int value) const {
    return operations_[static_cast<std::size_t>(value)].get();
  }

  std::shared_ptr<const TensorGraph> graph_;
  std::unique_ptr<TensorKernels<T>> plain_;
  std::vector<AnyCpuOperation<T>> operations_;
};

}  // namespace

template <class T>
std::unique_ptr<TensorKernels<T>> make_cpu_tensor_kernels(
    std::shared_ptr<const TensorGraph> graph, const std::map<std::string, double>& known) {
  return std::make_unique<CpuTensorKernels<T>>(std::move(graph), known);
}

template std::unique_ptr<TensorKernels<float>> make_cpu_tensor_kernels(
    std::shared_ptr<const TensorGraph>, const std::map<std::string, double>&);
template std::unique_ptr<TensorKernels<double>> make_cpu_tensor_kernels(
    std::shared_ptr<const TensorGraph>, const std::map<std::string, double>&);

}  // namespace cauchy::detail
