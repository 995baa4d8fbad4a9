// An inverse problem: the conductivity of a bar from temperatures measured inside.
//
// Runs: build/examples/inverse
// Expects: the unknown constant within 2 percent of the truth 0.25. Exit code 0.
#include <cmath>
#include <cstdio>

#include <cauchy/base/rng.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/solvers/method.hpp>

int main() {
  using namespace cauchy;
  const Coordinate t("t"), x("x");
  const Field u("u");
  const Parameter D("D");

  Problem bar;
  bar.name = "conductivity";
  bar.domain = Interval(x, -1, 1) * Time(t, 0, 1);
  bar.fields = {"u"};
  bar.unknowns = {{.name = "D", .initial = 1, .lower = 0.0, .truth = 0.25}};  // positive
  bar.equation = {d(u, t) == D * d(u, x, x)};
  bar.condition = {on_boundary(u == 0)};

  // 200 measurements of the exact solution with noise of one percent.
  Table data{{"t", "x", "temperature"}, {}, "thermometers"};
  Rng rng(1);
  for (int i = 0; i < 200; ++i) {
    const double a = rng.uniform(), b = rng.uniform(-1, 1);
    const double exact = std::exp(-pi * pi / 16 * a) * std::cos(pi * b / 2);
    data.values.insert(data.values.end(), {a, b, exact + 0.01 * rng.normal()});
  }
  bar.observation = {
      {.name = "thermometers", .quantity = u, .column = "temperature", .table = data}};

  Pinn method;
  method.network = Mlp{.width = 16, .depth = 2};
  method.points = {.interior = 800, .boundary = 100, .initial = 100};
  method.stages = {{AdamOptions{}, 500}, {LbfgsOptions{}, 1500}};
  const Solution s = solve(bar, method);
  std::printf("D = %.4f, truth 0.25, after %.1f s\n", s.unknowns.at("D"), s.seconds);
  return s.error.unknowns.at("D") < 0.02 ? 0 : 1;
}
