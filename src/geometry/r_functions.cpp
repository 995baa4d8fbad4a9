#include <cauchy/geometry/r_functions.hpp>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/derivative.hpp>

namespace cauchy {
namespace {

constexpr const char* r_functions_place = "[geometry.r_functions]";

Expr hypotenuse(const Expr& a, const Expr& b) { return sqrt(pow(a, 2) + pow(b, 2)); }

void check_parts(std::span<const Expr> parts) {
  if (parts.empty()) throw Error("there is no part to put together", r_functions_place);
}

}  // namespace

Expr r_and(const Expr& a, const Expr& b) { return a + b - hypotenuse(a, b); }
Expr r_or(const Expr& a, const Expr& b) { return a + b + hypotenuse(a, b); }
Expr r_minus(const Expr& a, const Expr& b) { return r_and(a, -b); }

Expr r_and(std::span<const Expr> parts) {
  check_parts(parts);
  Expr result = parts[0];
  for (const Expr& p : parts.subspan(1)) result = r_and(result, p);
  return result;
}

Expr r_or(std::span<const Expr> parts) {
  check_parts(parts);
  Expr result = parts[0];
  for (const Expr& p : parts.subspan(1)) result = r_or(result, p);
  return result;
}

Expr r_equivalence(std::span<const Expr> parts, int m) {
  check_parts(parts);
  if (m < 1) throw Error(fmt::format("the order must be positive, got {}", m), r_functions_place);
  Expr result = parts[0];
  const double tiny = 1e-30;
  for (const Expr& p : parts.subspan(1)) {
    Expr sum = pow(result, m) + pow(p, m);
    // Where two parts meet both are 0, and so is the result, not 0/0.
    if (!sum.is_constant()) sum = where(abs(sum) <= Expr(tiny), tiny, sum);
    result = result * p / (m == 1 ? sum : pow(sum, 1.0 / m));
  }
  return result;
}

Expr normalized(const Expr& r, std::span<const Expr> coordinates) {
  Expr square = pow(r, 2);
  for (const Expr& x : coordinates) square += pow(d(r, x), 2);
  return r / sqrt(square);
}

Expr levelled(const Expr& r, double delta) {
  if (!(delta > 0)) {
    throw Error(fmt::format("delta must be positive, got {}", delta), r_functions_place);
  }
  return delta * r / sqrt(pow(r, 2) + delta * delta);
}

Expr trimmed(const Expr& f, const Expr& t) {
  return sqrt(pow(f, 2) + pow((sqrt(pow(t, 2) + pow(f, 4)) - t) / 2, 2));
}

Expr segment_function(const Expr& px, const Expr& py, const Expr& qx, const Expr& qy, const Expr& x,
                      const Expr& y) {
  const Expr dx = qx - px, dy = qy - py;
  const Expr length = sqrt(pow(dx, 2) + pow(dy, 2));
  const Expr line = ((x - px) * dy - (y - py) * dx) / length;
  // The disk over the segment: positive between the ends, slope 1 on its circle.
  const Expr disk =
      (pow(length / 2, 2) - pow(x - (px + qx) / 2, 2) - pow(y - (py + qy) / 2, 2)) / length;
  return trimmed(line, disk);
}

}  // namespace cauchy
