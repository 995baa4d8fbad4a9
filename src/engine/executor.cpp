#include <cauchy/engine/executor.hpp>

#include <chrono>
#include <cmath>

#include "engine/executor_impl.hpp"

namespace cauchy {

using detail::require_length;

template <class T>
Executor<T>::Executor(std::shared_ptr<const Graph> graph, std::vector<Term> terms,
                      ExecutorOptions options)
    : impl_(std::make_unique<Impl>(std::move(graph), std::move(terms), std::move(options))) {}
template <class T>
Executor<T>::~Executor() = default;
template <class T>
Executor<T>::Executor(Executor&&) noexcept = default;
template <class T>
Executor<T>& Executor<T>::operator=(Executor&&) noexcept = default;

template <class T>
const Graph& Executor<T>::graph() const noexcept {
  return *impl_->graph;
}
template <class T>
std::size_t Executor<T>::n_terms() const noexcept {
  return impl_->terms.size();
}
template <class T>
const Term& Executor<T>::term(std::size_t term) const {
  return impl_->state(term).spec;
}
template <class T>
std::size_t Executor<T>::n_parameters() const noexcept {
  return impl_->graph->n_parameters();
}
template <class T>
Threads& Executor<T>::threads() noexcept {
  return impl_->pool;
}

template <class T>
void Executor<T>::set_points(std::size_t term, std::span<const double> points) {
  auto& s = impl_->state(term);
  s.set_points(points);
  impl_->fit_workers(s);
  impl_->points_changed();
}

template <class T>
void Executor<T>::set_point_data(std::size_t term, std::span<const double> data) {
  auto& s = impl_->state_with_points(term);
  require_length("the point data", data.size(), s.n_points * s.spec.data.size());
  if (!s.spec.data.empty()) s.set_data(data);
}

template <class T>
void Executor<T>::set_point_weights(std::size_t term, std::span<const double> weights) {
  auto& s = impl_->state_with_points(term);
  require_length("the point weights", weights.size(), s.n_points);
  for (std::size_t p = 0; p < weights.size(); ++p) {
    if (!(weights[p] >= 0) || !std::isfinite(weights[p])) {
      throw Error(fmt::format("the weight of point {} is {}", p, weights[p]),
                  fmt::format("term '{}'", s.spec.name), "weights are finite and not negative");
    }
    s.weights[p] = static_cast<T>(weights[p]);
  }
}

template <class T>
void Executor<T>::set_weight(std::size_t term, double weight) {
  auto& s = impl_->state(term);
  if (!(weight >= 0) || !std::isfinite(weight)) {
    throw Error(fmt::format("the weight is {}", weight), fmt::format("term '{}'", s.spec.name),
                "weights are finite and not negative");
  }
  s.spec.weight = weight;
}

template <class T>
std::size_t Executor<T>::n_points(std::size_t term) const {
  return impl_->state(term).n_points;
}
template <class T>
std::size_t Executor<T>::n_residuals(std::size_t term) const {
  const auto& s = impl_->state(term);
  return s.n_points * s.n_residuals();
}
template <class T>
std::size_t Executor<T>::n_residuals() const {
  std::size_t total = 0;
  for (std::size_t t = 0; t < n_terms(); ++t) total += n_residuals(t);
  return total;
}

template <class T>
double Executor<T>::loss(std::span<const double> theta) {
  return impl_->evaluate(theta, nullptr);
}

template <class T>
double Executor<T>::gradient(std::span<const double> theta, std::span<double> gradient) {
  require_length("the gradient", gradient.size(), n_parameters());
  const double value = impl_->evaluate(theta, impl_->slots.data());
  impl_->reduce(impl_->chunks.size(), gradient);
  return value;
}

template <class T>
std::span<const double> Executor<T>::last_terms() const noexcept {
  return impl_->last_terms;
}

template <class T>
double Executor<T>::flops() const noexcept {
  double total = 0;
  for (const auto& s : impl_->terms) {
    total += s.plan().flops() * static_cast<double>(s.n_points) / static_cast<double>(s.block);
  }
  return total;
}

template <class T>
std::size_t Executor<T>::block(std::size_t term) const {
  return impl_->state(term).block;
}
template <class T>
const ResidualForm& Executor<T>::form(std::size_t term) const {
  return impl_->state(term).form;
}
template <class T>
const std::vector<std::string>& Executor<T>::warnings() const noexcept {
  return impl_->warnings;
}

template <class T>
std::size_t Executor<T>::calibrate(std::span<const double> theta) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> g(n_parameters());
  const auto set_all = [&](std::size_t block) {
    for (auto& s : impl_->terms) {
      s.set_block(block, impl_->plans);
      impl_->fit_workers(s);
    }
    impl_->points_changed();
  };
  std::size_t best = 0;
  double best_time = 0;
  for (std::size_t block = impl_->backend->granularity(); block <= 256; block *= 2) {
    set_all(block);
    gradient(theta, g);
    double time = 1e300;
    for (int repeat = 0; repeat < 3; ++repeat) {
      const auto begin = Clock::now();
      gradient(theta, g);
      time = std::min(time, std::chrono::duration<double>(Clock::now() - begin).count());
    }
    if (best == 0 || time < best_time) {
      best = block;
      best_time = time;
    }
  }
  set_all(best);
  return best;
}

template <class T>
std::string Executor<T>::describe() const {
  std::string out;
  for (const auto& s : impl_->terms) {
    out += fmt::format("term '{}': {} residuals at {} points in {} chunks\n{}", s.spec.name,
                       s.n_residuals(), s.n_points, s.n_chunks, s.plan().describe());
  }
  return out;
}

template class Executor<float>;
template class Executor<double>;

}  // namespace cauchy
