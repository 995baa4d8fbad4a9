// A forward problem: the heated bar, u_t = D u_xx, cooled at both ends.
//
// Runs: build/examples/forward
// Expects: grade converged, relative L2 error below 1e-3 against the exact solution. Exit code 0.
#include <cstdio>

#include <cauchy/expr/derivative.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/solvers/method.hpp>

int main() {
  using namespace cauchy;
  const Coordinate t("t"), x("x");
  const Field u("u");
  const Parameter D("D");

  Problem bar;
  bar.name = "heated bar";
  bar.domain = Interval(x, -1, 1) * Time(t, 0, 1);
  bar.fields = {"u"};
  bar.parameters = {{"D", 0.25}};
  bar.equation = {d(u, t) == D * d(u, x, x)};
  bar.condition = {at(t == 0, u == cos(pi * x / 2)), on_boundary(u == 0)};
  bar.reference.formulas["u"] = exp(-pi * pi / 4 * D * t) * cos(pi * x / 2);
  bar.tolerance = 1e-3;

  Pinn method;
  method.network = Mlp{.width = 16, .depth = 2};
  method.points = {.interior = 800, .boundary = 100, .initial = 100};
  method.stages = {{AdamOptions{}, 500}, {LbfgsOptions{}, 1500}};
  const Solution s = solve(bar, method);

  std::printf("grade %s after %.1f s\n", std::string(to_string(s.grade)).c_str(), s.seconds);
  for (const std::string& finding : s.findings) std::printf("  %s\n", finding.c_str());
  std::printf("u(t = 1, x = 0) = %.5f, exact 0.53964; flux u_x(1, 1) = %.4f\n", s("u", {1, 0}),
              s("u_x", {1, 1}));
  return s.grade == Grade::converged ? 0 : 1;
}
