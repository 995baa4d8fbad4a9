#pragma once

#include <memory>
#include <string>
#include <vector>

#include <cauchy/problem/problem.hpp>

namespace cauchy::detail {

/// For ordinary equations whose conditions hold at one point: a solution that ends inside the
/// interval, errors that grow so much that no integration reaches the tolerance, and places where
/// answers part. The solution is integrated together with its derivatives by the start.
///   cost     up to 20,000 steps; stiff problems, which forget their start, are left
[[nodiscard]] std::vector<std::string> initial_value_doubts(
    const std::shared_ptr<const Problem>& problem);

}  // namespace cauchy::detail
