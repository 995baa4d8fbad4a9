#pragma once

#include <cauchy/report/plot.hpp>
#include <optional>
#include <span>
#include <vector>

#include "axes.hpp"
#include "legend.hpp"

namespace cauchy::detail {

/// How values become colours once all data are known.
struct ColorScale {
  Limits limits;
  AxisScale scale;
  Colormap map;

  [[nodiscard]] Color operator()(double value) const {
    return colormap_color(map, fraction(value, limits, scale));
  }
};

/// Limits of the axes from options or data, ready to draw.
struct DataLimits {
  Limits x, y;
  std::optional<ColorScale> color;  ///< empty: no series has values
};
DataLimits data_limits(std::span<const Series> series, const PlotOptions& options);

/// Axes in pixels; y.begin is the bottom of the frame.
struct PlotFrame {
  PlotAxis x, y;
  PixelBox box;
};

/// Dots of a scatter without a radius of its own: smaller the more of them share the area.
double dot_radius(std::size_t n_points, double area);

void draw_series(Picture& picture, std::span<const Series> series, const PlotFrame& frame,
                 const std::optional<ColorScale>& color);

std::vector<LegendEntry> legend_entries(std::span<const Series> series);

/// Points of the frame that carry ink: data points, and lines in steps of a few pixels.
std::vector<PixelPoint> occupied_points(std::span<const Series> series, const PlotFrame& frame);

}  // namespace cauchy::detail
