#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <cauchy/base/threads.hpp>
#include <cauchy/engine/executor.hpp>  // Precision, BackendKind
#include <cauchy/tensor/graph.hpp>

namespace cauchy {

/// One part of a loss: the mean over the samples of a value with one number, times a weight.
struct TensorTerm {
  std::string name;
  int value = -1;
  double weight = 1;
};

struct TensorExecutorOptions {
  int threads = 0;  ///< of a pool of its own; 0: CAUCHY_THREADS, else the machine
  std::shared_ptr<Threads> pool = {};  ///< shared with others; null: a new one of `threads`
  Precision precision = Precision::f32;
  BackendKind backend = BackendKind::cpu;
  /// Most parts that a batch is cut into; each goes through all operations, forward and backward,
  /// before the next one, and has a gradient of its own. Does not depend on the threads. Fewer, but
  /// at least two, where the gradients would take more than 512 MB.
  std::size_t parts = 8;
  /// Numbers of the parameters of expressions.
  std::map<std::string, double> known = {};
  std::uint64_t seed = 1;  ///< of dropout
  /// For tests: memory that nobody may read holds NaN.
  bool poison = false;
};

/// Evaluates a graph over batches of samples, and everything that training needs of it.
///   determinism  the same bits for any number of threads
///   memory       arrays of one slice of a batch per worker, one gradient per part
///   allocation   loss() and gradient() allocate nothing after the first call for a batch of a size
///   error        throws Error naming the value: a term that is no single number, wrong lengths,
///                numbers that are not finite (with the sample)
///   sharing      one caller at a time; executors may share a pool
class TensorExecutor {
 public:
  virtual ~TensorExecutor() = default;
  [[nodiscard]] virtual const TensorGraph& graph() const noexcept = 0;
  [[nodiscard]] std::size_t n_parameters() const noexcept { return graph().n_parameters(); }
  [[nodiscard]] virtual std::span<const TensorTerm> terms() const noexcept = 0;
  [[nodiscard]] virtual const std::shared_ptr<Threads>& pool() const noexcept = 0;
  /// Bytes of buffers for a batch of n samples: values, adjoints, gradients, parameters.
  [[nodiscard]] virtual std::size_t bytes(std::size_t n) const = 0;

  /// The samples of loss() and gradient(); all of it is copied. inputs[i] belongs to
  /// graph().inputs()[i]: n arrays one after the other. After an error there is no batch.
  virtual void set_batch(std::size_t n, std::span<const std::span<const double>> inputs) = 0;
  [[nodiscard]] virtual std::size_t batch() const noexcept = 0;
  /// The factor of a term; finite, not negative.
  virtual void set_weight(std::size_t term, double weight) = 0;
  /// Of the training: chooses what dropout drops.
  virtual void set_step(std::uint64_t step) = 0;

  /// Sum of the weighted terms over the batch; nothing is dropped.
  virtual double loss(std::span<const double> theta) = 0;
  /// The same with its gradient; dropout drops.
  double gradient(std::span<const double> theta, std::span<double> gradient) {
    return this->gradient(theta, gradient, {});
  }
  /// The same, bit for bit, with the gradients of the terms, row-major n_terms x n_parameters: one
  /// more pass for each.
  virtual double gradient(std::span<const double> theta, std::span<double> gradient,
                          std::span<double> terms) = 0;
  /// Weighted loss of each term at the last loss() or gradient().
  [[nodiscard]] virtual std::span<const double> last_terms() const noexcept = 0;
  /// The value of a term for every sample of the batch, without weight.
  virtual void sample_losses(std::size_t term, std::span<const double> theta,
                             std::span<double> out) = 0;

  /// Any value of the graph for n samples: n arrays of its shape one after the other. Any n; inputs
  /// that the value does not depend on may be empty.
  virtual void predict(int value, std::span<const double> theta, std::size_t n,
                       std::span<const std::span<const double>> inputs, std::span<double> out) = 0;
  /// J' w: the derivative of sum(seeds * value) over the batch by the parameters, added to
  /// `gradient` (empty: not wanted), and by input `input` (its number in graph().inputs(), -1: not
  /// wanted), written to `by_input`.
  virtual void adjoint(int value, std::span<const double> theta, std::span<const double> seeds,
                       std::span<double> gradient, int input = -1,
                       std::span<double> by_input = {}) = 0;
  /// J v of a value over the batch, v a direction of the parameters; in double, by plain loops.
  virtual void tangent(int value, std::span<const double> theta, std::span<const double> direction,
                       std::span<double> out) = 0;
};

///   error    a term that is no single number, an expression with a parameter that is not known
[[nodiscard]] std::unique_ptr<TensorExecutor> make_tensor_executor(
    std::shared_ptr<const TensorGraph> graph, std::vector<TensorTerm> terms,
    TensorExecutorOptions options = {});

}  // namespace cauchy
