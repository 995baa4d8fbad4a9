// Residuals, Jacobian products and predictions of the executor.
#include <algorithm>

#include "engine/host_executor_impl.hpp"

namespace cauchy {

using detail::grow;
using detail::require_length;
using detail::Worker;

template <class T>
template <class Visit>
void HostExecutor<T>::Impl::per_point_gradients(State& s, std::span<const double> theta,
                                                Visit visit) {
  require_length("the parameter vector", theta.size(), graph->n_parameters());
  const Plan<T>& plan = s.few->plan;
  const std::size_t B = plan.block(), P = graph->n_parameters();
  prepare(*s.few, theta);
  for (Worker<T>& w : workers) grow(w.rows, B * P);
  for_each_block(s, B, [&](Worker<T>& w, std::size_t first) {
    const auto block = block_at(s, *s.few, w, first);
    for (std::size_t k = 0; k < s.n_residuals(); ++k) {
      forward(plan, block);  // backward() may reuse the memory of values
      std::fill(w.seeds.begin(), w.seeds.end(), T{0});
      std::fill_n(w.seeds.begin() + static_cast<std::ptrdiff_t>(k * s.block), B, T{1});
      std::fill_n(w.rows.begin(), B * P, T{0});
      run_slopes(s, plan, block, w);
      for (std::size_t j = 0; j < plan.constants().size(); ++j) {
        const T* slope = w.outputs.data() + (k * plan.constants().size() + j) * s.block;
        T* row = w.rows.data() + static_cast<std::size_t>(plan.constants()[j]) * B;
        for (std::size_t p = 0; p < B; ++p) row[p] += slope[p];
      }
      run_reverse(s, plan, block, w);
      count_work(WorkKind::network, plan.backward_work());
      count_work(WorkKind::memory, static_cast<double>(2 * B * P * sizeof(T)));
      backend->backward_per_point(plan, block, w.rows.data());
      visit(w, first, k, B);
    }
  });
}

template <class T>
void HostExecutor<T>::Impl::run_slopes(const State& s, const Plan<T>& plan,
                                       const typename Backend<T>::Block& block,
                                       Worker<T>& w) const {
  if (plan.constants().empty()) return;
  connect_inputs(s, plan, block, w);
  for (std::size_t i = 0; i < s.slopes.spec().outputs.size(); ++i) {
    w.targets[i] = w.outputs.data() + i * s.block;
  }
  s.slopes.run(plan.block(), w.inputs.data(), w.parameters.data(), w.targets.data(), nullptr,
               w.program.data());
}

template <class T>
void HostExecutor<T>::residuals(std::size_t term, std::span<const double> theta,
                                std::span<double> out) {
  auto& s = impl_->ready_state(term);
  require_length("residuals()", out.size(), n_residuals(term));
  impl_->prepare(theta);
  impl_->residual_pass(s, out.data());
}

template <class T>
void HostExecutor<T>::gradient_norms(std::size_t term, std::span<const double> theta,
                                     std::span<double> out) {
  auto& s = impl_->ready_state(term);
  require_length("gradient_norms()", out.size(), n_residuals(term));
  const std::size_t n = s.n_residuals(), P = n_parameters();
  impl_->per_point_gradients(
      s, theta, [&](Worker<T>& w, std::size_t first, std::size_t k, std::size_t B) {
        for (std::size_t p = first; p < std::min(s.n_points, first + B); ++p) {
          double sum = 0;
          for (std::size_t j = 0; j < P; ++j) {
            const auto g = static_cast<double>(w.rows[j * B + p - first]);
            sum += g * g;
          }
          out[p * n + k] = sum;
        }
      });
}

template <class T>
void HostExecutor<T>::jacobian(std::size_t term, std::span<const double> theta,
                               std::span<double> out) {
  auto& s = impl_->ready_state(term);
  const std::size_t n = s.n_residuals(), P = n_parameters();
  require_length("jacobian()", out.size(), n_residuals(term) * P);
  impl_->per_point_gradients(
      s, theta, [&](Worker<T>& w, std::size_t first, std::size_t k, std::size_t B) {
        for (std::size_t p = first; p < std::min(s.n_points, first + B); ++p) {
          double* row = out.data() + (p * n + k) * P;
          for (std::size_t j = 0; j < P; ++j)
            row[j] = static_cast<double>(w.rows[j * B + p - first]);
        }
      });
}

template <class T>
void HostExecutor<T>::jacobian_times(std::size_t term, std::span<const double> theta,
                                     std::span<const double> v, std::span<double> out) {
  auto& s = impl_->ready_state(term);
  require_length("jacobian_times()", out.size(), n_residuals(term));
  require_length("the direction", v.size(), n_parameters());
  impl_->prepare(theta);
  auto& direction = s.prepared->direction;
  grow(direction, s.prepared->shared.size());
  impl_->backend->prepare(s.plan(), v.data(), direction.data());
  const std::size_t n = s.n_residuals(), B = s.block;
  const auto& constants = s.plan().constants();
  for (Worker<T>& w : impl_->workers) grow(w.points, B);
  impl_->for_each_block(s, B, [&](Worker<T>& w, std::size_t first) {
    const auto block = impl_->block_at(s, *s.prepared, w, first);
    for (std::size_t k = 0; k < n; ++k) {
      impl_->forward(s.plan(), block);
      T* moved = w.points.data();
      std::fill_n(moved, B, T{0});
      impl_->run_slopes(s, s.plan(), block, w);
      for (std::size_t j = 0; j < constants.size(); ++j) {
        const T* slope = w.outputs.data() + (k * constants.size() + j) * B;
        for (std::size_t p = 0; p < B; ++p) {
          moved[p] += slope[p] * direction[static_cast<std::size_t>(constants[j])];
        }
      }
      std::fill(w.seeds.begin(), w.seeds.end(), T{0});
      std::fill_n(w.seeds.begin() + static_cast<std::ptrdiff_t>(k * B), B, T{1});
      impl_->run_reverse(s, s.plan(), block, w);
      count_work(WorkKind::network, s.plan().backward_work());
      impl_->backend->backward_directional(s.plan(), block, direction.data(), moved);
      for (std::size_t p = first; p < std::min(s.n_points, first + B); ++p) {
        out[p * n + k] = static_cast<double>(moved[p - first]);
      }
    }
  });
}

template <class T>
void HostExecutor<T>::jacobian_transposed_times(std::size_t term, std::span<const double> theta,
                                                std::span<const double> weights,
                                                std::span<double> out) {
  auto& s = impl_->ready_state(term);
  require_length("jacobian_transposed_times()", out.size(), n_parameters());
  require_length("the residual weights", weights.size(), n_residuals(term));
  impl_->prepare(theta);
  const std::size_t n = s.n_residuals(), P = n_parameters();
  impl_->pool->run(s.n_chunks, [&](std::size_t chunk, int worker) {
    T* slot = impl_->slots.data() + chunk * P;
    std::fill_n(slot, P, T{0});
    impl_->transposed_chunk(
        s, chunk, impl_->workers[static_cast<std::size_t>(worker)], slot,
        [&](std::size_t point, std::size_t k) { return weights[point * n + k]; });
  });
  impl_->reduce(0, s.n_chunks, out);
}

template <class T>
void HostExecutor<T>::predict(std::span<const Expr> expressions, std::span<const double> theta,
                              std::span<const double> points, std::span<double> out) {
  const std::size_t D = impl_->graph->coordinate_names().size();
  if (points.size() % D != 0 || out.size() != points.size() / D * expressions.size()) {
    throw Error(fmt::format("{} coordinates and {} results do not fit {} expressions",
                            points.size(), out.size(), expressions.size()),
                "[engine.predict]");
  }
  require_length("the parameter vector", theta.size(), n_parameters());
  const auto& inputs = *impl_->prediction_inputs;
  inputs.require(points.size() / D, [] { return "[engine.predict]"; });
  const auto known = [&](const typename Impl::Prediction& p) {
    return std::equal(p.expressions.begin(), p.expressions.end(), expressions.begin(),
                      expressions.end(), [](const Expr& a, const Expr& b) { return same(a, b); });
  };
  auto found = std::find_if(impl_->predictions.begin(), impl_->predictions.end(), known);
  if (found == impl_->predictions.end()) {
    auto state = std::make_unique<detail::TermState<T>>(
        Term{"prediction", {expressions.begin(), expressions.end()}}, impl_->graph, impl_->options);
    state->set_block(impl_->block_for(*state), impl_->plans);
    impl_->fit_workers(*state);
    impl_->predictions.push_back({{expressions.begin(), expressions.end()}, std::move(state)});
    found = impl_->predictions.end() - 1;
  }
  auto& s = *found->state;
  const std::size_t B = s.block, n_points = points.size() / D, n = expressions.size();
  impl_->prepare(*s.prepared, theta);
  for (Worker<T>& w : impl_->workers) grow(w.points, D * B);
  impl_->pool->run((n_points + B - 1) / B, [&](std::size_t b, int worker) {
    Worker<T>& w = impl_->workers[static_cast<std::size_t>(worker)];
    for (std::size_t p = 0; p < B; ++p) {
      const std::size_t point = std::min(b * B + p, n_points - 1);
      for (std::size_t i = 0; i < D; ++i)
        w.points[i * B + p] = static_cast<T>(points[point * D + i]);
    }
    inputs.gather(b * B, B, n_points, w.network_inputs.data());
    const typename Backend<T>::Block block{
        s.prepared->shared.data(), w.points.data(),        B, w.arena.data(),
        w.scratch.data(),          w.network_inputs.data()};
    impl_->forward(s.plan(), block);
    impl_->connect_inputs(s, s.plan(), block, w);
    for (std::size_t k = 0; k < n; ++k) w.targets[k] = w.outputs.data() + k * B;
    s.residual.run(B, w.inputs.data(), w.parameters.data(), w.targets.data(), nullptr,
                   w.program.data());
    for (std::size_t p = b * B; p < std::min(n_points, (b + 1) * B); ++p) {
      for (std::size_t k = 0; k < n; ++k) {
        out[p * n + k] = static_cast<double>(w.outputs[k * B + p - b * B]);
      }
    }
  });
}

template void HostExecutor<float>::residuals(std::size_t, std::span<const double>,
                                             std::span<double>);
template void HostExecutor<float>::gradient_norms(std::size_t, std::span<const double>,
                                                  std::span<double>);
template void HostExecutor<float>::jacobian(std::size_t, std::span<const double>,
                                            std::span<double>);
template void HostExecutor<float>::jacobian_times(std::size_t, std::span<const double>,
                                                  std::span<const double>, std::span<double>);
template void HostExecutor<float>::jacobian_transposed_times(std::size_t, std::span<const double>,
                                                             std::span<const double>,
                                                             std::span<double>);
template void HostExecutor<float>::predict(std::span<const Expr>, std::span<const double>,
                                           std::span<const double>, std::span<double>);
template void HostExecutor<double>::residuals(std::size_t, std::span<const double>,
                                              std::span<double>);
template void HostExecutor<double>::gradient_norms(std::size_t, std::span<const double>,
                                                   std::span<double>);
template void HostExecutor<double>::jacobian(std::size_t, std::span<const double>,
                                             std::span<double>);
template void HostExecutor<double>::jacobian_times(std::size_t, std::span<const double>,
                                                   std::span<const double>, std::span<double>);
template void HostExecutor<double>::jacobian_transposed_times(std::size_t, std::span<const double>,
                                                              std::span<const double>,
                                                              std::span<double>);
template void HostExecutor<double>::predict(std::span<const Expr>, std::span<const double>,
                                            std::span<const double>, std::span<double>);

}  // namespace cauchy
