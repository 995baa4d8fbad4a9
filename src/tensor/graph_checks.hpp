#pragma once

#include <string>
#include <string_view>

#include <cauchy/base/error.hpp>
#include <cauchy/tensor/graph.hpp>

namespace cauchy::detail {

[[noreturn]] inline void refuse_tensor(std::string_view message, std::string_view hint = {}) {
  throw Error(message, "[tensor]", hint);
}

/// For people: "3 x 4".
[[nodiscard]] std::string sizes_text(const std::vector<int>& sizes);

/// Channels and points, at most 4 axes, less than 2^31 numbers.
void require_shape(std::string_view where, const TensorShape& shape);

/// One positive (or, with `least` 0, not negative) number for every axis of a grid.
void require_per_axis(std::string_view where, std::string_view what, const std::vector<int>& sizes,
                      const std::vector<int>& grid, int least = 1);

/// Strides of the axes of a row-major grid, in numbers.
[[nodiscard]] std::vector<std::size_t> strides_of(const std::vector<int>& grid);

/// Calls visit(index of every axis, number) for all points of a grid in their order.
template <class Visit>
void for_each_point(const std::vector<int>& grid, Visit visit) {
  const std::size_t n = points_of(grid);
  std::vector<int> at(grid.size(), 0);
  for (std::size_t p = 0; p < n; ++p) {
    visit(at, p);
    for (std::size_t a = grid.size(); a-- > 0;) {
      if (++at[a] < grid[a]) break;
      at[a] = 0;
    }
  }
}

}  // namespace cauchy::detail
