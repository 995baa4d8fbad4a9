#include <algorithm>
#include <vector>

#include <cauchy/expr/print.hpp>
#include <cauchy/report/figure.hpp>
#include <cauchy/solvers/formula.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_kan_regression(Output& out) {
  const Coordinate x("x"), y("y");
  const Field u("u");
  Problem fit;  // an equation without derivatives: regression
  fit.name = "fit";
  fit.domain = Rectangle({-1, -1}, {1, 1});
  fit.fields = {"u"};
  fit.equation = {u == exp(sin(pi * x) + y * y)};
  fit.reference.formulas["u"] = exp(sin(pi * x) + y * y);
  Pinn method{.network = Kan{.hidden = {1}, .grid = 8},
              .points = {.interior = 300},
              .stages = {{LevenbergMarquardtOptions{}, 150}}};
  method.rules.curriculum = GridCurriculum{.grids = {3, 5}};
  const Solution s = solve(fit, method, {.threads = 1, .error_share = 0});
  const FieldFormula found =
      formulas_of(fit, method, s, {.formula = {.digits = 4}, .prune = 1e-2}).front();
  const std::string text = to_string(found.formula);
  out.code("u = " + text,
           "What the network says when its edges are replaced by functions with names");
  out.check("R2 of the formula against the network", found.r2, 1, 1e-4);
  out.check("relative error of the network", s.error.relative_l2(), 0, 0.02);
  out.require("it holds a sine and an exponential",
              text.find("sin") != std::string::npos && text.find("exp") != std::string::npos);
  // The three functions, less their middle: x and y to the hidden node, the hidden node to u.
  const KanOfAnswer kan = kans_of(fit, method, s, 200).front();
  const auto features = kan.model.features(kan.points);
  std::vector<Plot> plots;
  for (std::size_t e = 0; e < 3; ++e) {
    const std::size_t layer = e / 2, input = e % 2, n = kan.model.n_features(layer);
    std::vector<double> at, values;
    for (std::size_t p = input; p < features[layer].size(); p += n)
      at.push_back(features[layer][p]);
    std::ranges::sort(at);
    for (const double z : at) values.push_back(kan.model.edge(layer, 0, input, z));
    const auto [least, most] = std::ranges::minmax(values);
    for (double& value : values) value -= (least + most) / 2;
    plots.emplace_back(PlotOptions{.title = e == 0   ? "of x"
                                            : e == 1 ? "of y"
                                                     : "of the hidden node"});
    plots.back().line(at, values);
  }
  out.picture("edges", draw_figure({&plots[0], &plots[1], &plots[2]}, {300, 240, 3}),
              "The trained edges: a sine, a square, an exponential, up to factors and shifts.");
}

Artefact kan_regression_entry() {
  return {.id = "kan-regression",
          .kind = Kind::figure,
          .lecture = 5,
          .lines = "6630-6661",
          .title = "A network says its formula",
          .formula =
              "f(x, y) = \\exp( \\sin(\\pi x) + y^2 ), \\quad \\phi(x) \\approx c f(a x + b) + d",
          .says =
              "A Kolmogorov-Arnold network is trained, pruned, and its edges are replaced by "
              "functions from a library.",
          .truth =
              "For pruning, incoming scores are those of layer l - 1 and outgoing ones those of "
              "layer l with the node as its input; the printed indices mix them up.",
          .page = "networks/kan.md",
          .seconds = 0.3,
          .file = "lecture_5/kan_regression.cpp",
          .make = make_kan_regression};
}

}  // namespace cauchy::notes
