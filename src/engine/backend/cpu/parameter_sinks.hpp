#pragma once

// Where the derivatives by parameters go: into their sum over points, to one row per parameter, or
// into the product with a direction.
#include <algorithm>

#include "engine/backend/cpu/cpu_backend.hpp"
#include "engine/backend/cpu/kernels.hpp"
#include "engine/backend/cpu/program_memory.hpp"

namespace cauchy::detail {

template <class T>
template <Sink sink>
void CpuBackend<T>::deposit(const Plan<T>& plan, std::ptrdiff_t parameter, const T* direction,
                            const T* x, const T* y, std::size_t n_chunks, T* target) const {
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

template <class T>
template <Sink sink>
void CpuBackend<T>::affine_parameters(const Plan<T>& plan, const Block& block, const Step& s,
                                      const T* direction, T* target) const {
  const CpuKernels<T>& k = cpu_kernels<T>();
  const Operation& op = plan.op(s);
  const JetSpec& jets = plan.jets();
  const std::size_t B = plan.block(), ld = plan.row_stride();
  const auto C = static_cast<std::size_t>(jets.size());
  const auto rows = static_cast<std::size_t>(op.rows);
  const Matrices m = matrices(plan, s);
  const std::size_t cols = m.cols;
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
    for (std::size_t g = 0; g < m.groups; ++g) {
      k.gemm_dot(m.rows, cols, B * C, bar + g * m.rows * ld, ld, x + g * cols * ld, ld,
                 target + op.weights + g * m.size(), cols);
    }
  } else if constexpr (sink == Sink::per_point) {
    for (std::size_t r = 0; r < rows; ++r) {
      const std::size_t first = r / m.rows * cols;
      for (std::size_t i = 0; i < cols; ++i) {
        T* out = target + (static_cast<std::size_t>(op.weights) + r * cols + i) * B;
        for (std::size_t c = 0; c < C; ++c) {
          k.multiply_add(B, bar + r * ld + c * B, x + (first + i) * ld + c * B, out);
        }
      }
    }
  } else {
    // sum_j z_j~ (V x)_j: one product with the direction instead of a forward sweep of tangents
    T* moved = block.scratch;
    for (std::size_t g = 0; g < m.groups; ++g) {
      k.gemm(m.rows, B * C, cols, direction + m.packed + g * m.size(), x + g * cols * ld, ld,
             moved + g * m.rows * ld, ld, nullptr, 0, false);
    }
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t c = 0; c < C; ++c) {
        k.multiply_add(B, bar + r * ld + c * B, moved + r * ld + c * B, target);
      }
    }
  }
}

/// v_bar = -(bar x) v / |v|^3 for y = x / |v|, row by row.
template <class T>
template <Sink sink>
void CpuBackend<T>::norm_parameters(const Plan<T>& plan, const Block& block, const Step& s,
                                    const T* direction, T* target) const {
  const CpuKernels<T>& k = cpu_kernels<T>();
  const Operation& op = plan.op(s);
  const std::size_t B = plan.block(), ld = plan.row_stride();
  const auto C = static_cast<std::size_t>(plan.jets().size());
  const auto rows = static_cast<std::size_t>(op.rows);
  const std::size_t cols = static_cast<std::size_t>(op.n_weights) / rows;
  for (std::size_t r = 0; r < rows; ++r) {
    const T* bar = block.arena + s.adjoint + r * ld;
    const T* x = block.arena + plan.value(op.inputs[0]) + r * ld;
    const auto first = static_cast<std::size_t>(op.weights) + r * cols;
    const T* v = block.shared + first;
    const T norm = row_norm(block, op, r), factor = -1 / (norm * norm * norm);
    if constexpr (sink == Sink::gradient) {
      const T slope = factor * k.dot(B * C, bar, x);
      for (std::size_t i = 0; i < cols; ++i) target[first + i] += slope * v[i];
    } else {
      T* products = block.scratch;  // per point, the sum over all components
      std::fill_n(products, B, T{0});
      for (std::size_t c = 0; c < C; ++c) k.multiply_add(B, bar + c * B, x + c * B, products);
      if constexpr (sink == Sink::per_point) {
        for (std::size_t i = 0; i < cols; ++i) {
          k.axpy(B, factor * v[i], products, target + (first + i) * B);
        }
      } else {
        T along = 0;
        for (std::size_t i = 0; i < cols; ++i) along += v[i] * direction[first + i];
        k.axpy(B, factor * along, products, target);
      }
    }
  }
}

template <class T>
template <Sink sink>
void CpuBackend<T>::expression_parameters(const Plan<T>& plan, const Block& block, const Step& s,
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

}  // namespace cauchy::detail
