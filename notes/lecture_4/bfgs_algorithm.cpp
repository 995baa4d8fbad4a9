#include <cmath>
#include <vector>

#include <cauchy/math/eigenvalues.hpp>
#include <cauchy/optimizers/line_search.hpp>
#include <cauchy/optimizers/minimize.hpp>
#include <cauchy/optimizers/quasi_newton.hpp>
#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {
namespace {

double banana(std::span<const double> x, std::span<double> g) {  // Rosenbrock's function
  const double a = x[1] - x[0] * x[0], b = 1 - x[0];
  if (!g.empty()) g[0] = -400 * a * x[0] - 2 * b, g[1] = 200 * a;
  return 100 * a * a + b * b;
}

/// B <- (I - rho s y') B (I - rho y s') + rho s s', as it stands in the notes.
void bfgs_update(Matrix& b, std::span<const double> s, std::span<const double> y) {
  const std::size_t n = s.size();
  double ys = 0;
  for (std::size_t i = 0; i < n; ++i) ys += y[i] * s[i];
  if (!(ys > 0)) return;
  Matrix left = Matrix::identity(n), half(n, n), next(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) left(i, j) -= s[i] * y[j] / ys;
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t k = 0; k < n; ++k) half(i, j) += left(i, k) * b(k, j);
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      next(i, j) = s[i] * s[j] / ys;
      for (std::size_t k = 0; k < n; ++k) next(i, j) += half(i, k) * left(j, k);
    }
  }
  b = next;
}

}  // namespace

void make_bfgs_algorithm(Output& out) {
  FunctionObjective f(2, banana);
  std::vector<double> x = {-1.2, 1}, g(2), p(2), s(2), y(2), px, py;
  Matrix b = Matrix::identity(2);
  LineSearch search;
  double value = f.gradient(x, g), secant = 0, least = 1;
  int steps = 0;
  for (; std::hypot(g[0], g[1]) > 1e-8 && steps < 200; ++steps) {
    px.push_back(x[0]), py.push_back(x[1]);
    for (std::size_t i = 0; i < 2; ++i) p[i] = -b(i, 0) * g[0] - b(i, 1) * g[1];
    const auto r = search.search(f, x, p, value, p[0] * g[0] + p[1] * g[1],
                                 steps == 0 ? 1 / std::hypot(g[0], g[1]) : 1);
    for (std::size_t i = 0; i < 2; ++i) {
      s[i] = search.point()[i] - x[i];
      y[i] = search.gradient()[i] - g[i];
      x[i] = search.point()[i];
      g[i] = search.gradient()[i];
    }
    value = r.at.value;
    bfgs_update(b, s, y);
    for (std::size_t i = 0; i < 2; ++i) {
      secant = std::max(secant,
                        std::abs(b(i, 0) * y[0] + b(i, 1) * y[1] - s[i]) / std::hypot(s[0], s[1]));
    }
    for (const auto& e : eigenvalues(b).values) least = std::min(least, e.real());
  }
  px.push_back(x[0]), py.push_back(x[1]);
  out.check("largest |B y - s| / |s|: the secant equation", secant, 0, 1e-9);
  out.require("B stays positive definite", least > 0);
  out.check("distance from the minimum (1, 1)", std::hypot(x[0] - 1, x[1] - 1), 0, 1e-7);
  // B becomes the inverse of the Hessian at (1, 1), ((802, -400), (-400, 200)): B_11 = 200 / 400.
  out.check("B_11 in the end, exact 1/2", b(0, 0), 0.5, 0.05);
  QuasiNewton library({.update = QuasiNewtonUpdate::bfgs, .initial_scaling = false});
  std::vector<double> z = {-1.2, 1};
  const MinimizeReport m = minimize(library, f, z, {.gradient_tolerance = 1e-8});
  out.check("steps less those of the optimiser of the library", double(steps), double(m.iterations),
            3);
  Plot plot({.title = "Rosenbrock's valley",
             .x = {.label = "x"},
             .y = {.label = "y"},
             .color = {.label = "f", .scale = AxisScale::log},
             .grid = false});
  Matrix map(80, 100);
  for (std::size_t i = 0; i < 80; ++i) {
    for (std::size_t j = 0; j < 100; ++j) {
      const std::vector<double> at = {-1.5 + 3 * (double(j) + 0.5) / 100,
                                      -0.5 + (double(i) + 0.5) / 40};
      map(i, j) = banana(at, {}) + 1e-2;
    }
  }
  plot.heat_map(map, {-1.5, 1.5}, {-0.5, 1.5});
  plot.line(px, py, {.name = "BFGS", .color = Color{230, 60, 40}, .markers = true});
  out.picture("path", draw_figure({&plot}, {600, 420, 1}), fmt::format("{} steps.", steps));
}

Artefact bfgs_algorithm_entry() {
  return {.id = "bfgs",
          .kind = Kind::algorithm,
          .lecture = 4,
          .lines = "5421-5443",
          .title = "BFGS",
          .formula =
              "B_{k+1} = (I - \\rho s y^\\top) B_k (I - \\rho s y^\\top)^\\top + \\rho s "
              "s^\\top, \\quad \\rho = \\frac{1}{y^\\top s}",
          .says =
              "A quasi-Newton method: an approximation of the inverse Hessian learns from the "
              "changes of the gradient.",
          .truth =
              "B is the inverse of the Hessian in the algorithm but is called the Hessian in "
              "the text; the update itself is right.",
          .page = "optimizers.md",
          .seconds = 0.1,
          .file = "lecture_4/bfgs_algorithm.cpp",
          .make = make_bfgs_algorithm};
}

}  // namespace cauchy::notes
