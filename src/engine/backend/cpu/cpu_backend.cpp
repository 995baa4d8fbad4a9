// Sizes and parameters of the CPU backend; its sweeps are in cpu_forward.cpp and cpu_backward.cpp.
#include "engine/backend/cpu/cpu_backend.hpp"

#include <algorithm>

#include "engine/backend/cpu/packing.hpp"

namespace cauchy {
namespace detail {

template <class T>
std::size_t CpuBackend<T>::shared_size(const Plan<T>& plan) const {
  return 3 * plan.graph().n_parameters() + plan.n_seeds();
}

template <class T>
std::size_t CpuBackend<T>::scratch_size(const Plan<T>& plan) const {
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

template <class T>
void CpuBackend<T>::prepare(const Plan<T>& plan, const double* theta, T* shared) const {
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

}  // namespace detail

template <class T>
std::unique_ptr<Backend<T>> make_cpu_backend() {
  return std::make_unique<detail::CpuBackend<T>>();
}

template std::unique_ptr<Backend<float>> make_cpu_backend<float>();
template std::unique_ptr<Backend<double>> make_cpu_backend<double>();

}  // namespace cauchy
