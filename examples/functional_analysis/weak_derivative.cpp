// Runs:    weak_derivative [PICTURE.svg]
// Expects: int |x| v' = -int sign(x) v for all test functions, so sign(x) is the weak derivative of
//          |x|; the next one would have to give int sign(x) v' = -2 v(0), which no integrable g
//          does: over test functions that close in on 0, int g v falls to 0; exit code 0.
#include <fmt/format.h>

#include <cauchy/math/test_functions.hpp>
#include <cauchy/report/figure.hpp>
#include <cmath>

using namespace cauchy;

/// int f D^j v over (-1, 1), by the rule of the test functions.
template <class F>
double against(const TabulatedTests& t, const TabulatedTests::Function& v, std::size_t j, F f) {
  double sum = 0;
  for (std::size_t i = 0; i < v.at[j].size(); ++i) {
    sum += t.weights[v.first + i] * v.at[j][i] * f(t.nodes[v.first + i]);
  }
  return sum;
}

int main(int argc, char** argv) {
  const auto modulus = [](double x) { return std::abs(x); };
  const auto sign = [](double x) { return x < 0 ? -1.0 : 1.0; };
  bool good = true;
  // Cubic splines on an even number of intervals: a knot lies at 0, so that the rule is exact.
  const TabulatedTests smooth =
      tabulate({.family = TestFamily::spline, .elements = 8, .degree = 3}, -1, 1);
  double worst = 0;
  for (const auto& v : smooth.functions) {
    worst = std::max(worst, std::abs(against(smooth, v, 1, modulus) + against(smooth, v, 0, sign)));
  }
  fmt::print("{} test functions: int |x| v' + int sign(x) v is at most {:.1e}\n",
             smooth.functions.size(), worst);
  good = good && worst < 1e-14;

  // Hats of width h around 0 with v(0) = 1: the left side stays -2, int |g| |v| is at most h |g|.
  Plot plot({.title = "no second derivative in L1",
             .x = {.label = "width of v", .scale = AxisScale::log}});
  std::vector<double> width, kink, g;
  for (std::size_t n = 2; n <= 512; n *= 2) {
    const TabulatedTests hats = tabulate({.family = TestFamily::hat, .elements = n}, -1, 1);
    const auto& v = hats.functions[n / 2 - 1];
    width.push_back(2.0 / static_cast<double>(n));
    kink.push_back(-against(hats, v, 1, sign));
    g.push_back(against(hats, v, 0, [](double x) { return 3 * std::cos(x); }));
    good = good && std::abs(kink.back() - 2) < 1e-12;
  }
  fmt::print("-int sign(x) v' = {:.6f} for every width, int 3 cos(x) v falls to {:.4f}\n",
             kink.back(), g.back());
  good = good && g.back() < 3.01 * width.back();
  plot.line(width, kink, {.name = "-int sign(x) v'", .markers = true});
  plot.line(width, g, {.name = "int g v, g = 3 cos(x)", .markers = true});
  if (argc > 1) save_picture(argv[1], draw_figure({&plot}, {.panel_width = 460}));
  return good ? 0 : 1;
}
