#include <cmath>

#include <cauchy/math/lapack.hpp>
#include <cauchy/math/quadrature.hpp>
#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {
namespace {

/// u'' = J on [0, 1], u = 0 at both ends, by n hats: alpha from -L alpha = F, F_k = int J phi_k.
std::vector<double> hat_solution(std::size_t n, double (*source)(double), double sign = -1) {
  const double h = 1 / (double(n) + 1);
  Matrix stiffness(n, n);
  std::vector<double> alpha(n);
  for (std::size_t i = 0; i < n; ++i) {
    stiffness(i, i) = sign * 2 / h;
    if (i > 0) stiffness(i, i - 1) = stiffness(i - 1, i) = -sign / h;
    const double at = h * double(i + 1);
    for (const double side : {-h, h}) {
      const Rule rule =
          scaled(gauss_legendre(10), std::min(at, at + side), std::max(at, at + side));
      alpha[i] += rule.integrate([&](double x) { return source(x) * (1 - std::abs(x - at) / h); });
    }
  }
  lu(stiffness).solve(VectorView<double>(alpha));
  return alpha;
}

}  // namespace

void make_hat_functions(Output& out) {
  // u'' = J with u = x (1 - x) exp(2 x).
  const auto u = [](double x) { return x * (1 - x) * std::exp(2 * x); };
  const auto source = [](double x) { return std::exp(2 * x) * (2 - 8 * x + 4 * x * (1 - x)); };
  const std::size_t n = 7;
  const double h = 1 / (double(n) + 1);
  const std::vector<double> alpha = hat_solution(n, source), flipped = hat_solution(n, source, 1);
  double at_nodes = 0;
  for (std::size_t i = 0; i < n; ++i) {
    at_nodes = std::max(at_nodes, std::abs(alpha[i] - u(h * double(i + 1))));
  }
  out.check("error at the nodes (none in one dimension)", at_nodes, 0, 1e-12);
  out.check("with L alpha = F, u(1/2) has the wrong sign", flipped[3], -u(0.5), 1e-12);
  const auto largest = [&](std::size_t size) {
    std::vector<double> a = hat_solution(size, source);
    a.insert(a.begin(), 0);
    a.push_back(0);
    double most = 0;
    for (int k = 0; k < 1000; ++k) {
      const double place = k / 1000.0 * double(size + 1);
      const auto cell = std::size_t(place);
      const double s = place - double(cell);
      most = std::max(most, std::abs((1 - s) * a[cell] + s * a[cell + 1] - u(k / 1000.0)));
    }
    return most;
  };
  out.check("order of the largest error", std::log2(largest(31) / largest(63)), 2, 0.05);

  Plot plot({.title = "seven hats", .x = {.label = "x"}});
  std::vector<double> x, exact, nodes{0}, values{0};
  for (int i = 0; i <= 200; ++i) {
    x.push_back(i / 200.0);
    exact.push_back(u(x.back()));
  }
  for (std::size_t i = 0; i < n; ++i) {
    const double at = h * double(i + 1);
    const std::vector<double> hat_x{at - h, at, at + h}, hat_y{0, alpha[i], 0};
    plot.line(hat_x, hat_y,
              {.name = i == 0 ? "alpha_j phi_j" : "", .color = Color{150, 150, 150}, .width = 1});
    nodes.push_back(at);
    values.push_back(alpha[i]);
  }
  nodes.push_back(1);
  values.push_back(0);
  plot.line(x, exact, {.name = "u", .color = palette_color(0), .width = 2.4});
  plot.line(nodes, values, {.name = "u_h", .color = palette_color(1), .dashed = true});
  out.picture("hats", draw_figure({&plot}, {640, 400, 1}));
}

Artefact hat_functions_entry() {
  return {
      .id = "hat-functions",
      .kind = Kind::figure,
      .lecture = 2,
      .lines = "1882-1895, 1954-1983",
      .title = "A function as a sum of hats",
      .formula =
          R"(u_h = \sum_j \alpha_j \varphi_j, \quad -L\alpha = F, \quad L_{jk} = \int \varphi_j' \varphi_k'\,dx, \quad F_k = \int J \varphi_k\,dx)",
      .says =
          "Piecewise linear functions, one per node, approximate a smooth one; Galerkin's "
          "equations for u'' = J determine their heights.",
      .truth =
          "The footnote on the load (L alpha = F) has lost the minus sign of the equation "
          "before it. Hats are only continuous, not in C^1; their slopes exist in the weak "
          "sense, which is enough.",
      .page = "methods/fem.md",
      .seconds = 0.1,
      .file = "lecture_2/hat_functions.cpp",
      .make = make_hat_functions};
}

}  // namespace cauchy::notes
