#include <algorithm>
#include <cmath>

#include <cauchy/report/figure.hpp>

#include "lecture_3/helmholtz_phases.hpp"
#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_snr_phases(Output& out) {
  HelmholtzTraining run(out.threads());
  std::vector<double> steps, snr, smooth, error;
  std::vector<Plot> maps;
  const auto map = [&](int step) {
    const auto r = run.values(run.residual);
    maps.emplace_back(PlotOptions{.title = fmt::format("residual, step {}", step),
                                  .color = {.map = Colormap::diverging},
                                  .equal_aspect = true,
                                  .grid = false});
    maps.back().heat_map(MatrixView<const double>(r.data(), 41, 41), {-1, 1}, {-1, 1});
  };
  int done = 0;
  for (int next = 1; next <= 4000; next = std::max(next + 1, int(next * 1.12))) {
    run.steps(next - done);
    done = next;
    const Matrix g = run.gradients();
    steps.push_back(next);
    snr.push_back(spread_of(g.view(), 0, g.cols()).signal_to_noise());
    error.push_back(run.error());
    if (steps.size() == 1 || steps.size() == 36) map(next);
  }
  map(done);
  for (std::size_t k = 0; k < snr.size(); ++k) {  // the median of five neighbours
    const auto first =
        snr.begin() + std::ptrdiff_t(std::clamp<std::size_t>(k, 2, snr.size() - 3)) - 2;
    std::vector<double> five(first, first + 5);
    std::nth_element(five.begin(), five.begin() + 2, five.end());
    smooth.push_back(five[2]);
  }
  const auto lowest = std::size_t(std::min_element(smooth.begin(), smooth.end()) - smooth.begin());
  out.text(fmt::format(
      "Signal to noise, medians: {:.2f} at the start, {:.3f} around step {}, {:.2f} at the end; "
      "relative error {:.2e} there.",
      smooth.front(), smooth[lowest], steps[lowest], smooth.back(), error.back()));
  out.check("relative error at the end", error.back(), 0, 0.02);
  out.require("fitting, then diffusion: it falls to less than a tenth of its first values",
              smooth[lowest] < smooth.front() / 10);
  const auto low =
      std::size_t(std::find_if(smooth.begin(), smooth.end(), [](double v) { return v < 0.1; }) -
                  smooth.begin());
  out.require("diffusion: below 0.1 for good, and the error falls at least 20-fold there",
              *std::max_element(smooth.begin() + std::ptrdiff_t(low), smooth.end()) < 0.15 &&
                  error.back() < error[low] / 20);
  out.require("late bursts reach 0.3: spikes of Adam, not yet a phase",
              *std::max_element(snr.end() - 15, snr.end()) > 0.3);
  Plot left({.title = "signal to noise over 16 boxes",
             .x = {.label = "step", .scale = AxisScale::log},
             .y = {.scale = AxisScale::log}});
  left.line(steps, snr, {.name = "measured", .width = 0.8});
  left.line(steps, smooth, {.name = "median of five"});
  Plot right({.title = "relative error",
              .x = {.label = "step", .scale = AxisScale::log},
              .y = {.scale = AxisScale::log}});
  right.line(steps, error);
  out.picture("phases", draw_figure({&left, &right}, {460, 340, 2}),
              "High, then low for good; late bursts, no lasting rise in 4,000 steps.");
  std::vector<const Panel*> all;
  for (const Plot& m : maps) all.push_back(&m);
  out.picture("residuals", draw_figure(all, {340, 300, 3}),
              "Residuals are ordered at first and disordered later.");
}

Artefact snr_phases_entry() {
  return {.id = "snr-phases",
          .kind = Kind::figure,
          .lecture = 3,
          .lines = "3113-3170",
          .title = "Phases of the training of a Helmholtz network",
          .formula = R"(\text{SNR} = \frac{\|\mu\|_2}{\|\sigma\|_2}, \quad \Delta u + u = f)",
          .says =
              "The signal-to-noise ratio of gradients over parts of the domain is high while the "
              "network fits, low while it wanders, and rises when it converges.",
          .truth =
              "The noise is that between parts of the domain at the same parameters; it is there "
              "in full-batch training too (as here), so the low phase cannot be blamed on "
              "stochastic gradients (line 3151), as line 3121 says itself. The lasting rise of the "
              "third phase does not show in this run; bursts do.",
          .page = "",
          .seconds = 7,
          .file = "lecture_3/snr_phases.cpp",
          .make = make_snr_phases};
}

}  // namespace cauchy::notes
