// Sizes and parameters of the CPU backend; its sweeps are in cpu_forward.cpp and cpu_backward.cpp.
#include "engine/backend/cpu/cpu_backend.hpp"

#include <algorithm>

#include "engine/backend/cpu/packing.hpp"

namespace cauchy {
namespace detail {

template <class T>
std::size_t CpuBackend<T>::shared_size(const Plan<T>& plan) const {
  return 3 * plan.graph().n_parameters() + plan.n_seeds() + plan.n_fixed();
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
auto CpuBackend<T>::matrices(const Plan<T>& plan, const Step& s) -> Matrices {
  const Operation& op = plan.op(s);
  const auto P = static_cast<std::ptrdiff_t>(plan.graph().n_parameters());
  const auto groups = static_cast<std::size_t>(op.group);
  Matrices m{.groups = groups,
             .rows = static_cast<std::size_t>(op.rows) / groups,
             .cols = static_cast<std::size_t>(plan.graph().rows(op.inputs[0])) / groups,
             .plain = op.weights,
             .packed = P + op.weights,
             .transposed = 2 * P + op.weights,
             .bias = op.bias,
             .seeds = 3 * P + s.seeds};
  if (op.code == OpCode::fixed_affine) {
    m.plain = 3 * P + static_cast<std::ptrdiff_t>(plan.n_seeds()) + s.fixed;
    m.packed = m.plain;
    m.transposed = m.packed + static_cast<std::ptrdiff_t>(m.size());
    m.bias = m.transposed + static_cast<std::ptrdiff_t>(m.size());
  }
  return m;
}

template <class T>
void CpuBackend<T>::pack(const Plan<T>& plan, const Step& s, const double* weights, T* shared) {
  const JetSpec& jets = plan.jets();
  const Matrices m = matrices(plan, s);
  if (plan.on_coordinates(plan.op(s))) {
    const auto C = static_cast<std::size_t>(jets.size());
    for (std::size_t r = 0; r < m.rows; ++r) {
      for (int c = 1; c < jets.size(); ++c) {
        double sum = 0;
        for (const auto& [i, seed] : plan.seeds(c)) {
          sum += weights[r * m.cols + static_cast<std::size_t>(i)] * seed;
        }
        shared[m.seeds + static_cast<std::ptrdiff_t>(r * C) + c] = static_cast<T>(sum);
      }
    }
    return;
  }
  for (std::size_t g = 0; g < m.groups; ++g) {
    const double* w = weights + g * m.size();
    pack_panels(m.rows, m.cols, w, m.cols, 1, shared + m.packed + g * m.size());
    pack_panels(m.cols, m.rows, w, 1, m.cols, shared + m.transposed + g * m.size());
  }
}

template <class T>
void CpuBackend<T>::prepare_fixed(const Plan<T>& plan, T* shared) const {
  for (const Step& s : plan.steps()) {
    if (s.fixed < 0) continue;
    const Matrices m = matrices(plan, s);
    const double* numbers = plan.op(s).fixed->data();
    const auto to_precision = [](double x) { return static_cast<T>(x); };
    std::transform(numbers + m.size(), numbers + m.size() + m.rows, shared + m.bias, to_precision);
    if (plan.on_coordinates(plan.op(s))) {
      std::transform(numbers, numbers + m.size(), shared + m.plain, to_precision);
    }
    pack(plan, s, numbers, shared);
  }
}

template <class T>
void CpuBackend<T>::prepare(const Plan<T>& plan, const double* theta, T* shared) const {
  const std::size_t P = plan.graph().n_parameters();
  for (std::size_t i = 0; i < P; ++i) shared[i] = static_cast<T>(theta[i]);
  for (const Step& s : plan.steps()) {
    const Operation& op = plan.op(s);
    if (op.code == OpCode::affine) pack(plan, s, theta + op.weights, shared);
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
