#include <cauchy/engine/executor.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/aligned.hpp>
#include <cauchy/base/error.hpp>
#include <cauchy/base/reduce.hpp>

#include "engine/term_state.hpp"

namespace cauchy {
namespace {

template <class T>
std::unique_ptr<Backend<T>> make_backend(BackendKind kind) {
  return kind == BackendKind::cpu ? make_cpu_backend<T>() : make_reference_backend<T>();
}

void require_length(std::string_view what, std::size_t got, std::size_t expected) {
  if (got != expected) {
    throw Error(fmt::format("{} needs {} numbers, got {}", what, expected, got),
                "[engine.executor]");
  }
}

/// The memory of one worker; grows before a run, never inside it.
template <class T>
struct Worker {
  AlignedVector<T> arena, scratch, program, rows, points, seeds, outputs;
  std::vector<const T*> inputs;
  std::vector<T*> targets;
  std::vector<T> parameters;
  std::vector<double> sums;
};

template <class V>
void grow(V& v, std::size_t n) {
  if (v.size() < n) v.resize(n);
}

}  // namespace

template <class T>
struct Executor<T>::Impl {
  using State = detail::TermState<T>;

  std::shared_ptr<const Graph> graph;
  ExecutorOptions options;
  std::unique_ptr<Backend<T>> backend;
  Threads pool;
  std::vector<State> terms;
  std::vector<Worker<T>> workers;
  std::vector<std::string> warnings;
  std::vector<double> last_terms, chunk_loss;
  AlignedVector<T> slots;  ///< one gradient per chunk
  struct ChunkRef {
    std::size_t term, chunk;
  };
  std::vector<ChunkRef> chunks;
  struct Prediction {
    std::vector<Expr> expressions;
    std::unique_ptr<State> state;
  };
  std::vector<Prediction> predictions;

  Impl(std::shared_ptr<const Graph> network, std::vector<Term> specs, ExecutorOptions opts)
      : graph(std::move(network)),
        options(std::move(opts)),
        backend(make_backend<T>(options.backend)),
        pool(options.threads) {
    if (!graph || graph->outputs().empty()) {
      throw Error("the network has no outputs", "[engine.executor]",
                  "name its fields with output()");
    }
    if (options.block % backend->granularity() != 0) {
      throw Error(fmt::format("points per block must be a multiple of {}, got {}",
                              backend->granularity(), options.block),
                  "[engine.executor]");
    }
    terms.reserve(specs.size());
    for (Term& spec : specs) {
      State& state = terms.emplace_back(std::move(spec), graph, options);
      state.set_block(block_for(state), *backend, options.known);
      warnings.insert(warnings.end(), state.warnings.begin(), state.warnings.end());
    }
    workers.resize(static_cast<std::size_t>(pool.size()));
    last_terms.assign(terms.size(), 0);
    for (State& state : terms) fit_workers(state);
  }

  std::size_t block_for(const State& state) const {
    return options.block != 0
               ? options.block
               : detail::choose_block<T>(graph, state.form.jets, *backend, options.known);
  }

  void fit_workers(const State& s) {
    const std::size_t n_inputs = s.n_coordinates() + s.n_rows() + s.n_residuals() + 1;
    for (Worker<T>& w : workers) {
      grow(w.arena, std::max(s.plan->arena_size(), s.small_plan->arena_size()));
      grow(w.scratch,
           std::max(backend->scratch_size(*s.plan), backend->scratch_size(*s.small_plan)));
      grow(w.program, s.program_workspace());
      grow(w.inputs, n_inputs);
      // The reverse program also has adjoints of coordinates, which go to a place of their own.
      grow(w.targets, n_inputs + s.slopes.spec().outputs.size());
      grow(w.parameters, s.plan->constants().size() + 1);
      grow(w.sums, s.plan->constants().size() + 1);
      grow(w.seeds, s.n_residuals() * s.block);
      grow(w.outputs,
           (s.n_coordinates() + s.n_residuals() + s.slopes.spec().outputs.size() + 1) * s.block);
    }
  }

  State& state(std::size_t term) {
    if (term >= terms.size()) {
      throw Error(fmt::format("there is no term {}, the executor has {}", term, terms.size()),
                  "[engine.executor]");
    }
    return terms[term];
  }

  State& state_with_points(std::size_t term) {
    State& s = state(term);
    if (s.n_points == 0) {
      throw Error("no points are set", fmt::format("term '{}'", s.spec.name),
                  "call set_points first");
    }
    return s;
  }

  void points_changed() {
    chunks.clear();
    for (std::size_t t = 0; t < terms.size(); ++t) {
      for (std::size_t c = 0; c < terms[t].n_chunks; ++c) chunks.push_back({t, c});
    }
    chunk_loss.assign(chunks.size(), 0);
    grow(slots, chunks.size() * graph->n_parameters());
  }

  // ---- one block -------------------------------------------------------------------------------

  typename Backend<T>::Block block_at(const State& s, Worker<T>& w, std::size_t first) const {
    return {s.shared.data(), s.points.data() + first, s.n_padded, w.arena.data(), w.scratch.data()};
  }

  /// Coordinates and network rows as program inputs; returns how many.
  std::size_t connect_inputs(const State& s, const Plan<T>& plan,
                             const typename Backend<T>::Block& block, Worker<T>& w) const {
    std::size_t n = 0;
    for (std::size_t i = 0; i < s.n_coordinates(); ++i) {
      w.inputs[n++] = block.points + i * block.point_stride;
    }
    for (const auto& row : s.form.rows) {
      const auto& output = graph->outputs()[static_cast<std::size_t>(row.field)];
      w.inputs[n++] = block.arena + plan.value(output.value) + row_offset(plan, output, row);
    }
    for (std::size_t i = 0; i < plan.constants().size(); ++i) {
      w.parameters[i] = block.shared[plan.constants()[i]];
    }
    return n;
  }

  static std::size_t row_offset(const Plan<T>& plan, const Graph::Output& output,
                                const ResidualForm::Row& row) {
    return static_cast<std::size_t>(output.row) * plan.row_stride() +
           static_cast<std::size_t>(row.component) * plan.block();
  }

  /// Clears the adjoints of the outputs and lets program outputs [at, at + rows) write into them.
  void connect_adjoints(const State& s, const Plan<T>& plan,
                        const typename Backend<T>::Block& block, Worker<T>& w,
                        std::size_t at) const {
    for (const auto& output : graph->outputs()) {
      if (plan.adjoint(output.value) < 0) continue;
      std::fill_n(block.arena + plan.adjoint(output.value), plan.extent(output.value), T{0});
    }
    for (const auto& row : s.form.rows) {
      const auto& output = graph->outputs()[static_cast<std::size_t>(row.field)];
      const std::ptrdiff_t base = plan.adjoint(output.value);
      // A field without parameters has no adjoint: its row goes to a place that nobody reads.
      w.targets[at++] =
          base < 0 ? w.outputs.data() : block.arena + base + row_offset(plan, output, row);
    }
  }

  /// Seeds into adjoints of the network outputs; leaves the adjoints of the constants in w.sums.
  void run_reverse(const State& s, const Plan<T>& plan, const typename Backend<T>::Block& block,
                   Worker<T>& w) const {
    std::size_t n = connect_inputs(s, plan, block, w);
    for (std::size_t k = 0; k < s.n_residuals(); ++k) w.inputs[n++] = w.seeds.data() + k * s.block;
    for (std::size_t i = 0; i < s.n_coordinates(); ++i) {
      w.targets[i] = w.outputs.data() + (1 + i) * s.block;
    }
    connect_adjoints(s, plan, block, w, s.n_coordinates());
    s.reverse.run(plan.block(), w.inputs.data(), w.parameters.data(), w.targets.data(),
                  w.sums.data(), w.program.data());
  }

  void prepare(std::span<const double> theta) {
    require_length("the parameter vector", theta.size(), graph->n_parameters());
    pool.run(terms.size(), [&](std::size_t t, int) {
      backend->prepare(*terms[t].plan, theta.data(), terms[t].shared.data());
    });
  }

  /// body(state, first point, block number) over all blocks of one term, in parallel.
  template <class Body>
  void for_each_block(State& s, std::size_t points_per_block, Body body) {
    const std::size_t n_blocks = (s.n_points + points_per_block - 1) / points_per_block;
    pool.run(n_blocks, [&](std::size_t b, int worker) {
      body(workers[static_cast<std::size_t>(worker)], b * points_per_block);
    });
  }

  // ---- losses ----------------------------------------------------------------------------------

  double evaluate(std::span<const double> theta, T* gradients) {
    for (std::size_t t = 0; t < terms.size(); ++t) state_with_points(t);
    prepare(theta);
    const std::size_t P = graph->n_parameters();
    pool.run(chunks.size(), [&](std::size_t i, int worker) {
      const State& s = terms[chunks[i].term];
      T* slot = gradients == nullptr ? nullptr : gradients + i * P;
      if (slot != nullptr) std::fill_n(slot, P, T{0});
      chunk_loss[i] =
          run_chunk(s, chunks[i].chunk, workers[static_cast<std::size_t>(worker)], slot);
    });
    std::size_t at = 0;
    double total = 0;
    for (std::size_t t = 0; t < terms.size(); ++t) {
      const State& s = terms[t];
      const double sum = tree_sum(std::span<const double>(chunk_loss).subspan(at, s.n_chunks));
      last_terms[t] = s.spec.weight * sum / static_cast<double>(s.n_points);
      total += last_terms[t];
      at += s.n_chunks;
    }
    return total;
  }

  double run_chunk(const State& s, std::size_t chunk, Worker<T>& w, T* slot) const {
    const Plan<T>& plan = *s.plan;
    const IndexRange blocks = chunk_range(s.n_padded / s.block, s.n_chunks, chunk);
    double total = 0;
    for (std::size_t b = blocks.begin; b < blocks.end; ++b) {
      const auto block = block_at(s, w, b * s.block);
      backend->forward(plan, block);
      const std::size_t n = connect_inputs(s, plan, block, w);
      w.inputs[n] = s.weights.data() + b * s.block;
      w.parameters[plan.constants().size()] =
          static_cast<T>(s.spec.weight / static_cast<double>(s.n_points));
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
        backend->backward(plan, block, slot);
      }
      total += w.sums[0];
    }
    return total;
  }

  /// out[j] = sum over slots, in the order of the chunks, in double.
  void reduce(std::size_t n_slots, std::span<double> out) {
    const std::size_t P = out.size();
    const std::size_t n_parts = chunk_count(P, 2048);
    pool.run(n_parts, [&](std::size_t part, int) {
      const IndexRange range = chunk_range(P, n_parts, part);
      std::fill(out.begin() + static_cast<std::ptrdiff_t>(range.begin),
                out.begin() + static_cast<std::ptrdiff_t>(range.end), 0.0);
      for (std::size_t i = 0; i < n_slots; ++i) {
        const T* slot = slots.data() + i * P;
        for (std::size_t j = range.begin; j < range.end; ++j)
          out[j] += static_cast<double>(slot[j]);
      }
    });
  }

  // ---- per-point gradients ---------------------------------------------------------------------

  /// visit(worker, first point, residual k, rows) with rows[parameter * B + p] for a block.
  template <class Visit>
  void per_point_gradients(State& s, std::span<const double> theta, Visit visit) {
    require_length("the parameter vector", theta.size(), graph->n_parameters());
    const Plan<T>& plan = *s.small_plan;
    const std::size_t B = plan.block(), P = graph->n_parameters();
    backend->prepare(plan, theta.data(), s.shared.data());
    for (Worker<T>& w : workers) grow(w.rows, B * P);
    for_each_block(s, B, [&](Worker<T>& w, std::size_t first) {
      const auto block = block_at(s, w, first);
      for (std::size_t k = 0; k < s.n_residuals(); ++k) {
        backend->forward(plan, block);  // backward() may reuse the memory of values
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
        backend->backward_per_point(plan, block, w.rows.data());
        visit(w, first, k, B);
      }
    });
  }

  /// d(residual k)/d(constant j) per point, at w.outputs[(k * n_constants + j) * s.block + p].
  void run_slopes(const State& s, const Plan<T>& plan, const typename Backend<T>::Block& block,
                  Worker<T>& w) const {
    if (plan.constants().empty()) return;
    connect_inputs(s, plan, block, w);
    for (std::size_t i = 0; i < s.slopes.spec().outputs.size(); ++i) {
      w.targets[i] = w.outputs.data() + i * s.block;
    }
    s.slopes.run(plan.block(), w.inputs.data(), w.parameters.data(), w.targets.data(), nullptr,
                 w.program.data());
  }
};

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
void Executor<T>::residuals(std::size_t term, std::span<const double> theta,
                            std::span<double> out) {
  auto& s = impl_->state_with_points(term);
  require_length("residuals()", out.size(), n_residuals(term));
  impl_->prepare(theta);
  const std::size_t n = s.n_residuals();
  impl_->for_each_block(s, s.block, [&](Worker<T>& w, std::size_t first) {
    const auto block = impl_->block_at(s, w, first);
    impl_->backend->forward(*s.plan, block);
    impl_->connect_inputs(s, *s.plan, block, w);
    for (std::size_t k = 0; k < n; ++k) w.targets[k] = w.outputs.data() + k * s.block;
    s.residual.run(s.block, w.inputs.data(), w.parameters.data(), w.targets.data(), nullptr,
                   w.program.data());
    const std::size_t last = std::min(s.n_points, first + s.block);
    for (std::size_t p = first; p < last; ++p) {
      for (std::size_t k = 0; k < n; ++k) {
        out[p * n + k] = static_cast<double>(w.outputs[k * s.block + p - first]);
      }
    }
  });
}

template <class T>
void Executor<T>::gradient_norms(std::size_t term, std::span<const double> theta,
                                 std::span<double> out) {
  auto& s = impl_->state_with_points(term);
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
void Executor<T>::jacobian(std::size_t term, std::span<const double> theta, std::span<double> out) {
  auto& s = impl_->state_with_points(term);
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
void Executor<T>::jacobian_times(std::size_t term, std::span<const double> theta,
                                 std::span<const double> v, std::span<double> out) {
  auto& s = impl_->state_with_points(term);
  require_length("jacobian_times()", out.size(), n_residuals(term));
  require_length("the direction", v.size(), n_parameters());
  impl_->prepare(theta);
  grow(s.direction, s.shared.size());
  impl_->backend->prepare(*s.plan, v.data(), s.direction.data());
  const std::size_t n = s.n_residuals(), B = s.block;
  const auto& constants = s.plan->constants();
  impl_->for_each_block(s, B, [&](Worker<T>& w, std::size_t first) {
    const auto block = impl_->block_at(s, w, first);
    grow(w.points, B);
    for (std::size_t k = 0; k < n; ++k) {
      impl_->backend->forward(*s.plan, block);
      T* moved = w.points.data();
      std::fill_n(moved, B, T{0});
      impl_->run_slopes(s, *s.plan, block, w);
      for (std::size_t j = 0; j < constants.size(); ++j) {
        const T* slope = w.outputs.data() + (k * constants.size() + j) * B;
        for (std::size_t p = 0; p < B; ++p) {
          moved[p] += slope[p] * s.direction[static_cast<std::size_t>(constants[j])];
        }
      }
      std::fill(w.seeds.begin(), w.seeds.end(), T{0});
      std::fill_n(w.seeds.begin() + static_cast<std::ptrdiff_t>(k * B), B, T{1});
      impl_->run_reverse(s, *s.plan, block, w);
      impl_->backend->backward_directional(*s.plan, block, s.direction.data(), moved);
      for (std::size_t p = first; p < std::min(s.n_points, first + B); ++p) {
        out[p * n + k] = static_cast<double>(moved[p - first]);
      }
    }
  });
}

template <class T>
void Executor<T>::jacobian_transposed_times(std::size_t term, std::span<const double> theta,
                                            std::span<const double> weights,
                                            std::span<double> out) {
  auto& s = impl_->state_with_points(term);
  require_length("jacobian_transposed_times()", out.size(), n_parameters());
  require_length("the residual weights", weights.size(), n_residuals(term));
  impl_->prepare(theta);
  const std::size_t n = s.n_residuals(), P = n_parameters(), B = s.block;
  impl_->pool.run(s.n_chunks, [&](std::size_t chunk, int worker) {
    Worker<T>& w = impl_->workers[static_cast<std::size_t>(worker)];
    T* slot = impl_->slots.data() + chunk * P;
    std::fill_n(slot, P, T{0});
    const IndexRange blocks = chunk_range(s.n_padded / B, s.n_chunks, chunk);
    for (std::size_t b = blocks.begin; b < blocks.end; ++b) {
      const auto block = impl_->block_at(s, w, b * B);
      impl_->backend->forward(*s.plan, block);
      for (std::size_t k = 0; k < n; ++k) {
        for (std::size_t p = 0; p < B; ++p) {
          const std::size_t point = b * B + p;
          w.seeds[k * B + p] = point < s.n_points ? static_cast<T>(weights[point * n + k]) : T{0};
        }
      }
      impl_->run_reverse(s, *s.plan, block, w);
      for (std::size_t i = 0; i < s.plan->constants().size(); ++i) {
        slot[s.plan->constants()[i]] += static_cast<T>(w.sums[i]);
      }
      impl_->backend->backward(*s.plan, block, slot);
    }
  });
  impl_->reduce(s.n_chunks, out);
}

template <class T>
void Executor<T>::predict(std::span<const Expr> expressions, std::span<const double> theta,
                          std::span<const double> points, std::span<double> out) {
  const std::size_t D = impl_->graph->coordinate_names().size();
  if (points.size() % D != 0 || out.size() != points.size() / D * expressions.size()) {
    throw Error(fmt::format("{} coordinates and {} results do not fit {} expressions",
                            points.size(), out.size(), expressions.size()),
                "[engine.predict]");
  }
  require_length("the parameter vector", theta.size(), n_parameters());
  const auto known = [&](const typename Impl::Prediction& p) {
    return std::equal(p.expressions.begin(), p.expressions.end(), expressions.begin(),
                      expressions.end(), [](const Expr& a, const Expr& b) { return same(a, b); });
  };
  auto found = std::find_if(impl_->predictions.begin(), impl_->predictions.end(), known);
  if (found == impl_->predictions.end()) {
    auto state = std::make_unique<detail::TermState<T>>(
        Term{"prediction", {expressions.begin(), expressions.end()}}, impl_->graph, impl_->options);
    state->set_block(impl_->block_for(*state), *impl_->backend, impl_->options.known);
    impl_->fit_workers(*state);
    impl_->predictions.push_back({{expressions.begin(), expressions.end()}, std::move(state)});
    found = impl_->predictions.end() - 1;
  }
  auto& s = *found->state;
  const std::size_t B = s.block, n_points = points.size() / D, n = expressions.size();
  impl_->backend->prepare(*s.plan, theta.data(), s.shared.data());
  impl_->pool.run((n_points + B - 1) / B, [&](std::size_t b, int worker) {
    Worker<T>& w = impl_->workers[static_cast<std::size_t>(worker)];
    grow(w.points, D * B);
    for (std::size_t p = 0; p < B; ++p) {
      const std::size_t point = std::min(b * B + p, n_points - 1);
      for (std::size_t i = 0; i < D; ++i)
        w.points[i * B + p] = static_cast<T>(points[point * D + i]);
    }
    const typename Backend<T>::Block block{s.shared.data(), w.points.data(), B, w.arena.data(),
                                           w.scratch.data()};
    impl_->backend->forward(*s.plan, block);
    impl_->connect_inputs(s, *s.plan, block, w);
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

template <class T>
double Executor<T>::flops() const noexcept {
  double total = 0;
  for (const auto& s : impl_->terms) {
    total += s.plan->flops() * static_cast<double>(s.n_points) / static_cast<double>(s.block);
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
      s.set_block(block, *impl_->backend, impl_->options.known);
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
                       s.n_residuals(), s.n_points, s.n_chunks, s.plan->describe());
  }
  return out;
}

template class Executor<float>;
template class Executor<double>;

}  // namespace cauchy
