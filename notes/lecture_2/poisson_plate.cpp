#include <algorithm>
#include <cmath>

#include <cauchy/cauchy.hpp>
#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_poisson_plate(Output& out) {
  const Coordinate x("x"), y("y");
  const Field u("u");
  Problem plate;
  plate.domain = Rectangle({0, 0}, {2, 1});
  plate.fields = {"u"};
  plate.equation = {-laplacian(u, {x, y}) == 10 * exp(-(pow(x - 0.5, 2) + pow(y - 0.5, 2)) / 0.02)};
  plate.condition = {on("left or right", u == 0),
                     on("bottom or top", normal_derivative(u, {"x", "y"}) == sin(5 * x))};
  const Solution s = solve(plate, Fem{.n = 32, .order = 1}, {.threads = out.threads()});
  std::vector<double> nodes;
  for (int j = 0; j <= 16; ++j) {
    for (int i = 0; i <= 32; ++i) nodes.insert(nodes.end(), {i / 16.0, j / 16.0});
  }
  const std::vector<double> values = s("u", nodes);
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  // The printed range is that of a mesh whose diagonals all lean one way.
  out.check("lowest value", *low, -1.861e-2, 2e-4);
  out.check("highest value", *high, 3.384e-1, 4e-3);
  const Solution fine = solve(plate, Fem{.n = 64, .order = 2}, {.threads = out.threads()});
  out.check("u(1/2, 1/2) against a finer mesh of second order", s("u", {0.5, 0.5}),
            fine("u", {0.5, 0.5}), 5e-3);
  // Gauss: what the source makes leaves through the four sides.
  double sides = 0, made = 0;
  constexpr int m = 400;
  for (int k = 0; k < m; ++k) {
    const double at = (k + 0.5) / m;
    sides += (fine("u_x", {0, at}) - fine("u_x", {2, at})) / m - 2 * std::sin(5 * 2 * at) * 2 / m;
    for (int i = 0; i < 40; ++i) {
      made += 10 *
              std::exp(-(std::pow(2 * at - 0.5, 2) + std::pow((i + 0.5) / 40 - 0.5, 2)) / 0.02) *
              2 / (m * 40.0);
    }
  }
  out.check("heat out of the sides against the source", sides, made, 0.02 * made);
  Plot plot({.title = "u",
             .x = {.label = "x"},
             .y = {.label = "y"},
             .equal_aspect = true,
             .grid = false});
  plot.heat_map(MatrixView<const double>(values.data(), 17, 33), {0, 2}, {0, 1});
  out.picture("plate", draw_figure({&plot}, {640, 360, 1}));
}

Artefact poisson_plate_entry() {
  return {
      .id = "ho1-poisson-plate",
      .kind = Kind::exercise,
      .lecture = 2,
      .lines = "1926-1983",
      .title = "Hands-on 1.8: Poisson's equation by finite elements",
      .formula =
          R"(-\Delta u = f, \quad u = 0 \text{ at } x = 0, 2, \quad \partial_n u = \sin(5x) \text{ at } y = 0, 1)",
      .says =
          "A plate with a source, 32 x 16 boxes of two linear triangles each; the notebook "
          "prints the range of the answer.",
      .truth = "",
      .page = "methods/fem.md",
      .seconds = 0.2,
      .file = "lecture_2/poisson_plate.cpp",
      .make = make_poisson_plate};
}

}  // namespace cauchy::notes
