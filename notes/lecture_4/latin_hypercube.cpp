#include <cmath>
#include <set>
#include <vector>

#include <cauchy/report/figure.hpp>
#include <cauchy/sampling/sampler.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_latin_hypercube(Output& out) {
  constexpr std::size_t n = 16;
  Rng rng(4);
  std::vector<double> points(2 * n);
  std::vector<std::size_t> permutation(n);
  for (std::size_t j = 0; j < 2; ++j) {  // the algorithm: P in 1 ... n
    rng.permutation(permutation);
    for (std::size_t i = 0; i < n; ++i) {
      points[2 * i + j] = (double(permutation[i] + 1) - rng.uniform()) / n;
    }
  }
  const auto strata = [&](const std::vector<double>& p, std::size_t j) {
    std::set<int> hit;
    for (std::size_t i = 0; i < n; ++i) hit.insert(int(p[2 * i + j] * n));
    return double(hit.size());
  };
  for (std::size_t j = 0; j < 2; ++j) {
    out.check(fmt::format("strips of axis {} that hold a point", j + 1), strata(points, j), n, 0);
    out.check(fmt::format("the same for the sampler of the library, axis {}", j + 1),
              strata(unit_points({.kind = SamplerKind::latin_hypercube, .seed = 3}, 2, n), j), n,
              0);
  }
  // The mean of x^2 + y^2 over n points: variance over 400 draws.
  const auto variance = [&](SamplerKind kind) {
    double sum = 0, squares = 0;
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
      double mean = 0;
      for (const double v : unit_points({.kind = kind, .seed = seed}, 2, n)) mean += v * v / n;
      sum += mean / 400, squares += mean * mean / 400;
    }
    return squares - sum * sum;
  };
  const double random = variance(SamplerKind::uniform),
               latin = variance(SamplerKind::latin_hypercube);
  out.check("variance of random points times n, exact 2 (1/5 - 1/9)", random * n, 8.0 / 45, 0.03);
  out.require("an additive function: less than a hundredth of that variance", latin < random / 100);
  std::vector<double> x, y;
  for (std::size_t i = 0; i < n; ++i) x.push_back(points[2 * i]), y.push_back(points[2 * i + 1]);
  Plot plot({.title = "16 points, one in each row and each column",
             .x = {.limits = Limits{0, 1}},
             .y = {.limits = Limits{0, 1}},
             .equal_aspect = true,
             .grid = false});
  for (std::size_t i = 1; i < n; ++i) {
    const std::vector<double> at(2, double(i) / n), ends = {0, 1};
    plot.line(at, ends, {.color = Color{210, 210, 210}, .width = 0.8});
    plot.line(ends, at, {.color = Color{210, 210, 210}, .width = 0.8});
  }
  plot.scatter(x, y, {.color = palette_color(0), .radius = 4});
  out.picture("points", draw_figure({&plot}, {400, 400, 1}));
}

Artefact latin_hypercube_entry() {
  return {.id = "latin-hypercube",
          .kind = Kind::algorithm,
          .lecture = 4,
          .lines = "3852-3868",
          .title = "Latin hypercube",
          .formula = "x_{ij} = \\frac{P_j(i) - U_j(i)}{n}",
          .says = "One random permutation per axis puts exactly one point into each of n strips.",
          .truth = "",
          .page = "sampling.md",
          .seconds = 0.1,
          .file = "lecture_4/latin_hypercube.cpp",
          .make = make_latin_hypercube};
}

}  // namespace cauchy::notes
