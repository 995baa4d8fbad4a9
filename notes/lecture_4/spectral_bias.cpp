#include <cmath>
#include <complex>
#include <vector>

#include <cauchy/engine/host_executor.hpp>
#include <cauchy/math/fft.hpp>
#include <cauchy/networks/network.hpp>
#include <cauchy/optimizers/adam.hpp>
#include <cauchy/optimizers/minimize.hpp>
#include <cauchy/report/figure.hpp>
#include <cauchy/training/loss.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_spectral_bias(Output& out) {
  constexpr std::size_t n = 128, n_waves = 10, spacing = 2, every = 60, rows = 20;
  const Coordinate z("z");
  std::vector<Plot> plots;
  for (const bool ramp : {false, true}) {
    Rng rng(1);
    Expr target = 0;
    std::vector<double> amplitude;
    for (std::size_t i = 0; i < n_waves; ++i) {
      amplitude.push_back(ramp ? 0.1 + 0.1 * double(i) : 1.0);
      target += amplitude[i] * sin(2 * pi * double(spacing * (i + 1)) * z + 2 * pi * rng.uniform());
    }
    const auto graph = std::make_shared<const Graph>(
        make_network(Mlp{.width = 64, .depth = 4, .activation = Activation::relu}, {"z"},
                     std::vector<std::string>{"u"}));
    HostExecutor<float> executor(graph, {{"data", {Field("u") - target}}}, {.threads = 1});
    std::vector<double> points, values(n);
    for (std::size_t i = 0; i < n; ++i) points.push_back(double(i) / n);
    executor.set_points(0, points);
    Matrix ratio(rows, n_waves);
    const RealFft<double> fft({n});
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
    Adam adam({.learning_rate = 2e-3});
    minimize(adam, loss, theta, {.max_iterations = every * rows}, watching);
    // The mean over the training of the share that is learned, lowest and highest three waves.
    double low = 0, high = 0;
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t i = 0; i < 3; ++i) {
        low += std::min(1.0, ratio(r, i)) / (3 * rows);
        high += std::min(1.0, ratio(r, n_waves - 1 - i)) / (3 * rows);
      }
    }
    const std::string name = ramp ? "amplitudes from 0.1 to 1" : "equal amplitudes";
    out.text(
        fmt::format("{}: on the way, {:.2f} of the lowest three waves is learned, {:.2f} of the "
                    "highest.",
                    name, low, high));
    out.require(fmt::format("{}: low frequencies first, by a factor of 1.3", name),
                low > 1.3 * high);
    plots.emplace_back(PlotOptions{.title = name,
                                   .x = {.label = "frequency"},
                                   .y = {.label = "steps"},
                                   .color = {.limits = Limits{0, 1}},
                                   .grid = false});
    plots.back().heat_map(ratio, {1, 21}, {0, double(every * rows)});
  }
  out.picture("spectra", draw_figure({&plots[0], &plots[1]}, {420, 320, 2}),
              "Amplitude in the network over that of the data (yellow: learned).");
}

Artefact spectral_bias_entry() {
  return {.id = "spectral-bias",
          .kind = Kind::figure,
          .lecture = 4,
          .lines = "4483-4526",
          .title = "Low frequencies are learned first",
          .formula = "\\frac{|\\tilde f_\\theta(k_i)|}{A_i}",
          .says =
              "How much of each of ten sines a ReLU network has learned, step by step. Reduced: "
              "frequencies up to 20, 4 layers of 64, 1,200 steps.",
          .truth =
              "The caption speaks of equal amplitudes, the text of a ramp from 0.1 to 1: both are "
              "made here.",
          .page = "networks/spectral.md",
          .seconds = 0.5,
          .file = "lecture_4/spectral_bias.cpp",
          .make = make_spectral_bias};
}

}  // namespace cauchy::notes
