// Runs:    random_fields [PICTURE.svg]
// Expects: random functions of one seed: a draw shows the same function on 17 and on 65 nodes, a
//          thresholded field both values, and 2000 draws of a Gaussian process of deviation 1 a
//          variance of 1 at both ends (5 deviations of the estimate); exit code 0.
#include <fmt/format.h>

#include <cauchy/report/figure.hpp>
#include <cauchy/sampling/random_field.hpp>
#include <cmath>

using namespace cauchy;

int main(int argc, char** argv) {
  const Rng rng(1);
  const auto nodes = [](std::size_t n) {
    std::vector<double> x(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = double(i) / double(n - 1);
    return x;
  };
  const std::vector<RandomFieldAxis> line = {{0, 1, FieldBoundary::free}},
                                     square = {{0, 1}, {0, 1}};
  const auto curves = [&](const char* title, std::initializer_list<const char*> texts) {
    Plot plot({.title = title, .x = {.label = "x"}, .legend = LegendPlace::outside});
    for (const char* text : texts) {
      const auto u = make_random_field(text, line)->sample(rng, 3, {nodes(301)});
      plot.line(nodes(301), u, {.name = text});
    }
    return plot;
  };
  const auto map = [&](const char* title, const char* text, std::size_t n, auto&& transform) {
    const auto g = make_random_field(text, square)->sample(rng, 0, {nodes(n), nodes(n)});
    Matrix values(n, n);
    for (std::size_t i = 0; i < g.size(); ++i) values(i % n, i / n) = transform(g[i]);
    Plot plot({.title = title, .equal_aspect = true, .grid = false});
    return plot.heat_map(values, {0, 1}, {0, 1});
  };
  const auto threshold = [](double g) { return g > 0 ? 12.0 : 3.0; };
  const char* darcy = "grf(alpha = 2, tau = 3)";
  const Plot a = curves("Gaussian processes", {"gp(length = 0.05)", "gp(length = 0.2)"}),
             b = curves("Matern fields, free ends", {"matern(nu = 0.5)", "matern(nu = 2.5)"}),
             c = curves("series", {"chebyshev(n = 10)", "sines(n = 10)", "polynomial(n = 5)"}),
             d = map("12 and 3 by the sign of grf(tau = 3)", darcy, 129, threshold),
             e = map("the same draw on 17 x 17 nodes", darcy, 17, threshold),
             f = map("exp of exponential(length = 0.2)", "exponential(boundary = free)", 129,
                     [](double g) { return std::exp(g); });
  if (argc > 1) save_picture(argv[1], draw_figure({&a, &b, &c, &d, &e, &f}, {440, 320, 3}));

  const auto coarse = make_random_field(darcy, square)->sample(rng, 0, {nodes(17), nodes(17)});
  const auto fine = make_random_field(darcy, square)->sample(rng, 0, {nodes(65), nodes(65)});
  double apart = 0, high = 0, variance = 0, u = 0;
  for (std::size_t i = 0; i < coarse.size(); ++i) {
    apart = std::max(apart, std::abs(coarse[i] - fine[4 * (i / 17) * 65 + 4 * (i % 17)]));
    high += coarse[i] > 0 ? 1 : 0;
  }
  const auto end = make_random_field("gp(length = 0.2)", line)->on_grid({{0.0}});
  for (std::uint64_t n = 0; n < 2000; ++n, variance += u * u / 2000) end->sample(rng, n, {&u, 1});
  fmt::print("apart {:.1e}, {} of 289 nodes are 12, variance {:.3f}\n", apart, high, variance);
  const bool both = high > 0 && high < 289;
  return apart < 1e-12 && both && std::abs(variance - 1) < 5 * std::sqrt(2.0 / 2000) ? 0 : 1;
}
