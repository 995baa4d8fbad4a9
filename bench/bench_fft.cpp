// Times of the FFT on the shapes of Fourier neural operators and spectral solvers.
//   bench_fft [--smallest]    prints microseconds per transform (best of 9) and Gflop/s, counting 5
//   N log2 N
//                floating-point operations for a complex and half of that for a real transform
#include <cauchy/math/fft.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

#include "bench_options.hpp"

namespace {

using std::size_t;
using Clock = std::chrono::steady_clock;

template <class F>
double best_seconds(const F& f) {
  const auto seconds = [&](int repeats) {
    const auto start = Clock::now();
    for (int i = 0; i < repeats; ++i) f();
    return std::chrono::duration<double>(Clock::now() - start).count() / repeats;
  };
  const double first = std::max(seconds(2), 1e-9);
  const int repeats = std::max(1, static_cast<int>(2e-3 / first));
  double best = first;
  for (int round = 0; round < 9; ++round) best = std::min(best, seconds(repeats));
  return best;
}

template <class T>
void measure(const std::vector<size_t>& shape, size_t batch) {
  const cauchy::Fft<T> fft(shape, batch);
  const cauchy::RealFft<T> real_fft(shape, batch);
  std::vector<std::complex<T>> x(fft.size()), y(fft.size()), half(real_fft.complex_size());
  std::vector<T> r(fft.size());
  for (size_t i = 0; i < x.size(); ++i) {
    r[i] = static_cast<T>(std::sin(1.1 * static_cast<double>(i)));
    x[i] = {r[i], static_cast<T>(std::cos(0.7 * static_cast<double>(i)))};
  }
  const auto count = static_cast<double>(batch), n = static_cast<double>(fft.size()) / count;
  const double complex_time = best_seconds([&] { fft.forward(x, y); }) / count;
  const double real_time = best_seconds([&] { real_fft.forward(r, half); }) / count;
  const double inverse_time = best_seconds([&] { real_fft.inverse(half, r); }) / count;
  std::string name;
  for (const size_t length : shape) name += (name.empty() ? "" : "x") + std::to_string(length);
  const double flops = 5e-9 * n * std::log2(n);
  std::printf("%-7s %-12s %5zu %11.3f %6.2f %11.3f %6.2f %11.3f\n",
              sizeof(T) == 4 ? "float" : "double", name.c_str(), batch, 1e6 * complex_time,
              flops / complex_time, 1e6 * real_time, 0.5 * flops / real_time, 1e6 * inverse_time);
}

template <class T>
void measure_all(bool smallest) {
  if (smallest) {
    measure<T>({64}, 1);
    measure<T>({8, 9}, 1);
    return;
  }
  for (const size_t n : {64, 128, 240, 241, 256, 343, 421, 512, 1009, 1024, 2018, 4096}) {
    measure<T>({n}, 32);
  }
  measure<T>({64, 64}, 8);
  measure<T>({85, 85}, 8);
  measure<T>({128, 128}, 4);
  measure<T>({241, 241}, 1);
  measure<T>({421, 421}, 1);
  measure<T>({512, 512}, 1);
  measure<T>({64, 64, 64}, 1);
  measure<T>({48, 50, 49}, 1);
}

}  // namespace

int main(int argc, char** argv) {
  const bool smallest = cauchy::bench::take_smallest(argc, argv);
  std::printf("%-7s %-12s %5s %11s %6s %11s %6s %11s\n", "type", "shape", "batch", "complex us",
              "Gf/s", "real us", "Gf/s", "inverse us");
  measure_all<double>(smallest);
  measure_all<float>(smallest);
}
