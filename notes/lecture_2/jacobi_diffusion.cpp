#include <cmath>

#include <cauchy/math/multigrid.hpp>
#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_jacobi_diffusion(Output& out) {
  // lap V = f in a square of 40 x 30 unknowns, V = 0 around it, f = -1 in the middle.
  const BoxOperator box{.axes = {{.n = 40}, {.n = 30}}};
  const SparseMatrix a = box.matrix();  // minus the Laplacian
  std::vector<double> minus_f(box.size(), 0), start(box.size()), lap(box.size());
  const auto xs = box.positions(0), ys = box.positions(1);
  for (std::size_t k = 0; k < start.size(); ++k) {
    const double x = xs[k / 30], y = ys[k % 30];
    minus_f[k] = std::hypot(x - 0.5, y - 0.5) < 0.2 ? 1 : 0;
    start[k] = 0.02 * std::sin(9 * x * y);
  }
  // A step of Euler's method for V_t = lap V - f, dt = Delta^2 / 2.
  const double dt = 0.5 / (41.0 * 41 + 31.0 * 31);
  std::vector<double> euler = start, sweep = start;
  a.multiply(start, lap);
  for (std::size_t k = 0; k < euler.size(); ++k) euler[k] += dt * (minus_f[k] - lap[k]);
  (void)jacobi(a, minus_f, sweep, {.tolerance = 1e-30, .max_iterations = 1});
  double differs = 0;
  for (std::size_t k = 0; k < euler.size(); ++k) {
    differs = std::max(differs, std::abs(euler[k] - sweep[k]));
  }
  out.check("one sweep against one step of diffusion", differs, 0, 1e-16);
  // This dt is the limit of stability; 2 percent more and the fastest mode grows.
  const auto grows = [&](double factor) {
    std::vector<double> v(box.size());
    for (std::size_t k = 0; k < v.size(); ++k) v[k] = (k / 30 + k % 30) % 2 == 0 ? 1 : -1;
    for (int step = 0; step < 2000; ++step) {
      a.multiply(v, lap);
      for (std::size_t k = 0; k < v.size(); ++k) v[k] -= factor * dt * lap[k];
    }
    double size = 0;
    for (const double x : v) size = std::max(size, std::abs(x));
    return size;
  };
  const double stable = grows(1), unstable = grows(1.02);
  out.require("a checkerboard decays with dt = Delta^2 / 2", stable < 1);
  out.require("and grows a million times with 2 percent more", unstable > 1e6);
  std::vector<Plot> panels;
  for (const std::size_t sweeps : {10u, 100u, 1000u}) {
    std::vector<double> v(box.size(), 0);
    (void)jacobi(a, minus_f, v, {.tolerance = 1e-30, .max_iterations = sweeps});
    panels.emplace_back(PlotOptions{
        .title = fmt::format("{} sweeps, t = {:.3f}", sweeps, double(sweeps) * dt), .grid = false});
    panels.back().heat_map(MatrixView<const double>(v.data(), 40, 30), {0, 1}, {0, 1});
  }
  out.picture("relaxation", draw_figure({&panels[0], &panels[1], &panels[2]}, {340, 300, 3}),
              "The iteration is heat that spreads until it rests.");
}

Artefact jacobi_diffusion_entry() {
  return {
      .id = "jacobi-diffusion",
      .kind = Kind::figure,
      .lecture = 2,
      .lines = "1432-1457",
      .title = "Jacobi's iteration is a diffusion in time",
      .formula =
          R"(V^{n+1} - V^n = \frac{\Delta^2}{2}(\Delta_h V^n - f), \quad \Delta t = \frac{\Delta^2}{2})",
      .says =
          "A sweep of Jacobi's method is an explicit step of the heat equation with a source; "
          "the answer is its steady state.",
      .truth = "",
      .page = "methods/linear-solvers.md",
      .seconds = 0.3,
      .file = "lecture_2/jacobi_diffusion.cpp",
      .make = make_jacobi_diffusion};
}

}  // namespace cauchy::notes
