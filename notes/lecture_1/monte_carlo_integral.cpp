#include <cmath>

#include <cauchy/base/rng.hpp>
#include <cauchy/report/figure.hpp>
#include <cauchy/sampling/integrate.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_monte_carlo_integral(Output& out) {
  const double exact = std::numbers::e - 1;  // of exp over [0, 1]
  const auto f = [](std::span<const double> x) { return std::exp(x[0]); };
  struct Density {
    const char* name;
    double (*pdf)(std::span<const double>);
    double (*draw)(double);
    double variance;  // int f^2 / pdf dx - I^2
  };
  const double e = std::numbers::e;
  const Density all[] = {
      {"uniform", [](std::span<const double>) { return 1.0; }, [](double y) { return y; },
       (e * e - 1) / 2 - exact * exact},
      {"2 (1 + x) / 3", [](std::span<const double> x) { return 2 * (1 + x[0]) / 3; },
       [](double y) { return std::sqrt(1 + 3 * y) - 1; }, 0.02690843},
      {"proportional to f",
       [](std::span<const double> x) { return std::exp(x[0]) / (std::numbers::e - 1); },
       [](double y) { return std::log1p(y * (std::numbers::e - 1)); }, 0}};
  Plot plot({.title = "integral of exp over [0, 1]",
             .x = {.label = "points N", .scale = AxisScale::log},
             .y = {.label = "root mean square error", .scale = AxisScale::log}});
  for (const Density& q : all) {
    const auto draw = [&](Rng& rng, std::span<double> row) { row[0] = q.draw(rng.uniform()); };
    std::vector<double> sizes, errors;
    constexpr int runs = 400;
    double bias = 0;
    for (const std::size_t n : {16u, 64u, 256u, 1024u}) {
      double square = 0;
      for (int run = 0; run < runs; ++run) {
        const double wrong =
            integrate_importance(f, q.pdf, draw, 1, n, std::uint64_t(run)).value - exact;
        square += wrong * wrong / runs;
        if (n == 16) bias += wrong / runs;
      }
      sizes.push_back(double(n));
      errors.push_back(std::sqrt(square));
    }
    if (q.variance == 0) {
      out.check("error with a density proportional to f", errors.back(), 0, 1e-14);
      continue;
    }
    // N times the mean square error, from 400 runs: the variance to +- 4 sqrt(2 / 400).
    out.check(fmt::format("N Var(I_N), density {}", q.name), 16 * errors[0] * errors[0], q.variance,
              0.28 * q.variance);
    out.check(fmt::format("slope, density {}", q.name),
              std::log(errors[3] / errors[0]) / std::log(64.0), -0.5, 0.05);
    out.check(fmt::format("mean error of 400 runs, density {}", q.name), bias, 0,
              4 * std::sqrt(q.variance / 16 / runs));
    plot.line(sizes, errors, {.name = q.name, .markers = true});
  }
  out.picture("errors", draw_figure({&plot}, {560, 380, 1}),
              "A density that follows the integrand lowers the error; the rate stays.");
}

Artefact monte_carlo_integral_entry() {
  return {
      .id = "monte-carlo-integral",
      .kind = Kind::figure,
      .lecture = 1,
      .lines = "1073-1122",
      .title = "Monte Carlo integration and its variance",
      .formula =
          R"(I_N = \frac{1}{N}\sum_{i=1}^N \frac{f(X_i)}{p(X_i)}, \quad \text{Var}(I_N) = \frac{1}{N}\left(\int_D \frac{f^2}{p}\,dx - I^2\right))",
      .says =
          "The mean of f / p over points with density p estimates an integral without bias; "
          "its error falls like the root of the number of points.",
      .truth =
          "The text tells of accepting and rejecting points, but the formula is a weighted "
          "mean; the integrals of the variance go over D, where the density lives, not over "
          "Omega. A density proportional to f has no variance at all.",
      .page = "sampling.md",
      .seconds = 0.1,
      .file = "lecture_1/monte_carlo_integral.cpp",
      .make = make_monte_carlo_integral};
}

}  // namespace cauchy::notes
