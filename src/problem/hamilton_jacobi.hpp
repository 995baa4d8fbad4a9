#pragma once

#include <optional>
#include <string>
#include <vector>

#include "problem/lowering.hpp"

namespace cauchy::detail {

/// A first-order equation that is not linear in its slopes:
///   u_t + H(t, x, u, grad u) = 0, or H(x, u, grad u) = 0 without time
/// Many functions fulfil it at almost all points. The answer is the viscosity solution: the limit
/// of u_t + H = eps laplacian(u). Without time the sign of H decides which one that is: it is taken
/// so that H is convex in the slopes, where it is convex or concave.
struct HamiltonJacobi {
  std::string field;
  std::vector<std::string> space;
  std::vector<Expr> slopes;  ///< u_x, u_y
  Expr hamiltonian = 0;      ///< lowered
  bool in_time = false;
};

/// Of a problem of one such equation in a region of one or two dimensions; none for all others.
[[nodiscard]] std::optional<HamiltonJacobi> hamilton_jacobi(const Problem& problem,
                                                            const Lowering& lower);

}  // namespace cauchy::detail
