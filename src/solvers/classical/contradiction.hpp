#pragma once

#include <string>

#include <cauchy/problem/solution.hpp>

namespace cauchy::detail {

/// Two grids may agree on something wrong. Why an answer with these checks (Solution::checks)
/// cannot be right:
///   residual   an equation or condition is violated by more than 0.3 of its terms in the mean.
///              Equations of volumes, and of elements that cannot be tested (TestedModel), do not
///              count: shocks and corners fulfil none at points
///   source     a narrow source is not resolved (problem/narrow_sources.hpp)
///   constant   see driven_constant()
/// Empty: nothing.
[[nodiscard]] std::string contradiction_of(const Solution& solution);

/// Whether all fields of an answer are constant although an equation has a source that this does
/// not balance: nothing was solved. Empty: they are not.
[[nodiscard]] std::string driven_constant(const Solution& solution);

/// Why an answer of any method cannot be right: contradiction_of() for classical ones, whose
/// residuals are small where they are right, driven_constant() for all.
[[nodiscard]] std::string refutation_of(const Solution& solution);

}  // namespace cauchy::detail
