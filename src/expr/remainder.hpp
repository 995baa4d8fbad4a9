#pragma once

#include <cmath>

namespace cauchy::detail {

/// a - b*floor(a/b), between 0 and b also where the quotient is rounded up.
template <class T>
[[nodiscard]] T remainder_of(T a, T b) noexcept {
  const T r = a - b * std::floor(a / b);
  return r * b < 0 ? r + b : r;
}

}  // namespace cauchy::detail
