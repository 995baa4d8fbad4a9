#pragma once

#include <span>
#include <vector>

#include <cauchy/expr/expr.hpp>

namespace cauchy {

class Region;
class Boundary;

// R-functions: Boolean algebra on functions that are positive inside, 0 on the boundary and
// negative outside. They are smooth away from points where both operands are 0 (corners).

/// a + b - sqrt(a^2 + b^2): positive where both are; 0 where a = 0, b >= 0 or b = 0, a >= 0.
/// Where only a is 0 its derivative is that of a, so slope 1 stays slope 1.
[[nodiscard]] Expr r_and(const Expr& a, const Expr& b);
/// a + b + sqrt(a^2 + b^2): positive where one is. r_or(a, b) = -r_and(-a, -b).
[[nodiscard]] Expr r_or(const Expr& a, const Expr& b);
/// r_and(a, -b).
[[nodiscard]] Expr r_minus(const Expr& a, const Expr& b);
[[nodiscard]] Expr r_and(std::span<const Expr> parts);
[[nodiscard]] Expr r_or(std::span<const Expr> parts);

/// Joins distance-like functions a, b >= 0 of several boundary parts: 0 where one of them is, and
/// there equal to it up to terms of order m + 1 of the distance.
///   a b / (a^m + b^m)^(1/m), repeated
///   error    throws Error when there is no part or m < 1
[[nodiscard]] Expr r_equivalence(std::span<const Expr> parts, int m = 1);

/// r / sqrt(r^2 + |grad r|^2): slope 1 on r = 0 wherever grad r is not 0.
///   note     the often printed r / sqrt(r^2 + delta^2) has slope |grad r| / delta instead
[[nodiscard]] Expr normalized(const Expr& r, std::span<const Expr> coordinates);
/// delta r / sqrt(r^2 + delta^2): keeps slope 1, levels off at delta.
[[nodiscard]] Expr levelled(const Expr& r, double delta);

/// The part of f = 0 where t >= 0: a function that is 0 there, positive elsewhere, and has slope 1
/// across it. f and t need slope 1 on their zeros.
///   sqrt(f^2 + ((sqrt(t^2 + f^4) - t) / 2)^2)
[[nodiscard]] Expr trimmed(const Expr& f, const Expr& t);

/// Distance-like function of the segment from p to q: trimmed line. x, y are the coordinates.
[[nodiscard]] Expr segment_function(const Expr& px, const Expr& py, const Expr& qx, const Expr& qy,
                                    const Expr& x, const Expr& y);

/// A function that is 0 on the whole boundary, positive inside, with slope 1 at smooth boundary
/// points: Region::implicit().
[[nodiscard]] Expr approximate_distance(const Region& region);
/// The same for a part of the boundary: 0 there, positive elsewhere in the region, slope 1 across
/// it. Conditions with `=` choose whole pieces, inequalities trim them.
///   error    throws Error when nothing is selected, or a condition neither contains a piece nor
///            leaves it out nor is an inequality
[[nodiscard]] Expr approximate_distance(const Boundary& boundary, int m = 1);

}  // namespace cauchy
