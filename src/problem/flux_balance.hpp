#pragma once

#include <optional>
#include <string>

#include <cauchy/problem/problem.hpp>

namespace cauchy::detail {

/// For a steady balance div F + s = 0 whose flux F.n is prescribed on all of the boundary: a
/// sentence when the integral of F.n over the boundary is not minus that of s over the domain, so
/// that there is no solution. Nothing where the problem is not of this form.
[[nodiscard]] std::optional<std::string> flux_imbalance(const Problem& problem,
                                                        const std::string& field);

}  // namespace cauchy::detail
