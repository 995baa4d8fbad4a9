#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <cauchy/base/aligned.hpp>
#include <cauchy/tensor/executor.hpp>

#include "tensor/backend/tensor_kernels.hpp"
#include "tensor/dual.hpp"
#include "tensor/sweep.hpp"

namespace cauchy::detail {

/// Kernels, plans and the memory of workers for numbers of one type.
template <class T>
class TensorHost final {
 public:
  TensorHost(std::shared_ptr<const TensorGraph> graph, std::unique_ptr<TensorKernels<T>> kernels,
             std::size_t workers, bool poison);

  /// A plan and how many samples at most go through it together.
  struct Planned {
    TensorPlanTask task;
    std::size_t limit = 1;  ///< depends on the graph and the task alone
    std::unique_ptr<TensorPlan> plan;
  };
  /// For parts of at most `samples`; made at the first call, and again when they become longer.
  const Planned& plan(const TensorPlanTask& task, std::size_t samples);
  /// Bytes of what plan() would have made, for the workers that can be busy at once.
  [[nodiscard]] std::size_t bytes(const TensorPlanTask& task, std::size_t samples,
                                  std::size_t parts) const;

  [[nodiscard]] const TensorKernels<T>& kernels() const noexcept { return *kernels_; }
  [[nodiscard]] std::size_t workers() const noexcept { return memories_.size(); }
  [[nodiscard]] TensorMemory<T>& memory(std::size_t i) { return memories_[i]; }
  /// Constants for slices of the plans made so far, at their values; null elsewhere.
  [[nodiscard]] const std::vector<const T*>& constants() const noexcept { return constants_; }
  [[nodiscard]] TensorSweep<T> sweep(const Planned& planned, TensorMemory<T>& memory) const {
    return {*graph_, *kernels_, *planned.plan, memory, poison_};
  }
  /// All workers have memory for the plan; before a run.
  void fit(const Planned& planned, std::size_t busy);

 private:
  [[nodiscard]] TensorPlan make_plan(const TensorPlanTask& task, std::size_t n) const;
  [[nodiscard]] std::size_t limit_of(const TensorPlanTask& task) const;
  void repeat_constants(std::size_t n);

  std::shared_ptr<const TensorGraph> graph_;
  std::unique_ptr<TensorKernels<T>> kernels_;
  bool poison_;
  std::vector<std::vector<int>> instead_;  ///< see TensorPlan
  std::vector<std::unique_ptr<Planned>> plans_;
  std::vector<TensorMemory<T>> memories_;
  std::size_t repeated_ = 0;
  std::vector<AlignedVector<T>> constant_arrays_;
  std::vector<const T*> constants_;
};

/// Throws Error unless a length is right.
void require_tensor_length(std::string_view what, std::size_t got, std::size_t expected);

/// out[i] = in[i] for an input of a sample, in the precision of an executor.
///   error    names the input and the sample when a number is not finite
template <class T>
void copy_sample(const TensorGraph& graph, std::size_t input, std::size_t sample, const double* in,
                 T* out);

}  // namespace cauchy::detail
