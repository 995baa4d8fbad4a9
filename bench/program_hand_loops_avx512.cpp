// Headers come before the pragma: only the loops may use AVX-512.
#include "program_hand_loops.hpp"

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__)
#pragma GCC push_options
#pragma GCC optimize("O3", "fp-contract=fast")
#pragma GCC target("avx512f,avx512vl,avx512dq,avx512bw,fma,prefer-vector-width=512")
#endif
namespace {
#include "program_hand_loops.inc"
}  // namespace

// The table itself is built without AVX-512 instructions in effect on its callers.
template <class T>
HandLoops<T> avx512_loops() {
  return {residual<T>, adjoint<T>};
}
template HandLoops<float> avx512_loops();
template HandLoops<double> avx512_loops();
