#pragma once

#include <cstdint>

#include <cauchy/engine/backend.hpp>

namespace cauchy {

/// Scratch memory of the program calls: pointers, parameters, sums, then the program's own.
template <class T>
struct ProgramMemory {
  const T** inputs;
  T** outputs;
  T* parameters;
  double* sums;
  T* workspace;
};
template <class T>
ProgramMemory<T> program_memory(const Plan<T>& plan, const typename Backend<T>::Block& block,
                                std::size_t n_inputs, std::size_t n_outputs) {
  void* at = block.scratch;
  const auto take = [&at]<class U>(std::size_t n, U**) {
    const auto address =
        (reinterpret_cast<std::uintptr_t>(at) + alignof(U) - 1) & ~(alignof(U) - 1);
    at = reinterpret_cast<void*>(address + n * sizeof(U));
    return reinterpret_cast<U*>(address);
  };
  ProgramMemory<T> m{};
  m.inputs = take(n_inputs, static_cast<const T***>(nullptr));
  m.outputs = take(n_outputs, static_cast<T***>(nullptr));
  m.sums = take(plan.constants().size(), static_cast<double**>(nullptr));
  m.parameters = take(plan.constants().size(), static_cast<T**>(nullptr));
  m.workspace = static_cast<T*>(at);
  for (std::size_t i = 0; i < plan.constants().size(); ++i) {
    m.parameters[i] = block.shared[plan.constants()[i]];
  }
  for (std::size_t i = 0; i < plan.graph().coordinate_names().size(); ++i) {
    m.inputs[i] = block.points + i * block.point_stride;
  }
  return m;
}

}  // namespace cauchy
