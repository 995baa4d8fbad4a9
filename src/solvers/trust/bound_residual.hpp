#pragma once

#include <optional>
#include <span>
#include <vector>

#include "solvers/trust/bound_sines.hpp"

namespace cauchy::detail {

/// The residual of an answer as a functional, v -> int r v + sum over surfaces of int [flux . n] v,
/// in the sines of a box. Extended by zero where the box is larger than the domain.
struct ResidualSines {
  std::vector<double> coefficients;  ///< of the functional
  double square = 0;                 ///< int r^2
  double rest = 0;                   ///< int r^2 minus the squares of r's own coefficients
  /// Of every surface: int j^2 of the jump, and what of it is not in its coefficients.
  struct Jump {
    std::size_t axis;
    double square, rest;
  };
  std::vector<Jump> jumps;

  /// Upper bound of sup |functional(v)| / (sum_i a_i |v_i|^2 + c |v|^2)^(1/2) over functions v that
  /// vanish on the faces of the box: exact for the modes of the grid, an estimate from above for
  /// the others. Functions of a smaller domain, extended by zero, are among them, so that it holds
  /// for these, too.
  [[nodiscard]] double dual_norm(const SineGrid& grid, std::span<const double> a, double c) const;
};

/// At one time where the problem has one. NaN in square where the residual is not finite.
[[nodiscard]] ResidualSines residual_sines(const BoundForm& form, const Solution& solution,
                                           const SineGrid& grid, std::optional<double> time = {});

/// Whether the strong residual with the jumps that are known is the whole residual: tested with
/// some smooth functions, it agrees with the weak one, which needs no second derivatives. Fields of
/// elements, or coefficients that jump elsewhere, do not.
[[nodiscard]] bool is_whole_residual(const BoundForm& form, const Solution& solution,
                                     const SineGrid& grid, std::optional<double> time = {});

/// A box inside the domain around its deepest point: the domain itself where it is one.
[[nodiscard]] Bounds inner_box(const BoundForm& form, const SineGrid& around);

/// Whether all theories may use the residual: see is_whole_residual, at some times.
[[nodiscard]] bool residual_can_be_used(const BoundForm& form, const Solution& solution,
                                        std::size_t max_points);

/// int f^2 and int |grad f|^2 of the field of an answer over the domain, at one time.
struct FieldSquares {
  double value = 0, gradient = 0, largest = 0;
};
/// `minus` null, or a second answer that is subtracted.
[[nodiscard]] FieldSquares field_squares(const BoundForm& form, const Solution& solution,
                                         const Solution* minus, const SineGrid& grid,
                                         std::optional<double> time = {});

}  // namespace cauchy::detail
