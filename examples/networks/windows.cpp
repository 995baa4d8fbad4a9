// Sixty half periods of du/dx = cos(15 x): one network, and a small one in each of twenty windows.
//
// Runs:    windows [PICTURE.svg]
// Expects: an error below 1 percent with windows, ten times as much or more without; exit code 0.
#include <fmt/format.h>

#include <cauchy/engine/executor.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/report/figure.hpp>
#include <cauchy/solvers/method.hpp>

int main(int argc, char** argv) {
  using namespace cauchy;
  const Coordinate x("x");
  const Field u("u");
  Problem p;
  p.name = "oscillation";
  p.domain = Interval(x, -2 * pi, 2 * pi);
  p.fields = {"u"};
  p.sizes = {{"u", 1.0 / 15}};
  p.equation = {d(u, x) == cos(15 * x)};
  p.condition = {at_point({{"x", 0.0}}, u == 0)};
  p.reference.formulas["u"] = sin(15 * x) / 15;

  Pinn method;
  method.points = {.interior = 400};
  method.stages = {{AdamOptions{.learning_rate = 1e-2}, 200}, {LevenbergMarquardtOptions{}, 40}};
  std::vector<double> at, errors;
  for (int i = 0; i <= 400; ++i) at.push_back(-2 + 0.01 * i);
  Plot answers({.x = {.label = "x"}, .y = {.label = "u"}});
  const Windows windows{.windows = {20}, .inner = {Mlp{.width = 8, .depth = 1}}};
  for (const Network& network : {Network(Mlp{.width = 20, .depth = 2}), Network(windows)}) {
    method.network = network;
    const Solution s = solve(p, method);
    errors.push_back(s.error.relative_l2());
    fmt::print("{}: error {:.1e}\n", s.method, errors.back());
    answers.line(at, s("u", at), {.name = describe(network)});
  }
  // The functions that blend four windows of [-1, 1].
  Graph graph({"x"});
  const int rows = add_windows(graph, Windows{.windows = {4}}, graph.coordinates());
  for (int k = 0; k < 4; ++k) graph.output(fmt::format("w{}", k), rows, k);
  const auto executor = make_executor(std::make_shared<const Graph>(graph), {});
  std::vector<double> inside, values(201);
  for (int i = 0; i <= 200; ++i) inside.push_back(-1 + 0.01 * i);
  Plot shapes({.x = {.label = "x, scaled"}, .y = {.label = "window"}});
  for (int k = 0; k < 4; ++k) {
    executor->predict(std::vector<Expr>{Field(fmt::format("w{}", k))}, {}, inside, values);
    shapes.line(inside, values);
  }
  if (argc > 1) save_picture(argv[1], draw_figure({&shapes, &answers}, {}));
  return errors[1] < 1e-2 && errors[0] > 10 * errors[1] ? 0 : 1;
}
