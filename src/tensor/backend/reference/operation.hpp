#pragma once

#include <concepts>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <cauchy/expr/program.hpp>

#include "tensor/backend/tensor_kernels.hpp"
#include "tensor/dual.hpp"
#include "tensor/modes.hpp"

namespace cauchy::detail::reference {

/// exp(-2 pi i k j / n) of the modes of one axis: modes x points, row-major, and how often each
/// mode counts backward.
struct AxisWaves {
  std::size_t n = 1, count = 1;
  std::vector<double> cosines, sines, weights;
};

/// The numbers of programs and tables: those of T, of a Dual its parts.
template <class T>
using Real = std::conditional_t<std::is_same_v<T, Dual>, double, T>;

/// The programs of an expression; R is float or double.
///   value    inputs -> results
///   adjoint  inputs, adjoints of the results -> adjoints of the inputs
///   tangent  inputs, their slopes -> slopes of the results
template <class R>
struct ExpressionPrograms {
  std::vector<std::size_t> channels;  ///< of the inputs of the programs
  std::vector<R> parameters;
  std::optional<Program<R>> value, adjoint, tangent;
  [[nodiscard]] std::size_t workspace() const;
};

/// What is worked out once for an operation.
template <class R>
struct OperationTables {
  std::vector<std::ptrdiff_t> stencil;  ///< convolutions, max_pool
  std::vector<AxisWaves> waves;         ///< spectrum, from_spectrum
  ExpressionPrograms<R> programs;       ///< expression
};

/// adjoint or tangent is left out where it is not needed.
template <class R>
[[nodiscard]] ExpressionPrograms<R> expression_programs(const TensorOperation& op,
                                                        const std::map<std::string, double>& known,
                                                        bool tangent);
/// Numbers of working memory.
[[nodiscard]] std::size_t spectral_scratch(const std::vector<AxisWaves>& axes);
template <class T>
[[nodiscard]] std::size_t expression_scratch(const TensorOperation& op,
                                             const ExpressionPrograms<Real<T>>& programs);

/// One call of one operation: shapes, tables and the arrays of sample s.
template <class T>
struct Operation {
  const TensorGraph& graph;
  const TensorOperation& op;
  const OperationTables<Real<T>>& tables;
  const TensorCall<T>& call;

  [[nodiscard]] const TensorShape& shape_of(std::size_t input) const {
    return graph.ops()[static_cast<std::size_t>(op.inputs[input])].shape;
  }
  [[nodiscard]] std::size_t channels() const { return static_cast<std::size_t>(op.shape.channels); }
  [[nodiscard]] std::size_t channels_of(std::size_t input) const {
    return static_cast<std::size_t>(shape_of(input).channels);
  }
  [[nodiscard]] std::size_t points() const { return op.shape.points(); }
  [[nodiscard]] std::size_t points_of(std::size_t input) const { return shape_of(input).points(); }

  [[nodiscard]] const T* in(std::size_t input, std::size_t s) const {
    return call.inputs[input] + s * shape_of(input).size();
  }
  [[nodiscard]] T* out(std::size_t s) const { return call.out + s * op.shape.size(); }
  [[nodiscard]] const T* by_out(std::size_t s) const { return call.by_out + s * op.shape.size(); }
  /// Null: not wanted.
  [[nodiscard]] T* by_in(std::size_t input, std::size_t s) const {
    T* all = call.by_inputs[input];
    return all == nullptr ? nullptr : all + s * shape_of(input).size();
  }
  [[nodiscard]] const T* weights() const { return call.theta + op.weights; }
  /// Null: there is none.
  [[nodiscard]] const T* bias() const { return op.bias < 0 ? nullptr : call.theta + op.bias; }
  /// Null: not wanted.
  [[nodiscard]] T* by_weights() const {
    return call.by_theta == nullptr ? nullptr : call.by_theta + (op.weights - call.skipped);
  }
  [[nodiscard]] T* by_bias() const {
    return call.by_theta == nullptr || op.bias < 0 ? nullptr
                                                   : call.by_theta + (op.bias - call.skipped);
  }
};

/// forward() is instantiated for float, double and Dual, backward() for float and double.
#define CAUCHY_TENSOR_OPERATION(name)            \
  template <class T>                             \
  void forward_##name(const Operation<T>& call); \
  template <std::floating_point T>               \
  void backward_##name(const Operation<T>& call)

CAUCHY_TENSOR_OPERATION(linear);
CAUCHY_TENSOR_OPERATION(activation);
CAUCHY_TENSOR_OPERATION(function);
CAUCHY_TENSOR_OPERATION(soft_shrink);
CAUCHY_TENSOR_OPERATION(scale);
CAUCHY_TENSOR_OPERATION(shift);
CAUCHY_TENSOR_OPERATION(arithmetic);  // add, subtract, multiply, divide
CAUCHY_TENSOR_OPERATION(concatenate);
CAUCHY_TENSOR_OPERATION(pick);
CAUCHY_TENSOR_OPERATION(along);
CAUCHY_TENSOR_OPERATION(sparse);
CAUCHY_TENSOR_OPERATION(reduce);
CAUCHY_TENSOR_OPERATION(spectrum);
CAUCHY_TENSOR_OPERATION(from_spectrum);
CAUCHY_TENSOR_OPERATION(mode_linear);
CAUCHY_TENSOR_OPERATION(mode_scale);
CAUCHY_TENSOR_OPERATION(complex_linear);
CAUCHY_TENSOR_OPERATION(convolution);
CAUCHY_TENSOR_OPERATION(transposed_convolution);
CAUCHY_TENSOR_OPERATION(max_pool);
CAUCHY_TENSOR_OPERATION(normalize);
CAUCHY_TENSOR_OPERATION(attention);
CAUCHY_TENSOR_OPERATION(matrix_vector);
CAUCHY_TENSOR_OPERATION(dropout);
CAUCHY_TENSOR_OPERATION(expression);

#undef CAUCHY_TENSOR_OPERATION

}  // namespace cauchy::detail::reference
