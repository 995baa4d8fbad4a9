// Runs:    kansa_and_pinn [PICTURE.svg]
// Expects: one Poisson problem with exchangeable representation and optimiser: Kansa (error below
//          1e-6), radial functions with frozen and with trained centres, and an MLP, trained by
//          Levenberg-Marquardt (below 1e-4, frozen ones below 5e-2); exit code 0.
#include <fmt/format.h>

#include <cauchy/expr/derivative.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/report/figure.hpp>
#include <cauchy/solvers/method.hpp>
#include <utility>
#include <vector>

int main(int argc, char** argv) {
  using namespace cauchy;
  const Coordinate x("x"), y("y");
  const Field u("u");
  const Expr exact = sin(pi * x) * exp(y);
  Problem problem;
  problem.domain = Disk({0, 0}, 1);
  problem.fields = {"u"};
  problem.equation = {d(u, x, x) + d(u, y, y) == (1 - pi * pi) * exact};
  problem.condition = {on_boundary(u == exact)};
  problem.reference.formulas["u"] = exact;

  Pinn frozen, trained, mlp;
  frozen.network = Rbf{.centres = 60, .learn_centres = false, .learn_shapes = false};
  trained.network = Rbf{.centres = 60};
  mlp.network = Mlp{.width = 16, .depth = 2};
  for (Pinn* p : {&frozen, &trained, &mlp}) {
    p->points = {.interior = 400, .boundary = 80};
    p->stages = {{LevenbergMarquardtOptions{}, 60}};
  }
  const std::vector<std::pair<const char*, Method>> runs{{"Kansa", Kansa{.n = 10}},
                                                         {"RBF network, frozen centres", frozen},
                                                         {"RBF network, trained centres", trained},
                                                         {"MLP (PINN)", mlp}};
  std::vector<double> error;
  Plot plot({.title = "error along y = 0.2",
             .x = {.label = "x"},
             .y = {.label = "|u - exact|", .scale = AxisScale::log}});
  fmt::print("{:30} {:>9} {:>10} {:>8}\n", "representation", "unknowns", "error", "seconds");
  for (const auto& [name, method] : runs) {
    const Solution s = solve(problem, method);
    error.push_back(s.error.relative_l2());
    fmt::print("{:30} {:9} {:10.1e} {:8.2f}\n", name, s.n_unknowns, error.back(), s.seconds);
    std::vector<double> xs, errors;
    for (int i = 0; i < 195; ++i) {
      xs.push_back(-0.97 + 0.01 * i);
      errors.push_back(s(abs(u - exact), {xs.back(), 0.2}));
    }
    plot.line(xs, errors, {.name = name});
  }
  if (argc > 1) save_picture(argv[1], draw_figure({&plot}));
  return error[0] < 1e-6 && error[1] < 5e-2 && error[2] < 1e-4 && error[3] < 1e-4 ? 0 : 1;
}
