#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <cauchy/tensor/graph.hpp>

namespace cauchy::detail {

/// Parameters of one operation that its kernels keep in an order of their own, and whose gradient
/// they make for a whole batch: there may be many of them, and gradients of parts that are added up
/// would take more time than they do.
struct OwnParameters {
  std::size_t first = 0, count = 0;  ///< count = 0: none; all of the operation's
  std::size_t kept = 0;              ///< numbers per sample from backward to the gradient
  std::size_t pieces = 1;            ///< that can be made by several threads
};

/// One operation of a graph, applied to n samples whose arrays lie one after the other.
template <class T>
struct TensorCall {
  int value = 0;                          ///< number of the operation
  std::size_t n = 1;                      ///< samples
  std::span<const T* const> inputs = {};  ///< backward: null where backward_reads_input() says no
  T* out = nullptr;      ///< forward: written; backward: as forward left it, or null, see below
  T* saved = nullptr;    ///< TensorKernels::saved() numbers per sample, from forward to backward
  T* scratch = nullptr;  ///< TensorKernels::scratch() numbers for the whole call
  const T* theta = nullptr;
  // What dropout depends on: a sample drops the same numbers wherever it lies in a batch.
  std::uint64_t first_sample = 0, step = 0, seed = 0;
  bool training = false;
  // Backward alone.
  const T* by_out = nullptr;           ///< adjoint of the result
  std::span<T* const> by_inputs = {};  ///< adjoints of the inputs, added to; null: not wanted
  /// Adjoints of inputs that hold nothing yet, for kernels that ask for it (writes_fresh): not 0,
  /// to be written, not added to. Empty: none.
  std::span<const char> fresh = {};
  T* by_theta = nullptr;  ///< gradient, added to; null: not wanted. Own parameters are left out:
  std::ptrdiff_t skipped = 0;  ///< so many of them before the parameters of this operation
  // Of an operation with own parameters: what is kept of a batch, and where this call stands in it.
  T* kept = nullptr;  ///< null: their gradient is not wanted
  std::size_t kept_first = 0, kept_batch = 0;
};

/// What backward of an operation may read besides the adjoint of the result: one of its inputs, the
/// result. Nothing else is kept until then.
[[nodiscard]] bool backward_reads_input(const TensorOperation& op, std::size_t input) noexcept;
[[nodiscard]] bool backward_reads_result(const TensorOperation& op) noexcept;

/// The operations of one graph on one kind of hardware. Made once per graph: tables (twiddle
/// factors, stencils, index lists) belong to it. Constant after that, so that threads share it.
///   determinism  a call has the same bits whoever makes it
///   allocation   none in forward and backward
template <class T>
class TensorKernels {
 public:
  virtual ~TensorKernels() = default;
  /// Numbers per sample that backward needs besides inputs and result (an argument of an
  /// activation, norms of attention).
  [[nodiscard]] virtual std::size_t saved(int value) const = 0;
  /// Numbers of working memory of one call for n samples, of forward and of backward.
  [[nodiscard]] virtual std::size_t scratch(int value, std::size_t n) const = 0;
  /// Not for inputs and constants, which the executor fills.
  virtual void forward(const TensorCall<T>& call) const = 0;
  virtual void backward(const TensorCall<T>& call) const = 0;
  /// Backward of this operation looks at TensorCall::fresh; else all adjoints of inputs are cleared
  /// before the first contribution.
  [[nodiscard]] virtual bool writes_fresh(int /*value*/) const { return false; }
  /// The values that the operation reads in place of its inputs: kernels that do two operations in
  /// one need the input of the first. Empty: its inputs.
  [[nodiscard]] virtual std::vector<int> reads_instead(int /*value*/) const { return {}; }

  [[nodiscard]] virtual OwnParameters own_parameters(int /*value*/) const { return {}; }
  /// Own parameters, from the first on, to the kernels' order: one piece.
  virtual void pack(int /*value*/, std::size_t /*piece*/, const double* /*theta*/,
                    T* /*packed*/) const {}
  /// Their gradient of n samples, in the order of the parameters, or added to it: one piece.
  virtual void own_gradient(int /*value*/, std::size_t /*piece*/, std::size_t /*n*/,
                            const T* /*kept*/, bool /*add*/, double* /*gradient*/) const {}
};

/// Plain loops for every operation, kept for ever: what others are compared with. Also for
/// Dual numbers, so that tangents need no code of their own.
template <class T>
[[nodiscard]] std::unique_ptr<TensorKernels<T>> make_reference_tensor_kernels(
    std::shared_ptr<const TensorGraph> graph, const std::map<std::string, double>& known);

/// SIMD with dispatch at run time; operations that take no time are the plain loops.
template <class T>
[[nodiscard]] std::unique_ptr<TensorKernels<T>> make_cpu_tensor_kernels(
    std::shared_ptr<const TensorGraph> graph, const std::map<std::string, double>& known);

}  // namespace cauchy::detail
