// Loss and gradient of the executor: the fused pass of points, the two passes of groups, the sums.
#include <algorithm>
#include <array>

#include "engine/host_executor_impl.hpp"

namespace cauchy {

template <class T>
double HostExecutor<T>::Impl::evaluate(std::span<const double> theta, T* gradients,
                                       std::span<double> residuals) {
  for (std::size_t t = 0; t < terms.size(); ++t) ready_state(t);
  prepare(theta);
  // A term that does not count costs nothing, unless its residuals are wanted.
  const auto idle = [&](const State& s) { return s.spec.weight == 0 && residuals.empty(); };
  for (State& s : terms) {
    if (s.two_passes() && !idle(s)) sum_groups(s);
  }
  double* out = residuals.data();
  for (State& s : terms) {
    s.residuals_out = residuals.empty() || s.two_passes() ? nullptr : out;
    if (!residuals.empty() && s.two_passes()) std::copy(s.values.begin(), s.values.end(), out);
    if (!residuals.empty()) out += s.n_points * s.n_residuals();
  }
  const std::size_t P = graph->n_parameters();
  for (State& s : terms) {
    if (gradients != nullptr) s.inputs.start_gradient(s.n_points, s.block, s.n_chunks);
  }
  pool->run(chunks.size(), [&](std::size_t i, int worker) {
    State& s = terms[chunks[i].term];
    detail::Worker<T>& w = workers[static_cast<std::size_t>(worker)];
    T* slot = gradients == nullptr ? nullptr : gradients + i * P;
    if (slot != nullptr) {
      std::fill_n(slot, P, T{0});
      s.inputs.clear_sums(chunks[i].chunk);
    }
    if (idle(s)) {
      chunk_loss[i] = 0;
    } else if (!s.two_passes()) {
      chunk_loss[i] = run_chunk(s, chunks[i].chunk, w, slot, &s.inputs);
    } else if (slot != nullptr) {
      transposed_chunk(
          s, chunks[i].chunk, w, slot, [&](std::size_t p, std::size_t k) { return s.seed(p, k); },
          &s.inputs);
    }
  });
  const std::span<const double> losses = chunk_loss;
  double plain = 0, grouped = 0;
  for (std::size_t t = 0; t < terms.size(); ++t) {
    const State& s = terms[t];
    last_terms[t] = idle(s) ? 0.0
                    : s.two_passes()
                        ? s.loss_of_groups()
                        : s.loss_of(tree_sum(losses.subspan(s.first_slot, s.n_chunks)));
    (s.two_passes() ? grouped : plain) += last_terms[t];
  }
  return plain + grouped;
}

template <class T>
void HostExecutor<T>::Impl::sum_groups(State& s) {
  residual_pass(s, s.values.data());
  const std::size_t n_parts = chunk_count(s.groups.size(), 16);
  pool->run(n_parts, [&](std::size_t part, int) {
    s.sum_groups(chunk_range(s.groups.size(), n_parts, part));
  });
}

template <class T>
double HostExecutor<T>::Impl::run_chunk(const State& s, std::size_t chunk, detail::Worker<T>& w,
                                        T* slot, detail::TermInputs<T>* inputs) const {
  const Plan<T>& plan = s.plan();
  const IndexRange blocks = chunk_range(s.n_padded / s.block, s.n_chunks, chunk);
  double total = 0;
  for (std::size_t b = blocks.begin; b < blocks.end; ++b) {
    const auto block = block_at(s, *s.prepared, w, b * s.block);
    forward(plan, block);
    if (s.residuals_out != nullptr) block_residuals(s, block, w, b * s.block, s.residuals_out);
    const std::size_t n = connect_inputs(s, plan, block, w);
    w.inputs[n] = s.weights.data() + b * s.block;
    w.parameters[plan.constants().size()] = static_cast<T>(s.spec.weight / s.divisor);
    if (slot == nullptr) {
      s.loss_value.run(s.block, w.inputs.data(), w.parameters.data(), nullptr, w.sums.data(),
                       w.program.data());
    } else {
      connect_adjoints(s, plan, block, w, 0);
      s.loss_gradient.run(s.block, w.inputs.data(), w.parameters.data(), w.targets.data(),
                          w.sums.data(), w.program.data());
      for (std::size_t i = 0; i < plan.constants().size(); ++i) {
        slot[plan.constants()[i]] += static_cast<T>(w.sums[1 + i]);
      }
      backward_block(s, block, w, chunk, b * s.block, slot, inputs);
    }
    total += w.sums[0];
  }
  return total;
}

template <class T>
void HostExecutor<T>::Impl::reduce_terms(std::span<double> out, std::span<double> each) {
  const std::size_t P = graph->n_parameters();
  for_each_range_of_parameters([&](IndexRange range) {
    double* total = out.data() + range.begin;
    std::fill_n(total, range.size(), 0.0);
    for (const State& s : terms) {
      if (!s.two_passes()) add_slots(s.first_slot, s.n_chunks, range, total);
    }
    std::array<double, reduce_grain> sum;
    for (std::size_t t = 0; t < terms.size(); ++t) {
      const State& s = terms[t];
      if (!s.two_passes() && each.empty()) continue;
      std::fill_n(sum.begin(), range.size(), 0.0);
      add_slots(s.first_slot, s.n_chunks, range, sum.data());
      if (!each.empty()) {
        std::copy_n(sum.begin(), range.size(), each.data() + t * P + range.begin);
      }
      for (std::size_t j = 0; s.two_passes() && j < range.size(); ++j) total[j] += sum[j];
    }
  });
}

template <class T>
double HostExecutor<T>::loss(std::span<const double> theta) {
  return impl_->evaluate(theta, nullptr, {});
}

template <class T>
double HostExecutor<T>::gradient(std::span<const double> theta, std::span<double> gradient,
                                 const GradientParts& parts) {
  detail::require_length("the gradient", gradient.size(), n_parameters());
  if (!parts.terms.empty()) {
    detail::require_length("the gradients of the terms", parts.terms.size(),
                           n_terms() * n_parameters());
  }
  if (!parts.residuals.empty()) {
    detail::require_length("the residuals", parts.residuals.size(), n_residuals());
  }
  const double value = impl_->evaluate(theta, impl_->slots.data(), parts.residuals);
  impl_->reduce_terms(gradient, parts.terms);
  return value;
}

template double HostExecutor<float>::loss(std::span<const double>);
template double HostExecutor<float>::gradient(std::span<const double>, std::span<double>,
                                              const GradientParts&);
template double HostExecutor<double>::loss(std::span<const double>);
template double HostExecutor<double>::gradient(std::span<const double>, std::span<double>,
                                               const GradientParts&);

}  // namespace cauchy
