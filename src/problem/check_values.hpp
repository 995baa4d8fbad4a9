#pragma once

#include <cauchy/problem/problem.hpp>

namespace cauchy::detail {

/// Throws Error for a formula that is NaN or infinite where it holds: the parts without fields of
/// equations, conditions, observations and reference formulas, at 256 scrambled points of the
/// domain, 64 of the place of a condition, the rows of an observation. Points are never at special
/// places, so that a singularity of measure zero (1/r at the centre) is no mistake; at single
/// points (an end of an interval, `point`) the formula counts as it is there. Parts of
/// where(c, a, b) are looked at where they are chosen; unknown constants have their initial value.
/// Exact solutions of the library are asked for two values.
/// The same for weights, which must not be negative either.
/// Also throws for an equation whose `where` holds at less than 1/4096 of the domain.
///   place    "form of equation 'u_t = log(x)'", "reference 'u'", ...
void check_values(const Problem& problem);

}  // namespace cauchy::detail
