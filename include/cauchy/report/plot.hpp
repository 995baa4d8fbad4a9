#pragma once

#include <cauchy/math/matrix.hpp>
#include <cauchy/report/picture.hpp>
#include <cauchy/report/ticks.hpp>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace cauchy {

/// Something that can be drawn into a rectangle of a picture: one cell of a figure.
class Panel {
 public:
  virtual ~Panel() = default;
  virtual void draw(Picture& picture, const PixelBox& box) const = 0;

 protected:
  Panel() = default;
  Panel(const Panel&) = default;
  Panel& operator=(const Panel&) = default;
};

struct AxisOptions {
  std::string label{};
  AxisScale scale = AxisScale::linear;
  std::optional<Limits> limits{};  ///< empty: all data, with a margin of 4 percent
};

/// How values become colours: for points coloured by value and for heat maps.
struct ColorOptions {
  std::string label{};
  AxisScale scale = AxisScale::linear;
  std::optional<Limits> limits{};  ///< empty: all values; symmetric about 0 in a diverging map
  Colormap map = Colormap::viridis;
};

enum class LegendPlace {
  automatic,  ///< the emptiest corner, or right of the frame where no corner is empty
  outside,    ///< right of the frame
  none,
};

struct PlotOptions {
  std::string title{};
  AxisOptions x{}, y{};
  ColorOptions color{};
  bool equal_aspect = false;  ///< one unit is as long in x as in y; needs two linear axes
  bool grid = true;
  LegendPlace legend = LegendPlace::automatic;
};

/// An empty name keeps a series out of the legend; without a colour it takes the next of the
/// palette.
struct LineStyle {
  std::string name{};
  std::optional<Color> color{};
  double width = 1.6;
  bool dashed = false;
  bool markers = false;
};

struct ScatterStyle {
  std::string name{};
  std::optional<Color> color{};
  double radius = 0;  ///< pixels; 0: from the number of points, 0.8 to 4
};

struct RegionStyle {
  std::string name{};
  std::optional<Color> fill{};  ///< empty: the next palette colour, a quarter opaque
  std::optional<Color> edge{};  ///< empty: no edge
  double edge_width = 1.2;
};

namespace detail {
struct LineSeries {
  std::vector<double> x, y;
  LineStyle style;
};
struct ScatterSeries {
  std::vector<double> x, y;
  ScatterStyle style;
  std::vector<double> values;  ///< per point, or empty
};
struct RegionSeries {
  std::vector<std::vector<PixelPoint>> rings;  ///< in data units
  RegionStyle style;
};
struct HeatMapSeries {
  Matrix values;
  Limits x, y;
};
using Series = std::variant<LineSeries, ScatterSeries, RegionSeries, HeatMapSeries>;
}  // namespace detail

/// Two-dimensional axes with series on them, drawn in the order in which they were added.
///   left out  points with a coordinate that is not finite, or not positive on a log axis; a line
///             breaks there
///   throws    Error for arrays of unequal length, equal_aspect with a log axis, a heat map on a
///   log
///             axis or of no cells, limits that are not finite and increasing (log: positive)
///   cost      a line of many points is thinned to the extremes of each pixel column when drawn
class Plot final : public Panel {
 public:
  explicit Plot(PlotOptions options = {});

  Plot& line(std::span<const double> x, std::span<const double> y, LineStyle style = {});
  Plot& scatter(std::span<const double> x, std::span<const double> y, ScatterStyle style = {});
  /// Points coloured by value; 64 colours. Points without a finite value are left out.
  Plot& scatter_by_value(std::span<const double> x, std::span<const double> y,
                         std::span<const double> values, double radius = 0);
  /// Point i in the palette colour of groups[i] < names.size(), which the legend names; all points
  /// have one size.
  Plot& scatter_by_group(std::span<const double> x, std::span<const double> y,
                         std::span<const std::size_t> groups, std::span<const std::string> names,
                         double radius = 0);
  /// Rings of (x, y) in data units, even-odd: a ring inside another one is a hole.
  Plot& region(std::vector<std::vector<PixelPoint>> rings, RegionStyle style = {});
  /// values(i, j) fills the cell of row i (from the bottom) and column j of the rectangle x times
  /// y; cells that are not finite (log colours: not positive) are grey.
  Plot& heat_map(MatrixView<const double> values, Limits x, Limits y);

  void draw(Picture& picture, const PixelBox& box) const override;

 private:
  PlotOptions options_;
  std::vector<detail::Series> series_;
  std::size_t n_colors_ = 0;  // of the palette, given away so far
};

}  // namespace cauchy
