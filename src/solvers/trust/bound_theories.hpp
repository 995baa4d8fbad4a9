#pragma once

#include <vector>

#include <cauchy/solvers/error_bounds.hpp>

namespace cauchy::detail {

// Entries of the table of theories, each in a file of its own; see BoundTheory.

[[nodiscard]] std::vector<ErrorBound> logarithmic_norm_bounds(const Solution& solution,
                                                              std::size_t max_points);
[[nodiscard]] std::vector<ErrorBound> maximum_principle_bounds(const Solution& solution,
                                                               std::size_t max_points);
[[nodiscard]] std::vector<ErrorBound> dual_norm_bounds(const Solution& solution,
                                                       std::size_t max_points);
[[nodiscard]] std::vector<ErrorBound> semigroup_bounds(const Solution& solution,
                                                       std::size_t max_points);

}  // namespace cauchy::detail
