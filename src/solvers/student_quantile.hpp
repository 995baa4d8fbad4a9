#pragma once

#include <cauchy/math/special.hpp>

namespace cauchy::detail {

/// Quantile of Student's law with nu degrees of freedom (Cornish-Fisher expansion; nu >= 3).
[[nodiscard]] inline double student_quantile(double p, double nu) {
  const double z = normal_quantile(p), z3 = z * z * z;
  return z + (z3 + z) / (4 * nu) + (5 * z3 * z * z + 16 * z3 + 3 * z) / (96 * nu * nu);
}

}  // namespace cauchy::detail
