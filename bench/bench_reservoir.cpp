// What the simulator's own answer, and one that is off, leave over of the equations of a reservoir
// as a loss sees them: docs/applications/reservoir.md.
//   bench_reservoir [--smallest]
#include <cmath>
#include <cstdio>

#include <cauchy/applications/reservoir_simulator.hpp>
#include <cauchy/operators/learn.hpp>

#include "bench_options.hpp"
#include "operators/sample_physics.hpp"

namespace {

using namespace cauchy;

struct Setting {
  ReservoirScheme scheme;
  int reports;
  bool fluxes;
};

void measure_residuals(const Setting& setting) {
  ReservoirSimulator s;
  s.cells = {20, 20, 3};
  s.cell_size = {40, 40, 5};
  s.field = "gaussian(length = [0.35, 0.2, 1])";
  s.shale.permeability = 100;
  s.spread = 0.2;
  s.fluids.gravity = true;
  s.reports = setting.reports;
  s.fluxes = setting.fluxes;
  s.schedule.scheme = setting.scheme;
  OperatorProblem op;
  op.source = std::make_shared<ReservoirSource>(s);
  op.samples = 1;
  DataSet one{
      .grid = op.source->grid(), .inputs = op.source->inputs(), .outputs = op.source->outputs()};
  const SampleSource::Sample sample = op.source->make(1, 0, nullptr);
  one.in = sample.in;
  one.out = sample.out;
  detail::FieldMap map;
  map.grid = one.grid;
  map.channels = detail::channels_of(op, one, FieldOperator{});
  const std::vector<std::size_t> order = detail::table_of(map.channels, one).outputs;
  const std::size_t points = one.grid.n_points(), scalars = 6 * static_cast<std::size_t>(s.reports);

  auto graph = std::make_shared<TensorGraph>();
  const int in = graph->input("in", {static_cast<int>(one.inputs.size()), one.grid.sizes()});
  const int out = graph->input("out", {static_cast<int>(one.outputs.size()), one.grid.sizes()});
  const auto add = [&](detail::ResidualParts parts) {
    return detail::add_sample_residuals(*graph, map, PhysicsLoss{}, op, in, out, parts);
  };
  const auto whole = add(detail::ResidualParts::whole);
  const auto parts = add(detail::ResidualParts::summands);
  const auto executor =
      make_tensor_executor(graph, {}, {.threads = 1, .precision = Precision::f64});
  // The truth, and with a tenth of the fluxes and 0.02 of the saturation more.
  const auto answer = [&](double off) {
    std::vector<double> all;
    for (const std::size_t c : order) {
      for (std::size_t i = 0; i < points; ++i) {
        const double x = static_cast<double>(i / 20) / 20, y = static_cast<double>(i % 20) / 20;
        const double wave = off * std::sin(7 * x + 3 * y + static_cast<double>(c % 6));
        double v = one.out[c * points + i];
        if (c >= scalars) v *= 1 + 0.1 * wave;
        if (c < scalars && c % 6 >= 3) v += 0.02 * wave;
        all.push_back(v);
      }
    }
    return all;
  };
  const auto squares = [&](int value, const std::vector<double>& of) {
    const std::span<const double> inputs[] = {one.in, of};
    std::vector<double> found(graph->shape(value).size());
    executor->predict(value, {}, 1, inputs, found);
    return found;
  };
  const std::vector<double> truth = answer(0), off = answer(1);
  std::printf(
      "%-8s %3d reports%s:", s.schedule.scheme == ReservoirScheme::impes ? "impes" : "implicit",
      s.reports, s.fluxes ? " with fluxes" : "");
  for (std::size_t r = 0; r < whole.size(); ++r) {
    double size = 0;
    for (const double v : squares(parts[r].value, truth)) size = std::max(size, v);
    std::printf("  %s %.1e (off: %.1e)", whole[r].name.c_str(),
                std::sqrt(squares(whole[r].value, truth)[0] / size),
                std::sqrt(squares(whole[r].value, off)[0] / size));
  }
  std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
  const bool smallest = bench::take_smallest(argc, argv);
  for (const ReservoirScheme scheme : {ReservoirScheme::impes, ReservoirScheme::implicit}) {
    for (const bool fluxes : {false, true}) {
      for (const int reports : {13, 26, 104}) {
        if (reports == 13 || !smallest) measure_residuals({scheme, reports, fluxes});
      }
    }
  }
  return 0;
}
