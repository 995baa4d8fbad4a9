// Fourier features turn the kernel of a network into a function of x - x' alone, as wide as one
// over the scale of the frequencies: the tangent kernel of a wide ReLU layer on m features against
// the limit of infinite width, with rho = phi(x) . phi(x') / m:
//   n kappa_1(rho) / 2 + (m rho + 1) kappa_0(rho) + 1,  kappa_0 = 1 - acos(rho) / pi,
//   kappa_1 = rho kappa_0 + sqrt(1 - rho^2) / pi
//
// Runs:    ntk_bandwidth [PICTURE.svg]
// Expects: within 10 percent of the limit wherever x is; scale times half width the same to 15
//          percent for scales 4 to 64; exit code 0.
#include <fmt/format.h>

#include <algorithm>
#include <cauchy/base/rng.hpp>
#include <cauchy/engine/host_executor.hpp>
#include <cauchy/networks/network.hpp>
#include <cauchy/report/figure.hpp>
#include <cmath>

int main(int argc, char** argv) {
  using namespace cauchy;
  constexpr int width = 4096, m = 32;
  constexpr std::size_t n = 41;
  constexpr double spacing = 0.075;
  const auto limit = [](double rho) {
    const double c = std::min(1.0, rho), k0 = 1 - std::acos(c) / pi;
    const double k1 = c * k0 + std::sqrt(1 - c * c) / pi;
    return width * k1 / 2 + (m * c + 1) * k0 + 1;
  };
  Plot plot({.title = "tangent kernel, dashed: infinite width", .x = {.label = "x - x'"}});
  double worst = 0, narrowest = 1e9, widest = 0;
  for (const double scale : {4.0, 16.0, 64.0}) {
    const FourierFeatures features{.count = m, .scales = {scale}};
    const FourierNetwork network{
        .width = width, .depth = 1, .activation = Activation::relu, .features = features};
    const auto graph =
        std::make_shared<const Graph>(make_network(network, {"x"}, std::vector<std::string>{"u"}));
    HostExecutor<double> executor(graph, {{"u", {Field("u")}}}, {.threads = 1});
    const std::vector<double> theta =
        initial_parameters(graph->parameters(), Rng(1), {.weights = Initialization::he_normal});
    const std::vector<double> b = fourier_frequencies(features, 1, scale);
    std::vector<double> distance, kernel, theory, row(n * theta.size());
    for (const double base : {-0.7, 0.4}) {
      std::vector<double> points;
      for (std::size_t i = 0; i < n; ++i) {
        points.push_back(base + spacing * static_cast<double>(i) / scale);
      }
      executor.set_points(0, points);
      executor.jacobian(0, theta, row);
      distance.clear(), kernel.clear(), theory.clear();
      for (std::size_t i = 0; i < n; ++i) {
        distance.push_back(points[i] - base);
        double rho = 0, sum = 0;
        for (const double v : b) rho += std::cos(v * distance[i]) / m;
        for (std::size_t k = 0; k < theta.size(); ++k) sum += row[k] * row[i * theta.size() + k];
        kernel.push_back(sum / limit(1));
        theory.push_back(limit(rho) / limit(1));
        worst = std::max(worst, std::abs(kernel[i] - theory[i]));
      }
    }
    // Half of the way down to what is left at distances without correlation.
    const double level = (1 + limit(0) / limit(1)) / 2;
    const auto below = [&](double k) { return k < level; };
    const auto found = std::find_if(kernel.begin(), kernel.end(), below);
    const double half = spacing * static_cast<double>(found - kernel.begin());
    fmt::print("scale {:4}: half width {:.4f}, times scale {:.2f}\n", scale, half / scale, half);
    narrowest = std::min(narrowest, half);
    widest = std::max(widest, half);
    plot.line(distance, kernel, {.name = fmt::format("scale {}", scale)});
    plot.line(distance, theory, {.color = Color{120, 120, 120}, .width = 1, .dashed = true});
  }
  fmt::print("largest difference from the limit: {:.3f}\n", worst);
  if (argc > 1) save_picture(argv[1], draw_figure({&plot}, {.panel_height = 360}));
  return worst < 0.1 && widest < 1.3 * narrowest ? 0 : 1;
}
