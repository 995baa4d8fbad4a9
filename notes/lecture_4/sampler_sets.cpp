#include <cmath>
#include <vector>

#include <cauchy/report/figure.hpp>
#include <cauchy/sampling/discrepancy.hpp>
#include <cauchy/sampling/sampler.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_sampler_sets(Output& out) {
  constexpr std::size_t n = 256;
  std::vector<Plot> plots;
  std::vector<std::vector<std::string>> rows = {
      {"points", "L2-star discrepancy", "error of an integral"}};
  std::map<std::string, double> found;
  for (const std::string& name : sampler_names()) {
    const std::vector<double> p = unit_points({.kind = sampler_kind(name), .seed = 1}, 2, n);
    std::vector<double> x, y;
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
      x.push_back(p[2 * i]), y.push_back(p[2 * i + 1]);
      sum += std::exp(x.back() * y.back()) / n;
    }
    found[name] = l2_star_discrepancy(p, 2);
    rows.push_back({name, fmt::format("{:.5f}", found[name]),
                    fmt::format("{:.1e}", std::abs(sum - 1.3179021514544038))});
    plots.emplace_back(PlotOptions{.title = name,
                                   .x = {.limits = Limits{0, 1}},
                                   .y = {.limits = Limits{0, 1}},
                                   .equal_aspect = true,
                                   .grid = false});
    plots.back().scatter(x, y, {.radius = 1.6});
  }
  out.table("discrepancies", rows, "256 points; the integral is that of exp(x y) over the square");
  // A random set has D^2 = (1/4 - 1/9) / n in the mean.
  out.check("random points: D^2 n, 5/36 in the mean", found["uniform"] * found["uniform"] * n,
            5.0 / 36, 0.12);
  for (const char* name : {"sobol", "halton", "hammersley", "faure", "r_sequence"}) {
    out.require(fmt::format("{}: less than half of the discrepancy of random points", name),
                found[name] < found["uniform"] / 2);
  }
  // The first numbers of van der Corput's sequence, and the constants of the R sequence.
  const std::vector<double> halton = unit_points({.kind = SamplerKind::halton}, 2, 4);
  out.check("Halton, base 2, third number", halton[4], 0.75, 0);
  out.check("Halton, base 3, third number", halton[5], 1.0 / 9, 1e-16);
  const std::vector<double> r = unit_points({.kind = SamplerKind::r_sequence}, 2, 2);
  out.check("R sequence, step of the first axis: 1 / 1.3247179572", std::fmod(r[2] - r[0] + 1, 1),
            1 / 1.3247179572, 1e-9);
  std::vector<const Panel*> panels;
  for (const Plot& plot : plots) panels.push_back(&plot);
  out.picture("sets", draw_figure(panels, {260, 260, 5}), "256 points of the square each.");
}

Artefact sampler_sets_entry() {
  return {.id = "samplers",
          .kind = Kind::figure,
          .lecture = 4,
          .lines = "3745-3752",
          .title = "Point sets of the square",
          .formula = "D_N = \\sup_B \\left| \\frac{\\#(B)}{N} - |B| \\right|",
          .says = "Random, regular and quasi-random points, and how evenly they fill the square.",
          .truth = "",
          .page = "sampling.md",
          .seconds = 0.1,
          .file = "lecture_4/sampler_sets.cpp",
          .make = make_sampler_sets};
}

}  // namespace cauchy::notes
