#include <cmath>
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

void make_image_regression(Output& out) {
  constexpr std::size_t n = 40;
  const Coordinate x("x"), y("y");
  const Expr r = sqrt(x * x + y * y + 0.01);
  const Expr image = 0.5 + 0.2 * sin(18 * r) + 0.15 * sin(21 * x + 4 * y) * cos(17 * y) +
                     0.1 * tanh(12 * (x + y - 0.3));
  std::vector<double> all, half;
  for (std::size_t i = 0; i < n * n; ++i) {
    const double at[] = {2 * (double(i % n) + 0.5) / n - 1, 2 * (double(i / n) + 0.5) / n - 1};
    all.insert(all.end(), at, at + 2);
    if ((i / n + i % n) % 2 == 0) half.insert(half.end(), at, at + 2);  // every other pixel
  }
  Matrix original(n, n);
  std::vector<Plot> plots;
  const auto show = [&](const std::string& title, const Matrix& m) {
    plots.emplace_back(PlotOptions{
        .title = title, .color = {.limits = Limits{0, 1}}, .equal_aspect = true, .grid = false});
    plots.back().heat_map(m, {-1, 1}, {-1, 1});
  };
  std::vector<double> quality;
  for (const Network& network :
       {Network(Mlp{.width = 48, .depth = 3}),
        Network(
            FourierNetwork{.width = 48, .depth = 2, .features = {.count = 64, .scales = {6}}})}) {
    const auto graph = std::make_shared<const Graph>(
        make_network(network, {"x", "y"}, std::vector<std::string>{"u"}));
    HostExecutor<float> executor(graph, {{"pixels", {Field("u") - image}}}, {.threads = 1});
    executor.set_points(0, half);
    TrainingLoss loss(executor);
    Adam adam({.learning_rate = 5e-3}, {.shape = ScheduleShape::cosine, .steps = 400});
    std::vector<double> theta = initial_parameters(graph->parameters(), Rng(1));
    minimize(adam, loss, theta, {.max_iterations = 400});
    Matrix made(n, n);
    executor.predict(std::vector<Expr>{image}, theta, all, {original.data(), original.size()});
    executor.predict(std::vector<Expr>{Field("u")}, theta, all, {made.data(), made.size()});
    quality.push_back(psnr(made, original));
    if (plots.empty()) show("image", original);
    show(fmt::format("{}: {:.1f} dB", entry_of(network).name, quality.back()), made);
  }
  out.check("coordinates alone: dB over all pixels, blurred", quality[0], 16, 6);
  out.require("Fourier features: at least 27 dB", quality[1] >= 27);
  out.require("they gain at least 8 dB", quality[1] > quality[0] + 8);
  // The feature map has a kernel of differences: gamma(x) . gamma(y) = sum of cos(2 pi b (x - y)).
  Rng rng(2);
  double off = 0;
  for (int k = 0; k < 50; ++k) {
    const double p = rng.normal(), q = rng.normal(), shift = rng.normal();
    double first = 0, second = 0;
    for (int f = 1; f <= 20; ++f) {
      const double b = 2 * pi * 0.37 * f;
      first += std::cos(b * p) * std::cos(b * q) + std::sin(b * p) * std::sin(b * q);
      second += std::cos(b * (p + shift - q - shift));
    }
    off = std::max(off, std::abs(first - second));
  }
  out.check("gamma(x) . gamma(y) less the sum of cosines of x - y", off, 0, 1e-11);
  out.picture("images", draw_figure({&plots[0], &plots[1], &plots[2]}, {320, 290, 3}),
              "Trained on every other pixel of a board, shown on all.");
}

Artefact image_regression_entry() {
  return {.id = "image-regression",
          .kind = Kind::figure,
          .lecture = 4,
          .lines = "4791-4820",
          .title = "An image with and without Fourier features",
          .formula = "\\gamma(x) = [a \\cos(2 \\pi b \\cdot x), a \\sin(2 \\pi b \\cdot x)]",
          .says = "A network of coordinates blurs an image; behind Fourier features it is sharp.",
          .truth = "",
          .page = "networks/spectral.md",
          .seconds = 0.5,
          .file = "lecture_4/image_regression.cpp",
          .make = make_image_regression};
}

}  // namespace cauchy::notes
