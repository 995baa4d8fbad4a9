#pragma once

#include <string>

#include <cauchy/expr/expr.hpp>

namespace cauchy {

class Context;

/// Canonical text; parse() of it, in a context that declares its atoms, gives the same node back
/// (within the limits of parse(): 200 levels of brackets).
/// Derivatives print as u_xx where that can be read back only one way, else as d(u, theta, 2).
/// The context, when given, tells which names are declared (a field named u_x makes the derivative
/// of u print as d(u, x)).
///   error    throws Error when the text would exceed 16 MB (a graph may be far larger as a tree)
[[nodiscard]] std::string to_string(const Expr& e, const Context* context = nullptr);
/// The text of the written form, div(a*grad(u)) where to_string() gives a*u_xx + a_x*u_x; reading
/// it gives the same written form back. A divergence prints as such when its coordinates are the
/// space of the context (or without a context), else as the sum of its derivatives.
[[nodiscard]] std::string written_to_string(const Expr& e, const Context* context = nullptr);
/// Both sides as they were written.
[[nodiscard]] std::string to_string(const Equation& equation, const Context* context = nullptr);

/// LaTeX in display style: \frac{\partial^2 u}{\partial x^2} as u_{xx}, fractions, Greek names.
[[nodiscard]] std::string to_latex(const Expr& e);
[[nodiscard]] std::string written_to_latex(const Expr& e);
[[nodiscard]] std::string to_latex(const Equation& equation);

/// The shortest decimal number that reads back as the same double.
[[nodiscard]] std::string number_to_string(double value);

}  // namespace cauchy
