#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "solvers/fem/fem_system.hpp"

namespace cauchy::detail {

/// Indicators of the cells for an answer y of a steady system, from what is left of the equations:
///   eta_T^2 = sum over rows  h^2 |residual|^2_T + h/2 |jump of the flux|^2_(sides inside)
[[nodiscard]] std::vector<double> residual_indicators(const FemSystem& system,
                                                      const Problem& problem,
                                                      std::span<const double> y);

/// The cells with the largest indicators that hold this share of the sum of their squares
/// (Doerfler).
[[nodiscard]] std::vector<Mesh::Index> marked_cells(std::span<const double> indicators,
                                                    double share);

/// A functional J(u) = int j(x, u, grad u) dx of an answer, and its error by the dual problem
///   a'(u)(v, z) = J'(u)(v) for all v in a richer space:   J(exact) - J(u) = -R(u)(z) + ...
///   richer   elements of order 2 for order 1; every cell cut for order 2
struct GoalResult {
  double value = 0, error = 0;  ///< the error with its sign: value + error is better
  std::vector<double> indicators;
  std::string trouble;  ///< the dual problem could not be solved
};
[[nodiscard]] GoalResult goal_error(const std::shared_ptr<const Problem>& problem,
                                    const FemSystem& system, std::span<const double> y,
                                    const Expr& goal, int threads);

/// Values of the unknowns of `from` at the places of `to`, whose mesh is that of `from` or was made
/// of it by refine().
[[nodiscard]] std::vector<double> carried(const FemSystem& from, std::span<const double> y,
                                          const FemSystem& to);

}  // namespace cauchy::detail
