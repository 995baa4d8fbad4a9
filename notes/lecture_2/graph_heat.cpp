#include <cmath>

#include <cauchy/math/graph_laplacian.hpp>
#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_graph_heat(Output& out) {
  // Two vertices, one edge, g = (1, -1): g' L g = 4 and g' g = 2.
  const double g[] = {1, -1};
  out.check("Rayleigh quotient on two vertices, every edge once",
            WeightedGraph::path(2).rayleigh(g), 2, 1e-15);
  out.check("the printed half of it", 0.5 * (g[0] - g[1]) * (g[0] - g[1]) / 2, 1, 1e-15);
  const std::size_t m = 9;
  const SymmetricEigen<double> path = graph_spectrum(WeightedGraph::path(m));
  double worst = 0;
  for (std::size_t k = 0; k < m; ++k) {
    worst = std::max(worst, std::abs(path.values[k] - 2 +
                                     2 * std::cos(std::numbers::pi * double(k) / double(m))));
  }
  out.check("eigenvalues of a path of 9 against 2 - 2 cos(k pi / 9)", worst, 0, 1e-13);

  // Heat in two rooms with a door.
  constexpr std::size_t n = 20;
  std::vector<WeightedGraph::Edge> edges;
  const WeightedGraph grid = WeightedGraph::grid(n, n);
  for (const auto& e : grid.edges()) {
    const bool wall = e.b - e.a == 1 && e.a % n == 9 && e.a / n != 10;  // the door is in row 10
    if (!wall) edges.push_back(e);
  }
  const WeightedGraph rooms(n * n, edges);
  out.check("components", double(rooms.n_components()), 1, 0);
  const SymmetricEigen<double> spectrum = graph_spectrum(rooms);
  std::vector<double> heat(n * n);
  heat[10 * n + 2] = 1;
  std::vector<Plot> panels;
  for (const double time : {3.0, 30.0, 300.0}) {
    const auto later = graph_filter(spectrum, heat, [&](double l) { return std::exp(-time * l); });
    double total = 0;
    for (const double v : later) total += v;
    out.check(fmt::format("heat at t = {:g}", time), total, 1, 1e-12);
    panels.emplace_back(
        PlotOptions{.title = fmt::format("t = {:g}", time), .equal_aspect = true, .grid = false});
    panels.back().heat_map(MatrixView<const double>(later.data(), n, n), {0, n}, {0, n});
  }
  out.picture("rooms", draw_figure({&panels[0], &panels[1], &panels[2]}, {340, 320, 3}),
              "Heat on a graph: two rooms and one door.");
}

Artefact graph_heat_entry() {
  return {
      .id = "graph-heat",
      .kind = Kind::figure,
      .lecture = 2,
      .lines = "1667-1740",
      .title = "Heat on a graph",
      .formula =
          R"(\dot{u} = -\alpha (D - A) u, \quad \langle g, L g\rangle = \sum_{i \sim j} (g_i - g_j)^2)",
      .says =
          "The graph Laplacian plays the part of the second derivative; its quadratic form is "
          "half a sum over neighbours.",
      .truth =
          "The half is right for the sum over all ordered pairs. Over edges, each taken "
          "once, it has to go: two vertices with values 1 and -1 have the quotient 2, not 1.",
      .page = "applications.md",
      .seconds = 0.2,
      .file = "lecture_2/graph_heat.cpp",
      .make = make_graph_heat};
}

}  // namespace cauchy::notes
