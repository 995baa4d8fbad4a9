#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace cauchy {

/// Points of a grid with these lengths; 1 without axes.
[[nodiscard]] inline std::size_t points_of(const std::vector<int>& grid) noexcept {
  std::size_t n = 1;
  for (const int axis : grid) n *= static_cast<std::size_t>(axis);
  return n;
}

/// The shape of one sample of an array: channels over a grid of 0 to 4 axes, row-major, the last
/// axis contiguous. Without axes every channel is one number.
struct TensorShape {
  int channels = 1;
  std::vector<int> grid = {};

  /// Points of the grid; 1 without axes.
  [[nodiscard]] std::size_t points() const noexcept { return points_of(grid); }
  [[nodiscard]] std::size_t size() const noexcept {
    return static_cast<std::size_t>(channels) * points();
  }
  friend bool operator==(const TensorShape&, const TensorShape&) = default;
};

/// For people: "32 x 64 x 64".
[[nodiscard]] std::string to_string(const TensorShape& shape);

}  // namespace cauchy
