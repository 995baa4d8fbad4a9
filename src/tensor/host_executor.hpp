#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include <cauchy/base/aligned.hpp>
#include <cauchy/tensor/executor.hpp>

#include "tensor/tensor_host.hpp"

namespace cauchy::detail {

/// Runs the parts of batches on the threads of the host.
template <class T>
class HostTensorExecutor final : public TensorExecutor {
 public:
  HostTensorExecutor(std::shared_ptr<const TensorGraph> graph, std::vector<TensorTerm> terms,
                     TensorExecutorOptions options);

  [[nodiscard]] const TensorGraph& graph() const noexcept override { return *graph_; }
  [[nodiscard]] std::span<const TensorTerm> terms() const noexcept override { return terms_; }
  [[nodiscard]] const std::shared_ptr<Threads>& pool() const noexcept override { return pool_; }
  [[nodiscard]] std::size_t bytes(std::size_t n) const override;

  void set_batch(std::size_t n, std::span<const std::span<const double>> inputs) override;
  [[nodiscard]] std::size_t batch() const noexcept override { return n_; }
  void set_weight(std::size_t term, double weight) override;
  void set_step(std::uint64_t step) override { step_ = step; }

  double loss(std::span<const double> theta) override;
  using TensorExecutor::gradient;
  double gradient(std::span<const double> theta, std::span<double> gradient,
                  std::span<double> terms) override;
  [[nodiscard]] std::span<const double> last_terms() const noexcept override { return last_terms_; }
  void sample_losses(std::size_t term, std::span<const double> theta,
                     std::span<double> out) override;

  void predict(int value, std::span<const double> theta, std::size_t n,
               std::span<const std::span<const double>> inputs, std::span<double> out) override;
  void adjoint(int value, std::span<const double> theta, std::span<const double> seeds,
               std::span<double> gradient, int input, std::span<double> by_input) override;
  void tangent(int value, std::span<const double> theta, std::span<const double> direction,
               std::span<double> out) override;

 private:
  static constexpr std::size_t all_terms = static_cast<std::size_t>(-1);

  void require_batch() const;
  void require_inputs(std::size_t n, std::span<const std::span<const double>> inputs,
                      const TensorPlan* plan) const;
  void require_term(std::size_t term) const;
  [[nodiscard]] std::size_t n_parts(std::size_t n) const;
  /// Parameters in the precision of the kernels.
  const T* prepare(std::span<const double> theta);
  /// body(sweep, part, first sample, samples) for all slices of all parts of n samples from `begin`
  /// on.
  template <class U, class Body>
  void for_each_slice(TensorHost<U>& host, const TensorPlanTask& task, std::size_t begin,
                      std::size_t n, Body body);
  /// body(sweep, slice, gradient of the part) for all slices of the batch; then their sum is put to
  /// the gradient, or added to it. An empty one: not wanted, and null for the body.
  template <class Body>
  void for_each_backward(const TensorPlanTask& task, const T* theta, bool training,
                         std::span<double> gradient, bool add, Body body);
  /// Samples whose numbers for own parameters are kept at once.
  [[nodiscard]] std::size_t round() const;
  [[nodiscard]] TensorSlice<T> slice(std::size_t first, std::size_t n, const T* theta,
                                     bool training) const {
    return {first, n, theta, sources_, step_, options_.seed, training};
  }
  /// Every term of every sample to samples_, forward alone, or with a gradient.
  void evaluate(const T* theta);
  void differentiate(const T* theta, std::size_t term, std::span<double> gradient);
  double sum_terms();
  void read_terms(const TensorSweep<T>& sweep, const TensorSlice<T>& slice);
  /// The sum over the gradients of the parts, in a fixed order, to out, or added to it.
  void sum_parts(std::span<double> out, bool add);
  /// The same for own parameters, of n samples that are kept.
  void sum_kept(std::size_t n, std::span<double> out, bool add);
  /// body(own, piece) for all pieces of own parameters, on all threads; repeated ones come last.
  template <class Body>
  void for_each_piece(Body body);
  /// A value forward, sample by sample, from arrays of the caller: predict(), tangent().
  template <class U>
  void predict_slices(TensorHost<U>& host, int value, const U* theta, std::size_t n,
                      std::span<const std::span<const double>> inputs,
                      FunctionRef<void(std::size_t first, std::size_t n, const U* values)> read);
  TensorHost<Dual>& tangents();

  std::shared_ptr<const TensorGraph> graph_;
  std::vector<TensorTerm> terms_;
  TensorExecutorOptions options_;
  std::shared_ptr<Threads> pool_;
  TensorHost<T> host_;
  ParameterLayout layout_;
  std::unique_ptr<TensorHost<Dual>> tangents_;
  TensorPlanTask forward_task_, backward_task_;

  std::size_t n_ = 0;
  std::uint64_t step_ = 0;
  std::vector<AlignedVector<T>> inputs_;
  std::vector<const T*> sources_;  ///< of the batch, and constants
  AlignedVector<T> theta_, slots_, kept_;
  std::vector<double> samples_;  ///< [term][sample]
  std::vector<double> last_terms_;
};

template <class T>
template <class U, class Body>
void HostTensorExecutor<T>::for_each_slice(TensorHost<U>& host, const TensorPlanTask& task,
                                           std::size_t begin, std::size_t n, Body body) {
  const std::size_t parts = n_parts(n);
  const auto& planned = host.plan(task, chunk_range(n, parts, 0).size());
  host.fit(planned, parts);
  if constexpr (std::is_same_v<U, T>) {
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      if (host.constants()[i] != nullptr) sources_[i] = host.constants()[i];
    }
  }
  // Where there are more workers than parts, not every worker has memory, but every part.
  const bool by_part = parts <= host.workers();
  pool_->run(parts, [&](std::size_t part, int worker) {
    TensorMemory<U>& memory = host.memory(by_part ? part : static_cast<std::size_t>(worker));
    const IndexRange range = chunk_range(n, parts, part);
    for (std::size_t first = range.begin; first < range.end; first += planned.limit) {
      TensorSweep<U> sweep = host.sweep(planned, memory);
      body(sweep, part, begin + first, std::min(planned.limit, range.end - first));
    }
  });
}

template <class T>
template <class Body>
void HostTensorExecutor<T>::for_each_backward(const TensorPlanTask& task, const T* theta,
                                              bool training, std::span<double> gradient, bool add,
                                              Body body) {
  const bool wanted = !gradient.empty();
  const std::size_t most = std::min(n_, round()), size = layout_.n_shared;
  if (wanted) {
    slots_.resize(std::max(slots_.size(), n_parts(most) * size + 1));  // one: never null
    kept_.resize(std::max(kept_.size(), most * layout_.kept));
    std::fill_n(slots_.begin(), n_parts(most) * size, T(0));
  }
  for (std::size_t begin = 0; begin < n_; begin += most) {
    const std::size_t count = std::min(most, n_ - begin);
    for_each_slice(host_, task, begin, count,
                   [&](TensorSweep<T>& sweep, std::size_t part, std::size_t first, std::size_t n) {
                     TensorSlice<T> s = slice(first, n, theta, training);
                     s.layout = &layout_;
                     s.kept = kept_.data();
                     s.kept_first = first - begin;
                     s.kept_batch = count;
                     body(sweep, s, wanted ? slots_.data() + part * size : nullptr);
                   });
    if (wanted) sum_kept(count, gradient, add || begin > 0);
  }
  if (wanted) sum_parts(gradient, add);
}

}  // namespace cauchy::detail
