// The backward sweep: adjoints of all operations of a plan for one block of points.
#include <algorithm>

#include "engine/backend/cpu/cpu_backend.hpp"
#include "engine/backend/cpu/kernels.hpp"
#include "engine/backend/cpu/parameter_sinks.hpp"

namespace cauchy::detail {

template <class T>
template <Sink sink>
void CpuBackend<T>::backward_step(const Plan<T>& plan, const Block& block, const Step& s,
                                  const T* direction, T* target) const {
  const CpuKernels<T>& k = cpu_kernels<T>();
  const Operation& op = plan.op(s);
  const std::size_t B = plan.block(), ld = plan.row_stride();
  const auto C = static_cast<std::size_t>(plan.jets().size());
  const std::size_t N = B * C;
  const auto rows = static_cast<std::size_t>(op.rows);
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
    case OpCode::fixed_affine:
      if (!plan.on_coordinates(op) && adjoint(0) != nullptr) {
        const Matrices m = matrices(plan, s);
        for (std::size_t g = 0; g < m.groups; ++g) {
          k.gemm(m.cols, N, m.rows, block.shared + m.transposed + g * m.size(),
                 bar + g * m.rows * ld, ld, adjoint(0) + g * m.cols * ld, ld, nullptr, 0,
                 s.accumulate[0]);
        }
      }
      if (op.code == OpCode::affine) affine_parameters<sink>(plan, block, s, direction, target);
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
        k.divide_backward(tables(plan), B, value(1) + r * stride(1), block.arena + s.value + r * ld,
                          bar + r * ld, g_bar == nullptr ? nullptr : g_bar + r * stride(1));
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
    case OpCode::unit_rows:
      norm_parameters<sink>(plan, block, s, direction, target);
      for (std::size_t r = 0; r < rows; ++r) {
        (s.accumulate[0] ? k.axpy : k.scale)(N, 1 / row_norm(block, op, r), bar + r * ld,
                                             adjoint(0) + r * ld);
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

template <class T>
template <Sink sink>
void CpuBackend<T>::sweep(const Plan<T>& plan, const Block& block, const T* direction,
                          T* target) const {
  for (auto s = plan.steps().rbegin(); s != plan.steps().rend(); ++s) {
    if (s->adjoint >= 0) backward_step<sink>(plan, block, *s, direction, target);
  }
}

template <class T>
void CpuBackend<T>::backward(const Plan<T>& plan, const Block& block, T* gradient) const {
  sweep<Sink::gradient>(plan, block, nullptr, gradient);
}

template <class T>
void CpuBackend<T>::backward_per_point(const Plan<T>& plan, const Block& block, T* rows) const {
  sweep<Sink::per_point>(plan, block, nullptr, rows);
}

template <class T>
void CpuBackend<T>::backward_directional(const Plan<T>& plan, const Block& block,
                                         const T* direction, T* out) const {
  sweep<Sink::directional>(plan, block, direction, out);
}

template void CpuBackend<float>::backward(const Plan<float>&, const Block&, float*) const;
template void CpuBackend<float>::backward_per_point(const Plan<float>&, const Block&, float*) const;
template void CpuBackend<float>::backward_directional(const Plan<float>&, const Block&,
                                                      const float*, float*) const;
template void CpuBackend<double>::backward(const Plan<double>&, const Block&, double*) const;
template void CpuBackend<double>::backward_per_point(const Plan<double>&, const Block&,
                                                     double*) const;
template void CpuBackend<double>::backward_directional(const Plan<double>&, const Block&,
                                                       const double*, double*) const;

}  // namespace cauchy::detail
