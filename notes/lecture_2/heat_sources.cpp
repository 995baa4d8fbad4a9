#include <cmath>

#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_heat_sources(Output& out) {
  const std::size_t n = 101;  // columns 40 and 60 lie evenly about the middle one
  const double alpha = 0.2;
  std::vector<Plot> panels;
  const auto run = [&](bool insulated, double a, int steps, bool two) {
    Matrix u(n, n);
    u(50, 60) = 1;
    if (two) u(50, 40) = -1;
    for (int step = 0; step <= steps; ++step) {
      if (two && !insulated && (step == 10 || step == 100 || step == 400)) {
        panels.emplace_back(PlotOptions{.title = fmt::format("step {}", step),
                                        .color = {.map = Colormap::diverging},
                                        .equal_aspect = true,
                                        .grid = false});
        panels.back().heat_map(u, {0, double(n)}, {0, double(n)});
      }
      if (step == steps) break;
      Matrix next = u;
      const auto at = [&](std::size_t i, std::size_t j) {  // beyond the border: 0, or no flux
        const bool beyond = i >= n || j >= n;
        if (!beyond) return u(i, j);
        return insulated
                   ? u(i == n ? n - 1 : std::min(i, i + 1), j == n ? n - 1 : std::min(j, j + 1))
                   : 0.0;
      };
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
          const double around = at(i + 1, j) + at(i - 1, j) + at(i, j + 1) + at(i, j - 1);
          next(i, j) = u(i, j) + a * (around - 4 * u(i, j));
        }
      }
      u = next;
    }
    return u;
  };
  const Matrix u = run(false, alpha, 400, true);
  double odd = 0, kept = 0, largest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) odd = std::max(odd, std::abs(u(i, j) + u(i, n - 1 - j)));
  }
  out.check("antisymmetry about the middle column", odd, 0, 1e-17);
  // One source after 200 steps: a bell of width t = 200 alpha, the border is still far away.
  const Matrix one = run(false, alpha, 200, false), walled = run(true, alpha, 400, false);
  out.check("height of one source after 200 steps", one(50, 60),
            1 / (4 * std::numbers::pi * 200 * alpha), 1e-5);
  for (std::size_t k = 0; k < walled.size(); ++k) kept += walled.data()[k];
  out.check("insulated border: heat after 400 steps", kept, 1, 1e-12);
  const Matrix wild = run(false, 0.26, 400, true);
  for (std::size_t k = 0; k < wild.size(); ++k) {
    largest = std::max(largest, std::abs(wild.data()[k]));
  }
  out.require("with alpha = 0.26, above 1/4, it blows up", largest > 1e3);
  panels.resize(3, Plot{});
  out.picture("frames", draw_figure({&panels[0], &panels[1], &panels[2]}, {340, 300, 3}));
}

Artefact heat_sources_entry() {
  return {
      .id = "ho1-heat-sources",
      .kind = Kind::exercise,
      .lecture = 2,
      .lines = "1432-1457",
      .title = "Hands-on 1.3: heat from a hot and a cold point",
      .formula =
          R"(u^{n+1}_{ij} = u^n_{ij} + \alpha\,(u_{i+1,j} + u_{i-1,j} + u_{i,j+1} + u_{i,j-1} - 4 u_{ij}), \quad \alpha = \Delta t / h^2 \le \frac{1}{4})",
      .says =
          "Explicit steps of the heat equation on 100 x 100 pixels, 400 steps, alpha = 0.2, "
          "zero on the border, no flux as an option.",
      .truth =
          "The function for the border without flux refers to a variable outside of it and "
          "takes three indices of a matrix; here it works. One more row and column make "
          "the two points lie evenly.",
      .page = "methods/time.md",
      .seconds = 0.2,
      .file = "lecture_2/heat_sources.cpp",
      .make = make_heat_sources};
}

}  // namespace cauchy::notes
