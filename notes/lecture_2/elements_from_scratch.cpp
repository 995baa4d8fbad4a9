#include <array>
#include <cmath>

#include <cauchy/cauchy.hpp>
#include <cauchy/geometry/mesh.hpp>
#include <cauchy/math/iterative.hpp>
#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {
namespace {

struct ElementErrors {
  double l2 = 0, slope = 0, against_library = 0;
};

/// lap u = 0 on the unit square, u = sin(pi y) at x = 1 and 0 on the other sides, on n x n boxes.
ElementErrors elements_by_hand(std::size_t n, bool compare) {
  const auto exact = [](double x, double y) {
    return std::sinh(pi * x) / std::sinh(pi) * std::sin(pi * y);
  };
  const double lower[] = {0, 0}, upper[] = {1, 1};
  const std::size_t counts[] = {n, n};
  const Mesh mesh = structured_mesh(lower, upper, counts);
  const std::size_t size = mesh.n_nodes();
  std::vector<bool> fixed(size, false);
  for (const auto node : mesh.facets) fixed[node] = true;
  std::vector<double> u(size, 0), b(size, 0);
  for (std::size_t i = 0; i < size; ++i) {
    if (fixed[i]) u[i] = mesh.node(i)[0] == 1 ? std::sin(pi * mesh.node(i)[1]) : 0;
  }
  std::vector<SparseMatrix::Entry> entries;
  const auto slopes = [&](std::size_t c) {  // of the three linear functions of a triangle
    const auto t = mesh.cell(c);
    std::array<std::array<double, 2>, 3> g;
    for (std::size_t k = 0; k < 3; ++k) {
      const double *p = mesh.node(t[(k + 1) % 3]), *q = mesh.node(t[(k + 2) % 3]);
      g[k] = {(p[1] - q[1]) / (2 * mesh.cell_measure(c)),
              (q[0] - p[0]) / (2 * mesh.cell_measure(c))};
    }
    return g;
  };
  for (std::size_t c = 0; c < mesh.n_cells(); ++c) {
    const auto t = mesh.cell(c);
    const auto g = slopes(c);
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        const double k = mesh.cell_measure(c) * (g[i][0] * g[j][0] + g[i][1] * g[j][1]);
        if (fixed[t[i]]) continue;
        if (fixed[t[j]]) {
          b[t[i]] -= k * u[t[j]];  // lifting: K_II u_I = -K_IB u_B
        } else {
          entries.push_back({t[i], t[j], k});
        }
      }
    }
  }
  for (std::size_t i = 0; i < size; ++i) {
    if (fixed[i]) entries.push_back({i, i, 1}), b[i] = u[i];
  }
  (void)conjugate_gradients(SparseMatrix(size, size, entries), b, u, {.tolerance = 1e-12});
  ElementErrors errors;
  for (std::size_t c = 0; c < mesh.n_cells(); ++c) {  // at the middles of the sides
    const auto t = mesh.cell(c);
    const auto g = slopes(c);
    for (std::size_t k = 0; k < 3; ++k) {
      const auto a = t[k], d = t[(k + 1) % 3];
      const double x = (mesh.node(a)[0] + mesh.node(d)[0]) / 2;
      const double y = (mesh.node(a)[1] + mesh.node(d)[1]) / 2, w = mesh.cell_measure(c) / 3;
      double ux = 0, uy = 0;
      for (std::size_t i = 0; i < 3; ++i) ux += u[t[i]] * g[i][0], uy += u[t[i]] * g[i][1];
      errors.l2 += w * std::pow((u[a] + u[d]) / 2 - exact(x, y), 2);
      errors.slope +=
          w * std::pow(ux - pi * std::cosh(pi * x) / std::sinh(pi) * std::sin(pi * y), 2);
      errors.slope +=
          w * std::pow(uy - pi * std::sinh(pi * x) / std::sinh(pi) * std::cos(pi * y), 2);
    }
  }
  if (compare) {
    const Coordinate x("x"), y("y");
    const Field f("u");
    Problem p;
    p.domain = Rectangle({0, 0}, {1, 1});
    p.fields = {"u"};
    p.equation = {laplacian(f, {x, y}) == 0};
    p.condition = {on("right", f == sin(pi * y)), on("not right", f == 0)};
    const auto values = solve(p, Fem{.n = int(n), .order = 1})("u", mesh.nodes);
    for (std::size_t i = 0; i < size; ++i) {
      errors.against_library = std::max(errors.against_library, std::abs(values[i] - u[i]));
    }
  }
  return {std::sqrt(errors.l2), std::sqrt(errors.slope), errors.against_library};
}

}  // namespace

void make_elements_from_scratch(Output& out) {
  std::vector<double> h, l2, slope;
  for (const std::size_t n : {6u, 10u, 16u, 24u, 36u, 52u}) {
    const ElementErrors e = elements_by_hand(n, n == 16);
    h.push_back(1 / double(n));
    l2.push_back(e.l2);
    slope.push_back(e.slope);
    if (n == 16) out.check("these lines against the library, 16 x 16", e.against_library, 0, 1e-6);
  }
  const auto rate = [&](const std::vector<double>& e) {
    return std::log(e[3] / e[5]) / std::log(h[3] / h[5]);
  };
  out.check("rate of the error in L2", rate(l2), 2, 0.05);
  out.check("rate of the error of the gradient", rate(slope), 1, 0.05);
  Plot plot({.title = "errors of linear elements",
             .x = {.label = "h", .scale = AxisScale::log},
             .y = {.label = "error", .scale = AxisScale::log}});
  plot.line(h, l2, {.name = "L2, slope 2", .markers = true});
  plot.line(h, slope, {.name = "gradient, slope 1", .markers = true});
  out.picture("rates", draw_figure({&plot}, {560, 380, 1}));
}

Artefact elements_from_scratch_entry() {
  return {
      .id = "ho1-elements",
      .kind = Kind::exercise,
      .lecture = 2,
      .lines = "1954-1998",
      .title = "Hands-on 1.9: finite elements from scratch",
      .formula =
          R"(K_T = |T|\,\nabla\lambda\,\nabla\lambda^T, \quad K_{II} u_I = -K_{IB}\,g, \quad u = \frac{\sinh \pi x}{\sinh \pi}\sin \pi y)",
      .says =
          "Element matrices, assembly, given values moved to the right side, and errors on "
          "meshes of 6 to 52 boxes along a side.",
      .truth = "",
      .page = "methods/fem.md",
      .seconds = 0.3,
      .file = "lecture_2/elements_from_scratch.cpp",
      .make = make_elements_from_scratch};
}

}  // namespace cauchy::notes
