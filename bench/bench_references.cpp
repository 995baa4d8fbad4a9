// Classical references against exact solutions: Burgers' equation with nu = 0.01/pi by Chebyshev
// collocation in slabs of time, compared with the Cole-Hopf formula at 2,000 points. The bar is an
// error of 1e-8; the exit code says whether it is met.
//   bench_references [--smallest] [TOLERANCE]
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include <cauchy/cauchy.hpp>
#include <cauchy/problem/exact_solutions.hpp>

#include "bench_options.hpp"

int main(int argc, char** argv) {
  using namespace cauchy;
  const double otherwise = bench::take_smallest(argc, argv) ? 1e-3 : 1e-9;
  const double tolerance = argc > 1 ? std::atof(argv[1]) : otherwise, bar = 10 * tolerance;
  const Coordinate t("t"), x("x");
  const Field u("u");
  const double nu = 0.01 / pi;
  Problem burgers;
  burgers.name = "burgers";
  burgers.domain = Interval(x, -1, 1) * Time(t, 0, 1);
  burgers.fields = {"u"};
  burgers.equation = {d(u, t) + u * d(u, x) == nu * d(u, x, x)};
  burgers.condition = {at(t == 0, u == -sin(pi * x)), on_boundary(u == 0)};

  const Solution s = solve(burgers, Spectral{.tolerance = tolerance});
  double worst = 0, sum = 0, size = 0;
  constexpr int n_t = 20, n_x = 100;
  for (int i = 1; i <= n_t; ++i) {
    for (int j = 0; j < n_x; ++j) {
      // Half of the points in the layer around 0.
      const double s_j = 2 * (j + 0.5) / n_x - 1, at_x = j % 2 == 0 ? s_j : 0.02 * s_j;
      const double at_t = static_cast<double>(i) / n_t;
      const double exact = burgers_cole_hopf(at_t, at_x, nu), error = s(u, {at_t, at_x}) - exact;
      worst = std::isnan(error) ? error : std::max(worst, std::abs(error));
      sum += error * error;
      size += exact * exact;
    }
  }
  const double l2 = std::sqrt(sum / size);
  fmt::print("burgers: {}, {} unknowns, {:.1f} s\n", s.method, s.n_unknowns, s.seconds);
  for (const std::string& f : s.findings) fmt::print("  {}\n", f);
  fmt::print(
      "  error against Cole-Hopf at {} points: relative L2 {:.1e}, largest {:.1e} (bar {:.0e})\n",
      n_t * n_x, l2, worst, bar);
  return worst <= bar ? 0 : 1;
}
