#include <cmath>
#include <numbers>
#include <utility>

#include <cauchy/base/error.hpp>

#include "tensor/backend/reference/operation.hpp"
#include "tensor/dual.hpp"
#include "tensor/stencil.hpp"

namespace cauchy::detail {

namespace reference {
namespace {

AxisWaves axis_waves(const AxisModes& axis) {
  const auto n = static_cast<std::size_t>(axis.n), count = static_cast<std::size_t>(axis.count);
  AxisWaves waves;
  waves.n = n;
  waves.count = count;
  for (int i = 0; i < axis.count; ++i) {
    const long long k = axis.frequency(i);
    waves.weights.push_back(axis.weight(i));
    for (long long j = 0; j < axis.n; ++j) {
      // The angle within one turn: exact where waves repeat.
      const double turn = static_cast<double>(k * j % axis.n) / axis.n;
      waves.cosines.push_back(std::cos(2 * std::numbers::pi * turn));
      waves.sines.push_back(-std::sin(2 * std::numbers::pi * turn));
    }
  }
  return waves;
}

template <class T>
OperationTables<Real<T>> tables_of(const TensorGraph& graph, const TensorOperation& op,
                                   const std::map<std::string, double>& known) {
  OperationTables<Real<T>> tables;
  const std::vector<int>& to = op.shape.grid;
  const std::vector<int> from = op.inputs.empty() ? to : graph.shape(op.inputs[0]).grid;
  switch (op.code) {
    case TensorOp::convolution:
    case TensorOp::max_pool:
      tables.stencil = stencil_of(from, to, op.convolution);
      break;
    case TensorOp::transposed_convolution:
      tables.stencil = stencil_of(to, from, op.convolution);
      break;
    case TensorOp::spectrum:
      for (const AxisModes& axis : modes_of(from, to)) tables.waves.push_back(axis_waves(axis));
      break;
    case TensorOp::from_spectrum:
      for (const AxisModes& axis : modes_of(to, from)) tables.waves.push_back(axis_waves(axis));
      break;
    case TensorOp::expression:
      tables.programs = expression_programs<Real<T>>(op, known, std::is_same_v<T, Dual>);
      break;
    default:
      break;
  }
  return tables;
}

#define CAUCHY_TENSOR_OPERATIONS(apply)         \
  switch (f.op.code) {                          \
    case TensorOp::input:                       \
    case TensorOp::constant:                    \
      return;                                   \
    case TensorOp::linear:                      \
      return apply##_linear(f);                 \
    case TensorOp::activation:                  \
      return apply##_activation(f);             \
    case TensorOp::function:                    \
      return apply##_function(f);               \
    case TensorOp::soft_shrink:                 \
      return apply##_soft_shrink(f);            \
    case TensorOp::scale:                       \
      return apply##_scale(f);                  \
    case TensorOp::shift:                       \
      return apply##_shift(f);                  \
    case TensorOp::add:                         \
    case TensorOp::subtract:                    \
    case TensorOp::multiply:                    \
    case TensorOp::divide:                      \
      return apply##_arithmetic(f);             \
    case TensorOp::concatenate:                 \
      return apply##_concatenate(f);            \
    case TensorOp::pick:                        \
      return apply##_pick(f);                   \
    case TensorOp::along:                       \
      return apply##_along(f);                  \
    case TensorOp::sparse:                      \
      return apply##_sparse(f);                 \
    case TensorOp::reduce:                      \
      return apply##_reduce(f);                 \
    case TensorOp::spectrum:                    \
      return apply##_spectrum(f);               \
    case TensorOp::from_spectrum:               \
      return apply##_from_spectrum(f);          \
    case TensorOp::mode_linear:                 \
      return apply##_mode_linear(f);            \
    case TensorOp::mode_scale:                  \
      return apply##_mode_scale(f);             \
    case TensorOp::complex_linear:              \
      return apply##_complex_linear(f);         \
    case TensorOp::convolution:                 \
      return apply##_convolution(f);            \
    case TensorOp::transposed_convolution:      \
      return apply##_transposed_convolution(f); \
    case TensorOp::max_pool:                    \
      return apply##_max_pool(f);               \
    case TensorOp::normalize:                   \
      return apply##_normalize(f);              \
    case TensorOp::attention:                   \
      return apply##_attention(f);              \
    case TensorOp::matrix_vector:               \
      return apply##_matrix_vector(f);          \
    case TensorOp::dropout:                     \
      return apply##_dropout(f);                \
    case TensorOp::expression:                  \
      return apply##_expression(f);             \
  }

template <class T>
void apply_forward(const Operation<T>& f) {
  CAUCHY_TENSOR_OPERATIONS(forward)
}
template <class T>
void apply_backward(const Operation<T>& f) {
  CAUCHY_TENSOR_OPERATIONS(backward)
}
#undef CAUCHY_TENSOR_OPERATIONS

template <class T>
class ReferenceTensorKernels final : public TensorKernels<T> {
 public:
  ReferenceTensorKernels(std::shared_ptr<const TensorGraph> graph,
                         const std::map<std::string, double>& known)
      : graph_(std::move(graph)) {
    for (const TensorOperation& op : graph_->ops()) {
      tables_.push_back(tables_of<T>(*graph_, op, known));
    }
  }

  [[nodiscard]] std::size_t saved(int value) const override {
    const TensorOperation& op = operation(value);
    const bool argument = op.code == TensorOp::linear && op.activation != Activation::identity;
    return argument ? op.shape.size() : 0;
  }

  [[nodiscard]] std::size_t scratch(int value, std::size_t) const override {
    const TensorOperation& op = operation(value);
    const OperationTables<Real<T>>& tables = tables_[static_cast<std::size_t>(value)];
    switch (op.code) {
      case TensorOp::linear:
        return saved(value);  // the adjoint of one argument
      case TensorOp::spectrum:
      case TensorOp::from_spectrum:
        return spectral_scratch(tables.waves);
      case TensorOp::attention:
        return 2 * graph_->shape(op.inputs[1]).points();
      case TensorOp::expression:
        return expression_scratch<T>(op, tables.programs);
      default:
        return 0;
    }
  }

  void forward(const TensorCall<T>& call) const override {
    apply_forward(Operation<T>{*graph_, operation(call.value),
                               tables_[static_cast<std::size_t>(call.value)], call});
  }

  void backward(const TensorCall<T>& call) const override {
    if constexpr (std::floating_point<T>) {
      apply_backward(Operation<T>{*graph_, operation(call.value),
                                  tables_[static_cast<std::size_t>(call.value)], call});
    } else {
      throw Error("tangents have no adjoints", "[tensor]");
    }
  }

 private:
  [[nodiscard]] const TensorOperation& operation(int value) const {
    return graph_->ops()[static_cast<std::size_t>(value)];
  }

  std::shared_ptr<const TensorGraph> graph_;
  std::vector<OperationTables<Real<T>>> tables_;
};

}  // namespace
}  // namespace reference

template <class T>
std::unique_ptr<TensorKernels<T>> make_reference_tensor_kernels(
    std::shared_ptr<const TensorGraph> graph, const std::map<std::string, double>& known) {
  return std::make_unique<reference::ReferenceTensorKernels<T>>(std::move(graph), known);
}

template std::unique_ptr<TensorKernels<float>> make_reference_tensor_kernels(
    std::shared_ptr<const TensorGraph>, const std::map<std::string, double>&);
template std::unique_ptr<TensorKernels<double>> make_reference_tensor_kernels(
    std::shared_ptr<const TensorGraph>, const std::map<std::string, double>&);
template std::unique_ptr<TensorKernels<Dual>> make_reference_tensor_kernels(
    std::shared_ptr<const TensorGraph>, const std::map<std::string, double>&);

}  // namespace cauchy::detail
