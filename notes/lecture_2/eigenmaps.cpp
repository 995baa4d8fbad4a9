#include <cmath>

#include <cauchy/math/graph_laplacian.hpp>
#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_eigenmaps(Output& out) {
  // A sheet of 80 x 6 points, rolled up in space.
  constexpr std::size_t along = 80, across = 6;
  Matrix points(along * across, 3);
  std::vector<double> angle, x, z;
  for (std::size_t i = 0; i < points.rows(); ++i) {
    angle.push_back(1.5 * std::numbers::pi * (1 + 2 * double(i / across) / along));
    points(i, 0) = angle[i] * std::cos(angle[i]);
    points(i, 1) = double(i % across);
    points(i, 2) = angle[i] * std::sin(angle[i]);
    x.push_back(points(i, 0));
    z.push_back(points(i, 2));
  }
  // 1. Join near points. 2. Weights exp(-beta d^2). 3. L v = lambda D v. 4. The map (v_2, v_3).
  const WeightedGraph graph = WeightedGraph::nearest(points, 6, 0.1);
  const Matrix place = laplacian_eigenmap(graph, 2);
  const SymmetricEigen<double> walk = random_walk_spectrum(graph);
  const std::vector<double> degrees = graph.degrees();
  double product = 0, first = 0, second = 0, mean = 0;
  std::vector<double> v2, v3;
  for (std::size_t i = 0; i < points.rows(); ++i) {
    v2.push_back(place(i, 0));
    v3.push_back(place(i, 1));
    product += degrees[i] * place(i, 0) * place(i, 1);
    first += degrees[i] * place(i, 0) * place(i, 0);
    second += degrees[i] * place(i, 1) * place(i, 1);
    mean += degrees[i] * place(i, 0);
  }
  out.check("components: eigenvalues that are 0", walk.values[0], 0, 1e-12);
  out.check("v_2 and v_3 are orthogonal with D", product / std::sqrt(first * second), 0, 1e-9);
  out.check("v_2 and the constant too", mean / std::sqrt(first), 0, 1e-9);
  // v' L v / v' D v is the eigenvalue; also that of the random walk I - W / D.
  out.check("Rayleigh quotient of v_2 against the spectrum of I - D^-1 W", graph.energy(v2) / first,
            walk.values[1], 1e-10);
  bool monotone = true;
  const double up = place(2, 0) < place(points.rows() - 4, 0) ? 1 : -1;
  for (std::size_t i = 2 + across; i < points.rows(); i += across) {
    monotone = monotone && up * (place(i, 0) - place(i - across, 0)) > 0;
  }
  out.require("along the middle of the sheet the first coordinate only grows: it is unrolled",
              monotone);
  Plot rolled(
      {.title = "rolled up", .x = {.label = "x"}, .y = {.label = "z"}, .equal_aspect = true});
  Plot unrolled({.title = "eigenmap", .x = {.label = "v_2"}, .y = {.label = "v_3"}});
  rolled.scatter_by_value(x, z, angle, 2.5);
  unrolled.scatter_by_value(v2, v3, angle, 2.5);
  out.picture("sheet", draw_figure({&rolled, &unrolled}, {440, 360, 2}));
}

Artefact eigenmaps_entry() {
  return {
      .id = "eigenmaps",
      .kind = Kind::recipe,
      .lecture = 2,
      .lines = "1742-1788",
      .title = "Laplacian eigenmaps unroll a sheet",
      .formula =
          R"(W_{ij} = A_{ij}\,e^{-\beta\|x_i - x_j\|^2}, \quad L v = \lambda D v, \quad x_i \mapsto (v_2(i), \dots, v_{k+1}(i)))",
      .says =
          "Neighbours are joined, edges weighed by a heat kernel, and the slowest modes of the "
          "graph become coordinates.",
      .truth = "The steps are right; the number 3 occurs twice among them.",
      .page = "applications.md",
      .seconds = 0.2,
      .file = "lecture_2/eigenmaps.cpp",
      .make = make_eigenmaps};
}

}  // namespace cauchy::notes
