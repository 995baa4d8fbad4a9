#include <cmath>

#include <cauchy/base/rng.hpp>
#include <cauchy/math/special.hpp>
#include <cauchy/report/figure.hpp>
#include <cauchy/sampling/inverse_cdf.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_monte_carlo_histogram(Output& out) {
  constexpr std::size_t n = 1024, bins = 24;
  Rng rng(1);
  const std::vector<double> draws = InverseCdf::normal(0, 1).sample(n, rng);
  const double lower = -3.6, width = 0.3;
  std::vector<double> count(bins), alike(20), x, density;
  std::size_t outside = 0;
  for (const double at : draws) {
    const double place = std::floor((at - lower) / width);
    if (place >= 0 && place < bins) {
      count[std::size_t(place)] += 1;
    } else {
      ++outside;
    }
    alike[std::min<std::size_t>(19, std::size_t(20 * normal_cdf(at)))] += 1;
  }
  double chi_square = 0;  // of twenty cells of the same probability
  for (const double c : alike) chi_square += std::pow(c - n / 20.0, 2) / (n / 20.0);
  out.check("chi square of 20 cells (mean 19, below 43.8 in 999 of 1,000 draws)", chi_square, 19,
            24.8);
  out.require("almost all draws lie within 3.6 standard deviations", outside <= 4);
  Plot plot(
      {.title = "1024 draws of a normal law", .x = {.label = "x"}, .y = {.label = "density"}});
  for (std::size_t i = 0; i < bins; ++i) {
    const double a = lower + double(i) * width, height = count[i] / (n * width);
    RegionStyle style{.fill = with_opacity(palette_color(0), 0.4), .edge = palette_color(0)};
    if (i == 0) style.name = "draws";
    plot.region({{{a, 0}, {a + width, 0}, {a + width, height}, {a, height}}}, style);
  }
  for (int i = -72; i <= 72; ++i) {
    x.push_back(i / 20.0);
    density.push_back(std::exp(-x.back() * x.back() / 2) / std::sqrt(2 * std::numbers::pi));
  }
  plot.line(x, density, {.name = "exp(-x^2/2) / sqrt(2 pi)", .color = palette_color(1)});
  out.picture("histogram", draw_figure({&plot}, {640, 420, 1}));
}

Artefact monte_carlo_histogram_entry() {
  return {.id = "monte-carlo-histogram",
          .kind = Kind::figure,
          .lecture = 1,
          .lines = "1064-1071",
          .title = "Histogram of 1024 draws",
          .formula = R"(f(x) = \frac{1}{\sqrt{2\pi}}\,e^{-x^2/2})",
          .says = "A thousand draws by the listing before show the bell curve.",
          .truth = "",
          .page = "sampling.md",
          .seconds = 0.1,
          .file = "lecture_1/monte_carlo_histogram.cpp",
          .make = make_monte_carlo_histogram};
}

}  // namespace cauchy::notes
