// Runs:    gibbs [PICTURE.svg]
// Expects: Fourier sums of a square wave overshoot its jump by 17.9 % however many terms they have
//          (limit (2/pi) Si(pi) = 1.17898), while their mean error falls like n^(-1/2), that of |x|
//          like n^(-3/2); exit code 0.
#include <fmt/format.h>

#include <cauchy/math/series.hpp>
#include <cauchy/report/figure.hpp>
#include <cmath>
#include <numbers>

int main(int argc, char** argv) {
  using namespace cauchy;
  constexpr double pi = std::numbers::pi;
  const auto wave = [](double x) { return x < 0 ? -1.0 : 1.0; };
  const auto kink = [](double x) { return std::abs(x); };
  const double jump[] = {0.0};
  std::vector<double> x;
  for (int i = -1000; i <= 1000; ++i) x.push_back(pi * i / 1000);
  Plot sums({.title = "sums of a square wave", .x = {.label = "x"}});
  Plot errors({.title = "residual of n terms",
               .x = {.label = "n", .scale = AxisScale::log},
               .y = {.label = "L2", .scale = AxisScale::log}});
  bool good = true;
  std::vector<double> n, square, smooth;
  for (const std::size_t terms : {5u, 15u, 45u, 135u}) {
    const auto c = fourier_coefficients(wave, terms, jump),
               d = fourier_coefficients(kink, terms, jump);
    std::vector<double> y;
    double top = 0, rest = 2 * pi, rest_kink = 2 * pi * pi * pi / 3;
    for (const double at : x) y.push_back(fourier_sum(c, at));
    // A fine look at the first maximum, at pi / (n + 1).
    for (int i = 1; i < 400; ++i) {
      top = std::max(top, fourier_sum(c, 2 * pi / static_cast<double>(terms) * i / 400));
    }
    for (std::size_t k = 0; k < c.size(); ++k) {  // |f|^2 - |Pf|^2, by Parseval
      rest -= 2 * pi * std::norm(c[k]);
      rest_kink -= 2 * pi * std::norm(d[k]);
    }
    n.push_back(static_cast<double>(terms));
    square.push_back(std::sqrt(rest));
    smooth.push_back(std::sqrt(rest_kink));
    fmt::print("{:4} terms: highest {:.5f}, residuals {:.4f} and {:.2e}\n", terms, top,
               square.back(), smooth.back());
    good = good && top > 1.178 && top < 1.2;
    if (terms != 5) sums.line(x, y, {.name = fmt::format("n = {}", terms), .width = 1});
  }
  const double slope = std::log(square[1] / square[3]) / std::log(n[1] / n[3]);
  const double slope_kink = std::log(smooth[1] / smooth[3]) / std::log(n[1] / n[3]);
  fmt::print("slopes {:.2f} and {:.2f}\n", slope, slope_kink);
  good = good && std::abs(slope + 0.5) < 0.05 && std::abs(slope_kink + 1.5) < 0.1;
  errors.line(n, square, {.name = "square wave", .markers = true});
  errors.line(n, smooth, {.name = "|x|", .markers = true});
  if (argc > 1) save_picture(argv[1], draw_figure({&sums, &errors}, {460, 360, 2}));
  return good ? 0 : 1;
}
