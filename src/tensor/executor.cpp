#include <cauchy/tensor/executor.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/reduce.hpp>

#include "tensor/host_executor.hpp"

namespace cauchy {
namespace detail {
namespace {

template <class T>
std::unique_ptr<TensorKernels<T>> make_tensor_kernels(std::shared_ptr<const TensorGraph> graph,
                                                      const TensorExecutorOptions& options) {
  return options.backend == BackendKind::cpu
             ? make_cpu_tensor_kernels<T>(std::move(graph), options.known)
             : make_reference_tensor_kernels<T>(std::move(graph), options.known);
}

}  // namespace

template <class T>
HostTensorExecutor<T>::HostTensorExecutor(std::shared_ptr<const TensorGraph> graph,
                                          std::vector<TensorTerm> terms,
                                          TensorExecutorOptions options)
    : graph_(std::move(graph)),
      terms_(std::move(terms)),
      options_(std::move(options)),
      pool_(options_.pool ? options_.pool : std::make_shared<Threads>(options_.threads)),
      host_(graph_, make_tensor_kernels<T>(graph_, options_),
            std::min(options_.parts, static_cast<std::size_t>(pool_->size())), options_.poison),
      layout_(ParameterLayout::make(*graph_, host_.kernels())),
      inputs_(graph_->inputs().size()),
      last_terms_(terms_.size(), 0.0) {
  for (std::size_t t = 0; t < terms_.size(); ++t) {
    const TensorTerm& term = terms_[t];
    if (graph_->shape(term.value).size() != 1) {
      throw Error(fmt::format("value {} has {} numbers instead of one", term.value,
                              to_string(graph_->shape(term.value))),
                  fmt::format("[tensor] term '{}'", term.name), "reduce it to a single number");
    }
    set_weight(t, term.weight);
    forward_task_.targets.push_back(term.value);
  }
  backward_task_ = forward_task_;
  backward_task_.backward = true;
}

template <class T>
std::size_t HostTensorExecutor<T>::bytes(std::size_t n) const {
  const std::size_t P = n_parameters(), parts = std::max<std::size_t>(1, n_parts(n));
  const bool copied = !std::is_same_v<T, double> || !layout_.own.empty();
  std::size_t numbers = parts * layout_.n_shared + (copied ? P : 0);
  numbers += std::min(n, round()) * layout_.kept;
  for (const TensorGraph::Input& input : graph_->inputs()) {
    numbers += n * graph_->shape(input.value).size();
  }
  return numbers * sizeof(T) + n * terms_.size() * sizeof(double) +
         host_.bytes(backward_task_, chunk_range(n, parts, 0).size(), parts);
}

template <class T>
std::size_t HostTensorExecutor<T>::n_parts(std::size_t n) const {
  constexpr std::size_t most_bytes = std::size_t{512} << 20;
  const std::size_t one = std::max<std::size_t>(1, layout_.n_shared * sizeof(T));
  return std::min({options_.parts, n, std::max<std::size_t>(2, most_bytes / one)});
}

template <class T>
std::size_t HostTensorExecutor<T>::round() const {
  constexpr std::size_t most_bytes = std::size_t{256} << 20;
  const std::size_t one = std::max<std::size_t>(1, layout_.kept * sizeof(T));
  return std::max(options_.parts, most_bytes / one);
}

template <class T>
void HostTensorExecutor<T>::require_batch() const {
  if (n_ == 0) throw Error("there is no batch", "[tensor]", "call set_batch first");
}

/// Arrays of the inputs; those that a plan does not need may be empty.
template <class T>
void HostTensorExecutor<T>::require_inputs(std::size_t n,
                                           std::span<const std::span<const double>> inputs,
                                           const TensorPlan* plan) const {
  const auto& wanted = graph_->inputs();
  if (inputs.size() != wanted.size()) {
    throw Error(fmt::format("{} arrays for {} inputs", inputs.size(), wanted.size()), "[tensor]",
                "give one array per input of the graph");
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::size_t size = n * graph_->shape(wanted[i].value).size();
    if (inputs[i].size() == size) continue;
    if (inputs[i].empty() && plan != nullptr && !plan->place(wanted[i].value).needed) continue;
    require_tensor_length(fmt::format("input '{}' of {} samples", wanted[i].name, n),
                          inputs[i].size(), size);
  }
}

template <class T>
void HostTensorExecutor<T>::require_term(std::size_t term) const {
  if (term >= terms_.size()) {
    throw Error(fmt::format("there is no term {}, the executor has {}", term, terms_.size()),
                "[tensor]");
  }
}

template <class T>
void HostTensorExecutor<T>::set_batch(std::size_t n,
                                      std::span<const std::span<const double>> inputs) {
  n_ = 0;
  if (n == 0) throw Error("a batch needs at least one sample", "[tensor]");
  require_inputs(n, inputs, nullptr);
  const auto& wanted = graph_->inputs();
  sources_.assign(graph_->ops().size(), nullptr);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    inputs_[i].resize(inputs[i].size());
    sources_[static_cast<std::size_t>(wanted[i].value)] = inputs_[i].data();
  }
  pool_->run(n, [&](std::size_t sample, int) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const std::size_t at = sample * graph_->shape(wanted[i].value).size();
      copy_sample(*graph_, i, sample, inputs[i].data() + at, inputs_[i].data() + at);
    }
  });
  samples_.resize(terms_.size() * n);
  n_ = n;
}

template <class T>
void HostTensorExecutor<T>::set_weight(std::size_t term, double weight) {
  require_term(term);
  if (!(weight >= 0) || !std::isfinite(weight)) {
    throw Error(fmt::format("the weight must be finite and not negative, got {}", weight),
                fmt::format("[tensor] term '{}'", terms_[term].name));
  }
  terms_[term].weight = weight;
}

template <class T>
const T* HostTensorExecutor<T>::prepare(std::span<const double> theta) {
  require_tensor_length("the parameter vector", theta.size(), n_parameters());
  if constexpr (std::is_same_v<T, double>) {
    if (layout_.own.empty()) return theta.data();
  }
  theta_.resize(theta.size());
  for (const IndexRange& range : layout_.shared) {
    const std::size_t n_chunks = chunk_count(range.size(), std::size_t{1} << 16);
    pool_->run(n_chunks, [&](std::size_t chunk, int) {
      const IndexRange r = chunk_range(range.size(), n_chunks, chunk);
      for (std::size_t i = range.begin + r.begin; i < range.begin + r.end; ++i) {
        theta_[i] = static_cast<T>(theta[i]);
      }
    });
  }
  for_each_piece([&](const ParameterLayout::Own& own, std::size_t piece) {
    if (own.repeated) return;
    const std::size_t at = own.numbers.first;
    host_.kernels().pack(own.value, piece, theta.data() + at, theta_.data() + at);
  });
  return theta_.data();
}

template <class T>
template <class Body>
void HostTensorExecutor<T>::for_each_piece(Body body) {
  std::size_t pieces = 0;
  for (const ParameterLayout::Own& own : layout_.own) {
    if (!own.repeated) pieces += own.numbers.pieces;
  }
  pool_->run(pieces, [&](std::size_t piece, int) {
    for (const ParameterLayout::Own& own : layout_.own) {
      if (own.repeated) continue;
      if (piece < own.numbers.pieces) return body(own, piece);
      piece -= own.numbers.pieces;
    }
  });
  for (const ParameterLayout::Own& own : layout_.own) {
    if (!own.repeated) continue;
    pool_->run(own.numbers.pieces, [&](std::size_t piece, int) { body(own, piece); });
  }
}

// --- losses -------------------------------------------------------------------------------------

template <class T>
void HostTensorExecutor<T>::read_terms(const TensorSweep<T>& sweep, const TensorSlice<T>& s) {
  for (std::size_t t = 0; t < terms_.size(); ++t) {
    const T* values = sweep.value(terms_[t].value, s);
    for (std::size_t i = 0; i < s.n; ++i) {
      samples_[t * n_ + s.first + i] = static_cast<double>(values[i]);
    }
  }
}

template <class T>
double HostTensorExecutor<T>::sum_terms() {
  double total = 0;
  const std::span<const double> all = samples_;
  for (std::size_t t = 0; t < terms_.size(); ++t) {
    const double mean = tree_sum(all.subspan(t * n_, n_)) / static_cast<double>(n_);
    last_terms_[t] = terms_[t].weight * mean;
    total += last_terms_[t];
  }
  return total;
}

template <class T>
void HostTensorExecutor<T>::evaluate(const T* theta) {
  for_each_slice(host_, forward_task_, 0, n_,
                 [&](TensorSweep<T>& sweep, std::size_t, std::size_t first, std::size_t n) {
                   const TensorSlice<T> s = slice(first, n, theta, false);
                   sweep.forward(s);
                   read_terms(sweep, s);
                 });
}

template <class T>
void HostTensorExecutor<T>::differentiate(const T* theta, std::size_t term,
                                          std::span<double> gradient) {
  for_each_backward(backward_task_, theta, true, gradient, false,
                    [&](TensorSweep<T>& sweep, const TensorSlice<T>& s, T* slot) {
                      sweep.forward(s);
                      read_terms(sweep, s);
                      sweep.clear_seeds(s);
                      for (std::size_t t = 0; t < terms_.size(); ++t) {
                        T* adjoint = sweep.adjoint(terms_[t].value);
                        if (adjoint == nullptr || (term != all_terms && term != t)) continue;
                        const auto seed =
                            static_cast<T>(terms_[t].weight / static_cast<double>(n_));
                        for (std::size_t i = 0; i < s.n; ++i) adjoint[i] += seed;
                      }
                      sweep.backward(s, slot);
                    });
}

template <class T>
void HostTensorExecutor<T>::sum_parts(std::span<double> out, bool add) {
  const std::size_t size = layout_.n_shared, parts = n_parts(std::min(n_, round()));
  if (size == 0) return;
  tree_sum_rows(*pool_, std::span(slots_).first(parts * size), parts, size);
  const T* sum = slots_.data();
  for (const IndexRange& range : layout_.shared) {
    const std::size_t n_chunks = chunk_count(range.size(), std::size_t{1} << 16);
    pool_->run(n_chunks, [&](std::size_t chunk, int) {
      const IndexRange r = chunk_range(range.size(), n_chunks, chunk);
      for (std::size_t i = r.begin; i < r.end; ++i) {
        double& to = out[range.begin + i];
        to = (add ? to : 0.0) + static_cast<double>(sum[i]);
      }
    });
    sum += range.size();
  }
}

template <class T>
void HostTensorExecutor<T>::sum_kept(std::size_t n, std::span<double> out, bool add) {
  for_each_piece([&](const ParameterLayout::Own& own, std::size_t piece) {
    const std::size_t before = layout_.kept_before[static_cast<std::size_t>(own.value)];
    host_.kernels().own_gradient(own.value, piece, n, kept_.data() + before * n,
                                 add || own.repeated, out.data() + own.numbers.first);
  });
}

template <class T>
double HostTensorExecutor<T>::loss(std::span<const double> theta) {
  require_batch();
  evaluate(prepare(theta));
  return sum_terms();
}

template <class T>
double HostTensorExecutor<T>::gradient(std::span<const double> theta, std::span<double> gradient,
                                       std::span<double> terms) {
  require_batch();
  const std::size_t P = n_parameters();
  require_tensor_length("the gradient", gradient.size(), P);
  if (!terms.empty()) {
    require_tensor_length("the gradients of the terms", terms.size(), terms_.size() * P);
  }
  const T* numbers = prepare(theta);
  for (std::size_t t = 0; t < terms_.size() && !terms.empty() && terms_.size() > 1; ++t) {
    differentiate(numbers, t, terms.subspan(t * P, P));
  }
  differentiate(numbers, all_terms, gradient);
  if (!terms.empty() && terms_.size() == 1) {
    std::copy(gradient.begin(), gradient.end(), terms.begin());
  }
  return sum_terms();
}

template <class T>
void HostTensorExecutor<T>::sample_losses(std::size_t term, std::span<const double> theta,
                                          std::span<double> out) {
  require_batch();
  require_term(term);
  require_tensor_length("the losses of the samples", out.size(), n_);
  evaluate(prepare(theta));
  std::copy_n(samples_.begin() + static_cast<std::ptrdiff_t>(term * n_), n_, out.begin());
}

// Values and products are instantiated where they are defined.
template class HostTensorExecutor<float>;
template class HostTensorExecutor<double>;

}  // namespace detail

std::unique_ptr<TensorExecutor> make_tensor_executor(std::shared_ptr<const TensorGraph> graph,
                                                     std::vector<TensorTerm> terms,
                                                     TensorExecutorOptions options) {
  if (!graph || graph->ops().empty()) throw Error("the graph is empty", "[tensor]");
  if (options.parts == 0) throw Error("a batch needs at least one part", "[tensor]");
  if (options.precision == Precision::f32) {
    return std::make_unique<detail::HostTensorExecutor<float>>(std::move(graph), std::move(terms),
                                                               std::move(options));
  }
  return std::make_unique<detail::HostTensorExecutor<double>>(std::move(graph), std::move(terms),
                                                              std::move(options));
}

}  // namespace cauchy
