#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <cauchy/applications/sphere_shallow_water.hpp>

namespace cauchy {

/// Standard flows (Williamson et al. 1992; Galewsky et al. 2004).
///   steady_zonal  case 2: solid rotation in balance, an exact steady state; tilted with the model
///   mountain      case 5: the same, slower, over a mountain of 2,000 m; runs for 15 days
///   rossby_wave   case 6: a Rossby-Haurwitz wave of number 4; runs for 14 days
///   unstable_jet  a jet of 80 m/s in the mid latitudes with a bump of 120 m that breaks it; 6 days
enum class ShallowWaterCase : std::uint8_t { steady_zonal, mountain, rossby_wave, unstable_jet };
[[nodiscard]] std::string_view to_string(ShallowWaterCase which) noexcept;

/// The ground of a case, for the constructor of the model; empty where it is flat.
[[nodiscard]] std::vector<double> ground_of(ShallowWaterCase which, const SphereGrid& grid);

/// The first state of a case. The depth of steady_zonal, mountain and rossby_wave is by their
/// formulas, that of the jet by the balance with its wind.
///   error    throws Error for a tilt of cases other than steady_zonal
[[nodiscard]] ShallowWaterState initial_state(ShallowWaterCase which, ShallowWaterModel& model);

/// Of the depths a against b: sqrt(integral of (a - b)^2 / integral of b^2) over the sphere.
[[nodiscard]] double relative_l2(const SphereGrid& grid, const std::vector<double>& a,
                                 const std::vector<double>& b);

}  // namespace cauchy
