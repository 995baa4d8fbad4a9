#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <cauchy/base/aligned.hpp>
#include <cauchy/base/work.hpp>

#include "tensor/backend/tensor_kernels.hpp"
#include "tensor/parameter_layout.hpp"
#include "tensor/plan.hpp"

namespace cauchy::detail {

/// The memory of one worker; grows before a run, never inside it.
template <class T>
struct TensorMemory {
  AlignedVector<T> arena;
  std::vector<const T*> inputs;  ///< of one operation
  std::vector<T*> by_inputs;
  std::vector<char> fresh;
};

/// Some samples of a batch that go through a plan together.
template <class T>
struct TensorSlice {
  std::size_t first = 0, n = 0;
  const T* theta = nullptr;
  /// Arrays of inputs, from sample 0 on, and of constants, as often as a slice is long; null for
  /// all other values.
  std::span<const T* const> sources = {};
  std::uint64_t step = 0, seed = 0;
  bool training = false;
  // For a gradient by the parameters: see TensorCall.
  const ParameterLayout* layout = nullptr;
  T* kept = nullptr;
  std::size_t kept_first = 0, kept_batch = 0;
};

/// Takes slices through the operations of a plan, forward and backward.
///   poison   memory that nobody may read holds NaN: at the beginning all of it, later what the
///            plan has given up
template <class T>
class TensorSweep final {
 public:
  TensorSweep(const TensorGraph& graph, const TensorKernels<T>& kernels, const TensorPlan& plan,
              TensorMemory<T>& memory, bool poison)
      : graph_(graph), kernels_(kernels), plan_(plan), memory_(memory), poison_(poison) {}

  static void fit(const TensorGraph& graph, const TensorPlan& plan, TensorMemory<T>& memory) {
    std::size_t most = 1;
    for (const TensorOperation& op : graph.ops()) most = std::max(most, op.inputs.size());
    if (memory.arena.size() < plan.size()) memory.arena.resize(plan.size());
    if (memory.inputs.size() < most) memory.inputs.resize(most);
    if (memory.by_inputs.size() < most) memory.by_inputs.resize(most);
    if (memory.fresh.size() < most) memory.fresh.resize(most);
  }

  /// The array of a value, after forward(): of a target, an input or a constant.
  [[nodiscard]] const T* value(int value, const TensorSlice<T>& slice) const {
    const T* source = slice.sources[static_cast<std::size_t>(value)];
    if (source == nullptr) return at(plan_.place(value).value);
    const TensorOperation& op = operation(value);
    return op.code == TensorOp::input ? source + slice.first * op.shape.size() : source;
  }
  /// Of a target before backward(), of the wanted input after it; null: there is none.
  [[nodiscard]] T* adjoint(int value) const { return at(plan_.place(value).adjoint); }

  void forward(const TensorSlice<T>& slice) {
    count(plan_.forward_flops(), slice);
    if (poison_) std::fill_n(memory_.arena.data(), plan_.size(), not_a_number());
    for (int i = 0; i < n_operations(); ++i) {
      const TensorPlan::Place& place = plan_.place(i);
      const TensorOperation& op = operation(i);
      if (!place.needed || op.code == TensorOp::input || op.code == TensorOp::constant) continue;
      TensorCall<T> call = call_of(i, slice);
      const std::vector<int>& inputs = plan_.inputs(i);
      for (std::size_t k = 0; k < inputs.size(); ++k) {
        memory_.inputs[k] = value(inputs[k], slice);
      }
      call.out = at(place.value);
      call.scratch = at(place.scratch);
      kernels_.forward(call);
      end(i);
    }
  }

  /// Adjoints of the targets are 0 afterwards, for seeds to be added.
  void clear_seeds(const TensorSlice<T>& slice) { clear(n_operations(), slice); }

  /// Adds to by_theta; null: not wanted.
  void backward(const TensorSlice<T>& slice, T* by_theta) {
    count(plan_.backward_flops(), slice);
    end(n_operations());
    for (int i = n_operations() - 1; i >= 0; --i) {
      const TensorPlan::Place& place = plan_.place(i);
      const TensorOperation& op = operation(i);
      if (!place.active || op.code == TensorOp::input) continue;
      TensorCall<T> call = call_of(i, slice);
      if (kernels_.writes_fresh(i)) {
        mark_fresh(i, slice);
        call.fresh = {memory_.fresh.data(), op.inputs.size()};
      } else {
        clear(i, slice);
      }
      for (std::size_t k = 0; k < op.inputs.size(); ++k) {
        const int x = plan_.inputs(i)[k];
        memory_.inputs[k] = backward_reads_input(op, k) ? value(x, slice) : nullptr;
        memory_.by_inputs[k] = adjoint(x);
      }
      call.by_inputs = {memory_.by_inputs.data(), op.inputs.size()};
      call.out = backward_reads_result(op) ? at(place.value) : nullptr;
      call.scratch = at(place.backward_scratch);
      call.by_out = at(place.adjoint);
      call.by_theta = by_theta;
      if (by_theta != nullptr && slice.layout != nullptr) {
        const auto at_op = static_cast<std::size_t>(i);
        const std::size_t before = slice.layout->kept_before[at_op];
        call.skipped = slice.layout->skipped[at_op];
        call.kept_first = slice.kept_first;
        call.kept_batch = slice.kept_batch;
        if (before != ParameterLayout::none) call.kept = slice.kept + before * slice.kept_batch;
      }
      kernels_.backward(call);
      end(2 * n_operations() - i);
    }
  }

 private:
  /// Flops of a sample; numbers of twice the size take twice as long.
  static void count(double flops, const TensorSlice<T>& slice) {
    count_work(WorkKind::grids, sizeof(T) / 4.0 * flops * static_cast<double>(slice.n));
  }
  [[nodiscard]] int n_operations() const { return static_cast<int>(graph_.ops().size()); }
  [[nodiscard]] const TensorOperation& operation(int i) const {
    return graph_.ops()[static_cast<std::size_t>(i)];
  }
  [[nodiscard]] T* at(std::size_t offset) const {
    return offset == TensorPlan::none ? nullptr : memory_.arena.data() + offset;
  }
  [[nodiscard]] TensorCall<T> call_of(int i, const TensorSlice<T>& slice) const {
    TensorCall<T> call;
    call.value = i;
    call.n = slice.n;
    call.inputs = {memory_.inputs.data(), operation(i).inputs.size()};
    call.saved = at(plan_.place(i).saved);
    call.theta = slice.theta;
    call.first_sample = slice.first;
    call.step = slice.step;
    call.seed = slice.seed;
    call.training = slice.training;
    return call;
  }
  void clear(int time, const TensorSlice<T>& slice) {
    for (const int value : plan_.begin_at(time)) {
      std::fill_n(adjoint(value), slice.n * operation(value).shape.size(), T(0));
    }
  }
  /// Adjoints that begin with this operation are marked; one that it adds to twice is cleared.
  void mark_fresh(int i, const TensorSlice<T>& slice) {
    const std::vector<int>& inputs = plan_.inputs(i);
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      const auto& begin = plan_.begin_at(i);
      const bool begins = std::find(begin.begin(), begin.end(), inputs[k]) != begin.end();
      const bool once = std::count(inputs.begin(), inputs.end(), inputs[k]) == 1;
      memory_.fresh[k] = begins && once ? 1 : 0;
      if (begins && !once) {
        std::fill_n(adjoint(inputs[k]), slice.n * operation(inputs[k]).shape.size(), T(0));
      }
    }
  }
  void end(int time) {
    if (!poison_) return;
    for (const TensorPlan::End& e : plan_.ends_at(time)) {
      std::fill_n(memory_.arena.data() + e.offset, e.size, not_a_number());
    }
  }
  [[nodiscard]] static T not_a_number() { return T(std::numeric_limits<double>::quiet_NaN()); }

  const TensorGraph& graph_;
  const TensorKernels<T>& kernels_;
  const TensorPlan& plan_;
  TensorMemory<T>& memory_;
  bool poison_;
};

}  // namespace cauchy::detail
