#pragma once

#include <string>
#include <vector>

#include <cauchy/expr/evaluate.hpp>
#include <cauchy/geometry/domain.hpp>
#include <cauchy/problem/weak_problem.hpp>

namespace cauchy::detail {

/// The symmetric part of a linear form of one field, as expressions of coordinates and parameters:
///   a(u, u) = int A grad u . grad u + reaction u^2 + boundary terms,  reaction = c - div(b)/2
struct CoercivityTerms {
  std::vector<Expr> diffusion;  ///< A, row-major dim x dim, symmetric
  Expr reaction;
};
[[nodiscard]] CoercivityTerms coercivity_terms(const WeakForm& form);

/// What the coefficients of a linear form of one field say of coercivity, at points of the domain:
///   a(u, u) = int A grad u . grad u + (c - div(b)/2) u^2 + boundary terms
/// Empty where nothing can be said.
///   at       numbers of parameters and unknown constants
[[nodiscard]] std::string coercivity(const WeakProblem& weak, const Domain& domain, Values at);

}  // namespace cauchy::detail
