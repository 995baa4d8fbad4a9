#pragma once

#include <string>

#include <cauchy/expr/evaluate.hpp>
#include <cauchy/geometry/domain.hpp>
#include <cauchy/problem/weak_problem.hpp>

namespace cauchy::detail {

/// What the coefficients of a linear form of one field say of coercivity, at points of the domain:
///   a(u, u) = int A grad u . grad u + (c - div(b)/2) u^2 + boundary terms
/// Empty where nothing can be said.
///   at       numbers of parameters and unknown constants
[[nodiscard]] std::string coercivity(const WeakProblem& weak, const Domain& domain, Values at);

}  // namespace cauchy::detail
