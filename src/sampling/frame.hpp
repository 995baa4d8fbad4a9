#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <cauchy/geometry/domain.hpp>
#include <cauchy/geometry/shape.hpp>

namespace cauchy::detail {

/// lower <= value <= upper; lower = upper is a fixed value that takes no random number.
struct Axis {
  double lower = 0, upper = 0;

  [[nodiscard]] bool is_fixed() const noexcept { return lower == upper; }
  [[nodiscard]] double length() const noexcept { return upper - lower; }
  [[nodiscard]] double at(double u) const noexcept;
};

/// What samplers see of a domain: columns time, space, ranges. `space` is 0 without space.
struct Frame {
  std::vector<std::string> columns;
  std::vector<Axis> time;  ///< none or one
  std::size_t space = 0;
  std::vector<Axis> ranges;
  bool varies = false;  ///< the shape depends on the ranges
  std::function<ShapePtr(std::span<const double> ranges)> shape;

  [[nodiscard]] std::size_t width() const noexcept { return columns.size(); }
  /// Product of the lengths of time and ranges.
  [[nodiscard]] double axes_measure() const noexcept;
  /// Number of columns that are not fixed.
  [[nodiscard]] std::size_t free_columns() const noexcept;
};

[[nodiscard]] Frame frame_of(const Domain& domain);

/// The shape for values of the ranges; the last one is kept, and a shape that does not vary is made
/// once. Unbounded shapes are errors.
class ShapeCache final {
 public:
  explicit ShapeCache(const Frame& frame);
  const Shape& at(std::span<const double> ranges);

 private:
  const Frame& frame_;
  ShapePtr shape_;
  std::vector<double> ranges_;
};

/// Throws Error naming the coordinate in which the shape has no end.
void check_bounded(const Shape& shape, const Frame& frame);

/// Volume of the bounding box.
[[nodiscard]] double box_measure(const Shape& shape);

/// The point of the closed bounding box with coordinates u.
void box_point(const Shape& shape, const double* u, double* x);

/// Moves 0 (the first point of many sequences) and 1 off the boundary of the unit cube by half of
/// the finest step of 32-bit sequences, so that the point stays in its elementary interval.
[[nodiscard]] inline double off_the_edge(double u) noexcept {
  constexpr double edge = 0x1p-33;
  return u < edge ? edge : u > 1 - edge ? 1 - edge : u;
}

}  // namespace cauchy::detail
