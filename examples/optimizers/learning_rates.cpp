// Runs:    learning_rates [PICTURE.svg]
// Expects: gradient descent on E = 2 theta^2 (best rate 1 / E'' = 1/4) in its four regimes: falls
//          without change of sign, one step, alternates and falls, grows; exit code 0.
#include <fmt/format.h>

#include <cauchy/optimizers/gradient_descent.hpp>
#include <cauchy/report/figure.hpp>
#include <cmath>
#include <memory>
#include <vector>

int main(int argc, char** argv) {
  using namespace cauchy;
  const double curvature = 4, best = 1 / curvature;
  FunctionObjective energy(1, [&](std::span<const double> x, std::span<double> g) {
    if (!g.empty()) g[0] = curvature * x[0];
    return curvature * x[0] * x[0] / 2;
  });
  std::vector<double> all, parabola;
  for (double x = -2.2; x < 2.25; x += 0.05) {
    all.push_back(x);
    parabola.push_back(curvature * x * x / 2);
  }
  const char* titles[] = {"rate = 0.4 best", "rate = best", "rate = 1.7 best", "rate = 2.2 best"};
  const double factors[] = {0.4, 1, 1.7, 2.2};
  std::vector<std::unique_ptr<Plot>> plots;
  bool right = true;
  for (int k = 0; k < 4; ++k) {
    GradientDescent descent({.learning_rate = factors[k] * best});
    std::vector<double> x{k == 3 ? 1.0 : 2.0}, xs, values;
    for (int step = 0; step <= 4; ++step) {
      xs.push_back(x[0]);
      values.push_back(energy.value(x));
      (void)descent.step(energy, x);
      // The error is multiplied by 1 - rate E''.
      right = right && std::abs(x[0] - (1 - factors[k]) * xs.back()) < 1e-14;
    }
    fmt::print("{:16} theta:", titles[k]);
    for (const double e : xs) fmt::print(" {:8.4f}", e);
    fmt::print("\n");
    PlotOptions options{.title = titles[k], .legend = LegendPlace::none};
    options.x.label = "theta";
    options.y.label = "E";
    plots.push_back(std::make_unique<Plot>(options));
    plots.back()->line(all, parabola, {.color = Color{150, 150, 150, 255}});
    plots.back()->line(xs, values, {.markers = true});
  }
  const Picture picture =
      draw_figure({plots[0].get(), plots[1].get(), plots[2].get(), plots[3].get()},
                  {.panel_width = 300, .panel_height = 240, .columns = 4});
  if (argc > 1) save_picture(argv[1], picture);
  return right ? 0 : 1;
}
