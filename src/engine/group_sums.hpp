#pragma once

#include <cstddef>
#include <span>

#include <cauchy/base/threads.hpp>
#include <cauchy/engine/executor.hpp>

namespace cauchy::detail {

/// out[g * K + k] = sum of q_gp values[p * K + k] over group g, for some groups; K residuals per
/// point. With targets this is S_gk of Term.
inline void group_sums(const Groups& groups, IndexRange some, std::size_t K, bool with_targets,
                       std::span<const double> values, std::span<double> out) {
  for (std::size_t g = some.begin; g < some.end; ++g) {
    for (std::size_t k = 0; k < K; ++k) {
      double sum = with_targets && !groups.targets.empty() ? -groups.targets[g * K + k] : 0;
      for (std::size_t i = groups.offsets[g]; i < groups.offsets[g + 1]; ++i) {
        sum += groups.weights[i] * values[groups.points[i] * K + k];
      }
      out[g * K + k] = sum;
    }
  }
}

}  // namespace cauchy::detail
