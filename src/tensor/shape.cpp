#include <cauchy/tensor/shape.hpp>

#include <fmt/format.h>

#include "tensor/graph_checks.hpp"

namespace cauchy {

std::string detail::sizes_text(const std::vector<int>& sizes) {
  return sizes.empty() ? "none" : fmt::format("{}", fmt::join(sizes, " x "));
}

std::string to_string(const TensorShape& shape) {
  return shape.grid.empty()
             ? fmt::format("{}", shape.channels)
             : fmt::format("{} x {}", shape.channels, detail::sizes_text(shape.grid));
}

void detail::require_shape(std::string_view where, const TensorShape& shape) {
  if (shape.channels < 1) {
    refuse_tensor(
        fmt::format("{}: number of channels must be positive, got {}", where, shape.channels));
  }
  if (shape.grid.size() > 4) {
    refuse_tensor(fmt::format("{}: a grid has at most 4 axes, got {}", where, shape.grid.size()));
  }
  constexpr double max_numbers = 4294967296;
  double size = shape.channels;
  for (const int n : shape.grid) {
    if (n < 1) refuse_tensor(fmt::format("{}: axes must have points, got {}", where, n));
    size *= n;
  }
  if (size >= max_numbers) {
    refuse_tensor(fmt::format("{}: an array of {} is too large", where, to_string(shape)));
  }
}

void detail::require_per_axis(std::string_view where, std::string_view what,
                              const std::vector<int>& sizes, const std::vector<int>& grid,
                              int least) {
  if (sizes.size() != grid.size()) {
    refuse_tensor(fmt::format("{}: {} for {} axes, but the grid is {}", where, what, sizes.size(),
                              sizes_text(grid)),
                  "give one number per axis");
  }
  for (const int n : sizes) {
    if (n < least) {
      refuse_tensor(fmt::format("{}: {} must be at least {}, got {}", where, what, least, n));
    }
  }
}

std::vector<std::size_t> detail::strides_of(const std::vector<int>& grid) {
  std::vector<std::size_t> strides(grid.size(), 1);
  for (std::size_t a = grid.size(); a-- > 1;) {
    strides[a - 1] = strides[a] * static_cast<std::size_t>(grid[a]);
  }
  return strides;
}

}  // namespace cauchy
