#pragma once

#include <string>
#include <vector>

#include <cauchy/problem/problem.hpp>

namespace cauchy {

/// What a coarse numerical look at a problem says against it having one solution that can be
/// computed, one sentence each; beyond facts(), which counts conditions and reads the equations.
///   steady problems on a line, a rectangle or a box (Chebyshev collocation, linearised around a
///            coarse solution): functions that can be added without a change (resonance, missing
///            conditions), the same nearly, conditions that contradict each other, data for which
///            there is no solution; nonlinear ones: several solutions, and a branch of solutions
///            that turns back before the sources and nonlinear terms have their full size
///   linear problems in time with something given at a later time: the same
///   nonlinear problems in one variable with conditions at both ends: several starts from one end
///            that reach the other (shooting)
///   initial value problems of ordinary equations: solutions that end before the last time, errors
///            that grow so much that no integration reaches the tolerance, and answers that rest
///            where the right side is not Lipschitz
/// Families are looked at in the middle of their ranges. Other problems, also those with unknown
/// constants or functions, are not looked at: an empty list says nothing in their favour.
///   cost     below a second, by a bound on the operations; the same on every machine
///   error    throws Error for a problem that check() refuses
[[nodiscard]] std::vector<std::string> solvability_doubts(const Problem& problem);

}  // namespace cauchy
