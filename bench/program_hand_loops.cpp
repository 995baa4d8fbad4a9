#include "program_hand_loops.hpp"

namespace {
#include "program_hand_loops.inc"
}  // namespace

template <class T>
HandLoops<T> plain_loops() {
  return {residual<T>, adjoint<T>};
}
template HandLoops<float> plain_loops();
template HandLoops<double> plain_loops();

namespace {
template <class T>
void touch_all(const T* x, std::size_t n) {
  T total[16] = {};
  for (std::size_t i = 0; i + 16 <= n; i += 16) {
    for (std::size_t j = 0; j < 16; ++j) total[j] += x[i + j];
  }
  volatile T sink = total[0] + total[5];
  (void)sink;
}
}  // namespace
void touch(const float* x, std::size_t n) { touch_all(x, n); }
void touch(const double* x, std::size_t n) { touch_all(x, n); }
