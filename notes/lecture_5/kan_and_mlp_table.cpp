#include <cmath>
#include <vector>

#include <cauchy/networks/network.hpp>
#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_kan_and_mlp_table(Output& out) {
  const std::vector<std::string> inputs = {"x", "y"}, fields = {"u"};
  const auto count = [&](const Network& network) {
    return double(make_network(network, inputs, fields).n_parameters());
  };
  // n inputs: a shallow KAN has 2 n + 1 inner sums; every edge has grid + order + 1 numbers.
  std::vector<std::vector<std::string>> rows = {{"model", "KAN", "numbers", "MLP", "numbers"}};
  const double shallow = count(Kan{.hidden = {5}, .grid = 5, .order = 3});
  const double deep = count(Kan{.hidden = {5, 5, 5}, .grid = 5, .order = 3});
  const double mlp_1 = count(Mlp{.width = 16, .depth = 1}),
               mlp_3 = count(Mlp{.width = 16, .depth = 3});
  rows.push_back({"shallow", "2-5-1, 15 functions", fmt::format("{:g}", shallow), "2-16-1",
                  fmt::format("{:g}", mlp_1)});
  rows.push_back({"deep", "2-5-5-5-1, 65 functions", fmt::format("{:g}", deep), "2-16-16-16-1",
                  fmt::format("{:g}", mlp_3)});
  out.table("models", rows, "edges of a KAN are cubic splines on five intervals");
  out.check("shallow KAN: (2 + 1) (2 n + 1) edges of 9 numbers", shallow, 3 * 5 * 9, 0);
  out.check("deep KAN: 65 edges", deep, 65 * 9, 0);
  out.check("shallow MLP: (n + 1) N + N + 1", mlp_1, 3 * 16 + 17, 0);
  out.check("deep MLP", mlp_3, 3 * 16 + 2 * 17 * 16 + 17, 0);
  // x y = ((x + y)^2 - (x - y)^2) / 4: two inner sums, with functions of one variable alone.
  double worst = 0;
  for (int i = 0; i < 100; ++i) {
    const double x = std::sin(7.1 * i), y = std::cos(3.3 * i);
    const double sums[] = {x + y, x - y};  // phi_qp
    worst =
        std::max(worst, std::abs(sums[0] * sums[0] / 4 - sums[1] * sums[1] / 4 - x * y));  // Phi_q
  }
  out.check("x y as a sum of two functions of sums", worst, 0, 1e-15);
  // One edge: silu and a spline; the splines add up to 1 within the grid.
  std::vector<double> knots, at, edge;
  for (int k = -3; k <= 8; ++k) knots.push_back(-1 + 0.4 * k);
  Plot plot({.title = "the splines of one edge", .x = {.label = "x"}, .legend = LegendPlace::none});
  std::vector<double> total(161, 0.0);
  for (int i = 0; i <= 160; ++i) at.push_back(-1 + i / 80.0);
  for (std::size_t j = 0; j < 8; ++j) {
    std::vector<double> values;
    for (std::size_t i = 0; i < at.size(); ++i) {
      // Cox and de Boor, with half-open intervals
      std::vector<double> b(11, 0.0);
      for (std::size_t k = 0; k < 11; ++k) b[k] = knots[k] <= at[i] && at[i] < knots[k + 1] ? 1 : 0;
      for (std::size_t degree = 1; degree <= 3; ++degree) {
        for (std::size_t k = 0; k + degree < 11; ++k) {
          b[k] =
              (at[i] - knots[k]) / (knots[k + degree] - knots[k]) * b[k] +
              (knots[k + degree + 1] - at[i]) / (knots[k + degree + 1] - knots[k + 1]) * b[k + 1];
        }
      }
      values.push_back(b[j]);
      total[i] += b[j];
    }
    plot.line(at, values);
  }
  double off = 0;
  for (std::size_t i = 0; i + 1 < total.size(); ++i) off = std::max(off, std::abs(total[i] - 1));
  out.check("sum of the eight splines within the grid, less 1", off, 0, 1e-14);
  out.picture("splines", draw_figure({&plot}, {560, 300, 1}));
}

Artefact kan_and_mlp_table_entry() {
  return {.id = "kan-and-mlp",
          .kind = Kind::table,
          .lecture = 5,
          .lines = "6587-6609",
          .title = "Two ways to build a function of several variables",
          .formula =
              "f(x) = \\sum_{q=1}^{2n+1} \\Phi_q \\left( \\sum_{p=1}^n \\phi_{q,p}(x_p) "
              "\\right), \\quad f(x) = \\sum_{i=1}^N c_i g(w_i \\cdot x + b_i)",
          .says =
              "A shallow and a deep network whose edges are functions, beside one whose edges "
              "are numbers.",
          .truth =
              "Indices slipped in the deep forms: Phi_1 belongs to layer l, and the last biases "
              "are those of layers L - 1 and L. A layer in practice is a sum of functions of "
              "single inputs, without an outer function.",
          .page = "networks/kan.md",
          .seconds = 0.1,
          .file = "lecture_5/kan_and_mlp_table.cpp",
          .make = make_kan_and_mlp_table};
}

}  // namespace cauchy::notes
