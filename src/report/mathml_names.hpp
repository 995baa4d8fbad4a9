#pragma once

#include <string>
#include <string_view>

namespace cauchy::detail {

/// A name with its subscript as MathML elements: u_in -> u, in; rho0 -> rho, 0. The subscript is
/// elements side by side, empty where there is none.
struct MathmlName {
  std::string base, subscript;
};
MathmlName split_mathml_name(std::string_view name);

}  // namespace cauchy::detail
