#pragma once

#include <string>

#include <cauchy/problem/solution.hpp>

namespace cauchy::detail {

/// Two grids may agree on something wrong. Why an answer with these checks (Solution::checks)
/// cannot be right: an equation or condition that is violated by more than 0.3 of its terms in the
/// mean. Equations of volumes, and of elements that cannot be tested (TestedModel), do not count:
/// shocks and corners fulfil none at points. Empty: nothing.
[[nodiscard]] std::string contradiction_of(const Solution& solution);

}  // namespace cauchy::detail
