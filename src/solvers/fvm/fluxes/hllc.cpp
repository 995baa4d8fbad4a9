#include <algorithm>

#include "solvers/fvm/numerical_flux.hpp"

namespace cauchy::detail {
namespace {

/// Toro, Spruce, Speares: two states, divided by the contact, between the fastest waves. The
/// contact moves with
///   s = (p1 - p0 + m0 (a - u0) - m1 (b - u1)) / (rho0 (a - u0) - rho1 (b - u1)).
void hllc(const BalanceLaw& law, const GasForm* gas, const FaceStates& s, double* const* out) {
  const std::size_t N = law.size(), D = law.dimension(), mass = gas->mass;
  for (std::size_t i = 0; i < s.n; ++i) {
    const double edge[2] = {std::min(s.least[0][i], s.least[1][i]),
                            std::max(s.largest[0][i], s.largest[1][i])};
    double r[2], u[2], p[2];
    for (int k = 0; k < 2; ++k) {
      r[k] = s.q[k][mass][i];
      u[k] = s.velocity[k][i];
      p[k] = s.pressure[k][i];
    }
    const double below = r[0] * (edge[0] - u[0]) - r[1] * (edge[1] - u[1]);
    const double contact =
        below == 0
            ? 0.5 * (u[0] + u[1])
            : (p[1] - p[0] + r[0] * u[0] * (edge[0] - u[0]) - r[1] * u[1] * (edge[1] - u[1])) /
                  below;
    const int k = contact >= 0 ? 0 : 1;
    const bool outside = k == 0 ? edge[0] >= 0 : edge[1] <= 0;
    for (std::size_t j = 0; j < N; ++j) out[j][i] = s.f[k][j][i];
    if (outside || edge[k] == contact) continue;
    const double factor = (edge[k] - u[k]) / (edge[k] - contact), push = contact - u[k];
    for (std::size_t j = 0; j < N; ++j) {
      double star = factor * s.q[k][j][i];
      if (gas->energy[j]) star += factor * push * (r[k] * contact + p[k] / (edge[k] - u[k]));
      for (std::size_t d = 0; d < D; ++d) {
        if (gas->momentum[d] == j) star += factor * r[k] * push * s.normal[d][i];
      }
      out[j][i] += edge[k] * (star - s.q[k][j][i]);
    }
  }
}

std::string hllc_unfit(const BalanceLaw& /*law*/, const GasForm* gas) {
  return gas != nullptr ? "" : "needs a system with mass, momentum and pressure";
}

}  // namespace

const NumericalFlux hllc_flux = {FvmFlux::hllc, "hllc",
                                 "HLL with the contact (Toro, Spruce, Speares)", hllc_unfit, hllc};

}  // namespace cauchy::detail
