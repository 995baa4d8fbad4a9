// The potential of a plate capacitor in a grounded box, by Jacobi's method as in the lecture notes
// and by multigrid. laplacian(V) = rho with spacing 1: V <- (sum of the four neighbours - rho) / 4.
//
// Runs:    capacitor_plates [PICTURE.svg]
// Expects: after 5000 sweeps the potential has the symmetries of the plates, is within 2 % of the
//          fixed point, and one more sweep changes the fixed point by rounding only; exit code 0.
#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include <cauchy/math/matrix.hpp>
#include <cauchy/math/multigrid.hpp>
#include <cauchy/report/figure.hpp>

int main(int argc, char** argv) {
  using namespace cauchy;
  // 100 x 100 nodes, of which those of the border are grounded: 98 x 98 unknowns.
  const std::size_t n = 98;
  const BoxOperator box{.axes = {{.n = n, .upper = n + 1.0}, {.n = n, .upper = n + 1.0}}};
  std::vector<double> minus_rho(n * n, 0), jacobi_v(n * n, 0), v(n * n, 0);
  for (std::size_t column = 20; column < 80; ++column) {
    minus_rho[44 * n + column - 1] = -0.25;  // row 45 of all 100
    minus_rho[54 * n + column - 1] = +0.25;  // row 55
  }
  const SparseMatrix laplacian = box.matrix();  // with the sign that makes it positive
  const IterationResult sweeps =
      jacobi(laplacian, minus_rho, jacobi_v, {.tolerance = 1e-14, .max_iterations = 5000});
  const IterationResult cycles = BoxMultigrid(box).solve(minus_rho, v, {.tolerance = 1e-12});

  double largest = 0, difference = 0, mirrored = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const double here = jacobi_v[i * n + j];
      largest = std::max(largest, std::abs(v[i * n + j]));
      difference = std::max(difference, std::abs(here - v[i * n + j]));
      // The plates lie at rows 45 and 55 of 0 ... 99, columns 20 ... 79: even from left to right.
      mirrored = std::max(mirrored, std::abs(here - jacobi_v[i * n + n - 1 - j]));
    }
  }
  std::vector<double> once = v;
  jacobi(laplacian, minus_rho, once, {.tolerance = 1e-14, .max_iterations = 1});
  double change = 0;
  for (std::size_t i = 0; i < v.size(); ++i) change = std::max(change, std::abs(once[i] - v[i]));
  fmt::print("{} sweeps: residual {:.1e}; {} cycles: residual {:.1e}\n", sweeps.iterations,
             sweeps.residual(), cycles.iterations, cycles.residual());
  fmt::print("largest |V| {:.4f}, sweeps miss it by {:.1e}\n", largest, difference);

  Plot plot({.title = "potential of two charged plates",
             .color = {.label = "V", .map = Colormap::diverging},
             .equal_aspect = true});
  plot.heat_map(MatrixView<const double>(v.data(), n, n), {0.5, 98.5}, {0.5, 98.5});
  if (argc > 1) save_picture(argv[1], draw_figure({&plot}));
  const bool good = mirrored < 1e-12 && difference < 0.02 * largest && change < 1e-11 * largest &&
                    sweeps.iterations == 5000 && cycles.converged();
  return good ? 0 : 1;
}
