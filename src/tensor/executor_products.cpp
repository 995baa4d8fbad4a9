// Values and products with the Jacobian: everything of an executor that is no loss.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

#include "tensor/host_executor.hpp"

namespace cauchy::detail {

template <class T>
void HostTensorExecutor<T>::predict(int value, std::span<const double> theta, std::size_t n,
                                    std::span<const std::span<const double>> inputs,
                                    std::span<double> out) {
  const std::size_t size = graph_->shape(value).size();
  require_tensor_length("the prediction", out.size(), n * size);
  predict_slices<T>(host_, value, prepare(theta), n, inputs,
                    [&](std::size_t first, std::size_t count, const T* values) {
                      for (std::size_t i = 0; i < count * size; ++i) {
                        out[first * size + i] = static_cast<double>(values[i]);
                      }
                    });
}

template <class T>
template <class U>
void HostTensorExecutor<T>::predict_slices(
    TensorHost<U>& host, int value, const U* theta, std::size_t n,
    std::span<const std::span<const double>> inputs,
    FunctionRef<void(std::size_t first, std::size_t n, const U* values)> read) {
  if (n == 0) return;
  const TensorPlanTask task{{value}, false, -1};
  require_inputs(n, inputs, host.plan(task, 1).plan.get());
  const auto& wanted = graph_->inputs();
  for_each_slice(host, task, 0, n,
                 [&](TensorSweep<U>& sweep, std::size_t, std::size_t first, std::size_t count) {
                   std::vector<const U*> sources = host.constants();
                   std::vector<AlignedVector<U>> staged(wanted.size());
                   for (std::size_t i = 0; i < wanted.size(); ++i) {
                     if (inputs[i].empty()) continue;
                     const std::size_t size = graph_->shape(wanted[i].value).size();
                     staged[i].resize(count * size);
                     for (std::size_t k = 0; k < count; ++k) {
                       copy_sample(*graph_, i, first + k, inputs[i].data() + (first + k) * size,
                                   staged[i].data() + k * size);
                     }
                     sources[static_cast<std::size_t>(wanted[i].value)] = staged[i].data();
                   }
                   const TensorSlice<U> s{0, count, theta, sources, step_, options_.seed, false};
                   sweep.forward(s);
                   read(first, count, sweep.value(value, s));
                 });
}

template <class T>
void HostTensorExecutor<T>::adjoint(int value, std::span<const double> theta,
                                    std::span<const double> seeds, std::span<double> gradient,
                                    int input, std::span<double> by_input) {
  require_batch();
  const std::size_t size = graph_->shape(value).size(), P = n_parameters();
  require_tensor_length("the seeds", seeds.size(), n_ * size);
  if (!gradient.empty()) require_tensor_length("the gradient", gradient.size(), P);
  if (input >= static_cast<int>(graph_->inputs().size())) {
    throw Error(
        fmt::format("there is no input {}, the graph has {}", input, graph_->inputs().size()),
        "[tensor]");
  }
  const int source = input < 0 ? -1 : graph_->inputs()[static_cast<std::size_t>(input)].value;
  const std::size_t source_size = input < 0 ? 0 : graph_->shape(source).size();
  if (input >= 0)
    require_tensor_length("the derivative by the input", by_input.size(), n_ * source_size);
  const T* numbers = prepare(theta);
  for_each_backward({{value}, true, source}, numbers, false, gradient, true,
                    [&](TensorSweep<T>& sweep, const TensorSlice<T>& s, T* slot) {
                      sweep.forward(s);
                      sweep.clear_seeds(s);
                      if (T* adjoint = sweep.adjoint(value); adjoint != nullptr) {
                        for (std::size_t i = 0; i < s.n * size; ++i) {
                          adjoint[i] += static_cast<T>(seeds[s.first * size + i]);
                        }
                      }
                      sweep.backward(s, slot);
                      if (input < 0) return;
                      const T* by = sweep.adjoint(source);
                      for (std::size_t i = 0; i < s.n * source_size; ++i) {
                        by_input[s.first * source_size + i] =
                            by == nullptr ? 0.0 : static_cast<double>(by[i]);
                      }
                    });
}

template <class T>
TensorHost<Dual>& HostTensorExecutor<T>::tangents() {
  if (!tangents_) {
    tangents_ = std::make_unique<TensorHost<Dual>>(
        graph_, make_reference_tensor_kernels<Dual>(graph_, options_.known), host_.workers(),
        options_.poison);
  }
  return *tangents_;
}

template <class T>
void HostTensorExecutor<T>::tangent(int value, std::span<const double> theta,
                                    std::span<const double> direction, std::span<double> out) {
  require_batch();
  const std::size_t size = graph_->shape(value).size(), P = n_parameters();
  require_tensor_length("the parameter vector", theta.size(), P);
  require_tensor_length("the direction", direction.size(), P);
  require_tensor_length("the tangent", out.size(), n_ * size);
  AlignedVector<Dual> numbers(P);
  for (std::size_t i = 0; i < P; ++i) numbers[i] = {theta[i], direction[i]};
  std::vector<std::vector<double>> batch(inputs_.size());
  std::vector<std::span<const double>> arrays;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    batch[i].assign(inputs_[i].begin(), inputs_[i].end());
    arrays.emplace_back(batch[i]);
  }
  predict_slices<Dual>(tangents(), value, numbers.data(), n_, arrays,
                       [&](std::size_t first, std::size_t n, const Dual* values) {
                         for (std::size_t i = 0; i < n * size; ++i) {
                           out[first * size + i] = values[i].slope;
                         }
                       });
}

template void HostTensorExecutor<float>::predict(int, std::span<const double>, std::size_t,
                                                 std::span<const std::span<const double>>,
                                                 std::span<double>);
template void HostTensorExecutor<double>::predict(int, std::span<const double>, std::size_t,
                                                  std::span<const std::span<const double>>,
                                                  std::span<double>);
template void HostTensorExecutor<float>::adjoint(int, std::span<const double>,
                                                 std::span<const double>, std::span<double>, int,
                                                 std::span<double>);
template void HostTensorExecutor<double>::adjoint(int, std::span<const double>,
                                                  std::span<const double>, std::span<double>, int,
                                                  std::span<double>);
template void HostTensorExecutor<float>::tangent(int, std::span<const double>,
                                                 std::span<const double>, std::span<double>);
template void HostTensorExecutor<double>::tangent(int, std::span<const double>,
                                                  std::span<const double>, std::span<double>);

}  // namespace cauchy::detail
