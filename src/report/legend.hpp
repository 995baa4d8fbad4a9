#pragma once

#include <cauchy/report/picture.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "axes.hpp"

namespace cauchy::detail {

/// One line of a legend: any of a patch, a line and a dot in front of the name.
struct LegendEntry {
  std::string name;
  std::optional<Color> patch;
  std::optional<Stroke> line;
  std::optional<Color> dot;
};

/// Entries of one name are shown once.
class Legend {
 public:
  Legend(std::vector<LegendEntry> entries, const Style& style);

  [[nodiscard]] bool empty() const { return entries_.empty(); }
  [[nodiscard]] double width() const { return width_; }
  [[nodiscard]] double height() const { return height_; }
  void draw(Picture& picture, PixelPoint top_left) const;

  /// The corner of the frame where the legend hides the fewest of the occupied points; empty where
  /// each corner would hide more than a few, or the frame is too small.
  [[nodiscard]] std::optional<PixelPoint> free_corner(const PixelBox& frame,
                                                      std::span<const PixelPoint> occupied) const;

 private:
  std::vector<LegendEntry> entries_;
  double font_, row_, width_ = 0, height_ = 0;
};

}  // namespace cauchy::detail
