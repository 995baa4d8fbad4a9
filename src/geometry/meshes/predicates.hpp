#pragma once

namespace cauchy::detail {

/// Sign of twice the area of a, b, c: positive counter-clockwise. Exact: where doubles cannot
/// decide, the determinant is computed without rounding.
[[nodiscard]] double exact_turn(const double* a, const double* b, const double* c);

/// Positive when p lies inside the circle through a, b, c (counter-clockwise), 0 on it. Exact.
[[nodiscard]] double exact_in_circle(const double* a, const double* b, const double* c,
                                     const double* p);

}  // namespace cauchy::detail
