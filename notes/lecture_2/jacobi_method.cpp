#include <algorithm>
#include <cmath>

#include <cauchy/math/multigrid.hpp>
#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_jacobi_method(Output& out) {
  constexpr double pi = std::numbers::pi;
  // lap V = f in the unit cube, V = 0 outside; exact V = sin(pi x) sin(pi y) sin(pi z).
  const auto cube = [&](std::size_t n, bool by_sweeps) {
    const std::size_t m[] = {12 * n - 1, 16 * n - 1, 8 * n - 1};  // spacings 1 / (m + 1)
    const BoxOperator box{.axes = {{.n = m[0]}, {.n = m[1]}, {.n = m[2]}}};
    std::vector<double> minus_f, exact, v(box.size(), 0);
    for (const double x : box.positions(0)) {
      for (const double y : box.positions(1)) {
        for (const double z : box.positions(2)) {
          exact.push_back(std::sin(pi * x) * std::sin(pi * y) * std::sin(pi * z));
          minus_f.push_back(3 * pi * pi * exact.back());
        }
      }
    }
    double error = 0, radius = 0, weights = 0;
    for (const std::size_t k : m) {
      const double h = 1 / (double(k) + 1);
      radius += std::cos(pi * h) / (h * h);
      weights += 1 / (h * h);
    }
    if (by_sweeps) {
      const auto sweeps = jacobi(box.matrix(), minus_f, v, {.tolerance = 1e-10});
      const auto& r = sweeps.residuals;
      out.check("factor of the residual per sweep", r.back() / r[r.size() - 2], radius / weights,
                1e-6);
      out.require("the sweeps converge", sweeps.converged());
    } else {
      (void)BoxMultigrid(box).solve(minus_f, v, {.tolerance = 1e-12});
    }
    for (std::size_t k = 0; k < v.size(); ++k) error = std::max(error, std::abs(v[k] - exact[k]));
    return error;
  };
  const double coarse = cube(1, true), direct = cube(1, false), fine = cube(2, false);
  out.check("error after the sweeps over that of a direct solver", coarse / direct, 1, 1e-5);
  out.check("order of the differences", std::log2(coarse / fine), 2, 0.05);

  // As printed, the change is measured before the boundary is put right: V = 1 there, f = 0.
  const std::size_t n = 21;
  Matrix v(n, n), u(n, n);
  const auto inside = [&](std::size_t i, std::size_t j) {
    return i > 0 && j > 0 && i + 1 < n && j + 1 < n;
  };
  Plot plot({.title = "when does the loop end?",
             .x = {.label = "sweep"},
             .y = {.label = "largest change", .scale = AxisScale::log}});
  std::vector<double> sweep, printed, free_nodes;
  for (int k = 0; k < 1500; ++k) {
    double everywhere = 0, free = 0;
    const auto at = [&](std::size_t i, std::size_t j) { return i < n && j < n ? v(i, j) : 0.0; };
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        u(i, j) = (at(i + 1, j) + at(i - 1, j) + at(i, j + 1) + at(i, j - 1)) / 4;
        everywhere = std::max(everywhere, std::abs(v(i, j) - u(i, j)));
        if (inside(i, j)) free = std::max(free, std::abs(v(i, j) - u(i, j)));
      }
    }
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) v(i, j) = inside(i, j) ? u(i, j) : 1;
    }
    sweep.push_back(k);
    printed.push_back(everywhere);
    free_nodes.push_back(free);
  }
  out.check("printed: the change after 1,500 sweeps", printed.back(), 0.5, 1e-6);
  out.check("at free nodes: the change after 1,500 sweeps", free_nodes.back(), 0, 1e-8);
  plot.line(sweep, printed, {.name = "as printed: at all nodes"});
  plot.line(sweep, free_nodes, {.name = "at free nodes"});
  out.picture("change", draw_figure({&plot}, {560, 360, 1}),
              "Measured at all nodes before the boundary is imposed, the change never gets small.");
}

Artefact jacobi_method_entry() {
  return {
      .id = "jacobi",
      .kind = Kind::algorithm,
      .lecture = 2,
      .lines = "1363-1430",
      .title = "Jacobi's method for Poisson's equation",
      .formula =
          R"(V \leftarrow \frac{\Delta^2}{2}\left(\sum_{i} \frac{V_{+i} + V_{-i}}{h_i^2} - f\right), \quad \frac{1}{\Delta^2} = \sum_i \frac{1}{h_i^2}
\rho = \frac{\sum_i \cos(\pi h_i) / h_i^2}{\sum_i 1 / h_i^2})",
      .says =
          "Every value becomes a mean of its neighbours until the largest change is below a "
          "threshold; then the boundary is imposed again.",
      .truth =
          "The update is right. The change has to be measured at free nodes, or after the "
          "boundary was imposed: as printed it need not fall below any threshold, and the "
          "loop does not end. The nodes begin with 0 (N + 1 of them), and the first "
          "argument is N_x.",
      .page = "methods/linear-solvers.md",
      .seconds = 0.2,
      .file = "lecture_2/jacobi_method.cpp",
      .make = make_jacobi_method};
}

}  // namespace cauchy::notes
