#include <cmath>
#include <vector>

#include <cauchy/math/polynomials.hpp>
#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {
namespace {

/// The recurrence of the listing.
std::vector<double> listed_jacobi(double x, double a, double b, int degree) {
  std::vector<double> p = {1, ((a - b) + (a + b + 2) * x) / 2};
  for (int i = 2; i <= degree; ++i) {
    const double s = 2 * i + a + b;
    const double k0 = s * (s - 1) / (2 * i * (i + a + b));
    const double k1 = (s - 1) * (a * a - b * b) / (2 * i * (i + a + b) * (s - 2));
    const double k2 = (i + a - 1) * (i + b - 1) * s / (i * (i + a + b) * (s - 2));
    p.push_back((k0 * x + k1) * p[std::size_t(i - 1)] - k2 * p[std::size_t(i - 2)]);
  }
  return p;
}

}  // namespace

void make_jacobi_kan(Output& out) {
  double off = 0;
  for (const auto& [a, b] : {std::pair{1.0, 1.0}, {0.3, -0.4}, {2.0, 0.5}}) {
    for (double x = -1; x <= 1; x += 0.05) {
      std::vector<double> values(9);
      OrthogonalPolynomials::jacobi(a, b).evaluate(x, values);
      const std::vector<double> listed = listed_jacobi(x, a, b, 8);
      for (std::size_t i = 0; i < 9; ++i) off = std::max(off, std::abs(values[i] - listed[i]));
    }
  }
  out.check("largest difference of the listing from the library, degrees 0 to 8", off, 0, 1e-11);
  out.check("P_5^(1,1)(1) = 6 over 5", listed_jacobi(1, 1, 1, 5)[5], 6, 1e-12);
  out.check("degree 1 for a = b = 1 at x = 0.5: 2 x, not x", listed_jacobi(0.5, 1, 1, 1)[1], 1, 0);
  // Chebyshev polynomials are Jacobi polynomials up to factors; of the second kind with n + 2.
  const double first[] = {1, .5, .375, .3125, .2734375},
               second[] = {1, .75, .625, .546875, .4921875};
  const double x = 0.37, angle = std::acos(x);
  std::vector<std::vector<std::string>> rows = {
      {"n", "P(-1/2,-1/2) / T", "P(1/2,1/2) / U", "printed: Gamma(n+1)", "right: Gamma(n+2)"}};
  for (int n = 0; n < 5; ++n) {
    const double to_t = listed_jacobi(x, -.5, -.5, 5)[std::size_t(n)] / std::cos(n * angle);
    const double to_u =
        listed_jacobi(x, .5, .5, 5)[std::size_t(n)] * std::sin(angle) / std::sin((n + 1) * angle);
    const double printed = 2 * std::tgamma(n + 1.5) / (std::sqrt(pi) * std::tgamma(n + 1));
    const double right = 2 * std::tgamma(n + 1.5) / (std::sqrt(pi) * std::tgamma(n + 2));
    if (n > 0) out.check(fmt::format("P_{}^(-1/2,-1/2) / T_{}", n, n), to_t, first[n], 1e-12);
    out.check(fmt::format("P_{}^(1/2,1/2) / U_{}", n, n), to_u, second[n], 1e-12);
    out.check(fmt::format("2 Gamma(n + 3/2) / (sqrt(pi) Gamma(n + 2)), n = {}", n), right,
              second[n], 1e-12);
    rows.push_back({std::to_string(n), fmt::format("{:.7g}", to_t), fmt::format("{:.7g}", to_u),
                    fmt::format("{:.7g}", printed), fmt::format("{:.7g}", right)});
  }
  out.table("relations", rows);
  Plot plot({.title = "P_0 ... P_4 with a = b = 1", .x = {.label = "x"}});
  for (std::size_t n = 0; n <= 4; ++n) {
    std::vector<double> at, values;
    for (int i = -100; i <= 100; ++i) {
      at.push_back(i / 100.0);
      values.push_back(listed_jacobi(i / 100.0, 1, 1, 4)[n]);
    }
    plot.line(at, values, {.name = fmt::format("P_{}", n)});
  }
  out.picture("polynomials", draw_figure({&plot}, {560, 300, 1}));
}

Artefact jacobi_kan_entry() {
  return {
      .id = "jacobi-kan",
      .kind = Kind::listing,
      .lecture = 5,
      .lines = "6843-6890",
      .title = "A layer of Jacobi polynomials",
      .formula = "P_n^{(1/2, 1/2)} = \\frac{2 \\Gamma(n + 3/2)}{\\sqrt{\\pi} \\Gamma(n + 2)} U_n",
      .says =
          "The same layer with Jacobi polynomials by their recurrence; Legendre and "
          "Chebyshev polynomials are special cases.",
      .truth =
          "The relation to U_n needs Gamma(n + 2): as printed it is wrong by n + 1. The "
          "recurrence of the listing is right; its remark that degree 1 is x holds only "
          "for a = b = 0.",
      .page = "networks/kan.md",
      .seconds = 0.1,
      .file = "lecture_5/jacobi_kan.cpp",
      .make = make_jacobi_kan};
}

}  // namespace cauchy::notes
