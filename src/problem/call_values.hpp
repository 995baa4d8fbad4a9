#pragma once

#include <span>
#include <string>
#include <vector>

#include <cauchy/problem/problem.hpp>

namespace cauchy::detail {

/// Values of a call of a tabulated function, f(x + 1, y), or of its derivative at rows of these
/// coordinates.
[[nodiscard]] std::vector<double> call_values(const TabulatedFunction& function,
                                              const std::vector<std::string>& coordinates,
                                              const Expr& call, std::span<const double> rows);

}  // namespace cauchy::detail
