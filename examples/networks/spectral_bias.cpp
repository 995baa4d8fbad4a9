// Which frequencies a network learns first: a sum of ten sines with amplitudes that grow with the
// frequency, fitted by ReLU layers; the amplitude of each in the network, step by step.
//
// Runs:    spectral_bias [PICTURE.svg]
// Expects: over the training twice as much of the three lowest frequencies is learned as of the
//          three highest, although those are ten times as strong; exit code 0.
#include <fmt/format.h>

#include <algorithm>
#include <cauchy/base/rng.hpp>
#include <cauchy/engine/host_executor.hpp>
#include <cauchy/math/fft.hpp>
#include <cauchy/networks/network.hpp>
#include <cauchy/optimizers/adam.hpp>
#include <cauchy/optimizers/minimize.hpp>
#include <cauchy/report/figure.hpp>
#include <cauchy/training/loss.hpp>

int main(int argc, char** argv) {
  using namespace cauchy;
  constexpr std::size_t n = 200, n_waves = 10, spacing = 3, every = 100, rows = 20;
  const Coordinate z("z");
  Rng rng(1);
  Expr target = 0;
  std::vector<double> amplitude;
  for (std::size_t i = 0; i < n_waves; ++i) {
    amplitude.push_back(0.1 + 0.1 * static_cast<double>(i));
    const auto k = static_cast<double>(spacing * (i + 1));
    const double phase = 2 * pi * rng.uniform();
    target += amplitude[i] * sin(2 * pi * k * z + phase);
  }
  const auto graph = std::make_shared<const Graph>(
      make_network(Mlp{.width = 128, .depth = 5, .activation = Activation::relu}, {"z"},
                   std::vector<std::string>{"u"}));
  HostExecutor<float> executor(graph, {{"data", {Field("u") - target}}}, {.threads = 1});
  std::vector<double> points;
  for (std::size_t i = 0; i < n; ++i) points.push_back(static_cast<double>(i) / n);
  executor.set_points(0, points);

  Matrix ratio(rows, n_waves);
  const RealFft<double> fft({n});
  std::vector<double> values(n);
  std::vector<std::complex<double>> spectrum(fft.complex_size());
  Watching watching{.history_every = 0};
  watching.callback = [&](std::uint64_t step, const StepReport&, std::span<const double> theta) {
    if (step % every != 0) return NextStep::proceed;
    executor.predict(std::vector<Expr>{Field("u")}, theta, points, values);
    fft.forward(values, spectrum);
    for (std::size_t i = 0; i < n_waves; ++i) {
      ratio(step / every - 1, i) = 2 * std::abs(spectrum[spacing * (i + 1)]) / n / amplitude[i];
    }
    return NextStep::proceed;
  };
  std::vector<double> theta =
      initial_parameters(graph->parameters(), Rng(2), {.weights = Initialization::he_uniform});
  TrainingLoss loss(executor);
  Adam adam({.learning_rate = 1e-3});
  minimize(adam, loss, theta, {.max_iterations = every * rows}, watching);

  // Mean over the training of the share that is learned.
  std::vector<double> learned(n_waves, 0.0);
  int ordered = 0;
  for (std::size_t i = 0; i < n_waves; ++i) {
    for (std::size_t r = 0; r < rows; ++r) learned[i] += std::min(1.0, ratio(r, i)) / rows;
    for (std::size_t j = 0; j < i; ++j) ordered += learned[j] > learned[i] ? 1 : 0;
    fmt::print("frequency {:2}, amplitude {:.1f}: {:.2f} learned at the end, {:.2f} on the way\n",
               spacing * (i + 1), amplitude[i], ratio(rows - 1, i), learned[i]);
  }
  fmt::print("{} of 45 pairs of frequencies in order\n", ordered);
  Plot plot({.title = "amplitude in the network / in the data",
             .x = {.label = "frequency"},
             .y = {.label = "steps"},
             .color = {.limits = Limits{0, 1}}});
  plot.heat_map(ratio, {1.5, 31.5}, {0, static_cast<double>(every * rows)});
  if (argc > 1) save_picture(argv[1], draw_figure({&plot}, {.panel_height = 360}));
  const auto three = [&](std::size_t i) { return learned[i] + learned[i + 1] + learned[i + 2]; };
  return three(0) > 2 * three(n_waves - 3) ? 0 : 1;
}
