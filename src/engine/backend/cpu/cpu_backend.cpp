#include <algorithm>
#include <cstdint>

#include <cauchy/engine/backend.hpp>

#include "engine/backend/cpu/kernels.hpp"
#include "engine/backend/cpu/packing.hpp"
#include "engine/backend/cpu/program_memory.hpp"

namespace cauchy {
namespace {

/// What backward does with the parameters of an operation.
enum class Sink { gradient, per_point, directional };

/// `shared` is laid out as
///   [0, P)            all parameters
///   [P, 2P)           weights packed for Z = W X, at P + op.weights
///   [2P, 3P)          weights packed for X~ = W' Z~, at 2P + op.weights
///   [3P, ...)         layers on coordinates: the constant components of each row
template <class T>
class CpuBackend final : public Backend<T> {
 public:
  using Block = typename Backend<T>::Block;
  using Step = typename Plan<T>::Step;

  [[nodiscard]] std::string_view name() const noexcept override { return "cpu"; }
  [[nodiscard]] std::size_t granularity() const noexcept override { return 64 / sizeof(T); }

  [[nodiscard]] std::size_t shared_size(const Plan<T>& plan) const override {
    return 3 * plan.graph().n_parameters() + plan.n_seeds();
  }

  [[nodiscard]] std::size_t scratch_size(const Plan<T>& plan) const override {
    std::size_t work = plan.row_stride(), pointers = 0;
    for (const Step& s : plan.steps()) {
      const Operation& op = plan.op(s);
      work = std::max(work, plan.extent(s.op));
      if (op.code == OpCode::basis) work = std::max(work, basis_scratch(plan, op));
      if (op.code == OpCode::expression) {
        pointers = std::max(pointers, 2 * (plan.graph().coordinate_names().size() +
                                           plan.extent(s.op) / plan.block() + 1));
      }
    }
    return work + 2 * pointers + 16 + plan.constants().size() * (1 + sizeof(double) / sizeof(T)) +
           plan.program_workspace();
  }

  void prepare(const Plan<T>& plan, const double* theta, T* shared) const override {
    const std::size_t P = plan.graph().n_parameters();
    const JetSpec& jets = plan.jets();
    for (std::size_t i = 0; i < P; ++i) shared[i] = static_cast<T>(theta[i]);
    for (const Step& s : plan.steps()) {
      const Operation& op = plan.op(s);
      if (op.code != OpCode::affine) continue;
      const auto rows = static_cast<std::size_t>(op.rows);
      const std::size_t cols = static_cast<std::size_t>(op.n_weights) / rows;
      const double* w = theta + op.weights;
      if (plan.on_coordinates(op)) {
        T* constants = shared + 3 * P + s.seeds;
        for (std::size_t r = 0; r < rows; ++r) {
          for (int c = 1; c < jets.size(); ++c) {
            double sum = 0;
            for (std::size_t i = 0; i < cols; ++i) {
              sum += w[r * cols + i] * jets.seed(c, static_cast<int>(i));
            }
            constants[r * static_cast<std::size_t>(jets.size()) + static_cast<std::size_t>(c)] =
                static_cast<T>(sum);
          }
        }
        continue;
      }
      pack_panels(rows, cols, w, cols, 1, shared + P + op.weights);
      pack_panels(cols, rows, w, 1, cols, shared + 2 * P + op.weights);
    }
  }

  void forward(const Plan<T>& plan, const Block& block) const override {
    for (const Step& s : plan.steps()) forward_step(plan, block, s);
  }
  void backward(const Plan<T>& plan, const Block& block, T* gradient) const override {
    sweep<Sink::gradient>(plan, block, nullptr, gradient);
  }
  void backward_per_point(const Plan<T>& plan, const Block& block, T* rows) const override {
    sweep<Sink::per_point>(plan, block, nullptr, rows);
  }
  void backward_directional(const Plan<T>& plan, const Block& block, const T* direction,
                            T* out) const override {
    sweep<Sink::directional>(plan, block, direction, out);
  }

 private:
  // Names of the formulas: B points per block, C components, N = B C columns, ld row stride.

  static const JetTables<T>& tables(const Plan<T>& plan) { return plan.tables(); }

  /// Points of a basis operation that are treated together: their derivatives stay in the
  /// first-level cache.
  static constexpr std::size_t basis_points = 128 / sizeof(T);

  static std::size_t basis_scratch(const Plan<T>& plan, const Operation& op) {
    const auto derivatives = static_cast<std::size_t>(plan.jets().order() + 2) *
                             static_cast<std::size_t>(op.basis->size()) * basis_points;
    return derivatives + static_cast<std::size_t>(plan.tables().groups_begin.back()) * basis_points;
  }

  /// The row of its input that row r of a repeat operation copies.
  static std::size_t source_row(const Plan<T>& plan, const Operation& op, std::size_t r) {
    return r / static_cast<std::size_t>(op.group) %
           static_cast<std::size_t>(plan.graph().rows(op.inputs[0]));
  }

  void forward_step(const Plan<T>& plan, const Block& block, const Step& s) const {
    const CpuKernels<T>& k = cpu_kernels<T>();
    const Operation& op = plan.op(s);
    const std::size_t B = plan.block(), ld = plan.row_stride();
    const std::size_t N = B * static_cast<std::size_t>(plan.jets().size());
    const auto rows = static_cast<std::size_t>(op.rows);
    const std::size_t P = plan.graph().n_parameters();
    T* out = block.arena + s.value;
    const auto input = [&](std::size_t i) { return block.arena + plan.value(op.inputs[i]); };
    const auto stride = [&](std::size_t i) {
      return plan.graph().rows(op.inputs[i]) == op.rows ? ld : std::size_t{0};
    };
    switch (op.code) {
      case OpCode::coordinates:
        for (std::size_t r = 0; r < rows; ++r) {
          std::copy_n(block.points + r * block.point_stride, B, out + r * ld);
          for (int c = 1; c < plan.jets().size(); ++c) {
            std::fill_n(out + r * ld + static_cast<std::size_t>(c) * B, B,
                        static_cast<T>(plan.jets().seed(c, static_cast<int>(r))));
          }
        }
        break;
      case OpCode::input:
        for (std::size_t r = 0; r < rows; ++r) {
          std::copy_n(block.inputs + (static_cast<std::size_t>(op.begin) + r) * B, B, out + r * ld);
          std::fill_n(out + r * ld + B, N - B, T{0});
        }
        break;
      case OpCode::affine:
        if (plan.on_coordinates(op)) {
          const std::size_t cols = static_cast<std::size_t>(op.n_weights) / rows;
          const auto C = static_cast<std::size_t>(plan.jets().size());
          for (std::size_t r = 0; r < rows; ++r) {
            k.affine_row(
                B, cols, block.shared + op.weights + r * cols,
                op.bias >= 0 ? block.shared[op.bias + static_cast<std::ptrdiff_t>(r)] : T{0},
                block.points, block.point_stride, out + r * ld);
            const T* constants = block.shared + 3 * P + s.seeds + r * C;
            for (std::size_t c = 1; c < C; ++c) std::fill_n(out + r * ld + c * B, B, constants[c]);
          }
        } else {
          k.gemm(rows, N, static_cast<std::size_t>(op.n_weights) / rows,
                 block.shared + P + op.weights, input(0), ld, out, ld,
                 op.bias >= 0 ? block.shared + op.bias : nullptr, B, false);
        }
        break;
      case OpCode::activation:
        k.activation_forward(tables(plan), op.activation, rows, B, ld, input(0), out);
        break;
      case OpCode::scale:
        for (std::size_t r = 0; r < rows; ++r) {
          const T a =
              block.shared[op.weights + (op.n_weights > 1 ? static_cast<std::ptrdiff_t>(r) : 0)];
          k.scale(N, a, input(0) + r * ld, out + r * ld);
        }
        break;
      case OpCode::shift:
        for (std::size_t r = 0; r < rows; ++r) {
          const T a =
              block.shared[op.weights + (op.n_weights > 1 ? static_cast<std::ptrdiff_t>(r) : 0)];
          std::copy_n(input(0) + r * ld, N, out + r * ld);
          for (std::size_t p = 0; p < B; ++p) out[r * ld + p] += a;
        }
        break;
      case OpCode::add:
      case OpCode::subtract:
        for (std::size_t r = 0; r < rows; ++r) {
          std::copy_n(input(0) + r * stride(0), N, out + r * ld);
          k.axpy(N, op.code == OpCode::add ? T{1} : T{-1}, input(1) + r * stride(1), out + r * ld);
        }
        break;
      case OpCode::multiply:
        for (std::size_t r = 0; r < rows; ++r) {
          k.product_forward(tables(plan), B, input(0) + r * stride(0), input(1) + r * stride(1),
                            out + r * ld);
        }
        break;
      case OpCode::divide:
        for (std::size_t r = 0; r < rows; ++r) {
          k.divide_forward(tables(plan), B, input(0) + r * stride(0), input(1) + r * stride(1),
                           out + r * ld);
        }
        break;
      case OpCode::concatenate:
        for (std::size_t i = 0; i < op.inputs.size(); ++i) {
          const std::size_t n = plan.extent(op.inputs[i]);
          std::copy_n(input(i), n, out);
          out += n;
        }
        break;
      case OpCode::slice:
        std::copy_n(input(0) + static_cast<std::size_t>(op.begin) * ld, rows * ld, out);
        break;
      case OpCode::repeat:
        for (std::size_t r = 0; r < rows; ++r) {
          std::copy_n(input(0) + source_row(plan, op, r) * ld, N, out + r * ld);
        }
        break;
      case OpCode::row_sum:
        for (std::size_t r = 0; r < rows; ++r) {
          const auto group = static_cast<std::size_t>(op.group);
          std::copy_n(input(0) + r * group * ld, N, out + r * ld);
          for (std::size_t i = 1; i < group; ++i) {
            k.axpy(N, T{1}, input(0) + (r * group + i) * ld, out + r * ld);
          }
        }
        break;
      case OpCode::basis:
        basis_sweep(plan, block, op, input(0), nullptr, out, false);
        break;
      case OpCode::expression:
        run_expression(plan, block, s, out);
        break;
    }
  }

  /// Forward of a basis operation, or (with `bar`) its adjoint into `target`.
  void basis_sweep(const Plan<T>& plan, const Block& block, const Operation& op, const T* z,
                   const T* bar, T* target, bool accumulate) const {
    const CpuKernels<T>& k = cpu_kernels<T>();
    const std::size_t B = plan.block(), ld = plan.row_stride();
    const auto size = static_cast<std::size_t>(op.basis->size());
    const int order = plan.jets().order() + (bar != nullptr ? 1 : 0);
    T* work = block.scratch;
    T* derivatives =
        work + static_cast<std::size_t>(plan.tables().groups_begin.back()) * basis_points;
    for (std::size_t r = 0; r < static_cast<std::size_t>(op.rows) / size; ++r) {
      for (std::size_t p = 0; p < B; p += basis_points) {
        const std::size_t n = std::min(basis_points, B - p), row = r * ld + p;
        op.basis->derivatives(z + row, n, order, derivatives, n);
        const BasisRows<T> rows{n, B, ld, size, derivatives, work};
        const std::size_t rows_of_result = r * size * ld + p;
        if (bar == nullptr) {
          k.basis_forward(tables(plan), rows, z + row, target + rows_of_result);
        } else {
          k.basis_backward(tables(plan), rows, z + row, bar + rows_of_result, target + row,
                           accumulate);
        }
      }
    }
  }

  void run_expression(const Plan<T>& plan, const Block& block, const Step& s, T* out) const {
    const Program<T>& program = *plan.expression(s.op).values;
    const std::size_t B = plan.block();
    const std::size_t n_outputs = program.spec().outputs.size();
    const ProgramMemory<T> m =
        program_memory(plan, block, plan.graph().coordinate_names().size(), n_outputs);
    const auto C = static_cast<std::size_t>(plan.jets().size());
    for (std::size_t i = 0; i < n_outputs; ++i) {
      m.outputs[i] = out + (i / C) * plan.row_stride() + (i % C) * B;
    }
    program.run(B, m.inputs, m.parameters, m.outputs, nullptr, m.workspace);
  }

  template <Sink sink>
  void sweep(const Plan<T>& plan, const Block& block, const T* direction, T* target) const {
    for (auto s = plan.steps().rbegin(); s != plan.steps().rend(); ++s) {
      if (s->adjoint >= 0) backward_step<sink>(plan, block, *s, direction, target);
    }
  }

  /// Adds x[p] * weight[p] summed over n elements, to the place of one parameter.
  template <Sink sink>
  void deposit(const Plan<T>& plan, std::ptrdiff_t parameter, const T* direction, const T* x,
               const T* y, std::size_t n_chunks, T* target) const {
    const CpuKernels<T>& k = cpu_kernels<T>();
    const std::size_t B = plan.block();
    if constexpr (sink == Sink::gradient) {
      target[parameter] += y != nullptr ? k.dot(n_chunks * B, x, y) : k.sum(n_chunks * B, x);
    } else {
      T* out = sink == Sink::per_point ? target + static_cast<std::size_t>(parameter) * B : target;
      const T a = sink == Sink::per_point ? T{1} : direction[parameter];
      for (std::size_t c = 0; c < n_chunks; ++c) {
        for (std::size_t p = 0; p < B; ++p) {
          out[p] += a * x[c * B + p] * (y != nullptr ? y[c * B + p] : T{1});
        }
      }
    }
  }

  template <Sink sink>
  void affine_parameters(const Plan<T>& plan, const Block& block, const Step& s, const T* direction,
                         T* target) const {
    const CpuKernels<T>& k = cpu_kernels<T>();
    const Operation& op = plan.op(s);
    const JetSpec& jets = plan.jets();
    const std::size_t B = plan.block(), ld = plan.row_stride();
    const auto C = static_cast<std::size_t>(jets.size());
    const auto rows = static_cast<std::size_t>(op.rows);
    const std::size_t cols = static_cast<std::size_t>(op.n_weights) / rows;
    const std::size_t P = plan.graph().n_parameters();
    const T* bar = block.arena + s.adjoint;
    if (op.bias >= 0) {
      for (std::size_t r = 0; r < rows; ++r) {
        deposit<sink>(plan, op.bias + static_cast<std::ptrdiff_t>(r), direction, bar + r * ld,
                      nullptr, 1, target);
      }
    }
    if (plan.on_coordinates(op)) {
      for (std::size_t r = 0; r < rows; ++r) {
        const T* row = bar + r * ld;
        for (std::size_t i = 0; i < cols; ++i) {
          const auto w = op.weights + static_cast<std::ptrdiff_t>(r * cols + i);
          deposit<sink>(plan, w, direction, row, block.points + i * block.point_stride, 1, target);
        }
        for (std::size_t c = 1; c < C; ++c) {
          for (const auto& [i, seed] : plan.seeds(static_cast<int>(c))) {
            const auto w = op.weights + static_cast<std::ptrdiff_t>(r * cols) + i;
            if constexpr (sink == Sink::gradient) {
              target[w] += static_cast<T>(seed) * k.sum(B, row + c * B);
            } else {
              T* out = sink == Sink::per_point ? target + static_cast<std::size_t>(w) * B : target;
              const T a = static_cast<T>(seed) * (sink == Sink::per_point ? T{1} : direction[w]);
              k.axpy(B, a, row + c * B, out);
            }
          }
        }
      }
      return;
    }
    const T* x = block.arena + plan.value(op.inputs[0]);
    if constexpr (sink == Sink::gradient) {
      k.gemm_dot(rows, cols, B * C, bar, ld, x, ld, target + op.weights, cols);
    } else if constexpr (sink == Sink::per_point) {
      for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t i = 0; i < cols; ++i) {
          T* out = target + (static_cast<std::size_t>(op.weights) + r * cols + i) * B;
          for (std::size_t c = 0; c < C; ++c) {
            k.multiply_add(B, bar + r * ld + c * B, x + i * ld + c * B, out);
          }
        }
      }
    } else {
      // sum_j z_j~ (V x)_j: one product with the direction instead of a forward sweep of tangents
      T* moved = block.scratch;
      k.gemm(rows, B * C, cols, direction + P + op.weights, x, ld, moved, ld, nullptr, 0, false);
      for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t c = 0; c < C; ++c) {
          k.multiply_add(B, bar + r * ld + c * B, moved + r * ld + c * B, target);
        }
      }
    }
  }

  template <Sink sink>
  void backward_step(const Plan<T>& plan, const Block& block, const Step& s, const T* direction,
                     T* target) const {
    const CpuKernels<T>& k = cpu_kernels<T>();
    const Operation& op = plan.op(s);
    const std::size_t B = plan.block(), ld = plan.row_stride();
    const auto C = static_cast<std::size_t>(plan.jets().size());
    const std::size_t N = B * C;
    const auto rows = static_cast<std::size_t>(op.rows);
    const std::size_t P = plan.graph().n_parameters();
    T* bar = block.arena + s.adjoint;
    const auto value = [&](std::size_t i) { return block.arena + plan.value(op.inputs[i]); };
    const auto adjoint = [&](std::size_t i) -> T* {
      const std::ptrdiff_t at = plan.adjoint(op.inputs[i]);
      return at < 0 ? nullptr : block.arena + at;
    };
    const auto n_rows = [&](std::size_t i) {
      return static_cast<std::size_t>(plan.graph().rows(op.inputs[i]));
    };
    const auto stride = [&](std::size_t i) { return n_rows(i) == rows ? ld : std::size_t{0}; };
    const auto clear_unless_accumulating = [&](std::size_t i) {
      if (T* a = adjoint(i); a != nullptr && !s.accumulate[i]) std::fill_n(a, n_rows(i) * ld, T{0});
    };
    switch (op.code) {
      case OpCode::coordinates:
        break;
      case OpCode::input:
        if (block.input_adjoints == nullptr) break;
        for (std::size_t r = 0; r < rows; ++r) {
          k.axpy(B, T{1}, bar + r * ld,
                 block.input_adjoints + (static_cast<std::size_t>(op.begin) + r) * B);
        }
        break;
      case OpCode::affine:
        if (!plan.on_coordinates(op) && adjoint(0) != nullptr) {
          k.gemm(n_rows(0), N, rows, block.shared + 2 * P + op.weights, bar, ld, adjoint(0), ld,
                 nullptr, 0, s.accumulate[0]);
        }
        affine_parameters<sink>(plan, block, s, direction, target);
        break;
      case OpCode::activation:
        k.activation_backward(tables(plan), op.activation, rows, B, ld, value(0),
                              block.arena + s.value, bar, adjoint(0), s.accumulate[0]);
        break;
      case OpCode::scale:
        for (std::size_t r = 0; r < rows; ++r) {
          const std::ptrdiff_t w =
              op.weights + (op.n_weights > 1 ? static_cast<std::ptrdiff_t>(r) : 0);
          deposit<sink>(plan, w, direction, bar + r * ld, value(0) + r * ld, C, target);
          if (T* a = adjoint(0); a != nullptr) {
            (s.accumulate[0] ? k.axpy : k.scale)(N, block.shared[w], bar + r * ld, a + r * ld);
          }
        }
        break;
      case OpCode::shift:
        for (std::size_t r = 0; r < rows; ++r) {
          const std::ptrdiff_t w =
              op.weights + (op.n_weights > 1 ? static_cast<std::ptrdiff_t>(r) : 0);
          deposit<sink>(plan, w, direction, bar + r * ld, nullptr, 1, target);
          if (T* a = adjoint(0); a != nullptr) {
            (s.accumulate[0] ? k.axpy : k.scale)(N, T{1}, bar + r * ld, a + r * ld);
          }
        }
        break;
      case OpCode::add:
      case OpCode::subtract:
        for (std::size_t i = 0; i < 2; ++i) {
          clear_unless_accumulating(i);
          if (T* a = adjoint(i); a != nullptr) {
            const T sign = i == 1 && op.code == OpCode::subtract ? T{-1} : T{1};
            for (std::size_t r = 0; r < rows; ++r) k.axpy(N, sign, bar + r * ld, a + r * stride(i));
          }
        }
        break;
      case OpCode::multiply:
        for (std::size_t i = 0; i < 2; ++i) {
          clear_unless_accumulating(i);
          if (T* a = adjoint(i); a != nullptr) {
            for (std::size_t r = 0; r < rows; ++r) {
              k.product_backward(tables(plan), B, bar + r * ld, value(1 - i) + r * stride(1 - i),
                                 a + r * stride(i));
            }
          }
        }
        break;
      case OpCode::divide:
        clear_unless_accumulating(0);
        clear_unless_accumulating(1);
        for (std::size_t r = 0; r < rows; ++r) {
          T* g_bar = adjoint(1);
          k.divide_backward(tables(plan), B, value(1) + r * stride(1),
                            block.arena + s.value + r * ld, bar + r * ld,
                            g_bar == nullptr ? nullptr : g_bar + r * stride(1));
          if (T* a = adjoint(0); a != nullptr) k.axpy(N, T{1}, bar + r * ld, a + r * stride(0));
        }
        break;
      case OpCode::concatenate:
        for (std::size_t i = 0; i < op.inputs.size(); ++i) {
          const std::size_t n = n_rows(i);
          if (T* a = adjoint(i); a != nullptr) {
            for (std::size_t r = 0; r < n; ++r) {
              (s.accumulate[i] ? k.axpy : k.scale)(N, T{1}, bar + r * ld, a + r * ld);
            }
          }
          bar += n * ld;
        }
        break;
      case OpCode::slice:
        clear_unless_accumulating(0);
        if (T* a = adjoint(0); a != nullptr) {
          for (std::size_t r = 0; r < rows; ++r) {
            k.axpy(N, T{1}, bar + r * ld, a + (r + static_cast<std::size_t>(op.begin)) * ld);
          }
        }
        break;
      case OpCode::repeat:
        clear_unless_accumulating(0);
        if (T* a = adjoint(0); a != nullptr) {
          for (std::size_t r = 0; r < rows; ++r) {
            k.axpy(N, T{1}, bar + r * ld, a + source_row(plan, op, r) * ld);
          }
        }
        break;
      case OpCode::row_sum:
        if (T* a = adjoint(0); a != nullptr) {
          for (std::size_t r = 0; r < n_rows(0); ++r) {
            (s.accumulate[0] ? k.axpy : k.scale)(
                N, T{1}, bar + r / static_cast<std::size_t>(op.group) * ld, a + r * ld);
          }
        }
        break;
      case OpCode::basis:
        if (T* a = adjoint(0); a != nullptr) {
          basis_sweep(plan, block, op, value(0), bar, a, s.accumulate[0]);
        }
        break;
      case OpCode::expression:
        expression_parameters<sink>(plan, block, s, direction, target);
        break;
    }
  }

  template <Sink sink>
  void expression_parameters(const Plan<T>& plan, const Block& block, const Step& s,
                             const T* direction, T* target) const {
    const auto& program = plan.expression(s.op).gradients;
    if (!program) return;
    const std::size_t B = plan.block();
    const auto C = static_cast<std::size_t>(plan.jets().size());
    const std::size_t D = plan.graph().coordinate_names().size();
    const std::size_t n_seeds = static_cast<std::size_t>(plan.op(s).rows) * C;
    const ProgramMemory<T> m = program_memory(plan, block, D + n_seeds, 0);
    const T* bar = block.arena + s.adjoint;
    const std::size_t n_points = sink == Sink::gradient ? B : 1;
    for (std::size_t p = 0; p < B; p += n_points) {
      for (std::size_t i = 0; i < D; ++i) m.inputs[i] = block.points + i * block.point_stride + p;
      for (std::size_t i = 0; i < n_seeds; ++i) {
        m.inputs[D + i] = bar + (i / C) * plan.row_stride() + (i % C) * B + p;
      }
      program->run(n_points, m.inputs, m.parameters, nullptr, m.sums, m.workspace);
      for (std::size_t i = 0; i < plan.constants().size(); ++i) {
        const auto slope = static_cast<T>(m.sums[i]);
        const std::ptrdiff_t at = plan.constants()[i];
        if constexpr (sink == Sink::gradient) {
          target[at] += slope;
        } else if constexpr (sink == Sink::per_point) {
          target[static_cast<std::size_t>(at) * B + p] += slope;
        } else {
          target[p] += direction[at] * slope;
        }
      }
    }
  }
};

}  // namespace

template <class T>
std::unique_ptr<Backend<T>> make_cpu_backend() {
  return std::make_unique<CpuBackend<T>>();
}

template std::unique_ptr<Backend<float>> make_cpu_backend<float>();
template std::unique_ptr<Backend<double>> make_cpu_backend<double>();

}  // namespace cauchy
