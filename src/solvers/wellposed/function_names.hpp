#pragma once

#include <string>
#include <vector>

#include "solvers/spectral/chebyshev_system.hpp"

namespace cauchy::detail {

/// Words for the functions of some directions of coefficients, as things that can be added to the
/// fields: "a constant to 'p'", "sin(3*pi*x) to 'u'", "cos(pi*x) to 'u'"; "a function with 3 sign
/// changes along x to 'u'" when none of the simple ones lies in their span.
[[nodiscard]] std::string name_functions(const ChebyshevBox& box, const ChebyshevGrid& grid,
                                         const std::vector<std::vector<double>>& directions);

}  // namespace cauchy::detail
