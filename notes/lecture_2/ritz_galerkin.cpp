#include <cmath>

#include <cauchy/math/functional.hpp>
#include <cauchy/optimizers/lbfgs.hpp>
#include <cauchy/optimizers/minimize.hpp>
#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_ritz_galerkin(Output& out) {
  // -u'' + b u' = 1 on ten elements, u = 0 at both ends.
  constexpr std::size_t n = 9;
  constexpr double h = 0.1;
  std::vector<Plot> panels;
  for (const double b : {0.0, 10.0}) {
    Matrix a(n, n), gram(n, n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = i == 0 ? 0 : i - 1; j < std::min(n, i + 2); ++j) {
        gram(i, j) = (i == j ? 2 : -1) / h;
        a(i, j) = gram(i, j) + b / 2 * (double(j) - double(i));
      }
    }
    const FormReport form = examine_form(a, gram);
    // Galerkin: A c = F. Ritz: the lowest energy c' A c / 2 - F' c, found by L-BFGS.
    std::vector<double> galerkin(n, h), ritz(n, 0.0);
    lu(a).solve(VectorView<double>(galerkin));
    FunctionObjective energy(n, [&](std::span<const double> c, std::span<double> g) {
      double value = 0;
      for (std::size_t i = 0; i < n; ++i) {
        double left = 0, right = 0;
        for (std::size_t j = 0; j < n; ++j) {
          left += a(i, j) * c[j];
          right += a(j, i) * c[j];
        }
        value += c[i] * left / 2 - h * c[i];
        if (!g.empty()) g[i] = (left + right) / 2 - h;
      }
      return value;
    });
    Lbfgs method;
    (void)minimize(method, energy, ritz, {.gradient_tolerance = 1e-13, .max_iterations = 500});
    double differs = 0;
    for (std::size_t i = 0; i < n; ++i)
      differs = std::max(differs, std::abs(ritz[i] - galerkin[i]));
    const auto exact = [&](double x) {
      return b == 0 ? x * (1 - x) / 2 : (x - std::expm1(b * x) / std::expm1(b)) / b;
    };
    if (b == 0) {
      out.check("b = 0: both vectors differ by", differs, 0, 1e-10);
      out.check("b = 0: u(1/2), exact at nodes", galerkin[4], 0.125, 1e-14);
      out.require("b = 0: the form is symmetric", form.symmetric());
    } else {
      out.require("b = 10: the form is not symmetric, but coercive",
                  !form.symmetric(1e-3) && form.coercive());
      out.check("b = 10: u(1/2) by Galerkin", galerkin[4], exact(0.5), 4e-3);
      out.check("b = 10: the energy knows nothing of b, its minimum is", ritz[4], 0.125, 1e-10);
    }
    out.check(fmt::format("b = {:g}: coercivity in |u'|", b), form.coercivity, 1, 1e-12);
    Plot& plot =
        panels.emplace_back(PlotOptions{.title = fmt::format("b = {:g}", b), .x = {.label = "x"}});
    std::vector<double> nodes, x, u;
    for (std::size_t i = 0; i < n; ++i) nodes.push_back(h * double(i + 1));
    for (int i = 0; i <= 100; ++i) {
      x.push_back(i / 100.0);
      u.push_back(exact(x.back()));
    }
    plot.line(x, u, {.name = "exact"});
    plot.scatter(nodes, galerkin, {.name = "Galerkin", .radius = 5});
    plot.scatter(nodes, ritz, {.name = "Ritz", .radius = 2.5});
  }
  out.picture("both", draw_figure({&panels[0], &panels[1]}, {440, 340, 2}),
              "Without a drift both are the same; with one there is no energy to minimise.");
  out.table("comparison",
            {{"", "Ritz", "Galerkin"},
             {"principle", "lowest energy", "residual orthogonal to the test functions"},
             {"needs", "a symmetric form", "any weak form; other test functions: Petrov-Galerkin"},
             {"essential conditions", "built into the functions", "built into the functions"},
             {"natural conditions", "come out of the minimum", "stand in the weak form"},
             {"matrix", "symmetric positive definite", "may be neither"}},
            "the box of the notes");
}

Artefact ritz_galerkin_entry() {
  return {
      .id = "ritz-galerkin",
      .kind = Kind::recipe,
      .lecture = 2,
      .lines = "2075-2107",
      .title = "Ritz and Galerkin",
      .formula =
          R"(E(v) = \frac{1}{2} a(v, v) - f(v) \to \min, \quad a(u, v) = f(v) \text{ for all } v)",
      .says = "A comparison of both methods; for Poisson's equation they coincide.",
      .truth =
          "With +c u on the left (line 2070) c > 0 is decay and c < 0 growth; the notes say "
          "the opposite. In the theorem of Lax and Milgram the solution is called u_M and u.",
      .page = "methods/fem.md",
      .seconds = 0.1,
      .file = "lecture_2/ritz_galerkin.cpp",
      .make = make_ritz_galerkin};
}

}  // namespace cauchy::notes
