#include <cauchy/engine/host_executor.hpp>

#include <cmath>

#include "engine/host_executor_impl.hpp"

namespace cauchy {

using detail::require_length;

template <class T>
HostExecutor<T>::HostExecutor(std::shared_ptr<const Graph> graph, std::vector<Term> terms,
                              ExecutorOptions options)
    : impl_(std::make_unique<Impl>(std::move(graph), std::move(terms), std::move(options))) {}
template <class T>
HostExecutor<T>::~HostExecutor() = default;
template <class T>
HostExecutor<T>::HostExecutor(HostExecutor&&) noexcept = default;
template <class T>
HostExecutor<T>& HostExecutor<T>::operator=(HostExecutor&&) noexcept = default;

template <class T>
const Graph& HostExecutor<T>::graph() const noexcept {
  return *impl_->graph;
}
template <class T>
std::size_t HostExecutor<T>::n_terms() const noexcept {
  return impl_->terms.size();
}
template <class T>
const Term& HostExecutor<T>::term(std::size_t term) const {
  return impl_->state(term).spec;
}
template <class T>
const std::shared_ptr<Threads>& HostExecutor<T>::pool() const noexcept {
  return impl_->pool;
}
template <class T>
const std::vector<std::string>& HostExecutor<T>::warnings() const noexcept {
  return impl_->warnings;
}

template <class T>
void HostExecutor<T>::set_points(std::size_t term, const TermPoints& points) {
  auto& s = impl_->state(term);
  s.set_points(points);
  impl_->fit_workers(s);
  impl_->points_changed();
}

template <class T>
void HostExecutor<T>::set_input(std::size_t term, std::string_view name,
                                std::span<const double> rows, std::span<const int> set_of_point) {
  if (term == prediction) {
    impl_->prediction_inputs->set(name, rows, set_of_point, "[engine.predict]");
  } else {
    auto& s = impl_->state_with_points(term);
    s.inputs.set(name, rows, set_of_point, s.place());
  }
}

template <class T>
void HostExecutor<T>::input_gradient(std::size_t term, std::string_view name,
                                     std::span<double> out) {
  auto& s = impl_->state(term);
  s.inputs.gradient(name, out, s.place());
}

template <class T>
void HostExecutor<T>::set_weights(std::size_t term, std::span<const double> weights) {
  impl_->state_with_points(term).set_weights(weights);
}

template <class T>
void HostExecutor<T>::set_weight(std::size_t term, double weight) {
  auto& s = impl_->state(term);
  if (!(weight >= 0) || !std::isfinite(weight)) {
    throw Error(fmt::format("the weight is {}", weight), fmt::format("term '{}'", s.spec.name),
                "weights are finite and not negative");
  }
  s.spec.weight = weight;
}

template <class T>
std::span<const double> HostExecutor<T>::weights(std::size_t term) const {
  return impl_->state(term).given_weights;
}
template <class T>
const Groups* HostExecutor<T>::groups(std::size_t term) const {
  const auto& s = impl_->state(term);
  return s.has_groups ? &s.groups : nullptr;
}
template <class T>
std::size_t HostExecutor<T>::n_points(std::size_t term) const {
  return impl_->state(term).n_points;
}

template <class T>
std::span<const double> HostExecutor<T>::last_terms() const noexcept {
  return impl_->last_terms;
}

template <class T>
double HostExecutor<T>::flops() const noexcept {
  double total = 0;
  for (const auto& s : impl_->terms) {
    total += s.plan().flops() * static_cast<double>(s.n_points) / static_cast<double>(s.block);
  }
  return total;
}

template <class T>
std::size_t HostExecutor<T>::block(std::size_t term) const {
  return impl_->state(term).block;
}
template <class T>
const ResidualForm& HostExecutor<T>::form(std::size_t term) const {
  return impl_->state(term).form;
}
template <class T>
std::string HostExecutor<T>::describe() const {
  std::string out;
  for (const auto& s : impl_->terms) {
    out += fmt::format("term '{}': {} residuals at {} points in {} chunks\n{}", s.spec.name,
                       s.n_residuals(), s.n_points, s.n_chunks, s.plan().describe());
  }
  return out;
}

template class HostExecutor<float>;
template class HostExecutor<double>;

}  // namespace cauchy
