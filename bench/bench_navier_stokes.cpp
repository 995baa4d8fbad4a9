// Fourier series and ETDRK4: 2-D Navier-Stokes in vorticity form on 256 x 256 points, 1,000 steps,
// beside the time of its Fourier transforms alone; and the Kuramoto-Sivashinsky equation to 1e-8.
//   bench_navier_stokes [--smallest] [n [steps [threads]]]
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include <cauchy/base/threads.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/solvers/method.hpp>

#include "bench_options.hpp"
#include "solvers/spectral/fourier_flow.hpp"
#include "solvers/spectral/fourier_march.hpp"

namespace {

using namespace cauchy;
using namespace cauchy::detail;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Vortices that break up, with a force.
Problem vorticity() {
  const Coordinate t("t"), x("x"), y("y");
  const Field w("w"), p("p");
  Problem out;
  out.name = "vorticity";
  out.fields = {"w", "p"};
  out.domain = Rectangle({0, 0}, {2 * pi, 2 * pi}) * Time(t, 0, 1);
  out.equation = {
      d(w, t) + d(p, y) * d(w, x) - d(p, x) * d(w, y) == 0.001 * (d(w, x, x) + d(w, y, y)),
      d(p, x, x) + d(p, y, y) == -w};
  out.condition = {at(t == 0, w == sin(x) * cos(2 * y) + cos(3 * x + y) + 0.5 * sin(4 * y)),
                   periodic(x), periodic(y)};
  return out;
}

/// Seconds of the transforms of a march, in the order and with the threads of the march.
double transforms(std::size_t n, std::size_t per_evaluation, std::size_t steps, Threads& threads) {
  const RealFft<double> fft({n, n});
  std::vector<std::vector<double>> real(per_evaluation, std::vector<double>(fft.real_size()));
  std::vector<std::vector<std::complex<double>>> half(
      per_evaluation, std::vector<std::complex<double>>(fft.complex_size()));
  for (std::size_t i = 0; i < n * n; ++i) real[0][i] = std::sin(0.01 * static_cast<double>(i));
  for (auto& r : real) r = real[0];
  for (std::size_t k = 0; k < per_evaluation; ++k) fft.forward(real[k], half[k]);
  const Clock::time_point start = Clock::now();
  for (std::size_t i = 0; i < 4 * steps; ++i) {
    threads.run(per_evaluation - 1, [&](std::size_t k, int) { fft.inverse(half[k], real[k]); });
    fft.forward(real[per_evaluation - 1], half[per_evaluation - 1]);
  }
  return seconds_since(start);
}

void navier_stokes(std::size_t n, std::size_t steps, int n_threads) {
  const Problem problem = vorticity();
  const SpectralForm form = fourier_form(problem);
  Threads threads(n_threads);
  const std::size_t highest = (n - 1) / 3;
  FourierFlow flow(problem, form, FourierGrid(form.lower, form.length, {n, n}, {highest, highest}),
                   threads);
  double alone = 1e300, whole = 1e300;
  for (int round = 0; round < 2; ++round) {
    alone = std::min(alone, transforms(n, flow.n_transforms(), steps, threads));
    const Clock::time_point start = Clock::now();
    const FourierHistory h =
        fourier_march(flow, flow.initial(), 0, 1e-3 * static_cast<double>(steps), steps, 1,
                      [](std::size_t) { return false; });
    whole = std::min(whole, seconds_since(start));
    if (!h.finite) std::printf("the march failed\n");
  }
  std::printf(
      "Navier-Stokes %zu^2, %zu steps, %d threads: transforms alone %.2f s, run %.2f s, "
      "ratio %.2f (bar 1.50)\n",
      n, steps, n_threads, alone, whole, whole / alone);
}

void kuramoto_sivashinsky(double tolerance, int n_fine) {
  const Coordinate t("t"), x("x");
  const Field u("u");
  Problem p;
  p.fields = {"u"};
  p.domain = Interval(x, 0, 2 * pi) * Time(t, 0, 0.2);
  p.equation = {d(u, t) + 100.0 / 16 * u * d(u, x) + 100.0 / 256 * d(u, x, x) +
                    100.0 / 65536 * d_n(u, x, 4) ==
                0};
  p.condition = {at(t == 0, u == cos(x) * (1 + sin(x))), periodic(x)};
  const Clock::time_point start = Clock::now();
  const Solution s = solve(p, Spectral{.tolerance = tolerance});
  const double seconds = seconds_since(start);
  const Solution fine = solve(p, Spectral{.n = n_fine, .tolerance = tolerance / 100});
  std::vector<double> points, a(2000), b(2000);
  for (int i = 0; i < 2000; ++i) {
    points.push_back(0.2 * std::fmod(0.7548776662 * i, 1.0));
    points.push_back(2 * pi * std::fmod(0.5698402910 * i, 1.0));
  }
  const std::vector<Expr> fields{u};
  s.model->evaluate(fields, points, a);
  fine.model->evaluate(fields, points, b);
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference += (a[i] - b[i]) * (a[i] - b[i]);
    size += b[i] * b[i];
  }
  std::printf(
      "Kuramoto-Sivashinsky to %.0e: %.2f s (bar 60 s), %s; a finer one differs by %.1e "
      "(bar %.1e)\n",
      tolerance, seconds, s.method.c_str(), std::sqrt(difference / size), tolerance);
}

}  // namespace

int main(int argc, char** argv) {
  const bool smallest = bench::take_smallest(argc, argv);
  const auto number = [&](int i, long other) { return argc > i ? std::atol(argv[i]) : other; };
  smallest ? kuramoto_sivashinsky(1e-3, 256) : kuramoto_sivashinsky(1e-8, 2048);
  navier_stokes(static_cast<std::size_t>(number(1, smallest ? 16 : 256)),
                static_cast<std::size_t>(number(2, smallest ? 10 : 1000)),
                static_cast<int>(number(3, 1)));
}
