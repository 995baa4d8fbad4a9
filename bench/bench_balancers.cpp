// What balancers do to the error, each with its defaults: a rod whose condition counts too little,
// as much, or too much, and Helmholtz' equation with its steep source, all by Adam alone. Prints
// the relative L2 error, the median over seeds.
//
//   bench_balancers [--seeds N] [--threads N] [--smallest]
#include <fmt/format.h>

#include <algorithm>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/solvers/method.hpp>
#include <cstdlib>
#include <cstring>

#include "bench_options.hpp"

namespace {

using namespace cauchy;

const Coordinate x("x"), y("y");
const Field u("u");

struct Case {
  std::string name;
  Problem problem;
  Pinn method;
};

Case rod(double weight) {
  Problem p;
  p.fields = {"u"};
  p.domain = Interval(x, 0, 1);
  p.equation = {-d(u, x, x) == pi * pi * sin(pi * x)};
  p.condition = {on_boundary(u == 1)};
  p.condition[0].weight = weight;
  p.reference.formulas["u"] = 1 + sin(pi * x);
  Pinn m;
  m.network = Mlp{.width = 8, .depth = 1};
  m.points = {.interior = 40, .boundary = 2};
  m.stages = {{AdamOptions{.learning_rate = 5e-3}, 1000}};
  return {fmt::format("rod, {:g}", weight), p, m};
}

Case helmholtz() {
  Problem p;
  p.fields = {"u"};
  p.domain = Rectangle({-1, -1}, {1, 1});
  const Expr exact = sin(pi * x) * sin(4 * pi * y);
  p.equation = {d(u, x, x) + d(u, y, y) + u == (1 - 17 * pi * pi) * exact};
  p.condition = {on_boundary(u == 0)};
  p.reference.formulas["u"] = exact;
  Pinn m;
  m.network = Mlp{.width = 24, .depth = 2, .activation = Activation::sin};
  m.points = {.interior = 600, .boundary = 120};
  m.stages = {{AdamOptions{.learning_rate = 5e-3}, 3000}};
  return {"helmholtz", p, m};
}

}  // namespace

int main(int argc, char** argv) {
  const bool smallest = bench::take_smallest(argc, argv);
  std::size_t seeds = smallest ? 1 : 5;
  int threads = 1;
  for (int i = 1; i + 1 < argc; i += 2) {
    const unsigned long value = std::max(1ul, std::strtoul(argv[i + 1], nullptr, 10));
    if (std::strcmp(argv[i], "--seeds") == 0) seeds = value;
    if (std::strcmp(argv[i], "--threads") == 0) threads = static_cast<int>(value);
  }
  std::vector<Case> cases = {rod(1e-4), rod(1), rod(10), helmholtz()};
  for (Case& c : cases) {
    if (smallest) c.method.stages = {{AdamOptions{}, 2}};
  }
  fmt::print("{:<16}", "balancer");
  for (const Case& c : cases) fmt::print(" {:>11}", c.name);
  fmt::print("\n");
  for (const BalancerEntry& entry : all_balancers()) {
    fmt::print("{:<16}", entry.name);
    for (Case& c : cases) {
      std::vector<double> errors;
      for (std::size_t seed = 1; seed <= seeds; ++seed) {
        c.method.seed = seed;
        c.method.rules.balancer = entry.options;
        errors.push_back(solve(c.problem, c.method, {.threads = threads}).error.relative_l2());
      }
      std::sort(errors.begin(), errors.end());
      fmt::print(" {:>11.1e}", errors[errors.size() / 2]);
      std::fflush(stdout);
    }
    fmt::print("\n");
  }
}
