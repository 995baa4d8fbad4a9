#pragma once

#include <optional>
#include <string>

#include <cauchy/problem/problem.hpp>
#include <cauchy/sampling/points.hpp>

namespace cauchy {

/// Where a condition holds, read from its text.
struct ConditionPlace {
  enum class Kind : unsigned char { slice, boundary };
  Kind kind = Kind::boundary;
  double time = 0;       ///< of a slice
  std::string boundary;  ///< text of a Boundary
};

/// "initial", "t = 0" and the like are slices of time, everything else parts of the boundary. For a
/// problem in time alone, "left", "right" and numbers of time ("t = 1") are slices.
///   error    throws Error naming the condition when the text makes no sense or nothing is selected
[[nodiscard]] ConditionPlace place_of(const Problem& problem, const Condition& condition);

/// "condition 'u = 0' on left": how a condition is named in messages and reports.
[[nodiscard]] std::string name_of(const Condition& condition);
[[nodiscard]] std::string name_of(const ProblemEquation& equation);

/// The domain with the numbers of the problem's parameters.
[[nodiscard]] Domain domain_of(const Problem& problem);

/// n points where a general condition holds, or on the surface of an interface inside the domain.
[[nodiscard]] Points condition_points(const Problem& problem, const Condition& condition,
                                      std::size_t n, const SamplerOptions& options = {});

/// n points of the domain where an equation holds: inside, and where a condition on the coordinates
/// does (ProblemEquation::where; empty: everywhere).
///   error    throws Error when next to no point fulfils the condition
[[nodiscard]] Points equation_points(const Problem& problem, const std::string& where,
                                     std::size_t n, const SamplerOptions& options = {});

/// When the form is `u = g` (or `g = u`) with a field u that does not occur in g: the two sides.
struct DirichletForm {
  std::string field;
  Expr value;
};
[[nodiscard]] std::optional<DirichletForm> dirichlet_form(const Equation& form);

}  // namespace cauchy
