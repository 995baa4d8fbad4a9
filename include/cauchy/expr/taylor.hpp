#pragma once

#include <cauchy/expr/expr.hpp>

namespace cauchy {

/// (f(x + h) - f(x)) / h, the difference quotient of an expression by a coordinate or parameter.
[[nodiscard]] Expr difference_quotient(const Expr& f, const Expr& x, const Expr& h);

/// sum_n f^(n)(a) / n! (x - a)^n up to n = order: the Taylor polynomial about a, for a = 0 that of
/// Maclaurin.
///   error    throws Error for a negative order
[[nodiscard]] Expr taylor_polynomial(const Expr& f, const Expr& x, const Expr& a, int order);

/// What is left of f, f^(order + 1)(xi) / (order + 1)! (x - a)^(order + 1) for some xi between a
/// and x: O((x - a)^(order + 1)).
[[nodiscard]] Expr taylor_remainder(const Expr& f, const Expr& x, const Expr& a, int order,
                                    const Expr& xi);

}  // namespace cauchy
