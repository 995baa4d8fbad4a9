// A Kolmogorov-Arnold network learns exp(sin(pi x) + y^2), is pruned, and says its formula.
//
// Runs:    kan_formula [PICTURE.svg]
// Expects: the formula of every seed has R2 > 0.9999 and holds sin, exp and a square; exit code 0.
#include <algorithm>

#include <fmt/format.h>

#include <cauchy/expr/print.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/report/figure.hpp>
#include <cauchy/solvers/formula.hpp>

int main(int argc, char** argv) {
  using namespace cauchy;
  const Coordinate x("x"), y("y");
  const Field u("u");

  Problem fit;  // an equation without derivatives: regression
  fit.name = "fit";
  fit.domain = Rectangle({-1, -1}, {1, 1});
  fit.fields = {"u"};
  fit.equation = {u == exp(sin(pi * x) + y * y)};
  fit.reference.formulas["u"] = exp(sin(pi * x) + y * y);

  bool good = true;
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    Pinn method;
    method.network = Kan{.hidden = {1}, .grid = 8};
    method.points.interior = 500;
    method.seed = seed;
    method.stages = {{LevenbergMarquardtOptions{}, 300}};
    method.rules.curriculum = GridCurriculum{.grids = {3, 5}};
    const Solution s = solve(fit, method);
    const FieldFormula found =
        formulas_of(fit, method, s, {.formula = {.digits = 4}, .prune = 1e-2}).front();
    const std::string text = to_string(found.formula);
    fmt::print("seed {}: error of the network {:.1e}, R2 of the formula {:.8f}\n  u = {}\n", seed,
               s.error.relative_l2(), found.r2, text);
    const bool right = text.find("sin") < text.size() && text.find("exp") < text.size() &&
                       (text.find("^2") < text.size() || text.find("y*(") < text.size());
    good = good && right && found.r2 > 0.9999;
    if (argc < 2 || seed > 1) continue;

    // The three functions less their middle, since constants can go from one to another: x and y to
    // the hidden node, and the hidden node to u.
    const KanOfAnswer kan = kans_of(fit, method, s, 200).front();
    const auto features = kan.model.features(kan.points);
    std::vector<Plot> plots;
    for (std::size_t e = 0; e < 3; ++e) {
      const std::size_t layer = e / 2, input = e % 2, n = kan.model.n_features(layer);
      std::vector<double> at, values;
      for (std::size_t p = input; p < features[layer].size(); p += n) {
        at.push_back(features[layer][p]);
      }
      std::sort(at.begin(), at.end());
      for (const double z : at) values.push_back(kan.model.edge(layer, 0, input, z));
      const auto [least, most] = std::minmax_element(values.begin(), values.end());
      const double middle = (*least + *most) / 2;
      for (double& value : values) value -= middle;
      plots.emplace_back(PlotOptions{.title = e == 0 ? "x" : e == 1 ? "y" : "hidden node"});
      plots.back().line(at, values);
    }
    save_picture(argv[1], draw_figure({&plots[0], &plots[1], &plots[2]},
                                      {.panel_width = 300, .panel_height = 240, .columns = 3}));
  }
  return good ? 0 : 1;
}
