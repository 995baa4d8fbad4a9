#pragma once

#include <cauchy/expr/expr.hpp>

namespace cauchy {

/// Rewrites to an equal expression that is not larger: common factors of a sum taken together,
/// sin^2 + cos^2 = 1, cosh^2 - sinh^2 = 1, powers of powers, sums distributed when that cancels.
/// Constructors already do the rest (constants, identities, like terms). Equal where both sides are
/// finite; a removable singularity may go.
[[nodiscard]] Expr simplify(const Expr& e);

/// Products and small integer powers of sums multiplied out, so that like terms meet.
///   error    throws Error when more than 100,000 terms would appear
[[nodiscard]] Expr expand(const Expr& e);

}  // namespace cauchy
