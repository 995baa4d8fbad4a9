// An image from its derivatives: a sinusoidal network whose gradient, or whose Laplacian, is
// fitted to that of the image; and the gradients of two images fused. Derivatives of the network
// are networks of the same kind.
//
// Runs:    poisson_image [PICTURE.png]
// Expects: once the constant is fixed, at least 30 dB from gradients and for the fused image; from
//          the Laplacian, which leaves every harmonic function open, what the edge of the image
//          gives; exit code 0.
#include <fmt/format.h>

#include <cauchy/base/rng.hpp>
#include <cauchy/engine/host_executor.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/math/image.hpp>
#include <cauchy/networks/network.hpp>
#include <cauchy/optimizers/adam.hpp>
#include <cauchy/optimizers/minimize.hpp>
#include <cauchy/report/figure.hpp>
#include <cauchy/training/loss.hpp>

int main(int argc, char** argv) {
  using namespace cauchy;
  constexpr std::size_t n = 32, steps = 400;
  const Coordinate x("x"), y("y");
  const Field u("u");
  const Expr rings = 0.5 + 0.3 * exp(-2 * (x * x + y * y)) * cos(12 * (x * x + y * y));
  const Expr waves = 0.5 + 0.25 * sin(7 * x + 3 * y) * cos(6 * y);
  const auto laplacian = [&](const Expr& e) { return d(e, x, x) + d(e, y, y); };
  std::vector<double> points;
  for (std::size_t i = 0; i < n * n; ++i) {
    points.push_back(2 * (static_cast<double>(i % n) + 0.5) / n - 1);
    points.push_back(2 * (static_cast<double>(i / n) + 0.5) / n - 1);
  }
  std::vector<Plot> plots;
  const auto fit = [&](const char* name, const Expr& image, std::vector<Expr> residuals) {
    const auto graph = std::make_shared<const Graph>(make_network(
        Siren{.width = 48, .depth = 2, .w0 = 12}, {"x", "y"}, std::vector<std::string>{"u"}));
    HostExecutor<float> executor(graph, {{"derivatives", std::move(residuals)}}, {.threads = 1});
    executor.set_points(0, points);
    TrainingLoss loss(executor);
    Adam adam({.learning_rate = 5e-3}, {.shape = ScheduleShape::cosine, .steps = steps});
    std::vector<double> theta = initial_parameters(graph->parameters(), Rng(1));
    minimize(adam, loss, theta, {.max_iterations = steps});
    Matrix made(n, n), original(n, n);
    executor.predict(std::vector<Expr>{image}, theta, points, {original.data(), n * n});
    executor.predict(std::vector<Expr>{u}, theta, points, {made.data(), n * n});
    double constant = 0;
    for (std::size_t i = 0; i < n * n; ++i) {
      constant += (original.data()[i] - made.data()[i]) / (n * n);
    }
    for (std::size_t i = 0; i < n * n; ++i) made.data()[i] += constant;
    const double quality = psnr(made, original);
    fmt::print("{:16} {:5.1f} dB\n", name, quality);
    for (const Matrix* m : {&original, &made}) {
      plots.emplace_back(PlotOptions{.title = m == &made ? name : "image",
                                     .color = {.limits = Limits{0, 1}},
                                     .equal_aspect = true,
                                     .grid = false});
      plots.back().heat_map(*m, {-1, 1}, {-1, 1});
    }
    return quality;
  };
  const double gradient = fit("gradient", rings, {d(u, x) - d(rings, x), d(u, y) - d(rings, y)});
  const double second = fit("Laplacian", rings, {0.1 * (laplacian(u) - laplacian(rings))});
  const Expr mean = (rings + waves) / 2;
  const double fused =
      fit("fused gradients", mean,
          {d(u, x) - (d(rings, x) + d(waves, x)) / 2, d(u, y) - (d(rings, y) + d(waves, y)) / 2});
  if (argc > 1) {
    save_picture(argv[1],
                 draw_figure({&plots[0], &plots[1], &plots[3], &plots[5]}, {300, 280, 4, ""}));
  }
  return gradient >= 30 && fused >= 30 && second >= 12 ? 0 : 1;
}
