#pragma once

#include <array>
#include <cauchy/report/plot3.hpp>
#include <string>
#include <vector>

#include "axes.hpp"

namespace cauchy::detail {

/// The box around three-dimensional data, fitted into a rectangle of the picture.
class Box3 {
 public:
  using Point = std::array<double, 3>;

  Box3(std::span<const Point> points, const Plot3Options& options, const PixelBox& room,
       const Style& style);

  [[nodiscard]] PixelPoint pixel(const Point& p) const { return to_pixel(normalised(p)); }
  /// 0 at the far, 1 at the near corner of the box.
  [[nodiscard]] double depth(const Point& p) const;
  [[nodiscard]] double area() const { return area_; }
  /// Points along all edges, for a legend to keep clear of.
  [[nodiscard]] std::vector<PixelPoint> outline() const;

  /// The three far faces with grid, marks and labels; then, after the data, the three near edges.
  void draw_behind(Picture& picture) const;
  void draw_before(Picture& picture) const;

 private:
  // Normalised: the box is the product of [-half_[k], half_[k]].
  [[nodiscard]] Point normalised(const Point& p) const;
  [[nodiscard]] PixelPoint to_pixel(const Point& q) const;
  // The corner with coordinate far (false) or near (true) along each axis.
  [[nodiscard]] Point corner(const std::array<bool, 3>& near) const;
  void choose_limits(std::span<const Point> points, bool equal_aspect);
  void fit(const PixelBox& room);
  void draw_axes(Picture& picture) const;
  void draw_axis(Picture& picture, std::size_t k, std::array<bool, 3> start) const;
  [[nodiscard]] Ticks ticks(std::size_t k) const;

  Projection3 projection_;
  std::array<std::string, 3> labels_;
  Style style_;
  std::array<Limits, 3> limits_;
  Point half_, near_;  // half sizes; sign of the near face along each axis
  double unit_ = 1, reach_ = 1, area_ = 1;
  PixelPoint centre_;
};

}  // namespace cauchy::detail
