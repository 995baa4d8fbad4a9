#pragma once

#include <optional>
#include <vector>

#include "solvers/fvm/balance_law.hpp"

namespace cauchy::detail {

/// A system of the kind of gas dynamics, found by what its fluxes are, with u_d = m_d / rho:
///   rho_t + div m = .,  m_t + div(m u + p I) = .,  E_t + div((E + p) u) = .,  a_t + div(a u) = .
/// with any pressure p(rho, m, E, a) and any number of rows E and a: compressible Euler (any
/// variables), shallow water (rho = h, p = g h^2 / 2), isothermal gas.
struct GasForm {
  std::size_t mass = 0;
  std::vector<std::size_t> momentum;  ///< row of each direction
  std::vector<bool> energy;           ///< per row: carries the work of the pressure
  Expr pressure;                      ///< of the fields
  Expr sound_squared;                 ///< c^2 = sum_k dp/dq_k r_k, r = (1, u, (E + p)/rho, a/rho)
  std::vector<Expr> velocity;         ///< u_d of the fields
  std::optional<double> gamma;        ///< p = (gamma - 1)(E - m^2 / (2 rho)), and no row beside
};

/// None where the law is of another kind. Fluxes are compared at random states.
[[nodiscard]] std::optional<GasForm> gas_form(const BalanceLaw& law);

/// The least and the largest speed of a wave along the normal (components are symbols).
///   exact    one or two equations, gas-like systems, and where rows or columns of the Jacobian
///            split off; else `matrix` has its entries row by row, see spectral_radius
struct WaveSpeeds {
  Expr least, largest;
  std::vector<Expr> matrix;
};
[[nodiscard]] WaveSpeeds wave_speeds(const BalanceLaw& law, const std::optional<GasForm>& gas);

/// An upper bound of the moduli of the eigenvalues of a matrix n x n, |A^64|^(1/64): above the
/// largest one by at most n^(1/64) cond^(1/64). `a` is overwritten; NaN for a matrix with NaN.
[[nodiscard]] double spectral_radius(std::vector<double>& a, std::size_t n);

}  // namespace cauchy::detail
