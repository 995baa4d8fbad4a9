#include "solvers/fvm/numerical_flux.hpp"

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

namespace cauchy::detail {

const std::vector<const NumericalFlux*>& all_numerical_fluxes() {
  static const std::vector<const NumericalFlux*> all = {&upwind_flux, &rusanov_flux, &hll_flux,
                                                        &hllc_flux};
  return all;
}

const NumericalFlux& choose_flux(FvmFlux kind, const BalanceLaw& law, const GasForm* gas) {
  if (kind == FvmFlux::automatic) {
    kind = law.size() == 1 ? FvmFlux::upwind : gas != nullptr ? FvmFlux::hllc : FvmFlux::hll;
  }
  for (const NumericalFlux* flux : all_numerical_fluxes()) {
    if (flux->kind != kind) continue;
    const std::string reason = flux->unfit(law, gas);
    if (reason.empty()) return *flux;
    throw Error(ErrorKind::unsupported, fmt::format("flux '{}' {}", flux->name, reason),
                "[solvers.fvm]", "use hll");
  }
  throw Error("no such flux", "[solvers.fvm]");
}

}  // namespace cauchy::detail
