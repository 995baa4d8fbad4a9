#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

namespace cauchy::detail {

// Bodies of C++ functions (double x, int order, double* out) that do what Basis::derivatives does
// for one argument.

/// p_{i+1} = (a x + b) p_i - c p_{i-1} with steps {a, b, c}.
[[nodiscard]] std::string polynomials_code(std::span<const std::array<double, 3>> steps);
[[nodiscard]] std::string splines_code(std::span<const double> knots, int degree);
[[nodiscard]] std::string gaussians_code(std::span<const double> centres, double width);

}  // namespace cauchy::detail
