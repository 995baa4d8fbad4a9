// Thirty periods of du/dx = cos(15 x): one network against a small one in each of twenty windows.
//
// Runs:    windows [PICTURE.svg]
// Expects: an error below 1 percent with windows, ten times as much or more without; exit code 0.
#include <memory>

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
  method.stages = {{AdamOptions{.learning_rate = 5e-3}, 300}, {LbfgsOptions{}, 2500}};
  PlotOptions options;
  options.x = {.label = "x", .limits = Limits{-2, 2}};
  options.y.label = "u";
  Plot answers(options);
  std::vector<double> at, errors;
  for (int i = 0; i <= 400; ++i) at.push_back(-2 + 0.01 * i);
  const Windows windows{.windows = {20}, .inner = {Mlp{.width = 8, .depth = 1}}};
  for (const Network& network : {Network(Mlp{.width = 16, .depth = 2}), Network(windows)}) {
    method.network = network;
    const Solution s = solve(p, method);
    errors.push_back(s.error.relative_l2());
    fmt::print("{}: error {:.1e}\n", s.method, errors.back());
    answers.line(at, s("u", at), {.name = describe(network)});
  }

  // The functions that blend four windows of [-1, 1].
  Graph graph({"x"});
  const int rows = add_windows(graph, Windows{.windows = {4}}, graph.coordinates());
  std::vector<Expr> functions;
  for (int k = 0; k < 4; ++k) {
    graph.output(fmt::format("w{}", k), rows, k);
    functions.push_back(Field(fmt::format("w{}", k)));
  }
  std::vector<double> inside, values(4 * 201), row(201);
  for (int i = 0; i <= 200; ++i) inside.push_back(-1 + 0.01 * i);
  make_executor(std::make_shared<const Graph>(graph), {})->predict(functions, {}, inside, values);
  PlotOptions of_shapes;
  of_shapes.x.label = "x, scaled";
  of_shapes.y.label = "window";
  Plot shapes(of_shapes);
  for (std::size_t k = 0; k < 4; ++k) {
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = values[4 * i + k];
    shapes.line(inside, row);
  }
  if (argc > 1) save_picture(argv[1], draw_figure({&shapes, &answers}, {}));
  return errors[1] < 1e-2 && errors[0] > 10 * errors[1] ? 0 : 1;
}
