#pragma once

#include <memory>
#include <string>
#include <vector>

#include <cauchy/problem/problem.hpp>

namespace cauchy::detail {

/// One sentence where integrations from one end of a nonlinear problem in one variable, whose
/// conditions there leave one number open, fulfil the condition at the other end for several
/// values of that number. Empty: one or none was found, or the problem is of another kind.
///   cost     some 100 integrations of a few hundred steps, counted
[[nodiscard]] std::vector<std::string> shooting_doubts(
    const std::shared_ptr<const Problem>& problem);

}  // namespace cauchy::detail
