#include <cmath>

#include <cauchy/cauchy.hpp>
#include <cauchy/geometry/make_mesh.hpp>
#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_tessellation(Output& out) {
  // Triangles of a disk as control volumes. q is carried around: F = q (-y, x), no flux outwards.
  const Mesh mesh = make_mesh(Disk({0, 0}, 1).shape(), {.size = 0.16});
  const auto q0 = [](double x, double y) { return std::exp(-30 * (std::pow(x - 0.4, 2) + y * y)); };
  const std::size_t n = mesh.n_cells();
  std::vector<double> q(n), start(n);
  double at_centre = 0;
  for (std::size_t c = 0; c < n; ++c) {
    // The mean over the cell, by the middles of its sides: exact for quadratic functions.
    const auto t = mesh.cell(c);
    double x = 0, y = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const double *a = mesh.node(t[k]), *b = mesh.node(t[(k + 1) % 3]);
      q[c] += q0((a[0] + b[0]) / 2, (a[1] + b[1]) / 2) / 3;
      x += a[0] / 3;
      y += a[1] / 3;
    }
    at_centre = std::max(at_centre, std::abs(q[c] - q0(x, y)));
  }
  start = q;
  const MeshEdges edges = mesh_edges(mesh);
  std::vector<std::vector<std::pair<std::size_t, double>>> sides(edges.n_edges());
  for (std::size_t c = 0; c < n; ++c) {
    for (std::size_t k = 0; k < 3; ++k) sides[edges.cell_edges[3 * c + k]].push_back({c, 0});
  }
  const auto total = [&] {
    double sum = 0;
    for (std::size_t c = 0; c < n; ++c) sum += mesh.cell_measure(c) * q[c];
    return sum;
  };
  const double before = total(), dt = 0.01;
  std::size_t inner = 0;
  for (int step = 0; step < 157; ++step) {
    std::vector<double> change(n, 0);
    for (std::size_t e = 0; e < sides.size(); ++e) {
      if (sides[e].size() < 2) continue;  // at the boundary nothing flows
      inner += step == 0 ? 1 : 0;
      const double *a = mesh.node(edges.nodes[2 * e]), *b = mesh.node(edges.nodes[2 * e + 1]);
      // Velocity (-y, x) across the side from a to b, times its length; who gives is upwind.
      const double flow = (b[1] * b[1] - a[1] * a[1] + b[0] * b[0] - a[0] * a[0]) / -2;
      std::size_t left = sides[e][0].first, right = sides[e][1].first;
      const auto side_of = [&](std::size_t c) {  // positive: left of the way from a to b
        double area = 0;
        for (const auto node : mesh.cell(c)) {
          const double* p = mesh.node(node);
          area += (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]);
        }
        return area;
      };
      if (side_of(left) < 0) std::swap(left, right);
      const double flux = flow * (flow > 0 ? q[left] : q[right]);  // from left to right
      change[left] -= flux;
      change[right] += flux;  // the same number: nothing is lost between cells
    }
    for (std::size_t c = 0; c < n; ++c) q[c] += dt * change[c] / mesh.cell_measure(c);
  }
  out.check("sides with two cells and with one", double(inner + mesh.n_facets()),
            double(edges.n_edges()), 0);
  out.check("what there is, after and before", total() / before, 1, 1e-13);
  // The centre of mass has gone a quarter of the way around; the upwind flux smears, but fairly.
  double x = 0, y = 0;
  for (std::size_t c = 0; c < n; ++c) {
    for (const auto node : mesh.cell(c)) {
      x += mesh.cell_measure(c) * q[c] * mesh.node(node)[0] / 3 / before;
      y += mesh.cell_measure(c) * q[c] * mesh.node(node)[1] / 3 / before;
    }
  }
  out.check("angle of the centre of mass at t = pi/2", std::atan2(y, x), std::numbers::pi / 2,
            0.05);
  out.check("mean of a cell minus the value at its centre, largest", at_centre, 0, 0.1);
  out.require("they are not the same", at_centre > 1e-3);
  std::vector<Plot> panels;
  for (const auto* values : {&start, &q}) {
    Plot& plot = panels.emplace_back(PlotOptions{
        .title = values == &q ? "t = pi/2" : "t = 0", .equal_aspect = true, .grid = false});
    for (std::size_t c = 0; c < n; ++c) {
      std::vector<PixelPoint> ring;
      for (const auto node : mesh.cell(c)) ring.push_back({mesh.node(node)[0], mesh.node(node)[1]});
      plot.region({ring}, {.fill = colormap_color(Colormap::viridis, (*values)[c] / 0.8),
                           .edge = white,
                           .edge_width = 0.6});
    }
  }
  out.picture("cells", draw_figure({&panels[0], &panels[1]}, {420, 400, 2}),
              "Control volumes and their means; what one cell loses its neighbour gets.");
}

Artefact tessellation_entry() {
  return {
      .id = "tessellation",
      .kind = Kind::figure,
      .lecture = 2,
      .lines = "2111-2184",
      .title = "Control volumes that exchange fluxes",
      .formula =
          R"(|X_n| \frac{\bar{q}_{i+1;n} - \bar{q}_{i;n}}{\Delta t} + \sum_{\sigma} \hat{\Phi}_{i;n,\sigma} = |X_n| \bar{f}_{i;n}, \quad \hat{\Phi}_{n,\sigma} = -\hat{\Phi}_{k,\sigma})",
      .says =
          "A region is cut into cells; the mean of a cell changes by what flows through its "
          "sides, and a side takes from one cell what it gives to the other.",
      .truth =
          "Line 2173 calls the unknown the value at the centre of the cell; the scheme is "
          "about means. They differ by second order.",
      .page = "methods/fvm.md",
      .seconds = 0.2,
      .file = "lecture_2/tessellation.cpp",
      .make = make_tessellation};
}

}  // namespace cauchy::notes
