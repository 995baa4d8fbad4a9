#pragma once

#include <cstddef>
#include <vector>

#include "tensor/border.hpp"
#include "tensor/graph_checks.hpp"

namespace cauchy::detail {

/// For every point p of the result of a convolution and every number k of its kernel the point of
/// the input, at [p * kernel size + k]; -1: a zero outside. max_pool is read in the same way; a
/// transposed convolution is that of the convolution from its result to its input.
[[nodiscard]] inline std::vector<std::ptrdiff_t> stencil_of(const std::vector<int>& from,
                                                            const std::vector<int>& to,
                                                            const ConvolutionOptions& o) {
  const std::vector<std::size_t> strides = strides_of(from);
  std::vector<std::ptrdiff_t> points;
  points.reserve(points_of(to) * points_of(o.kernel));
  for_each_point(to, [&](const std::vector<int>& at, std::size_t) {
    for_each_point(o.kernel, [&](const std::vector<int>& k, std::size_t) {
      std::ptrdiff_t p = 0;
      for (std::size_t a = 0; a < from.size() && p >= 0; ++a) {
        const int i = border_node(o.stride[a] * at[a] + k[a] - o.padding[a], from[a], o.border);
        p = i < 0 ? -1 : p + static_cast<std::ptrdiff_t>(strides[a]) * i;
      }
      points.push_back(p);
    });
  });
  return points;
}

}  // namespace cauchy::detail
