#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include <cauchy/expr/expr.hpp>

namespace cauchy {

/// A number as C++ code of type double that reads back as the same number.
[[nodiscard]] std::string cpp_number(double value);
/// A name as an identifier of C++: other characters become '_', and keywords get one at their end.
[[nodiscard]] std::string cpp_identifier(std::string_view name);
/// Any text as what may stand behind "//" on a line: nothing in it ends the comment or the line,
/// joins the next line to it, or shows another order of characters than the compiler reads.
[[nodiscard]] std::string cpp_comment(std::string_view text);

/// How expressions become C++ code.
struct CppNames {
  std::function<std::string(const Expr&)> atom;    ///< code for a coordinate, parameter, ...
  std::function<std::string(std::size_t)> output;  ///< code for the place of an output
  std::string_view indent = "  ";
};
/// Statements that compute expressions, one line for each node that is not an atom; they need
/// <cmath> and cpp_helpers().
[[nodiscard]] std::string cpp_statements(std::span<const Expr> outputs, const CppNames& names);
/// Functions that the statements call, to be put before them, in the same namespace.
[[nodiscard]] std::string_view cpp_helpers() noexcept;

}  // namespace cauchy
