// What weights of points cost: processor time of Adam's steps on Burgers' equation with every
// scheme, against those without weights; all points (2,000) and batches of 256. Bar: 10 %.
//
//   bench_point_weights [--steps N]
#include <fmt/format.h>

#include <algorithm>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/solvers/method.hpp>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace {

using namespace cauchy;

double seconds(const Problem& problem, const Pinn& method) {
  const std::clock_t begin = std::clock();
  (void)solve(problem, method, {.threads = 1, .error_share = 0, .history_every = 1'000'000});
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

/// What `steps` steps more cost beyond those of a run without any: the best of three.
double seconds_of_steps(const Problem& problem, Pinn method, std::uint64_t steps) {
  double best = INFINITY;
  for (int i = 0; i < 3; ++i) {
    method.stages = {{AdamOptions{}, 1}};
    const double start = seconds(problem, method);
    method.stages = {{AdamOptions{}, steps + 1}};
    best = std::min(best, seconds(problem, method) - start);
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t steps = 300;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--steps") == 0) steps = std::strtoull(argv[i + 1], nullptr, 10);
  }
  const Coordinate t("t"), x("x");
  const Field u("u");
  Problem burgers;
  burgers.name = "burgers";
  burgers.fields = {"u"};
  burgers.domain = Interval(x, -1, 1) * Time(t, 0, 1);
  burgers.equation = {d(u, t) + u * d(u, x) == 0.01 / pi * d(u, x, x)};
  burgers.condition = {at(t == 0, u == -sin(pi * x)), on_boundary(u == 0)};

  double none[2] = {0, 0};
  fmt::print("{:<16} {:>14} {:>8} {:>14} {:>8}\n", "weights", "ms, all", "more", "ms, batch",
             "more");
  for (const PointWeightsEntry& entry : all_point_weights()) {
    fmt::print("{:<16}", entry.name);
    for (const std::size_t batch : {0, 256}) {
      Pinn method;
      method.points.batch = batch;
      method.rules.point_weights = {entry.options};
      const double s = seconds_of_steps(burgers, method, batch > 0 ? 4 * steps : steps);
      double& plain = none[batch > 0 ? 1 : 0];
      if (plain == 0) plain = s;
      fmt::print(" {:>14.3f} {:>7.1f}%",
                 1e3 * s / static_cast<double>(batch > 0 ? 4 * steps : steps),
                 100 * (s / plain - 1));
    }
    fmt::print("\n");
  }
  return 0;
}
