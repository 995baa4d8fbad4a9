#pragma once

#include <cauchy/report/picture.hpp>
#include <cauchy/report/ticks.hpp>
#include <string_view>

namespace cauchy::detail {

inline constexpr Color ink{38, 38, 38}, frame_ink{96, 96, 96}, grid_ink{230, 230, 230};

/// Font sizes and distances, in pixels, for a panel of a given size.
struct Style {
  double title, label, tick;
  double tick_length, gap, line;

  static Style of(const PixelBox& panel);
};

/// Viewers of SVG files may have wider fonts than the raster font; room for them.
inline constexpr double font_slack = 1.16;

/// One axis: values between the limits on pixels from begin to end.
struct PlotAxis {
  Limits limits;
  AxisScale scale = AxisScale::linear;
  double begin = 0, end = 1;

  /// NaN for a value that the axis cannot show (not finite; not positive on a log axis).
  [[nodiscard]] double operator()(double value) const;
  [[nodiscard]] bool contains(double value) const;
};

/// 0 at limits.low, 1 at limits.high, linear or in the logarithm; NaN where there is none.
double fraction(double value, Limits limits, AxisScale scale);

/// Ticks of an axis that is length pixels long, as many as its labels have room for.
Ticks fitting_ticks(Limits limits, AxisScale scale, double length, double font_size,
                    bool horizontal);

double widest(const Ticks& ticks, double font_size);

/// The size, at most font_size and at least 7, at which text is no longer than length.
double fitting_size(std::string_view text, double font_size, double length, bool bold = false);

/// A vertical bar of the colour map with its ticks and its label to the right.
void draw_color_bar(Picture& picture, const PixelBox& bar, Limits limits, AxisScale scale,
                    Colormap map, std::string_view label, const Style& style);
double color_bar_room(double height, Limits limits, AxisScale scale, std::string_view label,
                      const Style& style);

}  // namespace cauchy::detail
