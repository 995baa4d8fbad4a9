// A parametric problem: one network for all wave numbers k of u'' + k^2 u = 0, u(0) = 0, u'(0) = k.
//
// Runs: build/examples/parametric
// Expects: relative L2 error below 1e-2 over all k between 1 and 4; solution sin(k x). Exit code 0.
#include <cmath>
#include <cstdio>

#include <cauchy/expr/derivative.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/solvers/method.hpp>

int main() {
  using namespace cauchy;
  const Coordinate x("x");
  const Field u("u");
  const Parameter k("k");

  Problem helmholtz;
  helmholtz.name = "helmholtz family";
  helmholtz.domain = Interval(x, 0, 1) * Range(k, 1, 4);  // k becomes an input of the network
  helmholtz.fields = {"u"};
  helmholtz.equation = {d(u, x, x) + k * k * u == 0};
  helmholtz.condition = {on("left", u == 0), on("left", d(u, x) == k)};
  helmholtz.reference.formulas["u"] = sin(k * x);
  helmholtz.tolerance = 1e-2;

  Pinn method;
  method.network = Mlp{.width = 20, .depth = 2};
  method.points = {.interior = 1000, .boundary = 100};
  method.stages = {{AdamOptions{}, 500}, {LbfgsOptions{}, 1500}};
  const Solution s = solve(helmholtz, method);
  for (const double value : {1.0, 2.5, 4.0}) {
    std::printf("k = %.1f: u(0.7) = %.4f, exact %.4f\n", value, s("u", {0.7, value}),
                std::sin(0.7 * value));
  }
  for (const std::string& finding : s.findings) std::printf("%s\n", finding.c_str());
  return s.grade == Grade::converged ? 0 : 1;
}
