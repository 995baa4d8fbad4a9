#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <cauchy/base/function_ref.hpp>
#include <cauchy/tensor/graph.hpp>

namespace cauchy::detail {

/// What is to be computed of a graph.
struct TensorPlanTask {
  std::vector<int> targets;  ///< values that are read, and seeded
  bool backward = false;
  int input = -1;  ///< the value of an input whose adjoint is wanted; -1: none
};

/// Sizes that the kernels ask for, in numbers.
struct TensorPlanSizes {
  FunctionRef<std::size_t(int value)> saved;    ///< per sample
  FunctionRef<std::size_t(int value)> scratch;  ///< per call
};

/// Where the arrays of one slice of a batch lie in an arena. Time runs through the operations
/// forward (operation i at time i), the reading of the targets (time n) and the operations backward
/// (operation i at time 2 n - i). Arrays share memory unless they are needed at the same time: a
/// value lives until nobody reads it any more, forward or backward; an adjoint from the first
/// reader's contribution to the operation itself. Inputs and constants lie elsewhere.
class TensorPlan final {
 public:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  /// For slices of at most `n` samples; offsets are multiples of `alignment` numbers.
  ///   instead  of every operation the values that it reads in place of its inputs; empty, or no
  ///            list: those
  TensorPlan(const TensorGraph& graph, TensorPlanTask task, std::size_t n,
             const TensorPlanSizes& sizes, std::size_t alignment,
             std::span<const std::vector<int>> instead = {});

  [[nodiscard]] const TensorPlanTask& task() const noexcept { return task_; }
  /// The values that an operation reads.
  [[nodiscard]] const std::vector<int>& inputs(int value) const {
    return inputs_[static_cast<std::size_t>(value)];
  }
  [[nodiscard]] std::size_t slice() const noexcept { return n_; }
  /// Numbers of the arena.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  struct Place {
    bool needed = false;  ///< a target depends on it
    bool active = false;  ///< it depends on what derivatives are wanted by
    std::size_t value = none, saved = none, scratch = none, backward_scratch = none, adjoint = none;
  };
  [[nodiscard]] const Place& place(int value) const {
    return places_[static_cast<std::size_t>(value)];
  }
  /// Flops of a sample forward, and backward where the task has that: twice those of the operations
  /// that are active.
  [[nodiscard]] double forward_flops() const noexcept { return forward_flops_; }
  [[nodiscard]] double backward_flops() const noexcept { return backward_flops_; }
  /// Adjoints that begin with a backward operation (or, for the number of operations, with the
  /// seeds) and have to be cleared before it.
  [[nodiscard]] const std::vector<int>& begin_at(int value) const {
    return begins_[static_cast<std::size_t>(value)];
  }
  /// A stretch of the arena whose numbers nobody reads after a time.
  struct End {
    std::size_t offset, size;
  };
  [[nodiscard]] const std::vector<End>& ends_at(int time) const {
    return ends_[static_cast<std::size_t>(time)];
  }

 private:
  void find_needed(const TensorGraph& graph);
  void lay_out(const TensorGraph& graph, const TensorPlanSizes& sizes, std::size_t alignment);

  TensorPlanTask task_;
  std::size_t n_, size_ = 0;
  double forward_flops_ = 0, backward_flops_ = 0;
  std::vector<Place> places_;
  std::vector<std::vector<int>> inputs_;
  std::vector<std::vector<int>> begins_;
  std::vector<std::vector<End>> ends_;
};

}  // namespace cauchy::detail
