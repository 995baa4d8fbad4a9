// Time of one iteration of the dense quasi-Newton method without the loss evaluations, beside a
// symmetric product and a symmetric update of rank two by the BLAS, which a plain implementation
// would need; and the iterations of the methods on Rosenbrock's function.
//
//   bench_quasi_newton [--size N] [--iterations N] [--smallest]
//
// Figures are milliseconds of wall time, the median and the best of the iterations; the BLAS and
// the method take turns, so that a busy machine troubles both.
#include <cblas.h>
#include <fmt/format.h>

#include <algorithm>
#include <cauchy/base/rng.hpp>
#include <cauchy/optimizers/lbfgs.hpp>
#include <cauchy/optimizers/minimize.hpp>
#include <cauchy/optimizers/quasi_newton.hpp>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "../tests/support/minimization_problems.hpp"
#include "bench_options.hpp"

namespace {

using namespace cauchy;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double quantile(std::vector<double> v, double q) {
  std::sort(v.begin(), v.end());
  return v[static_cast<std::size_t>(q * static_cast<double>(v.size() - 1))];
}

/// What evaluations cost is measured to be taken off.
class Timed final : public Objective {
 public:
  explicit Timed(std::size_t n) : n_(n) {}
  [[nodiscard]] std::size_t size() const override { return n_; }
  [[nodiscard]] double value(std::span<const double> x) override { return gradient(x, {}); }
  [[nodiscard]] double gradient(std::span<const double> x, std::span<double> g) override {
    const double start = now();
    const double f = minimization::chained_rosenbrock(x, g);
    seconds += now() - start;
    return f;
  }
  double seconds = 0;

 private:
  std::size_t n_;
};

void time_iterations(std::size_t n, int threads, int iterations) {
  openblas_set_num_threads(threads);
  std::vector<double> a(n * n), u(n), v(n), w(n);
  Rng rng(5);
  for (auto* vector : {&u, &v, &w}) {
    for (double& e : *vector) e = rng.normal();
  }
  for (std::size_t i = 0; i < n; ++i) a[i * n + i] = 1;
  const int m = static_cast<int>(n);
  Timed f(n);
  QuasiNewton method({.threads = threads});
  std::vector<double> x(n, -0.5), symv, syr2, step;
  for (int k = 0; k < iterations; ++k) {
    double start = now();
    cblas_dsymv(CblasRowMajor, CblasLower, m, 1.0, a.data(), m, u.data(), 1, 0.0, w.data(), 1);
    symv.push_back(now() - start);
    start = now();
    cblas_dsyr2(CblasRowMajor, CblasLower, m, 1e-9, u.data(), 1, v.data(), 1, a.data(), m);
    syr2.push_back(now() - start);
    f.seconds = 0;
    start = now();
    if (method.step(f, x).status != StepStatus::progress) break;
    if (k > 1) step.push_back(now() - start - f.seconds);  // before, H is the identity
  }
  for (const double q : {0.5, 0.0}) {
    const double product = quantile(symv, q), update = quantile(syr2, q), own = quantile(step, q);
    fmt::print("{:6} {:8} {:>7} {:9.3f} {:9.3f} {:9.3f} {:12.3f} {:8.2f}\n", n, threads,
               q > 0 ? "median" : "best", 1e3 * product, 1e3 * update, 1e3 * (product + update),
               1e3 * own, own / (product + update));
  }
}

void count_iterations(const char* name, Optimizer& method, std::uint64_t start_number) {
  FunctionObjective f(20, minimization::chained_rosenbrock);
  std::vector<double> x(20);
  Rng rng(start_number);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = start_number == 0 ? (i % 2 == 0 ? -1.2 : 1.0) : rng.uniform(-2, 2);
  }
  const auto r = minimize(method, f, x, {.gradient_tolerance = 1e-8, .max_iterations = 2000});
  fmt::print(" {:>9} {:4}/{:4}{}", name, r.iterations, r.evaluations, r.value < 1e-12 ? ' ' : '*');
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::size_t> sizes{500, 1000, 2000, 4000};
  int iterations = 100;
  if (bench::take_smallest(argc, argv)) {
    sizes = {20};
    iterations = 5;
  }
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--size") == 0) sizes = {std::strtoul(argv[i + 1], nullptr, 10)};
    if (std::strcmp(argv[i], "--iterations") == 0) iterations = std::atoi(argv[i + 1]);
  }
  fmt::print("{:>6} {:>8} {:>7} {:>9} {:>9} {:>9} {:>12} {:>8}\n", "n", "threads", "", "symv ms",
             "syr2 ms", "sum ms", "iteration ms", "ratio");
  for (const std::size_t n : sizes) {
    for (const int threads : {1, 2}) time_iterations(n, threads, iterations);
  }
  fmt::print(
      "\niterations/evaluations to |g| < 1e-8 on Rosenbrock's function of 20 numbers, every "
      "one tied\nto the next; start 0 is (-1.2, 1, ...), others are random; * another local "
      "minimum\n");
  for (std::uint64_t start = 0; start < 10; ++start) {
    fmt::print("{:2}", start);
    for (const auto update : {QuasiNewtonUpdate::bfgs, QuasiNewtonUpdate::dfp,
                              QuasiNewtonUpdate::ssbfgs, QuasiNewtonUpdate::ssbroyden}) {
      QuasiNewton method({.update = update});
      count_iterations(to_string(update).data(), method, start);
    }
    Lbfgs lbfgs;
    count_iterations("lbfgs", lbfgs, start);
    fmt::print("\n");
  }
}
