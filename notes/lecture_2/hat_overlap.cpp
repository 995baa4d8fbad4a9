#include <array>
#include <cmath>

#include <cauchy/geometry/mesh.hpp>
#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_hat_overlap(Output& out) {
  // Stiffness and mass of linear functions on 4 x 4 boxes of two triangles.
  const double lower[] = {0, 0}, upper[] = {4, 4};
  const std::size_t counts[] = {4, 4};
  const Mesh mesh = structured_mesh(lower, upper, counts);
  const std::size_t n = mesh.n_nodes();
  Matrix stiffness(n, n), mass(n, n);
  for (std::size_t c = 0; c < mesh.n_cells(); ++c) {
    const auto t = mesh.cell(c);
    const double area = mesh.cell_measure(c);
    std::array<std::array<double, 2>, 3> slope;
    for (std::size_t k = 0; k < 3; ++k) {  // of the function that is 1 at corner k
      const double *a = mesh.node(t[(k + 1) % 3]), *b = mesh.node(t[(k + 2) % 3]);
      slope[k] = {(a[1] - b[1]) / (2 * area), (b[0] - a[0]) / (2 * area)};
    }
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        stiffness(t[i], t[j]) += area * (slope[i][0] * slope[j][0] + slope[i][1] * slope[j][1]);
        mass(t[i], t[j]) += area / (i == j ? 6 : 12);
      }
    }
  }
  double row_sum = 0, total = 0, across = 0, apart = 0;
  std::size_t overlapping = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double row = 0;
    for (std::size_t j = 0; j < n; ++j) {
      row += stiffness(i, j);
      total += mass(i, j);
      const double* a = mesh.node(i);
      const double* b = mesh.node(j);
      const double dx = std::abs(a[0] - b[0]), dy = std::abs(a[1] - b[1]);
      if (dx == 1 && dy == 1 && mass(i, j) > 0) {  // joined by a diagonal: supports overlap
        ++overlapping;
        across = std::max(across, std::abs(stiffness(i, j)));
      }
      if (dx > 1 || dy > 1) apart = std::max({apart, std::abs(stiffness(i, j)), mass(i, j)});
    }
    row_sum = std::max(row_sum, std::abs(row));
  }
  out.check("row sums of the stiffness matrix", row_sum, 0, 1e-14);
  out.check("sum of all masses, the area", total, 16, 1e-12);
  out.check("entries of hats that do not overlap", apart, 0, 0);
  out.check("pairs along diagonals, whose hats overlap", double(overlapping), 32, 0);
  out.check("their stiffness all the same", across, 0, 1e-15);
  std::vector<Plot> panels;
  for (const double second : {2.0, 4.0}) {
    Plot& plot = panels.emplace_back(
        PlotOptions{.title = second == 2 ? "overlap: L = -1/h, M = h/6" : "no overlap: L = M = 0",
                    .x = {.label = "x / h", .limits = Limits{-0.2, 6.2}}});
    for (const double at : {1.0, second}) {
      const std::vector<double> x{0, at - 1, at, at + 1, 6}, y{0, 0, 1, 0, 0};
      plot.line(x, y, {.name = fmt::format("phi_{:g}", at)});
    }
    if (second == 2) plot.region({{{1, 0}, {1.5, 0.5}, {2, 0}}}, {.name = "both"});
  }
  out.picture("overlap", draw_figure({&panels[0], &panels[1]}, {440, 280, 2}));
  Plot pattern({.title = "stiffness of 25 hats on a square",
                .color = {.map = Colormap::diverging},
                .equal_aspect = true,
                .grid = false});
  pattern.heat_map(stiffness, {0, double(n)}, {0, double(n)});
  out.picture("stiffness", draw_figure({&pattern}, {420, 360, 1}),
              "Only hats of neighbouring nodes have a product.");
}

Artefact hat_overlap_entry() {
  return {
      .id = "hat-overlap",
      .kind = Kind::figure,
      .lecture = 2,
      .lines = "1911-1925, 1947-1952",
      .title = "Hats that overlap and hats that do not",
      .formula =
          R"(L_{jk} = \int_\Omega \nabla\varphi_j\cdot\nabla\varphi_k\,dx, \quad M_{jk} = \int_\Omega \varphi_j\varphi_k\,dx)",
      .says =
          "Products of basis functions vanish unless their supports meet, so the matrices are "
          "sparse.",
      .truth =
          "The entry is said to be nonzero if the supports meet; it can be nonzero only if "
          "they do. Along the diagonals of right-angled triangles they overlap, and the "
          "stiffness is 0.",
      .page = "methods/fem.md",
      .seconds = 0.1,
      .file = "lecture_2/hat_overlap.cpp",
      .make = make_hat_overlap};
}

}  // namespace cauchy::notes
