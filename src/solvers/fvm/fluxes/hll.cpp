#include <algorithm>

#include "solvers/fvm/numerical_flux.hpp"

namespace cauchy::detail {
namespace {

/// Harten, Lax, van Leer: one state between the least and the largest speed of both sides.
void hll(const BalanceLaw& law, const GasForm* /*gas*/, const FaceStates& s, double* const* out) {
  for (std::size_t i = 0; i < s.n; ++i) {
    const double a = std::min({0.0, s.least[0][i], s.least[1][i]});
    const double b = std::max({0.0, s.largest[0][i], s.largest[1][i]});
    for (std::size_t k = 0; k < law.size(); ++k) {
      const double f0 = s.f[0][k][i], f1 = s.f[1][k][i];
      // With a = 0 or b = 0 this is f0 or f1 alone.
      out[k][i] = b > a ? (b * f0 - a * f1 + a * b * (s.q[1][k][i] - s.q[0][k][i])) / (b - a)
                        : 0.5 * (f0 + f1);
    }
  }
}

std::string hll_unfit(const BalanceLaw& /*law*/, const GasForm* /*gas*/) { return {}; }

}  // namespace

const NumericalFlux hll_flux = {FvmFlux::hll, "hll",
                                "one state between the fastest waves (Harten, Lax, van Leer)",
                                hll_unfit, hll};

}  // namespace cauchy::detail
