// How much the choice of points matters: the heated bar solved by a small network on few points of
// every sampler, with several seeds. Prints the relative L2 error: median, best and worst.
//
//   bench_pinn_samplers [--seeds N] [--points N]
#include <fmt/format.h>

#include <algorithm>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/solvers/method.hpp>
#include <cstdlib>
#include <cstring>

int main(int argc, char** argv) {
  using namespace cauchy;
  std::size_t seeds = 7, n = 64;
  for (int i = 1; i + 1 < argc; i += 2) {
    const auto value = static_cast<std::size_t>(std::strtoul(argv[i + 1], nullptr, 10));
    if (std::strcmp(argv[i], "--seeds") == 0) seeds = std::max<std::size_t>(1, value);
    if (std::strcmp(argv[i], "--points") == 0) n = std::max<std::size_t>(1, value);
  }
  const Coordinate t("t"), x("x");
  const Field u("u");
  Problem bar;
  bar.domain = Interval(x, -1, 1) * Time(t, 0, 1);
  bar.fields = {"u"};
  bar.equation = {d(u, t) == 0.25 * d(u, x, x)};
  bar.condition = {at(t == 0, u == cos(pi * x / 2)), on_boundary(u == 0)};
  bar.reference.formulas["u"] = exp(-pi * pi / 16 * t) * cos(pi * x / 2);

  fmt::print("relative L2 error of the heated bar on {} points, {} seeds\n", n, seeds);
  fmt::print("{:<16} {:>9} {:>9} {:>9}\n", "sampler", "median", "best", "worst");
  for (const std::string& name : sampler_names()) {
    std::vector<double> errors;
    for (std::size_t seed = 1; seed <= seeds; ++seed) {
      Pinn method;
      method.seed = seed;
      method.network = Mlp{.width = 16, .depth = 2};
      method.points = {.interior = n, .boundary = n / 4, .initial = n / 4};
      method.points.sampler.kind = sampler_kind(name);
      // Deterministic sets are shifted at random, so that seeds differ in points too.
      const bool random = name == "uniform" || name == "latin_hypercube";
      if (!random) method.points.sampler.randomize = Randomize::shift;
      method.stages = {{AdamOptions{}, 300}, {LbfgsOptions{}, 700}};
      errors.push_back(solve(bar, method).error.relative_l2());
    }
    std::sort(errors.begin(), errors.end());
    fmt::print("{:<16} {:>9.2e} {:>9.2e} {:>9.2e}\n", name, errors[errors.size() / 2],
               errors.front(), errors.back());
  }
  return 0;
}
