// Speeds of finite volumes: a first-order step of the compressible Euler equations beside the
// memory bandwidth of the machine, the same by compiled expressions, and the shear layer of
// problems/kelvin_helmholtz.toml with its invariants.
//   bench_fvm [--smallest] [problems folder]
// Ends with 1 when the invariants drift or the gas is not one; what is too slow is said.
#include <algorithm>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <cauchy/files/problem_file.hpp>

#include "bench_options.hpp"
#include "solvers/fvm/fvm_solver.hpp"

namespace {

using namespace cauchy;          // NOLINT
using namespace cauchy::detail;  // NOLINT

/// Processor time: all of this runs on one thread, and others may use the machine.
double seconds(const std::function<void()>& work) {
  const std::clock_t begin = std::clock();
  work();
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

/// Bytes per second of a = b + s c on one thread, arrays far beyond the caches, best of five.
double triad_bandwidth() {
  const std::size_t n = 1U << 24;
  std::vector<double> a(n, 0), b(n, 1), c(n, 2);
  double best = 1e300;
  for (int i = 0; i < 5; ++i) {
    best = std::min(best, seconds([&] {
                      for (std::size_t k = 0; k < n; ++k) a[k] = b[k] + 0.5 * c[k];
                    }));
  }
  return a[n / 2] > 0 ? 24.0 * static_cast<double>(n) / best : 0;
}

struct Gas {
  Gas(const Problem& p, const Fvm& options, std::size_t n)
      : problem(std::make_shared<const Problem>(p)),
        solver(problem, options, 1),
        mesh(solver.mesh(n)),
        lower(*problem),
        balance(problem, lower, solver.law(), solver.gas(), mesh, solver.scheme(), 1),
        q(balance.initial()) {}
  std::shared_ptr<const Problem> problem;
  FvmSolver solver;
  FvmMesh mesh;
  Lowering lower;
  FvmOperator balance;
  Rows q;
};

double updates_per_second(Gas& gas, FvmStepper& stepper, int steps) {
  double best = 1e300;
  for (int i = 0; i < 5; ++i) {
    best = std::min(best, seconds([&] {
                      double largest = stepper.largest_step(0, gas.q);
                      for (int k = 0; k < steps; ++k) {
                        largest = stepper.step(0, 0.3 * largest, gas.q);
                      }
                    }));
  }
  return static_cast<double>(gas.mesh.n_cells) * steps / best;
}

}  // namespace

int main(int argc, char** argv) {
  const bool smallest = bench::take_smallest(argc, argv);
  const std::filesystem::path folder = argc > 1 ? argv[1] : "problems";
  const Problem problem = read_problem_file(folder / "kelvin_helmholtz.toml").problem;
  const double bandwidth = triad_bandwidth();
  fmt::print("memory bandwidth (triad, one thread)  {:.1f} GB/s\n", bandwidth / 1e9);

  Fvm first;
  first.flux = FvmFlux::rusanov;
  first.reconstruction = FvmReconstruction::first;
  const std::size_t n = smallest ? 16 : 512, n_layer = smallest ? 16 : 128;
  const double end = smallest ? 0.1 : 2;
  Gas gas(problem, first, n);
  auto fast = make_euler_stepper(gas.balance, gas.solver.law(), gas.solver.gas(), gas.mesh,
                                 gas.solver.scheme(), FvmTime::euler, 1);
  const double bound = bandwidth / (2 * 8.0 * 4);  // a step reads and writes q
  const double rate = updates_per_second(gas, *fast, 20);
  fmt::print("Euler {} x {}, first order, Rusanov, one thread\n", n, n);
  fmt::print("  kernels               {:.3g} cell updates/s (bar 5e7{}; memory alone {:.3g})\n",
             rate, rate > 5e7 ? "" : ": MISSED", bound);
  const auto plain = make_stepper(gas.balance, FvmTime::euler);
  fmt::print("  compiled expressions  {:.3g} cell updates/s\n", updates_per_second(gas, *plain, 1));

  Fvm notes;
  notes.flux = FvmFlux::rusanov;
  notes.reconstruction = FvmReconstruction::muscl_hancock;
  notes.limiter = FvmLimiter::none;
  Gas layer(problem, notes, n_layer);
  auto stepper = make_euler_stepper(layer.balance, layer.solver.law(), layer.solver.gas(),
                                    layer.mesh, layer.solver.scheme(), FvmTime::euler, 1);
  const auto totals = [&] {
    std::vector<double> all;
    for (const auto& row : layer.q) {
      double sum = 0, size = 0;
      for (const double x : row) {
        sum += x;
        size += std::abs(x);
      }
      all.push_back(sum);
      all.push_back(size);
    }
    return all;
  };
  const std::vector<double> before = totals();
  int steps = 0;
  double t = 0;
  const double took = seconds([&] {
    double largest = stepper->largest_step(t, layer.q);
    while (t < end && largest > 0) {
      const double dt = std::min(0.4 * largest, end - t);
      largest = stepper->step(t, dt, layer.q);
      t += dt;
      ++steps;
    }
  });
  const std::vector<double> after = totals();
  double drift = 0;
  for (std::size_t k = 0; k < before.size(); k += 2) {
    drift = std::max(drift, std::abs(after[k] - before[k]) / before[k + 1]);
  }
  Rows w;
  layer.balance.fields(layer.q, w);
  const double rho = *std::min_element(w[0].begin(), w[0].end());
  const double p = *std::min_element(w[3].begin(), w[3].end());
  fmt::print("Kelvin-Helmholtz {} x {} to t = {:.3g}, MUSCL-Hancock, one thread\n", n_layer,
             n_layer, t);
  fmt::print(
      "  {} steps, {:.2f} s (bar 30 s{}); drift of mass, momentum, energy {:.1e} (bar 1e-12); "
      "least density {:.3f}, pressure {:.3f}\n",
      steps, took, took < 30 ? "" : ": MISSED", drift, rho, p);
  return drift < 1e-12 && rho > 0 && p > 0 && t >= end ? 0 : 1;
}
