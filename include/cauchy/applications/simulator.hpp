#pragma once

#include <memory>
#include <string_view>
#include <variant>
#include <vector>

#include <cauchy/applications/reservoir_simulator.hpp>
#include <cauchy/applications/surface_simulator.hpp>
#include <cauchy/applications/weather_simulator.hpp>
#include <cauchy/data/sample_source.hpp>

namespace cauchy {

class OptionVisitor;

/// What makes the samples of an operator problem without equations: [simulator] of its file.
using Simulator = std::variant<ReservoirSimulator, WeatherSimulator, SurfaceSimulator>;
struct SimulatorEntry {
  std::string_view name;         ///< "reservoir"
  std::string_view description;  ///< one phrase
  Simulator options;
};
[[nodiscard]] const std::vector<SimulatorEntry>& all_simulators();
[[nodiscard]] const SimulatorEntry& entry_of(const Simulator& simulator);
/// Kind and options under the names that files use.
void visit_options(Simulator& simulator, OptionVisitor& visitor);
/// Ready to make samples.
///   error    throws Error for options that make no sense together
[[nodiscard]] std::shared_ptr<const SampleSource> make_source(const Simulator& simulator);

}  // namespace cauchy
