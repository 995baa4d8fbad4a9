#include <algorithm>
#include <cmath>
#include <vector>

#include <cauchy/applications/reservoir_simulator.hpp>
#include <cauchy/report/figure.hpp>

#include "notes/artefact.hpp"
#include "notes/output.hpp"

namespace cauchy::notes {

void make_reservoir_fields(Output& out) {
  ReservoirSimulator settings;
  settings.cells = {24, 24, 1};
  settings.cell_size = {33, 33, 5};
  settings.field = "gaussian(length = [0.3, 0.12])";
  settings.reports = 4;
  const ReservoirSource source(settings);
  const ReservoirModel model = source.model(1, 0);
  const ReservoirRun run = simulate(model, source.simulator().schedule);
  out.require("the simulation reaches its end", succeeded(run.status));
  for (const ReservoirReport& r : run.reports) {
    out.check(fmt::format("balance of volumes after {:.0f} days", r.time), r.balance, 0, 1e-9);
  }
  const ReservoirReport& end = run.reports.back();
  const auto [least, most] = std::ranges::minmax(end.saturation);
  out.require("water fills between 0.2 and 0.8 of the pores: what can move",
              least > 0.2 - 1e-9 && most < 0.8 + 1e-9);
  // Water that came in less water that went out is what the rock has gained.
  double gained = 0;
  for (std::size_t c = 0; c < model.n_cells(); ++c) {
    const double porosity = model.porosity.size() == 1 ? model.porosity[0] : model.porosity[c];
    gained += porosity * 33 * 33 * 5 * (end.saturation[c] - 0.2);
  }
  out.check("water in the rock / (injected - produced)",
            gained / (end.injected - end.produced_water), 1, 1e-6);
  std::vector<Plot> plots;
  const auto map = [&](const std::string& title, const std::vector<double>& values) {
    Matrix m(24, 24);
    for (std::size_t c = 0; c < 576; ++c) m(c % 24, c / 24) = values[c];
    plots.emplace_back(PlotOptions{.title = title, .equal_aspect = true, .grid = false});
    plots.back().heat_map(m, {0, 792}, {0, 792});
  };
  std::vector<double> log_k = model.permeability_x;
  for (double& k : log_k) k = std::log10(k);
  map("log10 permeability, mD", log_k);
  map("pressure, bar", end.pressure);
  for (const ReservoirReport& r : run.reports)
    map(fmt::format("water, {:.0f} days", r.time), r.saturation);
  std::vector<const Panel*> panels;
  for (const Plot& plot : plots) panels.push_back(&plot);
  out.picture("fields", draw_figure(panels, {280, 250, 3}), "Four injectors, four producers.");
}

Artefact reservoir_fields_entry() {
  return {.id = "reservoir-fields",
          .kind = Kind::figure,
          .lecture = 5,
          .lines = "7874-7899",
          .title = "Water pushes oil through rock of two kinds",
          .formula =
              "\\nabla \\cdot (T_w \\nabla p) + q_w = \\phi \\frac{\\partial S_w}{\\partial t}, "
              "\\quad S_w + S_o = 1",
          .says =
              "Permeability, pressure and saturation of a reservoir as a network should predict "
              "them. Reduced: 24 x 24 cells, the fields of the simulator.",
          .truth =
              "The losses beside it are written with the gradient of u = grad p where the pressure "
              "itself is meant: div(T_w grad p).",
          .page = "applications/reservoir.md",
          .seconds = 0.1,
          .file = "lecture_5/reservoir_fields.cpp",
          .make = make_reservoir_fields};
}

}  // namespace cauchy::notes
