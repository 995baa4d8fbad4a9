#include <cauchy/applications/reservoir_proxy.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/rng.hpp>

namespace cauchy {
namespace {

constexpr const char* proxy_place = "[applications.reservoir]";

std::size_t input_size(const ReservoirSource& source) {
  return source.inputs().size() * source.grid().n_points();
}
std::size_t output_size(const ReservoirSource& source) {
  return source.outputs().size() * source.grid().n_points();
}

std::vector<double> simulated(const ReservoirSource& source, const ReservoirModel& model) {
  const ReservoirRun run = simulate(model, source.simulator().schedule);
  if (!succeeded(run.status)) {
    throw Error(fmt::format("the simulation has failed: {}", describe(run.status)), proxy_place);
  }
  return source.outputs_of(model, run);
}

/// Recovered oil of models by a proxy.
std::vector<double> recovered(const ReservoirSource& source, const ReservoirProxy& proxy,
                              const std::vector<ReservoirModel>& models) {
  std::vector<double> in;
  for (const ReservoirModel& m : models) {
    const std::vector<double> one = source.inputs_of(m);
    in.insert(in.end(), one.begin(), one.end());
  }
  const std::vector<double> out = proxy(in);
  const std::size_t size = output_size(source);
  std::vector<double> oil;
  for (std::size_t i = 0; i < models.size(); ++i) {
    oil.push_back(recovered_oil(source, models[i], std::span(out).subspan(i * size, size)));
  }
  return oil;
}

}  // namespace

ReservoirProxy proxy_of(const ReservoirSource& source, std::shared_ptr<const TrainedOperator> model,
                        int threads) {
  DataSet shape;
  shape.grid = source.grid();
  shape.inputs = source.inputs();
  shape.outputs = source.outputs();
  if (model->inputs() != shape.inputs || model->outputs() != shape.outputs) {
    throw Error("the operator was learnt from another reservoir: its channels are others",
                proxy_place, "train it with the file of this simulator");
  }
  return [shape, threads, model = std::move(model)](std::span<const double> inputs) {
    DataSet data = shape;
    data.in.assign(inputs.begin(), inputs.end());
    return model->predict(data, threads);
  };
}

ReservoirProxy simulator_proxy(const ReservoirSource& source) {
  return [&source](std::span<const double> inputs) {
    std::vector<double> out;
    const std::size_t size = input_size(source);
    for (std::size_t first = 0; first < inputs.size(); first += size) {
      const std::vector<double> one =
          simulated(source, source.model_of(inputs.subspan(first, size)));
      out.insert(out.end(), one.begin(), one.end());
    }
    return out;
  };
}

double recovered_oil(const ReservoirSource& source, const ReservoirModel& model,
                     std::span<const double> outputs) {
  const std::size_t n = model.n_cells();
  if (outputs.size() != output_size(source)) {
    throw Error(fmt::format("{} numbers for one sample of {}", outputs.size(), output_size(source)),
                proxy_place);
  }
  const auto [dx, dy, dz] = model.cell_size;
  const std::size_t reports = source.times().size();
  const std::span<const double> end = outputs.subspan((2 * reports - 1) * n, n);
  double oil = 0;
  for (std::size_t c = 0; c < n; ++c) {
    const double before = model.saturation[model.saturation.size() == 1 ? 0 : c];
    oil += model.porosity[model.porosity.size() == 1 ? 0 : c] * dx * dy * dz * (end[c] - before);
  }
  return oil;
}

std::vector<PlacedWells> place_wells(const ReservoirSource& source, const ReservoirProxy& proxy,
                                     const ReservoirModel& model, const PlacementSearch& search) {
  const std::vector<ReservoirWell>& nominal = source.simulator().wells;
  const int d = source.simulator().placement;
  if (d == 0 || model.wells.size() != nominal.size()) {
    throw Error("the wells of this reservoir do not move", proxy_place,
                "give its simulator a placement, and train a proxy with it");
  }
  std::vector<ReservoirModel> models(std::max<std::size_t>(search.candidates, 1), model);
  const Rng rng(search.seed);
  for (std::size_t i = 0; i < models.size(); ++i) {
    Rng moves = rng.split(i);
    for (std::size_t w = 0; w < nominal.size(); ++w) {
      const auto width = static_cast<std::uint64_t>(2 * d + 1);
      models[i].wells[w].i = nominal[w].i + static_cast<int>(moves.integer(width)) - d;
      models[i].wells[w].j = nominal[w].j + static_cast<int>(moves.integer(width)) - d;
    }
  }
  std::vector<double> oil = recovered(source, proxy, models);
  const auto best = [&] {
    return static_cast<std::size_t>(std::max_element(oil.begin(), oil.end()) - oil.begin());
  };
  for (std::size_t round = 0; round < search.rounds; ++round) {
    const ReservoirModel from = models[best()];
    const double before = oil[best()];
    std::vector<ReservoirModel> near;
    for (std::size_t w = 0; w < nominal.size(); ++w) {
      for (const auto& [di, dj] :
           {std::pair(1, 0), std::pair(-1, 0), std::pair(0, 1), std::pair(0, -1)}) {
        ReservoirModel moved = from;
        moved.wells[w].i += di;
        moved.wells[w].j += dj;
        if (std::abs(moved.wells[w].i - nominal[w].i) > d) continue;
        if (std::abs(moved.wells[w].j - nominal[w].j) > d) continue;
        near.push_back(std::move(moved));
      }
    }
    const std::vector<double> more = recovered(source, proxy, near);
    models.insert(models.end(), near.begin(), near.end());
    oil.insert(oil.end(), more.begin(), more.end());
    if (!(oil[best()] > before)) break;
  }
  std::vector<std::size_t> order(models.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return oil[a] > oil[b]; });
  order.resize(std::min(order.size(), std::max<std::size_t>(search.checked, 1)));
  std::vector<PlacedWells> placed;
  const auto add = [&](const ReservoirModel& m, double by_proxy) {
    placed.push_back({m.wells, by_proxy, recovered_oil(source, m, simulated(source, m))});
  };
  for (const std::size_t i : order) add(models[i], oil[i]);
  std::stable_sort(placed.begin(), placed.end(), [](const PlacedWells& a, const PlacedWells& b) {
    return a.by_simulator > b.by_simulator;
  });
  add(model, recovered(source, proxy, {model}).front());
  return placed;
}

}  // namespace cauchy
