#pragma once

#include <memory>
#include <string>
#include <vector>

#include <cauchy/problem/problem.hpp>

namespace cauchy::detail {

/// One sentence where Newton's method on coarse grids finds a second answer to a steady nonlinear
/// problem of one field on a region of the plane: residuals are divided by the distance from the
/// first one (deflation), so that it is not found again. What a finer grid does not find again
/// counts as an error of the grid.
///   cost     some hundred sparse systems of some hundred unknowns
[[nodiscard]] std::vector<std::string> deflation_doubts(
    const std::shared_ptr<const Problem>& problem);

}  // namespace cauchy::detail
