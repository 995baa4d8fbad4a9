#include <cmath>

#include <cauchy/math/series.hpp>
#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_fourier_gibbs(Output& out) {
  constexpr double pi = std::numbers::pi;
  const auto wave = [](double x) { return x < 0 ? -1.0 : 1.0; };
  const auto kink = [](double x) { return std::abs(x); };
  const double jump[] = {0.0};
  std::vector<double> x, n, square, smooth;
  for (int i = -500; i <= 500; ++i) x.push_back(pi * i / 500);
  Plot sums({.title = "sums of a square wave", .x = {.label = "x"}});
  Plot errors({.title = "residual of n terms",
               .x = {.label = "n", .scale = AxisScale::log},
               .y = {.label = "L2", .scale = AxisScale::log}});
  double top = 0;
  for (const std::size_t terms : {5u, 15u, 45u, 135u}) {
    const auto c = fourier_coefficients(wave, terms, jump);
    const auto d = fourier_coefficients(kink, terms, jump);
    double rest = 2 * pi, rest_kink = 2 * pi * pi * pi / 3;  // |f|^2 - |P f|^2, by Parseval
    for (std::size_t k = 0; k < c.size(); ++k) {
      rest -= 2 * pi * std::norm(c[k]);
      rest_kink -= 2 * pi * std::norm(d[k]);
    }
    n.push_back(double(terms));
    square.push_back(std::sqrt(rest));
    smooth.push_back(std::sqrt(rest_kink));
    top = fourier_sum(c, pi / (double(terms) + 1));  // the first maximum
    if (terms == 5) continue;
    std::vector<double> y;
    for (const double at : x) y.push_back(fourier_sum(c, at));
    sums.line(x, y, {.name = fmt::format("n = {}", terms), .width = 1});
  }
  out.check("highest value of 135 terms, limit (2/pi) Si(pi)", top, 1.1789797, 2e-4);
  const auto slope = [&](const std::vector<double>& e) {
    return std::log(e[3] / e[1]) / std::log(n[3] / n[1]);
  };
  out.check("slope of the residual of a jump", slope(square), -0.5, 0.02);
  out.check("slope of the residual of a kink", slope(smooth), -1.5, 0.05);
  errors.line(n, square, {.name = "square wave", .markers = true});
  errors.line(n, smooth, {.name = "|x|", .markers = true});
  out.picture("gibbs", draw_figure({&sums, &errors}, {460, 360, 2}),
              "The overshoot beside a jump stays at 18 percent however many terms there are.");
}

Artefact fourier_gibbs_entry() {
  return {
      .id = "fourier-gibbs",
      .kind = Kind::figure,
      .lecture = 1,
      .lines = "655-696, 995-1011",
      .title = "Fourier sums, their residual and their overshoot",
      .formula =
          R"(f \approx \sum_{n=-N}^{N} c_n e^{i n x}, \quad \|f\|^2 = \|P f\|^2 + \|f - P f\|^2)",
      .says =
          "A function in a Hilbert space is the sum of its projections; what is cut off is "
          "the residual, which depends on the number of terms.",
      .truth = "",
      .page = "applications.md",
      .seconds = 0.1,
      .file = "lecture_1/fourier_gibbs.cpp",
      .make = make_fourier_gibbs};
}

}  // namespace cauchy::notes
