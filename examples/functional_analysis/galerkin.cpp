// Runs:    galerkin [PICTURE.svg]
// Expects: -u'' + b u' = 1 on ten elements with the norm |u'|: the Lax-Milgram constants M and
//          alpha = 1, errors orthogonal to the space in a(., .), Cea's bound; exit code 0.
#include <fmt/format.h>

#include <cauchy/math/functional.hpp>
#include <cauchy/math/quadrature.hpp>
#include <cauchy/report/figure.hpp>
#include <cmath>

using namespace cauchy;

int main(int argc, char** argv) {
  constexpr std::size_t n = 9;  // hat functions
  constexpr double h = 0.1;
  bool good = true;
  Plot plot({.title = "Galerkin's answers (marks) and exact ones", .x = {.label = "x"}});
  for (const double b : {1e-3, 4.0, 16.0, 64.0}) {
    Matrix gram(n, n), a(n, n);
    std::vector<double> c(n, h), x, exact, against(n + 2, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = i == 0 ? 0 : i - 1; j < std::min(n, i + 2); ++j) {
        gram(i, j) = (i == j ? 2 : -1) / h;
        a(i, j) = gram(i, j) + b / 2 * (static_cast<double>(j) - static_cast<double>(i));
      }
    }
    const FormReport form = examine_form(a, gram);
    lu(a).solve(VectorView<double>(c));
    c.insert(c.begin(), 0);
    c.push_back(0);
    const auto u = [&](double p) { return (p - (std::expm1(b * p) / std::expm1(b))) / b; };
    const auto slope = [&](double p) { return 1 / b - std::exp(b * (p - 1)) / -std::expm1(-b); };
    // |e'|^2 of the answer and of the best one (the interpolant); a(e, v) = int e' (v' + b v).
    double galerkin = 0, best = 0;
    for (std::size_t k = 0; k <= n + 1; ++k) {
      x.push_back(h * static_cast<double>(k));
      exact.push_back(u(x.back()));
    }
    for (std::size_t k = 0; k <= n; ++k) {
      const Rule rule = scaled(gauss_legendre(12), x[k], x[k + 1]);
      for (std::size_t q = 0; q < rule.size(); ++q) {
        const double at = slope(rule.nodes[q]), w = rule.weights[q], s = (rule.nodes[q] - x[k]) / h;
        const double e = at - (c[k + 1] - c[k]) / h;
        galerkin += w * e * e;
        best += w * std::pow(at - (exact[k + 1] - exact[k]) / h, 2);
        against[k] += w * e * (-1 / h + b * (1 - s));
        against[k + 1] += w * e * (1 / h + b * s);
      }
    }
    const double orthogonal = p_norm(std::span(against).subspan(1, n), INFINITY);
    fmt::print(
        "b = {:5}: M {:6.3f}, alpha {:.3f}, Cea {:6.3f}, {:.3f} times the best, a(e, v) {:.0e}\n",
        b, form.continuity, form.coercivity, form.cea(), std::sqrt(galerkin / best), orthogonal);
    good = good && std::abs(form.coercivity - 1) < 1e-12 &&
           galerkin <= best * form.cea() * form.cea() && orthogonal < 1e-10 &&
           form.symmetric(1e-3) == (b < 1);
    plot.line(x, c, {.name = fmt::format("b = {}", b), .markers = true});
    plot.line(x, exact, {.width = 0.8, .dashed = true});
  }
  if (argc > 1) save_picture(argv[1], draw_figure({&plot}, {.panel_width = 520}));
  return good ? 0 : 1;
}
