#pragma once

#include "expr/node.hpp"

namespace cauchy::detail {

/// Pythagorean identities among the terms of a sum, with any common cofactor:
///   c R sin^2 + c R cos^2 = c R,   c R - c R sin^2 = c R cos^2,   and the hyperbolic ones.
Expr apply_squares(const Expr& e);

/// Common factors of the terms of a sum taken out, the most frequent first, and recursively.
Expr factor_sum(const Expr& e);

/// sin/cos = tan, tan*cos = sin, the hyperbolic ones, |a||b| = |ab|, sign(a)*|a| = a.
Expr apply_product_rules(const Expr& e);

/// (x^a)^b for numbers a and b, |x|^(2k), exp(c*log(x)), |x| of what is never negative.
Expr apply_function_rules(const Expr& e);

}  // namespace cauchy::detail
