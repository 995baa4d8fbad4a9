#include <algorithm>
#include <cmath>

#include "solvers/fvm/numerical_flux.hpp"

namespace cauchy::detail {
namespace {

/// (f0 + f1)/2 - s/2 (q1 - q0), s the largest speed on either side.
void rusanov(const BalanceLaw& law, const GasForm* /*gas*/, const FaceStates& s,
             double* const* out) {
  for (std::size_t i = 0; i < s.n; ++i) {
    const double speed = std::max(std::max(std::abs(s.least[0][i]), std::abs(s.largest[0][i])),
                                  std::max(std::abs(s.least[1][i]), std::abs(s.largest[1][i])));
    for (std::size_t k = 0; k < law.size(); ++k) {
      out[k][i] = 0.5 * (s.f[0][k][i] + s.f[1][k][i]) - 0.5 * speed * (s.q[1][k][i] - s.q[0][k][i]);
    }
  }
}

std::string rusanov_unfit(const BalanceLaw& /*law*/, const GasForm* /*gas*/) { return {}; }

}  // namespace

const NumericalFlux rusanov_flux = {
    FvmFlux::rusanov, "rusanov", "mean and a jump times the largest speed", rusanov_unfit, rusanov};

}  // namespace cauchy::detail
