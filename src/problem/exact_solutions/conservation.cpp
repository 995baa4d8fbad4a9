#include <cmath>

#include <cauchy/math/roots.hpp>

#include "problem/exact_solutions/entries.hpp"

namespace cauchy::detail {
namespace {

/// The fan behind a shock of the flux f = u^2 / (u^2 + (1 - u)^2 / M), from 1 on the left to 0 on
/// the right. The shock starts where the chord from 0 is a tangent, f(u) / u = f'(u), that is
/// u^2 = 1 / (1 + M) (Welge).
ExactEvaluator buckley_leverett(std::span<const double> parameters) {
  const double m = parameters[0];
  // Both f' and f / u with numerator and denominator multiplied by M^2 and M.
  const auto slope = [m](double u) {
    const double q = m * u * u + (1 - u) * (1 - u);
    return 2 * m * u * (1 - u) / (q * q);
  };
  const double at_shock = 1 / std::sqrt(1 + m);
  const double speed = m * at_shock / (m * at_shock * at_shock + (1 - at_shock) * (1 - at_shock));
  return point_by_point(2, 1, [=](std::span<const double> point, std::span<double> u) {
    const double t = point[0], x = point[1];
    require_not_before_start(t, "buckley_leverett");
    if (x <= 0) {
      u[0] = 1;
    } else if (x >= speed * t) {
      u[0] = 0;
    } else {
      // f' falls from the speed of the shock to 0 between the shock and 1.
      const double ray = x / t;
      const RootResult found = find_root([&](double v) { return slope(v) - ray; }, at_shock, 1.0);
      // Rounding may hide the sign change right behind the shock.
      u[0] = found.status == RootStatus::no_sign_change ? at_shock : found.root;
    }
  });
}

}  // namespace

std::vector<ExactSolution> conservation_solutions() {
  return {
      {.name = "buckley_leverett",
       .description =
           "Water (u = 1) pushes oil (u = 0) out of a porous rock; M is the ratio of the "
           "mobilities. A fan follows a shock.",
       .coordinates = {"t", "x"},
       .fields = {"u"},
       .parameters = {{"M", 2}},
       .requirements = {"M > 0"},
       .domain = {{"0", "0.5"}, {"0", "1"}},
       .equations = {"u_t + d(u^2/(u^2 + (1 - u)^2/M), x) = 0"},
       .conditions = {{"t = 0", "u = 0"}, {"x = 0 and t > 0", "u = 1"}},
       .method = "shock from the Welge tangent, one bracketed root per point in the fan",
       .accuracy = 1e-13,
       .build = buckley_leverett},
      {.name = "burgers_rarefaction",
       .description = "Inviscid Burgers' equation from a jump up: a fan between u = 0 and u = 1.",
       .coordinates = {"t", "x"},
       .fields = {"u"},
       .domain = {{"0.1", "1"}, {"-1", "2"}},
       .equations = {"u_t + u*u_x = 0"},
       .formulas = {"min(max(x/t, 0), 1)"}},
  };
}

}  // namespace cauchy::detail
