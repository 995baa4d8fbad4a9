// Poisson's equation on the unit square by multigrid: cycles, seconds and the bar; then the same
// system, smaller, by a direct solver and by conjugate gradients.
//   bench_poisson [--smallest]
// Ends with 1 when a multigrid needs too many cycles; what is too slow is said.
#include <chrono>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include <cauchy/math/multigrid.hpp>

#include "bench_options.hpp"

using namespace cauchy;

namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct Case {
  BoxOperator op;
  std::vector<double> f;
};

Case make_case(std::size_t n, bool cells) {
  Case c{{.axes = {{.n = n, .cells = cells}, {.n = n, .cells = cells}}}, {}};
  const std::vector<double> x = c.op.positions(0);
  for (const double s : x) {
    for (const double t : x) c.f.push_back(std::exp(s) * std::sin(7 * t) + (s > t ? 1 : 0));
  }
  return c;
}

/// Whether the cycles and the seconds are within the bar.
struct Verdict {
  bool cycles = true, seconds = true;
};

Verdict multigrid(std::size_t n, bool cells, int threads, const MultigridOptions& options = {}) {
  const Case c = make_case(n, cells);
  Threads pool(threads);
  const auto start = std::chrono::steady_clock::now();
  BoxMultigrid grid(c.op, options, &pool);
  const double setup = seconds_since(start);
  std::vector<double> u(c.f.size(), 0);
  const IterationResult result = grid.solve(c.f, u, {.tolerance = 1e-10, .max_iterations = 50});
  const double seconds = seconds_since(start);
  fmt::print(
      "multigrid {:>8} {:>5}^2, {} threads: {:>2} cycles to {:.1e}, {:.3f} s (setup {:.3f} s)\n",
      cells ? "cells" : "nodes", n, threads, result.iterations, result.residual(), seconds, setup);
  return {result.converged() && result.iterations <= 12, seconds < 2};
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t coarser = bench::take_smallest(argc, argv) ? 16 : 1;
  Verdict good;
  for (const int threads : {1, 2}) {
    for (const bool cells : {false, true}) {
      const Verdict v = multigrid(1024 / coarser - (cells ? 0 : 1), cells, threads);
      good = {good.cycles && v.cycles, good.seconds && v.seconds};
    }
  }
  multigrid(1000 / coarser, false, 2);
  const std::size_t n_nodes = 1024 / coarser - 1;
  multigrid(n_nodes, false, 2, {.cycle = MultigridCycle::f});
  multigrid(n_nodes, false, 2, {.cycle = MultigridCycle::w});
  multigrid(n_nodes, false, 2, {.krylov = MultigridKrylov::conjugate_gradients});
  fmt::print("bar: at most 12 cycles and 2 s for 1024^2 on 2 threads: {}\n",
             good.cycles && good.seconds ? "kept" : "MISSED");

  const std::size_t n = 256 / coarser - 1;
  multigrid(n, false, 1);
  const Case c = make_case(n, false);
  const SparseMatrix a = c.op.matrix();
  auto start = std::chrono::steady_clock::now();
  std::vector<double> u = c.f;
  SparseCholesky(a).solve(u);
  fmt::print("SparseCholesky     {:>5}^2: {:.3f} s\n", n, seconds_since(start));
  start = std::chrono::steady_clock::now();
  u.assign(u.size(), 0);
  const IterationResult cg = conjugate_gradients(a, c.f, u);
  fmt::print("conjugate gradients{:>5}^2: {} iterations, {:.3f} s\n", n, cg.iterations,
             seconds_since(start));
  start = std::chrono::steady_clock::now();
  u.assign(u.size(), 0);
  const GridMultigrid any(a, {n, n});
  const IterationResult galerkin = any.solve(c.f, u);
  fmt::print("GridMultigrid      {:>5}^2: {} iterations, {:.3f} s\n", n, galerkin.iterations,
             seconds_since(start));
  return good.cycles ? 0 : 1;
}
