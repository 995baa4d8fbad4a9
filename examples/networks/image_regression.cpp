// An image with texture as a function of two coordinates, learned from half of its pixels by
// networks of the same width and number of steps.
//
// Runs:    image_regression [PICTURE.png]
// Expects: at least 30 dB over all pixels with Fourier features and with sines as activations,
//          less than 22 dB for the plain network; exit code 0.
#include <fmt/format.h>

#include <cauchy/base/rng.hpp>
#include <cauchy/engine/host_executor.hpp>
#include <cauchy/math/image.hpp>
#include <cauchy/networks/network.hpp>
#include <cauchy/optimizers/adam.hpp>
#include <cauchy/optimizers/minimize.hpp>
#include <cauchy/report/figure.hpp>
#include <cauchy/training/loss.hpp>

int main(int argc, char** argv) {
  using namespace cauchy;
  constexpr std::size_t n = 48;
  const Coordinate x("x"), y("y");
  const Expr r = sqrt(x * x + y * y + 0.01);
  const Expr image = 0.5 + 0.2 * sin(18 * r) + 0.15 * sin(21 * x + 4 * y) * cos(17 * y) +
                     0.1 * tanh(12 * (x + y - 0.3));
  std::vector<double> all, half;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const double at[] = {2 * (static_cast<double>(j) + 0.5) / n - 1,
                           2 * (static_cast<double>(i) + 0.5) / n - 1};
      all.insert(all.end(), at, at + 2);
      if ((i + j) % 2 == 0) half.insert(half.end(), at, at + 2);
    }
  }
  Matrix original(n, n);
  std::vector<Plot> plots;
  const auto show = [&](const std::string& title, const Matrix& m) {
    plots.emplace_back(PlotOptions{
        .title = title, .color = {.limits = Limits{0, 1}}, .equal_aspect = true, .grid = false});
    plots.back().heat_map(m, {-1, 1}, {-1, 1});
  };
  std::vector<double> quality;
  const FourierFeatures features{.count = 96, .scales = {6}};
  for (const Network& network :
       {Network(Mlp{.width = 64, .depth = 3}),
        Network(FourierNetwork{.width = 64, .depth = 2, .features = features}),
        Network(Siren{.width = 64, .depth = 3, .w0 = 30})}) {
    const auto graph = std::make_shared<const Graph>(
        make_network(network, {"x", "y"}, std::vector<std::string>{"u"}));
    HostExecutor<float> executor(graph, {{"pixels", {Field("u") - image}}}, {.threads = 1});
    executor.set_points(0, half);
    TrainingLoss loss(executor);
    Adam adam({.learning_rate = 4e-3}, {.shape = ScheduleShape::cosine, .steps = 500});
    std::vector<double> theta = initial_parameters(graph->parameters(), Rng(1));
    minimize(adam, loss, theta, {.max_iterations = 500});
    Matrix made(n, n);
    executor.predict(std::vector<Expr>{image}, theta, all, {original.data(), original.size()});
    executor.predict(std::vector<Expr>{Field("u")}, theta, all, {made.data(), made.size()});
    quality.push_back(psnr(made, original));
    fmt::print("{:40} {:5.1f} dB\n", describe(network), quality.back());
    if (plots.empty()) show("image", original);
    show(fmt::format("{}: {:.1f} dB", entry_of(network).name, quality.back()), made);
  }
  if (argc > 1) {
    save_picture(argv[1],
                 draw_figure({&plots[0], &plots[1], &plots[2], &plots[3]}, {300, 280, 4, ""}));
  }
  return quality[0] < 22 && quality[1] >= 30 && quality[2] >= 30 ? 0 : 1;
}
