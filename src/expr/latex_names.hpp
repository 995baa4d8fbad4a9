#pragma once

#include <string>
#include <string_view>

namespace cauchy::detail {

/// A name with its subscript in LaTeX: u_in -> u, \mathrm{in}; rho0 -> \rho, 0.
struct LatexName {
  std::string base, subscript;
};
LatexName split_name(std::string_view name);

/// Both together: nu_t -> \nu_t.
std::string name_text(std::string_view name);

/// An index or exponent; braces only where TeX needs them.
std::string script(const std::string& text);

}  // namespace cauchy::detail
