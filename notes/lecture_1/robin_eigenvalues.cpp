#include <cmath>

#include <cauchy/math/quadrature.hpp>
#include <cauchy/problem/exact_solutions.hpp>
#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_robin_eigenvalues(Output& out) {
  constexpr double pi = std::numbers::pi;
  Plot values({.title = "eigenvalues", .x = {.label = "n"}, .y = {.label = "lambda_n"}});
  Plot relative({.title = "lower by", .x = {.label = "n"}, .y = {.label = "percent"}});
  bool falls = true, grows = true;
  for (const double alpha : {0.0, 0.05, 0.2, 1.0, 10.0}) {
    const std::vector<double> roots = robin_roots(alpha, 8);
    std::vector<double> n, lambda, shift;
    for (std::size_t k = 0; k < roots.size(); ++k) {
      n.push_back(double(k + 1));
      lambda.push_back(roots[k] * roots[k]);
      shift.push_back(100 * (1 - roots[k] / (pi * n[k])));
      if (k == 0 || alpha == 0) continue;
      falls = falls && shift[k] < shift[k - 1];
      grows = grows && n[k] * shift[k] > n[k - 1] * shift[k - 1];
    }
    const std::string name = fmt::format("alpha = {:g}", alpha);
    values.line(n, lambda, {.name = name, .markers = true});
    relative.line(n, shift, {.name = name, .markers = true});
    if (alpha != 1) continue;
    const double percent[] = {35, 22, 15};
    for (std::size_t k = 0; k < 3; ++k) {
      out.check(fmt::format("note {} is lower by, percent, alpha = 1", k + 1), shift[k], percent[k],
                0.5);
    }
  }
  out.require("relatively, the shift falls with n", falls);
  out.require("absolutely, it grows with n", grows);
  // The eigenfunctions sin(y_n x) are orthogonal, but not normed.
  const std::vector<double> y = robin_roots(1, 4);
  const Rule rule = scaled(gauss_legendre(40), 0, 1);
  double beside = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      const double product =
          rule.integrate([&](double x) { return std::sin(y[i] * x) * std::sin(y[j] * x); });
      if (i != j) beside = std::max(beside, std::abs(product));
      if (i == j && i == 0) {
        out.check("norm of the first eigenfunction, squared", product,
                  0.5 - std::sin(2 * y[0]) / (4 * y[0]), 1e-14);
      }
    }
  }
  out.check("largest product of two different ones", beside, 0, 1e-14);
  out.picture("eigenvalues", draw_figure({&values, &relative}, {460, 360, 2}),
              "A loose end lowers all notes; relatively, the low ones most.");
}

Artefact robin_eigenvalues_entry() {
  return {
      .id = "robin-eigenvalues",
      .kind = Kind::figure,
      .lecture = 1,
      .lines = "410-437, 496-503",
      .title = "Eigenvalues against the looseness of the end",
      .formula =
          R"(\tan\sqrt{\lambda_n} = -\alpha\sqrt{\lambda_n}, \quad \int_0^1 \sin(y_n x)\sin(y_m x)\,dx = 0 \text{ for } n \ne m)",
      .says =
          "Eigenvalues of the string with a loose end for several alpha; the effect is said "
          "to be larger for lower notes.",
      .truth =
          "That holds for the relative shift (35, 22, 15 percent for alpha = 1); the shift "
          "of the root itself grows with n, towards pi/2.",
      .page = "exact_solutions.md",
      .seconds = 0.1,
      .file = "lecture_1/robin_eigenvalues.cpp",
      .make = make_robin_eigenvalues};
}

}  // namespace cauchy::notes
