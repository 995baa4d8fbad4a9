// The forward sweep: values of all operations of a plan for one block of points.
#include <algorithm>

#include "engine/backend/cpu/cpu_backend.hpp"
#include "engine/backend/cpu/kernels.hpp"
#include "engine/backend/cpu/program_memory.hpp"

namespace cauchy::detail {

template <class T>
void CpuBackend<T>::forward(const Plan<T>& plan, const Block& block) const {
  for (const Step& s : plan.steps()) forward_step(plan, block, s);
}

template <class T>
void CpuBackend<T>::forward_step(const Plan<T>& plan, const Block& block, const Step& s) const {
  const CpuKernels<T>& k = cpu_kernels<T>();
  const Operation& op = plan.op(s);
  const std::size_t B = plan.block(), ld = plan.row_stride();
  const std::size_t N = B * static_cast<std::size_t>(plan.jets().size());
  const auto rows = static_cast<std::size_t>(op.rows);
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
    case OpCode::fixed_affine:
      affine_forward(plan, block, s);
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
    case OpCode::unit_rows:
      for (std::size_t r = 0; r < rows; ++r) {
        k.scale(N, 1 / row_norm(block, op, r), input(0) + r * ld, out + r * ld);
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

template <class T>
void CpuBackend<T>::affine_forward(const Plan<T>& plan, const Block& block, const Step& s) const {
  const CpuKernels<T>& k = cpu_kernels<T>();
  const Operation& op = plan.op(s);
  const Matrices m = matrices(plan, s);
  const std::size_t B = plan.block(), ld = plan.row_stride();
  const auto C = static_cast<std::size_t>(plan.jets().size());
  T* out = block.arena + s.value;
  const T* bias = m.bias >= 0 ? block.shared + m.bias : nullptr;
  if (plan.on_coordinates(op)) {
    for (std::size_t r = 0; r < m.rows; ++r) {
      k.affine_row(B, m.cols, block.shared + m.plain + r * m.cols, bias != nullptr ? bias[r] : T{0},
                   block.points, block.point_stride, out + r * ld);
      const T* constants = block.shared + m.seeds + r * C;
      for (std::size_t c = 1; c < C; ++c) std::fill_n(out + r * ld + c * B, B, constants[c]);
    }
    return;
  }
  const T* x = block.arena + plan.value(op.inputs[0]);
  for (std::size_t g = 0; g < m.groups; ++g) {
    k.gemm(m.rows, B * C, m.cols, block.shared + m.packed + g * m.size(), x + g * m.cols * ld, ld,
           out + g * m.rows * ld, ld, bias != nullptr ? bias + g * m.rows : nullptr, B, false);
  }
}

template <class T>
void CpuBackend<T>::basis_sweep(const Plan<T>& plan, const Block& block, const Operation& op,
                                const T* z, const T* bar, T* target, bool accumulate) const {
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

template <class T>
void CpuBackend<T>::run_expression(const Plan<T>& plan, const Block& block, const Step& s,
                                   T* out) const {
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

template void CpuBackend<float>::forward(const Plan<float>&, const Block&) const;
template void CpuBackend<double>::forward(const Plan<double>&, const Block&) const;
template void CpuBackend<float>::basis_sweep(const Plan<float>&, const Block&, const Operation&,
                                             const float*, const float*, float*, bool) const;
template void CpuBackend<double>::basis_sweep(const Plan<double>&, const Block&, const Operation&,
                                              const double*, const double*, double*, bool) const;

}  // namespace cauchy::detail
