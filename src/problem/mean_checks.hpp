#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "problem/point_evaluator.hpp"
#include "problem/tested_model.hpp"

namespace cauchy::detail {

/// Whether a function in it has jumps that its derivatives do not see.
[[nodiscard]] bool jumps(const Expr& e);

/// sum of plain terms + sum of flux v_{x_k} = 0 in the mean, for test functions v.
struct TestedForm {
  std::vector<Expr> plain;
  std::vector<std::pair<Expr, std::size_t>> flux;  ///< with the column of its coordinate
};
/// None: see means_around().
[[nodiscard]] std::optional<TestedForm> tested_form(const Problem& problem,
                                                    const ProblemEquation& equation);

/// An equation of any answer against the functions prod (1 - s_k^2)^3 of boxes in space and time
/// around these points, as far as they fit into the domain; divergences and derivatives by time by
/// parts. Where coefficients or data jump, answers have kinks: their residuals at points are large
/// beside them on every grid, while these means fall with the grid, and a flux that is wrong across
/// a kink stays.
///   means    in units of what flows into the box and what its plain terms add up to; moduli are 1
///   least    of these units: smaller ones say nothing
///   returns  none where an equation is no sum of divergences of fluxes linear in the fields with
///            smooth coefficients before them, and plain terms without derivatives (waves that
///            break have means that several answers fulfil); where it holds on a part of the
///            domain; beside inner surfaces; where narrow sources hide between the nodes; where no
///            box fits
[[nodiscard]] std::optional<WeakMeans> means_around(const PointEvaluator& evaluator,
                                                    const ProblemEquation& equation,
                                                    const Points& centres, double least);

}  // namespace cauchy::detail
