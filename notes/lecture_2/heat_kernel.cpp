#include <cmath>

#include <cauchy/math/quadrature.hpp>
#include <cauchy/math/series.hpp>
#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_heat_kernel(Output& out) {
  const double pi = std::numbers::pi;
  const auto line = [](double a, double b, const auto& f) {
    return scaled(gauss_legendre(200), a, b).integrate(f);
  };
  out.check("mass on the line, t = 0.1",
            line(-8, 8, [](double x) { return heat_kernel(x, 0.1, 1); }), 1, 1e-12);
  out.check("mass in the plane, t = 0.1",
            line(0, 8, [&](double r) { return 2 * pi * r * heat_kernel(r, 0.1, 2); }), 1, 1e-12);
  out.check(
      "semigroup on the line: 0.1 after 0.2 at x = 0.7",
      line(-8, 8, [](double y) { return heat_kernel(0.7 - y, 0.1, 1) * heat_kernel(y, 0.2, 1); }),
      heat_kernel(0.7, 0.3, 1), 1e-12);
  out.check("semigroup on (0, 1): 0.02 after 0.03 from 0.4 to 0.7",
            line(0, 1,
                 [](double y) {
                   return interval_heat_kernel(0.7, y, 0.02, 1) *
                          interval_heat_kernel(y, 0.4, 0.03, 1);
                 }),
            interval_heat_kernel(0.7, 0.4, 0.05, 1), 1e-12);
  // Long before the heat has reached the ends, the series of the interval is the kernel of the
  // line.
  out.check("series against the line, t = 0.002",
            interval_heat_kernel(0.55, 0.5, 0.002, 1) / heat_kernel(0.05, 0.002, 1), 1, 1e-12);
  out.check("late: one mode is left, t = 1", interval_heat_kernel(0.5, 0.5, 1, 1),
            2 * std::exp(-pi * pi), 1e-15);
  Plot plot({.title = "heat from x = 0.3 between cold ends",
             .x = {.label = "x"},
             .y = {.label = "kernel"}});
  for (const double t : {0.001, 0.005, 0.02, 0.08}) {
    std::vector<double> x, interval, free;
    for (int i = 0; i <= 200; ++i) {
      x.push_back(i / 200.0);
      interval.push_back(interval_heat_kernel(x.back(), 0.3, t, 1));
      free.push_back(heat_kernel(x.back() - 0.3, t, 1));
    }
    const Color color = palette_color(std::size_t(std::lround(std::log2(t / 0.001) / 2)));
    plot.line(x, interval, {.name = fmt::format("t = {}", t), .color = color});
    plot.line(x, free, {.color = color, .width = 0.8, .dashed = true});
  }
  out.picture("kernel", draw_figure({&plot}, {600, 380, 1}), "Dashed: without ends.");
}

Artefact heat_kernel_entry() {
  return {
      .id = "heat-kernel",
      .kind = Kind::figure,
      .lecture = 2,
      .lines = "1790-1819",
      .title = "The heat kernel as a semigroup",
      .formula =
          R"(K_t(x, y) = \frac{1}{(4\pi t)^{d/2}}\,e^{-\|x - y\|^2/(4t)} = \sum_n e^{-\lambda_n t}\varphi_n(x)\varphi_n(y) \text{ (bounded)}, \quad T_s T_t = T_{s+t})",
      .says =
          "The solution operator of the heat equation is the exponential of the Laplacian; its "
          "kernel is a bell curve in free space and a sum of modes in a bounded region.",
      .truth = "",
      .page = "applications.md",
      .seconds = 0.1,
      .file = "lecture_2/heat_kernel.cpp",
      .make = make_heat_kernel};
}

}  // namespace cauchy::notes
