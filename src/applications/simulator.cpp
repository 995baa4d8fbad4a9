#include <cauchy/applications/simulator.hpp>

#include <cauchy/base/options.hpp>

namespace cauchy {
namespace {

std::shared_ptr<const SampleSource> source_of(const ReservoirSimulator& simulator) {
  return std::make_shared<ReservoirSource>(simulator);
}
std::shared_ptr<const SampleSource> source_of(const WeatherSimulator& simulator) {
  return std::make_shared<WeatherSource>(simulator);
}
std::shared_ptr<const SampleSource> source_of(const SurfaceSimulator& simulator) {
  return std::make_shared<SurfaceSource>(simulator);
}

}  // namespace

const std::vector<SimulatorEntry>& all_simulators() {
  static const std::vector<SimulatorEntry> all = {
      {"reservoir", "water and oil in random rock of two kinds, with wells", ReservoirSimulator{}},
      {"weather", "shallow water on the rotating earth, with mountains and random vortices",
       WeatherSimulator{}},
      {"surface", "points with normals on random solids, and the solids", SurfaceSimulator{}}};
  return all;
}

const SimulatorEntry& entry_of(const Simulator& simulator) {
  return all_simulators()[simulator.index()];
}

void visit_options(Simulator& simulator, OptionVisitor& v) {
  v.alternative("kind", "simulator", simulator, all_simulators(), entry_of(simulator), true);
  std::visit([&](auto& options) { visit_options(options, v); }, simulator);
}

std::shared_ptr<const SampleSource> make_source(const Simulator& simulator) {
  return std::visit([](const auto& options) { return source_of(options); }, simulator);
}

}  // namespace cauchy
