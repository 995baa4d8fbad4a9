#include <cmath>

#include <cauchy/geometry/primitives.hpp>
#include <cauchy/math/lapack.hpp>
#include <cauchy/math/rbf.hpp>
#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_kansa_schematic(Output& out) {
  const double pi = std::numbers::pi;
  // lap u = f in the unit disk, u given on its upper half, du/dn on the lower one.
  const auto exact = [&](double x, double y) { return std::sin(pi * x) * std::exp(y); };
  std::vector<double> centres, inside, above, below, ring_x, ring_y;
  for (int i = -4; i <= 4; ++i) {
    for (int j = -4; j <= 4; ++j) {
      if (std::hypot(i, j) < 4.8) centres.insert(centres.end(), {i / 4.0, j / 4.0});
    }
  }
  for (int i = -7; i <= 7; ++i) {
    for (int j = -7; j <= 7; ++j) {
      if (std::hypot(i, j) < 7) inside.insert(inside.end(), {i / 7.4, j / 7.4});
    }
  }
  for (int k = 0; k < 48; ++k) {
    const double angle = 2 * pi * (k + 0.5) / 48;
    auto& half = k < 24 ? above : below;
    half.insert(half.end(), {std::cos(angle), std::sin(angle)});
  }
  const RbfBasis basis(RbfKernel::gaussian, 0.8, centres, 2);
  const std::size_t n = basis.size(), n_inside = inside.size() / 2, n_rows = n_inside + 48;
  const auto columns = [&](const std::vector<double>& points,
                           std::vector<std::vector<int>> orders) {
    std::vector<Matrix> made(orders.size(), Matrix(points.size() / 2, n));
    std::vector<MatrixView<double>> views;
    for (Matrix& m : made) views.push_back(m.view());
    basis.derivatives(points, orders, views);
    return made;
  };
  const auto second = columns(inside, {{2, 0}, {0, 2}});
  const auto value = columns(above, {{0, 0}}), first = columns(below, {{1, 0}, {0, 1}});
  Matrix m(n_rows, n), w(n_rows, 1), picture(n_rows, n);
  for (std::size_t r = 0; r < n_rows; ++r) {
    const bool pde = r < n_inside, given = !pde && r < n_inside + 24;
    const std::size_t k = pde ? r : given ? r - n_inside : r - n_inside - 24;
    const double* at = &(pde ? inside : given ? above : below)[2 * k];
    const double x = at[0], y = at[1];  // also the outward normal on the circle
    const double ux = pi * std::cos(pi * x) * std::exp(y), uy = exact(x, y);
    w(r, 0) = pde ? (1 - pi * pi) * exact(x, y) : given ? exact(x, y) : x * ux + y * uy;
    for (std::size_t c = 0; c < n; ++c) {
      m(r, c) = pde     ? second[0](k, c) + second[1](k, c)
                : given ? value[0](k, c)
                        : x * first[0](k, c) + y * first[1](k, c);
      picture(n_rows - 1 - r, c) = m(r, c);
    }
  }
  const auto a = least_squares_svd(m, w, 1e-14);
  const auto found = columns(inside, {{0, 0}});
  double wrong = 0, size = 0;
  for (std::size_t k = 0; k < n_inside; ++k) {
    double u = 0;
    for (std::size_t c = 0; c < n; ++c) u += found[0](k, c) * a.x(c, 0);
    wrong += std::pow(u - exact(inside[2 * k], inside[2 * k + 1]), 2);
    size += std::pow(exact(inside[2 * k], inside[2 * k + 1]), 2);
  }
  out.text(fmt::format("{} rows, {} columns, condition number {:.1e}, relative error {:.1e}.",
                       n_rows, n, a.singular_values.front() / a.singular_values.back(),
                       std::sqrt(wrong / size)));
  out.check("relative error of the least-squares answer", std::sqrt(wrong / size), 0, 3e-3);
  out.require("more rows than columns, all columns of use", n_rows > n && a.rank == n);
  out.require("the matrix is ill-conditioned: M^-1 is not to be formed",
              a.singular_values.front() > 1e5 * a.singular_values.back());
  const auto split = [](const std::vector<double>& p, std::size_t k) {
    std::vector<double> half;
    for (std::size_t i = k; i < p.size(); i += 2) half.push_back(p[i]);
    return half;
  };
  Plot points(
      {.title = "points and centres", .equal_aspect = true, .legend = LegendPlace::outside});
  points.scatter(split(inside, 0), split(inside, 1), {.name = "lap u = f", .radius = 2});
  points.scatter(split(above, 0), split(above, 1), {.name = "u = b", .radius = 3});
  points.scatter(split(below, 0), split(below, 1), {.name = "du/dn = v", .radius = 3});
  points.scatter(split(centres, 0), split(centres, 1), {.name = "centres", .radius = 4.5});
  Plot matrix({.title = "M: equation, values, slopes",
               .x = {.label = "centre"},
               .y = {.label = "row, from below"},
               .color = {.map = Colormap::diverging},
               .grid = false});
  matrix.heat_map(picture, {0, double(n)}, {0, double(n_rows)});
  out.picture("schematic", draw_figure({&points, &matrix}, {480, 380, 2}),
              "Every row asks one thing of the sum of all radial functions.");
}

Artefact kansa_schematic_entry() {
  return {
      .id = "kansa-schematic",
      .kind = Kind::figure,
      .lecture = 2,
      .lines = "2259-2324",
      .title = "Kansa's method as points and a matrix",
      .formula =
          R"(u(x) = \sum_i a_i\,\varphi(\|x - c_i\|), \quad M = [L\Phi;\ \Phi;\ \partial_n\Phi], \quad \mathbf{a} = \argmin \|M\mathbf{a} - \mathbf{w}\|^2)",
      .says =
          "Radial functions around centres; the equation and the conditions at points become "
          "the rows of one linear system.",
      .truth = "",
      .page = "methods/kansa.md",
      .seconds = 0.1,
      .file = "lecture_2/kansa_schematic.cpp",
      .make = make_kansa_schematic};
}

}  // namespace cauchy::notes
