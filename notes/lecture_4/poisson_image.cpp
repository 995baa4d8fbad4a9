#include <vector>

#include <cauchy/engine/host_executor.hpp>
#include <cauchy/math/image.hpp>
#include <cauchy/networks/network.hpp>
#include <cauchy/optimizers/adam.hpp>
#include <cauchy/optimizers/minimize.hpp>
#include <cauchy/report/figure.hpp>
#include <cauchy/training/loss.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_poisson_image(Output& out) {
  constexpr std::size_t n = 28, steps = 300;
  const Coordinate x("x"), y("y");
  const Field u("u");
  const Expr rings = 0.5 + 0.3 * exp(-2 * (x * x + y * y)) * cos(12 * (x * x + y * y));
  const Expr waves = 0.5 + 0.25 * sin(7 * x + 3 * y) * cos(6 * y);
  std::vector<double> points;
  for (std::size_t i = 0; i < n * n; ++i) {
    points.push_back(2 * (double(i % n) + 0.5) / n - 1);
    points.push_back(2 * (double(i / n) + 0.5) / n - 1);
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
    double constant = 0;  // derivatives do not know it
    for (std::size_t i = 0; i < n * n; ++i)
      constant += (original.data()[i] - made.data()[i]) / (n * n);
    for (std::size_t i = 0; i < n * n; ++i) made.data()[i] += constant;
    const double quality = psnr(made, original);
    for (const Matrix* m : {&original, &made}) {
      plots.emplace_back(
          PlotOptions{.title = m == &made ? fmt::format("{}: {:.1f} dB", name, quality) : "image",
                      .color = {.limits = Limits{0, 1}},
                      .equal_aspect = true,
                      .grid = false});
      plots.back().heat_map(*m, {-1, 1}, {-1, 1});
    }
    return quality;
  };
  const double gradient =
      fit("from gradients", rings, {d(u, x) - d(rings, x), d(u, y) - d(rings, y)});
  const double laplacian = fit("from the Laplacian", rings,
                               {0.1 * (d(u, x, x) + d(u, y, y) - d(rings, x, x) - d(rings, y, y))});
  const double fused =
      fit("fused gradients", (rings + waves) / 2,
          {d(u, x) - (d(rings, x) + d(waves, x)) / 2, d(u, y) - (d(rings, y) + d(waves, y)) / 2});
  out.require("from gradients: at least 28 dB", gradient >= 28);
  out.require("two images fused: at least 28 dB", fused >= 28);
  out.require("from the Laplacian, which leaves harmonic functions open: at least 10 dB",
              laplacian >= 10);
  out.picture("images", draw_figure({&plots[0], &plots[1], &plots[3], &plots[5]}, {280, 260, 4}));
}

Artefact poisson_image_entry() {
  return {.id = "poisson-image",
          .kind = Kind::figure,
          .lecture = 4,
          .lines = "5046-5054",
          .title = "An image from its derivatives",
          .formula =
              "L = \\int | \\nabla u - \\nabla f |^2 dx \\quad or \\quad \\int | \\Delta u - "
              "\\Delta f |^2 dx",
          .says =
              "A sinusoidal network is fitted to the gradient or to the Laplacian of an image; "
              "two images are fused through their gradients.",
          .truth = "",
          .page = "networks/spectral.md",
          .seconds = 0.6,
          .file = "lecture_4/poisson_image.cpp",
          .make = make_poisson_image};
}

}  // namespace cauchy::notes
