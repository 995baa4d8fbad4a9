#pragma once

#include <cauchy/expr/expr.hpp>
#include <string>
#include <string_view>

namespace cauchy {

// Mathematics for web pages, without scripts and fonts: MathML Core, which browsers draw
// themselves. The results are parts of a formula, put together with in_math().

/// Fractions, powers, roots, derivatives as u_xx, cases, Greek names; the same signs and brackets
/// as to_latex(). One element.
///   error    throws Error when the text would exceed 4 MB
[[nodiscard]] std::string to_mathml(const Expr& e);
/// The form as it was written (expr/written.hpp), divergences as such.
[[nodiscard]] std::string written_to_mathml(const Expr& e);
/// Both sides as they were written.
[[nodiscard]] std::string to_mathml(const Equation& equation);
[[nodiscard]] std::string to_mathml(double number);
/// A name with its subscripts: u_in, rho0, theta.
[[nodiscard]] std::string name_to_mathml(std::string_view name);

/// The <math> element around parts of a formula.
enum class MathStyle : unsigned char { in_text, display };
[[nodiscard]] std::string in_math(std::string_view content, MathStyle style = MathStyle::in_text);

/// A name as plain text with Greek letters: "theta_1" -> "θ_1"; for the labels of pictures.
[[nodiscard]] std::string greek_name(std::string_view name);

}  // namespace cauchy
