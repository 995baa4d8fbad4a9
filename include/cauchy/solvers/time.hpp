#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace cauchy {

class OptionVisitor;

/// How a problem in time is integrated once space has become nodes.
enum class TimeScheme : std::uint8_t {
  automatic,       ///< from the problem
  explicit_euler,  ///< order 1
  rk4,             ///< order 4, explicit
  dormand_prince,  ///< order 5, explicit
  theta,           ///< order 2 with theta = 1/2 (Crank-Nicolson), else 1
  bdf2,            ///< order 2, damps fast modes
  bdf,             ///< orders 1 to 5, chosen on the way
  esdirk,          ///< order 4, damps fast modes
  imex,            ///< order 4: highest linear derivatives implicit, the rest explicit
};

/// Settings of the integration in time of a classical method.
struct TimeOptions {
  TimeScheme scheme = TimeScheme::automatic;
  double step = 0;       ///< of all steps; 0: adapted to the tolerance
  double tolerance = 0;  ///< relative error of the integration; 0: below that of the grid
  double theta = 0.5;    ///< of the theta scheme: 0 explicit, 1/2 Crank-Nicolson, 1 implicit Euler
};
void visit_options(TimeOptions& options, OptionVisitor& visitor);

/// A word that users write, and what stands behind it.
struct TimeSchemeEntry {
  std::string_view name;
  std::string_view description;  ///< one phrase
  TimeScheme scheme;
};
[[nodiscard]] const std::vector<TimeSchemeEntry>& all_time_schemes();
[[nodiscard]] std::string_view name_of(TimeScheme scheme);

}  // namespace cauchy
