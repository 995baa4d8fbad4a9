#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <cauchy/base/aligned.hpp>
#include <cauchy/base/error.hpp>
#include <cauchy/base/reduce.hpp>
#include <cauchy/base/work.hpp>
#include <cauchy/engine/host_executor.hpp>

#include "engine/term_state.hpp"

namespace cauchy {
namespace detail {

template <class T>
std::unique_ptr<Backend<T>> make_backend(BackendKind kind) {
  return kind == BackendKind::cpu ? make_cpu_backend<T>() : make_reference_backend<T>();
}

inline void require_length(std::string_view what, std::size_t got, std::size_t expected) {
  if (got != expected) {
    throw Error(fmt::format("{} needs {} numbers, got {}", what, expected, got),
                "[engine.executor]");
  }
}

/// The memory of one worker; grows before a run, never inside it.
template <class T>
struct Worker {
  AlignedVector<T> arena, scratch, program, rows, points, seeds, outputs;
  AlignedVector<T> network_inputs, network_input_adjoints;
  std::vector<const T*> inputs;
  std::vector<T*> targets;
  std::vector<T> parameters;
  std::vector<double> sums;
};

template <class V>
void grow(V& v, std::size_t n) {
  if (v.size() < n) v.resize(n);
}

}  // namespace detail

template <class T>
struct HostExecutor<T>::Impl {
  using State = detail::TermState<T>;

  std::shared_ptr<const Graph> graph;
  ExecutorOptions options;
  std::unique_ptr<Backend<T>> backend;
  detail::PlanCache<T> plans;
  std::shared_ptr<Threads> pool;
  std::vector<State> terms;
  std::vector<detail::Worker<T>> workers;
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
  std::optional<detail::TermInputs<T>> prediction_inputs;  ///< always there once constructed

  Impl(std::shared_ptr<const Graph> network, std::vector<Term> specs, ExecutorOptions opts)
      : graph(std::move(network)),
        options(std::move(opts)),
        backend(detail::make_backend<T>(options.backend)),
        plans(graph, options.known, backend.get()),
        pool(options.pool ? options.pool : std::make_shared<Threads>(options.threads)) {
    if (!graph || graph->outputs().empty()) {
      throw Error("the network has no outputs", "[engine.executor]",
                  "name its fields with output()");
    }
    if (options.block % backend->granularity() != 0) {
      throw Error(fmt::format("points per block must be a multiple of {}, got {}",
                              backend->granularity(), options.block),
                  "[engine.executor]");
    }
    for (const auto& [name, value] : options.known) {
      if (graph->find_constant(name) >= 0) {
        throw Error(
            fmt::format("'{}' is an unknown constant of the network and has a known value", name),
            "[engine.executor]", "remove one of the two");
      }
    }
    prediction_inputs.emplace(*graph);
    terms.reserve(specs.size());
    for (Term& spec : specs) {
      State& state = terms.emplace_back(std::move(spec), graph, options);
      state.set_block(block_for(state), plans);
      warnings.insert(warnings.end(), state.warnings.begin(), state.warnings.end());
    }
    workers.resize(static_cast<std::size_t>(pool->size()));
    last_terms.assign(terms.size(), 0);
    for (State& state : terms) fit_workers(state);
  }

  std::size_t block_for(const State& state) {
    return options.block != 0 ? options.block : detail::choose_block<T>(state.form, plans);
  }

  void fit_workers(const State& s) {
    const std::size_t n_inputs = s.n_point_rows() + s.n_rows() + s.n_residuals() + 1;
    for (detail::Worker<T>& w : workers) {
      detail::grow(w.arena, std::max(s.plan().arena_size(), s.few->plan.arena_size()));
      detail::grow(w.scratch,
                   std::max(backend->scratch_size(s.plan()), backend->scratch_size(s.few->plan)));
      detail::grow(w.program, s.program_workspace());
      detail::grow(w.inputs, n_inputs);
      // The reverse program also has adjoints of coordinates, which go to a place of their own.
      detail::grow(w.targets, n_inputs + s.slopes.spec().outputs.size());
      detail::grow(w.parameters, s.plan().constants().size() + 1);
      detail::grow(w.sums, s.plan().constants().size() + 1);
      detail::grow(w.seeds, s.n_residuals() * s.block);
      detail::grow(w.network_inputs, s.inputs.n_rows() * s.block);
      detail::grow(w.network_input_adjoints, s.inputs.n_rows() * s.block);
      detail::grow(
          w.outputs,
          (s.n_point_rows() + s.n_residuals() + s.slopes.spec().outputs.size() + 1) * s.block);
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

  State& ready_state(std::size_t term) {
    State& s = state_with_points(term);
    s.inputs.require(s.n_points, [&s] { return s.place(); });
    return s;
  }

  void points_changed() {
    chunks.clear();
    for (std::size_t t = 0; t < terms.size(); ++t) {
      terms[t].first_slot = chunks.size();
      for (std::size_t c = 0; c < terms[t].n_chunks; ++c) chunks.push_back({t, c});
    }
    chunk_loss.assign(chunks.size(), 0);
    // Never null, also without parameters: a network may have nothing but inputs.
    detail::grow(slots, std::max<std::size_t>(1, chunks.size() * graph->n_parameters()));
  }

  // ---- one block -------------------------------------------------------------------------------

  typename Backend<T>::Block block_at(const State& s, const detail::PreparedPlan<T>& plan,
                                      detail::Worker<T>& w, std::size_t first) const {
    s.inputs.gather(first, plan.plan.block(), s.n_points, w.network_inputs.data());
    return {plan.shared.data(), s.points.data() + first, s.n_padded,
            w.arena.data(),     w.scratch.data(),        w.network_inputs.data()};
  }

  /// Coordinates, point data and network rows as program inputs; returns how many.
  std::size_t connect_inputs(const State& s, const Plan<T>& plan,
                             const typename Backend<T>::Block& block, detail::Worker<T>& w) const {
    std::size_t n = 0;
    for (std::size_t i = 0; i < s.n_point_rows(); ++i) {
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
                        const typename Backend<T>::Block& block, detail::Worker<T>& w,
                        std::size_t at) const {
    for (const int k : plan.outputs()) {
      const auto& output = graph->outputs()[static_cast<std::size_t>(k)];
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
                   detail::Worker<T>& w) const {
    std::size_t n = connect_inputs(s, plan, block, w);
    for (std::size_t k = 0; k < s.n_residuals(); ++k) w.inputs[n++] = w.seeds.data() + k * s.block;
    for (std::size_t i = 0; i < s.n_point_rows(); ++i) {
      w.targets[i] = w.outputs.data() + (1 + i) * s.block;
    }
    connect_adjoints(s, plan, block, w, s.n_point_rows());
    s.reverse.run(plan.block(), w.inputs.data(), w.parameters.data(), w.targets.data(),
                  w.sums.data(), w.program.data());
  }

  /// Parameters into every plan that a term uses, each once.
  void prepare(std::span<const double> theta) {
    detail::require_length("the parameter vector", theta.size(), graph->n_parameters());
    pool->run(terms.size(), [&](std::size_t t, int) {
      for (std::size_t earlier = 0; earlier < t; ++earlier) {
        if (terms[earlier].prepared == terms[t].prepared) return;
      }
      prepare(*terms[t].prepared, theta);
    });
  }
  void prepare(detail::PreparedPlan<T>& plan, std::span<const double> theta) const {
    backend->prepare(plan.plan, theta.data(), plan.shared.data());
  }

  // What the kernels do, counted.
  void forward(const Plan<T>& plan, const typename Backend<T>::Block& block) const {
    count_work(WorkKind::network, plan.forward_work());
    backend->forward(plan, block);
  }
  void backward(const Plan<T>& plan, const typename Backend<T>::Block& block, T* gradient) const {
    count_work(WorkKind::network, plan.backward_work());
    backend->backward(plan, block, gradient);
  }

  /// body(state, first point, block number) over all blocks of one term, in parallel.
  template <class Body>
  void for_each_block(State& s, std::size_t points_per_block, Body body) {
    const std::size_t n_blocks = (s.n_points + points_per_block - 1) / points_per_block;
    pool->run(n_blocks, [&](std::size_t b, int worker) {
      body(workers[static_cast<std::size_t>(worker)], b * points_per_block);
    });
  }

  // ---- losses (host_executor_loss.cpp) ---------------------------------------------------------

  /// The loss; gradients of the chunks go to `gradients` unless it is null, residuals of all terms
  /// to `residuals` unless it is empty.
  double evaluate(std::span<const double> theta, T* gradients, std::span<double> residuals);
  /// Residuals at all points of a term, then the sums of its groups.
  void sum_groups(State& s);
  double run_chunk(const State& s, std::size_t chunk, detail::Worker<T>& w, T* slot,
                   detail::TermInputs<T>* inputs) const;
  /// The chunks of all terms of one pass in their order, then each term of two passes; and every
  /// term by itself when `each` is not empty.
  void reduce_terms(std::span<double> out, std::span<double> each);

  // ---- passes over one term --------------------------------------------------------------------

  /// Residuals of a block, for points [first, n_points) of it, to out[p * n + k].
  void block_residuals(const State& s, const typename Backend<T>::Block& block,
                       detail::Worker<T>& w, std::size_t first, double* out) const {
    const std::size_t n = s.n_residuals(), last = std::min(s.n_points, first + s.block);
    connect_inputs(s, s.plan(), block, w);
    for (std::size_t k = 0; k < n; ++k) w.targets[k] = w.outputs.data() + k * s.block;
    s.residual.run(s.block, w.inputs.data(), w.parameters.data(), w.targets.data(), nullptr,
                   w.program.data());
    for (std::size_t p = first; p < last; ++p) {
      for (std::size_t k = 0; k < n; ++k) {
        out[p * n + k] = static_cast<double>(w.outputs[k * s.block + p - first]);
      }
    }
  }

  void residual_pass(State& s, double* out) {
    for_each_block(s, s.block, [&](detail::Worker<T>& w, std::size_t first) {
      const auto block = block_at(s, *s.prepared, w, first);
      forward(s.plan(), block);
      block_residuals(s, block, w, first, out);
    });
  }

  /// backward() of the block that begins at point `first`; adds the adjoints of the inputs of the
  /// network to `inputs` unless it is null.
  void backward_block(const State& s, typename Backend<T>::Block block, detail::Worker<T>& w,
                      std::size_t chunk, std::size_t first, T* slot,
                      detail::TermInputs<T>* inputs) const {
    if (inputs == nullptr || inputs->empty()) return backward(s.plan(), block, slot);
    block.input_adjoints = w.network_input_adjoints.data();
    std::fill_n(block.input_adjoints, inputs->n_rows() * s.block, T{0});
    backward(s.plan(), block, slot);
    inputs->add(chunk, first, s.block, s.n_points, block.input_adjoints);
  }

  /// Adds J' seeds of a chunk to its slot; seed(point, residual). Blocks without seeds are left
  /// out.
  template <class Seed>
  void transposed_chunk(const State& s, std::size_t chunk, detail::Worker<T>& w, T* slot, Seed seed,
                        detail::TermInputs<T>* inputs = nullptr) const {
    const Plan<T>& plan = s.plan();
    const std::size_t B = s.block;
    const IndexRange blocks = chunk_range(s.n_padded / B, s.n_chunks, chunk);
    for (std::size_t b = blocks.begin; b < blocks.end; ++b) {
      bool any = false;
      for (std::size_t k = 0; k < s.n_residuals(); ++k) {
        for (std::size_t p = 0; p < B; ++p) {
          const std::size_t point = b * B + p;
          const T value = point < s.n_points ? static_cast<T>(seed(point, k)) : T{0};
          w.seeds[k * B + p] = value;
          any = any || value != T{0};
        }
      }
      if (!any) continue;
      const auto block = block_at(s, *s.prepared, w, b * B);
      forward(plan, block);
      run_reverse(s, plan, block, w);
      for (std::size_t i = 0; i < plan.constants().size(); ++i) {
        slot[plan.constants()[i]] += static_cast<T>(w.sums[i]);
      }
      backward_block(s, block, w, chunk, b * B, slot, inputs);
    }
  }

  // ---- sums over chunks ------------------------------------------------------------------------

  static constexpr std::size_t reduce_grain = 2048;

  /// out[j - range.begin] += slots [first, first + n), in their order, in double.
  void add_slots(std::size_t first, std::size_t n, IndexRange range, double* out) const {
    const std::size_t P = graph->n_parameters();
    for (std::size_t i = first; i < first + n; ++i) {
      const T* slot = slots.data() + i * P;
      for (std::size_t j = range.begin; j < range.end; ++j) {
        out[j - range.begin] += static_cast<double>(slot[j]);
      }
    }
  }

  template <class Body>
  void for_each_range_of_parameters(Body body) {
    const std::size_t P = graph->n_parameters(), n_parts = chunk_count(P, reduce_grain);
    pool->run(n_parts, [&](std::size_t part, int) { body(chunk_range(P, n_parts, part)); });
  }

  void reduce(std::size_t first, std::size_t n, std::span<double> out) {
    for_each_range_of_parameters([&](IndexRange range) {
      std::fill_n(out.data() + range.begin, range.size(), 0.0);
      add_slots(first, n, range, out.data() + range.begin);
    });
  }

  // ---- per-point gradients (host_executor_products.cpp) ----------------------------------------

  /// visit(worker, first point, residual k, B) with worker.rows[parameter * B + p] for a block.
  template <class Visit>
  void per_point_gradients(State& s, std::span<const double> theta, Visit visit);
  /// d(residual k)/d(constant j) per point, at w.outputs[(k * n_constants + j) * s.block + p].
  void run_slopes(const State& s, const Plan<T>& plan, const typename Backend<T>::Block& block,
                  detail::Worker<T>& w) const;
};

}  // namespace cauchy
