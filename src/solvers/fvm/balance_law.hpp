#pragma once

#include <string>
#include <vector>

#include "problem/lowering.hpp"

namespace cauchy::detail {

/// q_t + sum_d d(F_d, x_d) = S for N fields w, read from equations as they are written: d(f, x),
/// div(...), c*u_x with an antiderivative of c. All expressions are lowered.
///   q      expressions of the fields that can be solved for them one after the other
///   F      convection of fields and coordinates, plus diffusion that also holds first derivatives
///   S      fields and coordinates only
struct BalanceLaw {
  std::vector<std::string> space;
  std::string time;
  std::vector<Expr> fields;                   ///< w, in the order of the problem
  std::vector<Expr> conserved;                ///< q of w
  std::vector<Expr> symbols;                  ///< one symbol for each q
  std::vector<Expr> inverse;                  ///< w of the symbols
  std::vector<std::vector<Expr>> slope;       ///< dw_k / dq_i as an expression of w
  std::vector<std::vector<Expr>> convection;  ///< [d][i]
  std::vector<std::vector<Expr>> diffusion;   ///< [d][i]; zeros without diffusion
  std::vector<Expr> source;
  bool is_diffusive = false, has_source = false;
  bool is_plain = false;  ///< q are the fields themselves, in their order

  [[nodiscard]] std::size_t size() const noexcept { return fields.size(); }
  [[nodiscard]] std::size_t dimension() const noexcept { return space.size(); }
  /// sum_d n_d F_d of row i with the components of the normal as symbols.
  [[nodiscard]] Expr normal_flux(std::size_t i) const;
  /// dw_k / dt for a smooth solution without diffusion: of w, its first derivatives, coordinates.
  [[nodiscard]] std::vector<Expr> field_rates() const;
};

/// Throws Error (unsupported) with the reason and a method that fits where there is no such law.
[[nodiscard]] BalanceLaw read_balance_law(const Problem& problem, const Lowering& lower);

}  // namespace cauchy::detail
