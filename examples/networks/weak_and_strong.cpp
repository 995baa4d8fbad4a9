// Runs:    weak_and_strong [PICTURE.svg]
// Expects: a steep line by residuals at points and by test functions on elements, with the same
// network, nodes
//          and optimisers: the weak form is at least ten times as accurate; exit code 0.
#include <fmt/format.h>

#include <cauchy/report/figure.hpp>
#include <cmath>

using namespace cauchy;

int main(int argc, char** argv) {
  const Coordinate x("x");
  const Field u("u");
  const double k = 80;
  const Expr t = tanh(k * x), exact = 0.1 * sin(4 * pi * x) + t;
  Problem p;
  p.fields = {"u"};
  p.domain = Interval(x, -1, 1);
  p.equation = {-d(u, x, x) == 1.6 * pi * pi * sin(4 * pi * x) + 2 * k * k * t * (1 - t * t)};
  p.condition = {on_boundary(u == exact)};
  p.reference.formulas = {{"u", exact}};
  const Pinn trial{.network = Mlp{.width = 20, .depth = 2},
                   .points = {.interior = 160, .boundary = 2},
                   .stages = {{AdamOptions{}, 500}, {LbfgsOptions{}, 1500}}};
  const std::vector<std::pair<std::string, Method>> methods = {
      {"pinn", trial},
      {"hp_vpinn", HpVpinn{.trial = trial, .elements = {16}, .tests = 8, .quadrature = 10}}};
  Plot answers({.title = "a steep line", .x = {.label = "x"}});
  Plot errors({.title = "error", .x = {.label = "x"}, .y = {.scale = AxisScale::log}});
  std::vector<double> at, truth, found;
  for (int i = 0; i <= 400; ++i) at.push_back(-1 + i / 200.0);
  for (const double s : at) {
    truth.push_back(0.1 * std::sin(4 * std::numbers::pi * s) + std::tanh(k * s));
  }
  answers.line(at, truth, {.name = "exact"});
  for (const auto& [name, method] : methods) {
    const Solution s = solve(p, method);
    const std::vector<double> values = s("u", at);
    std::vector<double> off;
    for (std::size_t i = 0; i < at.size(); ++i)
      off.push_back(std::abs(values[i] - truth[i]) + 1e-8);
    fmt::print("{:9}: relative L2 error {:.1e}\n", name, s.error.relative_l2());
    answers.line(at, values, {.name = name});
    errors.line(at, off, {.name = name});
    found.push_back(s.error.relative_l2());
  }
  if (argc > 1) save_picture(argv[1], draw_figure({&answers, &errors}, {.panel_width = 420}));
  return 10 * found[1] < found[0] ? 0 : 1;
}
