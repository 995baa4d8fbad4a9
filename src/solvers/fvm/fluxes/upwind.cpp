#include <cmath>

#include "solvers/fvm/numerical_flux.hpp"

namespace cauchy::detail {
namespace {

/// Engquist and Osher: (f0 + f1)/2 - 1/2 int |f'(u)| du between the states, by five Gauss points:
/// exact where the speed keeps its sign, and entropic for convex and other fluxes.
void upwind(const BalanceLaw& /*law*/, const GasForm* /*gas*/, const FaceStates& s,
            double* const* out) {
  constexpr double node[5] = {0.046910077030668004, 0.23076534494715845, 0.5, 0.7692346550528415,
                              0.953089922969332};
  constexpr double weight[5] = {0.11846344252809454, 0.23931433524968324, 0.28444444444444444,
                                0.23931433524968324, 0.11846344252809454};
  std::vector<double> u(s.n), speed(s.n), mean(s.n, 0.0);
  std::vector<char> one_sign(s.n, 1);
  for (int g = 0; g < 5; ++g) {
    for (std::size_t i = 0; i < s.n; ++i) {
      u[i] = s.w[0][0][i] + node[g] * (s.w[1][0][i] - s.w[0][0][i]);
    }
    s.speed(u.data(), speed.data());
    for (std::size_t i = 0; i < s.n; ++i) {
      mean[i] += weight[g] * std::abs(speed[i]);
      // Against what the ends say: a wave runs the other way in between.
      if (!(speed[i] * s.largest[0][i] >= 0 && speed[i] * s.largest[1][i] >= 0)) one_sign[i] = 0;
    }
  }
  for (std::size_t i = 0; i < s.n; ++i) {
    const double a = s.largest[0][i], b = s.largest[1][i];
    if (one_sign[i] != 0 && a * b >= 0) {  // one side, to the last bit
      out[0][i] = a + b >= 0 ? s.f[0][0][i] : s.f[1][0][i];
    } else {
      out[0][i] =
          0.5 * (s.f[0][0][i] + s.f[1][0][i]) - 0.5 * mean[i] * (s.q[1][0][i] - s.q[0][0][i]);
    }
  }
}

std::string upwind_unfit(const BalanceLaw& law, const GasForm* /*gas*/) {
  return law.size() == 1 ? "" : "treats one equation, this is a system";
}

}  // namespace

const NumericalFlux upwind_flux = {FvmFlux::upwind, "upwind",
                                   "the side that waves come from (Engquist-Osher)", upwind_unfit,
                                   upwind};

}  // namespace cauchy::detail
