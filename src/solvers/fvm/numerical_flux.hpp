#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <cauchy/base/function_ref.hpp>
#include <cauchy/solvers/fvm.hpp>

#include "solvers/fvm/gas_form.hpp"

namespace cauchy::detail {

/// Both sides of n faces, side 0 behind the normal and side 1 before it; one row of n numbers for
/// every quantity.
struct FaceStates {
  std::size_t n = 0;
  const double* const* w[2] = {};  ///< fields
  const double* const* q[2] = {};  ///< conserved quantities
  const double* const* f[2] = {};  ///< their normal fluxes
  const double* least[2] = {};     ///< speeds of waves along the normal
  const double* largest[2] = {};
  const double* velocity[2] = {};  ///< along the normal; null unless gas-like
  const double* pressure[2] = {};
  const double* const* normal = {};                         ///< components
  FunctionRef<void(const double* w, double* speed)> speed;  ///< of one equation in other states
};

/// A flux that is the same seen from both cells, with the flux of the equation where both states
/// agree. A new one: a file in fluxes/, an entry of FvmFlux and a line of all_numerical_fluxes().
struct NumericalFlux {
  FvmFlux kind;
  std::string_view name, description;
  /// Why the flux cannot treat a law; empty: it can.
  std::string (*unfit)(const BalanceLaw& law, const GasForm* gas);
  /// out: rows of conserved quantities.
  void (*evaluate)(const BalanceLaw& law, const GasForm* gas, const FaceStates& faces,
                   double* const* out);
};

extern const NumericalFlux upwind_flux, rusanov_flux, hll_flux, hllc_flux;
[[nodiscard]] const std::vector<const NumericalFlux*>& all_numerical_fluxes();
/// The flux that is asked for, or the one that fits.
///   error    throws Error (unsupported) when it cannot treat the law
[[nodiscard]] const NumericalFlux& choose_flux(FvmFlux kind, const BalanceLaw& law,
                                               const GasForm* gas);

}  // namespace cauchy::detail
