#include <algorithm>
#include <cmath>

#include <cauchy/base/rng.hpp>
#include <cauchy/math/special.hpp>
#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_monte_carlo_normal(Output& out) {
  // The listing: y uniform, x = sqrt(2) erfinv(2 y - 1).
  const std::size_t n = 1024;
  Rng rng(1);
  std::vector<double> x(n);
  for (double& at : x) at = std::sqrt(2.0) * erfinv(2 * rng.uniform() - 1);
  double mean = 0, square = 0, round_trip = 0, distance = 0;
  for (const double at : x) {
    mean += at / n;
    square += at * at / n;
  }
  out.check("mean, +- 4 / sqrt(N)", mean, 0, 4 / std::sqrt(n));
  out.check("mean square, +- 4 sqrt(2 / N)", square, 1, 4 * std::sqrt(2.0 / n));
  // Kolmogorov and Smirnov: the largest distance of both distribution functions.
  std::sort(x.begin(), x.end());
  std::vector<double> share(n), exact(n);
  for (std::size_t i = 0; i < n; ++i) {
    share[i] = double(i + 1) / n;
    exact[i] = normal_cdf(x[i]);
    distance = std::max({distance, share[i] - exact[i], exact[i] - double(i) / n});
  }
  out.check("sqrt(N) times the largest distance (below 1.63 in 99 of 100 draws)",
            std::sqrt(n) * distance, 0, 1.63);
  for (int i = -999; i < 1000; ++i) {
    round_trip = std::max(round_trip, std::abs(std::erf(erfinv(i / 1000.0)) - i / 1000.0));
  }
  out.check("erf(erfinv(y)) - y", round_trip, 0, 1e-15);
  Plot plot({.title = "1024 draws", .x = {.label = "x"}, .y = {.label = "share below x"}});
  plot.line(x, exact, {.name = "normal law", .width = 3});
  plot.line(x, share, {.name = "draws", .width = 1});
  out.picture("distribution", draw_figure({&plot}, {560, 360, 1}));
}

Artefact monte_carlo_normal_entry() {
  return {
      .id = "monte-carlo-normal",
      .kind = Kind::listing,
      .lecture = 1,
      .lines = "1051-1062",
      .title = "Normal numbers from uniform ones",
      .formula =
          R"(x = F^{-1}(y) = \sqrt{2}\,\text{erfinv}(2y - 1), \quad P(F^{-1}(U) \le x) = P(U \le F(x)) = F(x))",
      .says =
          "The inverse of a distribution function maps uniform random numbers to numbers "
          "that follow it.",
      .truth =
          "The listing is right. In the derivation (line 1040) the middle expression lacks "
          "its \"at most x\"; it stands above. C++ has no inverse error function, so the "
          "library has one.",
      .page = "sampling.md",
      .seconds = 0.1,
      .file = "lecture_1/monte_carlo_normal.cpp",
      .make = make_monte_carlo_normal};
}

}  // namespace cauchy::notes
