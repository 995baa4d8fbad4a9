// Points per second of the samplers of the unit cube, one thread, into a row-major buffer.
//   bench_sampling [--smallest]   prints million points per second (best of 9) for blocks of 4096
//   points;
//                    "scr" is the scrambled sequence, "plain" the reference of the Sobol sequence
#include <cauchy/sampling/sampler.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "bench_options.hpp"
#include "sampling/samplers/sobol.hpp"

namespace {

using std::size_t;
using Clock = std::chrono::steady_clock;

constexpr size_t kBlock = 4096;

template <class F>
double best_seconds(const F& f) {
  const auto seconds = [&](int repeats) {
    const auto start = Clock::now();
    for (int i = 0; i < repeats; ++i) f();
    return std::chrono::duration<double>(Clock::now() - start).count() / repeats;
  };
  const double first = std::max(seconds(2), 1e-9);
  const int repeats = std::max(1, static_cast<int>(5e-3 / first));
  double best = first;
  for (int round = 0; round < 9; ++round) best = std::min(best, seconds(repeats));
  return best;
}

void print_rate(double seconds) { std::printf(" %10.2f", 1e-6 * kBlock / seconds); }

void measure(cauchy::SamplerKind kind, cauchy::Randomize randomize,
             const std::vector<size_t>& dims) {
  const bool scramble = randomize == cauchy::Randomize::scramble;
  std::printf("%-16s %-5s", std::string(cauchy::sampler_name(kind)).c_str(), scramble ? "scr" : "");
  for (const size_t d : dims) {
    const auto sampler = cauchy::make_sampler({.kind = kind, .randomize = randomize}, d, 1 << 20);
    std::vector<double> out(kBlock * d);
    std::uint64_t first = 0;
    print_rate(best_seconds([&] {
      sampler->fill(first, kBlock, out.data());
      first = (first + kBlock) % (1 << 20);
    }));
  }
  std::printf("\n");
}

void measure_plain_sobol(const std::vector<size_t>& dims) {
  std::printf("%-16s %-5s", "sobol", "plain");
  for (const size_t d : dims) {
    const auto directions = cauchy::detail::sobol_directions(d);
    std::vector<double> out(kBlock * d);
    print_rate(best_seconds([&] {
      for (std::uint64_t n = 0; n < kBlock; ++n) {
        for (size_t k = 0; k < d; ++k) {
          out[n * d + k] = cauchy::detail::sobol_coordinate(directions, d, k, n ^ (n >> 1));
        }
      }
    }));
  }
  std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
  const bool smallest = cauchy::bench::take_smallest(argc, argv);
  const std::vector<size_t> dims =
      smallest ? std::vector<size_t>{2} : std::vector<size_t>{1, 2, 3, 4, 8, 32};
  std::printf("million points/s      ");
  for (const size_t d : dims) std::printf(" %8s%2zu", "d = ", d);
  std::printf("\n");
  measure_plain_sobol(dims);
  for (const std::string& name : cauchy::sampler_names()) {
    const cauchy::SamplerKind kind = cauchy::sampler_kind(name);
    measure(kind, cauchy::Randomize::none, dims);
    using enum cauchy::SamplerKind;
    if (kind == sobol || kind == halton || kind == faure) {
      measure(kind, cauchy::Randomize::scramble, dims);
    }
  }
}
