#include <algorithm>
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
  const double *a = s.w[0][0], *b = s.w[1][0];
  std::vector<double> u(s.n), speed(s.n), mean(s.n, 0.0), least(s.n), largest(s.n);
  s.speed(a, least.data());
  s.speed(b, largest.data());
  for (std::size_t i = 0; i < s.n; ++i) {
    if (least[i] > largest[i]) std::swap(least[i], largest[i]);
  }
  for (int g = 0; g < 5; ++g) {
    for (std::size_t i = 0; i < s.n; ++i) u[i] = a[i] + node[g] * (b[i] - a[i]);
    s.speed(u.data(), speed.data());
    for (std::size_t i = 0; i < s.n; ++i) {
      mean[i] += weight[g] * std::abs(speed[i]);
      least[i] = std::min(least[i], speed[i]);
      largest[i] = std::max(largest[i], speed[i]);
    }
  }
  for (std::size_t i = 0; i < s.n; ++i) {
    const double f0 = s.f[0][0][i], f1 = s.f[1][0][i];
    // Where all waves run one way it is one side, to the last bit.
    out[0][i] = least[i] >= 0     ? f0
                : largest[i] <= 0 ? f1
                                  : 0.5 * (f0 + f1) - 0.5 * mean[i] * (s.q[1][0][i] - s.q[0][0][i]);
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
