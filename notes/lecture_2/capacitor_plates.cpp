#include <algorithm>
#include <cmath>

#include <cauchy/math/multigrid.hpp>
#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_capacitor_plates(Output& out) {
  // 100 x 100 nodes, those of the border are grounded: 98 x 98 unknowns. lap V = rho, h = 1.
  const std::size_t n = 98;
  const BoxOperator box{.axes = {{.n = n, .upper = n + 1.0}, {.n = n, .upper = n + 1.0}}};
  std::vector<double> minus_rho(n * n, 0), sweeps_v(n * n, 0), v(n * n, 0), other(n * n, 0);
  for (std::size_t column = 20; column < 80; ++column) {
    minus_rho[44 * n + column - 1] = -0.25;  // row 45 of all 100
    minus_rho[54 * n + column - 1] = +0.25;  // row 55
  }
  const SparseMatrix laplacian = box.matrix();  // with the sign that makes it positive
  (void)jacobi(laplacian, minus_rho, sweeps_v, {.tolerance = 1e-14, .max_iterations = 5000});
  (void)BoxMultigrid(box).solve(minus_rho, v, {.tolerance = 1e-12});
  std::vector<double> rho = minus_rho;
  for (double& r : rho) r = -r;
  (void)BoxMultigrid(box).solve(rho, other, {.tolerance = 1e-12});  // "+ f", as in the text
  double largest = 0, difference = 0, mirrored = 0, sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const std::size_t k = i * n + j;
      largest = std::max(largest, std::abs(v[k]));
      difference = std::max(difference, std::abs(sweeps_v[k] - v[k]));
      mirrored = std::max(mirrored, std::abs(v[k] - v[i * n + n - 1 - j]));
      sum = std::max(sum, std::abs(v[k] + other[k]));
    }
  }
  out.check("left against right", mirrored, 0, 1e-10);
  out.check("5,000 sweeps against the solution, share of the largest value", difference / largest,
            0, 0.02);
  out.check("with + f the potential has the other sign", sum, 0, 1e-10);
  // lap V = rho: the potential is low at positive rho.
  out.require("V is negative at row 45, where rho is positive", v[44 * n + 49] < 0);
  // Gauss: the flux out of a box around the upper plate is its charge, 60 x 0.25.
  double flux = 0;
  for (std::size_t i = 40; i < 50; ++i) {
    for (std::size_t j = 10; j < 88; ++j) {
      const auto across = [&](std::size_t a, std::size_t b) {
        flux += v[a * n + b] - v[i * n + j];
      };
      if (i == 40) across(39, j);
      if (i == 49) across(50, j);
      if (j == 10) across(i, 9);
      if (j == 87) across(i, 88);
    }
  }
  out.check("flux of grad V out of a box around one plate", flux, 60 * 0.25, 1e-8);
  Plot plot({.title = "potential of two charged plates",
             .color = {.label = "V", .map = Colormap::diverging},
             .equal_aspect = true,
             .grid = false});
  plot.heat_map(MatrixView<const double>(v.data(), n, n), {0.5, 98.5}, {0.5, 98.5});
  out.picture("plates", draw_figure({&plot}, {480, 420, 1}));
}

Artefact capacitor_plates_entry() {
  return {
      .id = "ho1-capacitor",
      .kind = Kind::exercise,
      .lecture = 2,
      .lines = "1399-1430",
      .title = "Hands-on 1.4: two charged plates",
      .formula =
          R"(V_{ij} \leftarrow \frac{1}{4}(V_{i+1,j} + V_{i-1,j} + V_{i,j+1} + V_{i,j-1} - \rho_{ij}))",
      .says = "The potential of a capacitor in a grounded box by 5,000 sweeps of Jacobi's method.",
      .truth =
          "The text of the exercise adds the charge, its code subtracts it; for lap V = rho "
          "the code is right. 5,000 sweeps are still two percent off: the factor per sweep "
          "is 0.9995.",
      .page = "methods/linear-solvers.md",
      .seconds = 0.4,
      .file = "lecture_2/capacitor_plates.cpp",
      .make = make_capacitor_plates};
}

}  // namespace cauchy::notes
