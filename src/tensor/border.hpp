#pragma once

#include <cauchy/tensor/graph.hpp>

namespace cauchy::detail {

/// The node of an axis of n points that stands for node i, which may lie outside; -1: a zero.
///   periodic  i modulo n
///   reflect   mirrored at the outermost nodes, which are not repeated: -1 is 1
[[nodiscard]] constexpr int border_node(int i, int n, Border border) noexcept {
  if (i >= 0 && i < n) return i;
  if (border == Border::zero) return -1;
  if (border == Border::periodic) return (i % n + n) % n;
  if (n == 1) return 0;
  const int period = 2 * (n - 1), j = (i % period + period) % period;
  return j < n ? j : period - j;
}

}  // namespace cauchy::detail
