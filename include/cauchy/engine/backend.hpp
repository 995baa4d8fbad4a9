#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include <cauchy/engine/plan.hpp>

namespace cauchy {

/// Replays plans. Stateless and thread-safe: all memory comes from the caller.
/// The memory of one thread for one block:
///   points   coordinate i of point p at points[i * point_stride + p]; block() points are valid
///   arena    plan.arena_size() elements; values after forward(), adjoints during backward()
///   scratch  scratch_size(plan) elements
///   inputs   row r of all inputs of the graph, point p at inputs[r * block() + p]; null where the
///            graph has none
///   input_adjoints  same shape: every sweep adds the adjoints of the inputs; null: not wanted
/// `shared` holds what all blocks of one evaluation read, in the precision and packing of the
/// backend: parameters, written by prepare(), and numbers that never change, by prepare_fixed().
template <class T>
class Backend {
 public:
  struct Block {
    const T* shared;
    const T* points;
    std::size_t point_stride;
    T* arena;
    T* scratch;
    const T* inputs = nullptr;
    T* input_adjoints = nullptr;
  };

  virtual ~Backend() = default;
  [[nodiscard]] virtual std::string_view name() const noexcept = 0;
  /// Number of points per block must be a multiple of this.
  [[nodiscard]] virtual std::size_t granularity() const noexcept = 0;
  [[nodiscard]] virtual std::size_t shared_size(const Plan<T>& plan) const = 0;
  [[nodiscard]] virtual std::size_t scratch_size(const Plan<T>& plan) const = 0;
  /// Once for every `shared`; a direction needs no fixed numbers.
  virtual void prepare_fixed(const Plan<T>& plan, T* shared) const = 0;
  /// theta: graph().n_parameters() numbers.
  virtual void prepare(const Plan<T>& plan, const double* theta, T* shared) const = 0;

  /// All values of the block.
  virtual void forward(const Plan<T>& plan, const Block& block) const = 0;
  /// After forward(), with the adjoints of all output values filled in (zero where not needed):
  /// adds the gradient by every parameter, summed over the points, to gradient[n_parameters].
  /// Adjoints take the place of values that are no longer needed: another sweep needs another
  /// forward() first.
  virtual void backward(const Plan<T>& plan, const Block& block, T* gradient) const = 0;
  /// As backward(), but one gradient per point: adds to rows[parameter * block() + p].
  virtual void backward_per_point(const Plan<T>& plan, const Block& block, T* rows) const = 0;
  /// As backward(), but adds to out[p] the derivative in the direction whose parameters are
  /// `direction` (prepared like `shared`).
  virtual void backward_directional(const Plan<T>& plan, const Block& block, const T* direction,
                                    T* out) const = 0;
};

/// Plain loops, no SIMD: the oracle of the tests.
template <class T>
[[nodiscard]] std::unique_ptr<Backend<T>> make_reference_backend();
/// SIMD with run-time choice of the instruction set.
template <class T>
[[nodiscard]] std::unique_ptr<Backend<T>> make_cpu_backend();

}  // namespace cauchy
