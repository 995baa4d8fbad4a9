#include "tensor/tensor_host.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

namespace cauchy::detail {
namespace {

/// Samples go through the operations together while their arrays take no more than this, so that
/// long batches need no more memory than short ones.
constexpr std::size_t slice_bytes = std::size_t{32} << 20;

}  // namespace

template <class T>
TensorHost<T>::TensorHost(std::shared_ptr<const TensorGraph> graph,
                          std::unique_ptr<TensorKernels<T>> kernels, std::size_t workers,
                          bool poison)
    : graph_(std::move(graph)),
      kernels_(std::move(kernels)),
      poison_(poison),
      memories_(workers),
      constant_arrays_(graph_->ops().size()),
      constants_(graph_->ops().size(), nullptr) {
  for (int i = 0; i < static_cast<int>(graph_->ops().size()); ++i) {
    instead_.push_back(kernels_->reads_instead(i));
  }
}

template <class T>
TensorPlan TensorHost<T>::make_plan(const TensorPlanTask& task, std::size_t n) const {
  const auto saved = [&](int value) { return kernels_->saved(value); };
  const auto scratch = [&](int value) { return kernels_->scratch(value, n); };
  return TensorPlan(*graph_, task, n, {saved, scratch}, std::max<std::size_t>(1, 64 / sizeof(T)),
                    instead_);
}

template <class T>
std::size_t TensorHost<T>::limit_of(const TensorPlanTask& task) const {
  const std::size_t one = std::max<std::size_t>(1, make_plan(task, 1).size() * sizeof(T));
  return std::max<std::size_t>(1, slice_bytes / one);
}

template <class T>
const typename TensorHost<T>::Planned& TensorHost<T>::plan(const TensorPlanTask& task,
                                                           std::size_t samples) {
  auto found = std::find_if(plans_.begin(), plans_.end(), [&](const auto& p) {
    return p->task.targets == task.targets && p->task.backward == task.backward &&
           p->task.input == task.input;
  });
  if (found == plans_.end()) {
    plans_.push_back(std::make_unique<Planned>(Planned{task, limit_of(task), nullptr}));
    found = plans_.end() - 1;
  }
  Planned& planned = **found;
  const std::size_t longest = std::min(samples, planned.limit);
  if (!planned.plan || planned.plan->slice() < longest) {
    planned.plan = std::make_unique<TensorPlan>(make_plan(task, longest));
    repeat_constants(longest);
  }
  return planned;
}

template <class T>
void TensorHost<T>::repeat_constants(std::size_t n) {
  if (n <= repeated_) return;
  repeated_ = n;
  for (std::size_t i = 0; i < constants_.size(); ++i) {
    const TensorOperation& op = graph_->ops()[i];
    if (op.code != TensorOp::constant) continue;
    AlignedVector<T>& all = constant_arrays_[i];
    all.clear();
    all.reserve(n * op.fixed->size());
    for (std::size_t k = 0; k < n; ++k) {
      for (const double v : *op.fixed) all.push_back(static_cast<T>(v));
    }
    constants_[i] = all.data();
  }
}

template <class T>
void TensorHost<T>::fit(const Planned& planned, std::size_t busy) {
  for (std::size_t i = 0; i < std::min(busy, memories_.size()); ++i) {
    TensorSweep<T>::fit(*graph_, *planned.plan, memories_[i]);
  }
}

template <class T>
std::size_t TensorHost<T>::bytes(const TensorPlanTask& task, std::size_t samples,
                                 std::size_t parts) const {
  const std::size_t longest = std::min(samples, limit_of(task));
  std::size_t constants = 0;
  for (const TensorOperation& op : graph_->ops()) {
    if (op.code == TensorOp::constant) constants += longest * op.shape.size();
  }
  return (constants + std::min(parts, workers()) * make_plan(task, longest).size()) * sizeof(T);
}

void require_tensor_length(std::string_view what, std::size_t got, std::size_t expected) {
  if (got != expected) {
    throw Error(fmt::format("{} needs {} numbers, got {}", what, expected, got), "[tensor]");
  }
}

template <class T>
void copy_sample(const TensorGraph& graph, std::size_t input, std::size_t sample, const double* in,
                 T* out) {
  const TensorGraph::Input& to = graph.inputs()[input];
  const std::size_t size = graph.shape(to.value).size();
  for (std::size_t i = 0; i < size; ++i) {
    bool finite = std::isfinite(in[i]);
    if constexpr (std::is_same_v<T, float>) finite = std::isfinite(static_cast<float>(in[i]));
    if (!finite) {
      throw Error(
          fmt::format("sample {} of input '{}' has {} as number {}", sample, to.name, in[i], i),
          "[tensor]", "remove the sample, or mend it");
    }
    out[i] = static_cast<T>(in[i]);
  }
}

template class TensorHost<float>;
template class TensorHost<double>;
template class TensorHost<Dual>;
template void copy_sample(const TensorGraph&, std::size_t, std::size_t, const double*, float*);
template void copy_sample(const TensorGraph&, std::size_t, std::size_t, const double*, double*);
template void copy_sample(const TensorGraph&, std::size_t, std::size_t, const double*, Dual*);

}  // namespace cauchy::detail
