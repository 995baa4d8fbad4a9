#pragma once

#include <optional>

#include "problem/mean_checks.hpp"

namespace cauchy::detail {

/// A place where the coefficient of a flux jumps, on a line along the coordinate of the flux.
struct FluxJump {
  std::vector<double> at;         ///< one number per coordinate of the problem
  std::size_t flux = 0;           ///< of the tested form
  double before = 0, behind = 0;  ///< how far it is to the next jump, or to the end of the line
  bool pair = false;              ///< behind comes a jump, not the end
};

/// Where the coefficients of an equation's fluxes jump, found along some lines.
[[nodiscard]] std::vector<FluxJump> flux_jumps(const PointEvaluator& evaluator,
                                               const TestedForm& form);

/// Means across the jumps, which residuals at points do not see: of the equation around each, and
/// of what the field changes by across thin films, which must be the flux beside the film times its
/// resistance. In units of their terms: moduli are 1.
///   least    residuals and moduli of this size say nothing
///   returns  none where nothing jumps, or the equation has no tested form
[[nodiscard]] std::optional<WeakMeans> means_across_jumps(const PointEvaluator& evaluator,
                                                          const ProblemEquation& equation,
                                                          double least);

}  // namespace cauchy::detail
