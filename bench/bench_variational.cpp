// Variational networks: the slit by Deep Ritz, and a steep line by strong and weak forms with the
// same network, points and optimisers.
//   bench_variational slit [SECONDS] [BLOCKS] [SEED]
//   bench_variational steep [STEEPNESS] [SEEDS]
//   bench_variational [--smallest]   both
#include <fmt/format.h>

#include <cauchy/expr/derivative.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/networks/residual_mlp.hpp>
#include <cauchy/problem/norms.hpp>
#include <cauchy/solvers/method.hpp>
#include <cmath>
#include <cstdlib>
#include <string>

#include "bench_options.hpp"

namespace cauchy {
namespace {

double number_at(int argc, char** argv, int i, double otherwise) {
  return i < argc ? std::atof(argv[i]) : otherwise;
}

void slit(double seconds, int blocks, std::uint64_t seed) {
  const Coordinate x("x"), y("y");
  const Field u("u");
  Problem p;
  p.fields = {"u"};
  p.domain = Rectangle({-1, -1}, {1, 1}) - Slit({{0, 0}, {1, 0}});
  const Expr r = sqrt(x * x + y * y);
  const Expr g = where(x <= 0, sqrt((r - x) / 2), abs(y) / sqrt(2 * (r + x)));
  p.equation = {-d(u, x, x) - d(u, y, y) == 0};
  p.condition = {on("slit", u == 0), on("not slit", u == g)};
  p.reference.exact = "laplace_slit";
  Stage soap{SoapOptions{.learning_rate = 5e-3}, 9000};
  soap.schedule = {.shape = ScheduleShape::cosine, .steps = 9000};
  const Ritz method{.trial = {.network = ResidualMlp{.width = 10, .blocks = blocks},
                              .points = {.interior = 1024, .boundary = 200, .redraw = 1},
                              .stages = {soap},
                              .seed = seed},
                    .essential = Essential::penalty,
                    .penalty = 500};
  RunOptions run;
  run.max_seconds = seconds;
  const Solution s = solve(p, method, run);
  const double energy = integral(s, "(u_x^2 + u_y^2)/2", "domain", 200).value;
  fmt::print("{}: {} steps, {:.0f} s, relative L2 {:.2e}, energy {:.4f} (exact {:.4f})\n", s.method,
             s.training->steps, s.seconds, s.error.relative_l2(), energy,
             std::log(1 + std::sqrt(2.0)));
}

void steep(double k, std::uint64_t seeds, bool smallest) {
  const Coordinate x("x");
  const Field u("u");
  const Expr t = tanh(k * x), exact = 0.1 * sin(4 * pi * x) + t;
  Problem p;
  p.fields = {"u"};
  p.domain = Interval(x, -1, 1);
  p.equation = {-d(u, x, x) == 1.6 * pi * pi * sin(4 * pi * x) + 2 * k * k * t * (1 - t * t)};
  p.condition = {on_boundary(u == exact)};
  p.reference.formulas = {{"u", exact}};
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    Pinn trial{.network = Mlp{.width = 20, .depth = 2},
               .points = {.interior = 160, .boundary = 2},
               .stages = {{AdamOptions{}, 500}, {LbfgsOptions{}, 1500}},
               .seed = seed};
    if (smallest) trial.stages = {{AdamOptions{}, 10}};
    const std::vector<Method> methods = {
        trial, Vpinn{.trial = trial, .tests = 60, .quadrature = 160},
        HpVpinn{.trial = trial, .elements = {16}, .tests = 8, .quadrature = 10}};
    for (const Method& method : methods) {
      const Solution s = solve(p, method);
      fmt::print("k = {}, seed {}, {:9}: relative L2 {:.2e}, {:.1f} s\n", k, seed, name_of(method),
                 s.error.relative_l2(), s.seconds);
    }
  }
}

}  // namespace
}  // namespace cauchy

int main(int argc, char** argv) {
  using namespace cauchy;
  const bool smallest = bench::take_smallest(argc, argv);
  const std::string what = argc > 1 ? argv[1] : "all";
  const bool all = what == "all";
  if (!all && what != "slit" && what != "steep") {
    fmt::print(
        "bench_variational [--smallest] [slit [SECONDS] [BLOCKS] [SEED] | steep [STEEPNESS] "
        "[SEEDS]]\n");
    return 2;
  }
  if (all || what == "slit") {
    slit(number_at(argc, argv, 2, smallest ? 1 : 180),
         static_cast<int>(number_at(argc, argv, 3, 4)),
         static_cast<std::uint64_t>(number_at(argc, argv, 4, 1)));
  }
  if (all || what == "steep") {
    steep(number_at(argc, argv, 2, 80),
          static_cast<std::uint64_t>(number_at(argc, argv, 3, smallest ? 1 : 3)), smallest);
  }
  return 0;
}
