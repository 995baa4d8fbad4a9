// GCC 12 takes moved-from alternatives of a variant for uninitialised memory (-O3).
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include <cauchy/base/error.hpp>
#include <cauchy/report/plot.hpp>
#include <cmath>
#include <utility>

namespace cauchy {
namespace {

constexpr std::string_view plot_place = "[report.plot]";

std::vector<double> copy(std::span<const double> values) { return {values.begin(), values.end()}; }

void check_sizes(std::size_t a, std::size_t b, std::string_view what) {
  if (a != b)
    throw Error(std::to_string(a) + " x values but " + std::to_string(b) + " " + std::string(what),
                plot_place, "pass arrays of equal length");
}

void check_plot_length(double value, std::string_view what) {
  if (!(value >= 0 && value <= 1e4))
    throw Error(
        std::string(what) + " must be between 0 and 1e4 pixels, got " + std::to_string(value),
        plot_place);
}

void check_limits(const std::optional<Limits>& limits, AxisScale scale, std::string_view axis) {
  if (!limits) return;
  const auto [low, high] = *limits;
  const std::string text = "[" + std::to_string(low) + ", " + std::to_string(high) + "]";
  if (!(std::isfinite(low) && std::isfinite(high) && low < high))
    throw Error(
        "limits of the " + std::string(axis) + " axis must be finite and increasing, got " + text,
        plot_place);
  if (scale == AxisScale::log && !(low > 0))
    throw Error(
        "limits of the logarithmic " + std::string(axis) + " axis must be positive, got " + text,
        plot_place);
}

}  // namespace

Plot::Plot(PlotOptions options) : options_(std::move(options)) {
  check_limits(options_.x.limits, options_.x.scale, "x");
  check_limits(options_.y.limits, options_.y.scale, "y");
  check_limits(options_.color.limits, options_.color.scale, "colour");
  if (options_.equal_aspect &&
      (options_.x.scale == AxisScale::log || options_.y.scale == AxisScale::log))
    throw Error("equal aspect needs two linear axes", plot_place,
                "drop equal_aspect or the log scale");
}

Plot& Plot::line(std::span<const double> x, std::span<const double> y, LineStyle style) {
  check_sizes(x.size(), y.size(), "y values");
  check_plot_length(style.width, "line width");
  if (!style.color) style.color = palette_color(n_colors_++);
  series_.push_back(detail::LineSeries{copy(x), copy(y), std::move(style)});
  return *this;
}

Plot& Plot::scatter(std::span<const double> x, std::span<const double> y, ScatterStyle style) {
  check_sizes(x.size(), y.size(), "y values");
  check_plot_length(style.radius, "radius");
  if (!style.color) style.color = palette_color(n_colors_++);
  series_.push_back(detail::ScatterSeries{copy(x), copy(y), std::move(style), {}});
  return *this;
}

Plot& Plot::scatter_by_value(std::span<const double> x, std::span<const double> y,
                             std::span<const double> values, double radius) {
  check_sizes(x.size(), y.size(), "y values");
  check_sizes(x.size(), values.size(), "colour values");
  check_plot_length(radius, "radius");
  if (!x.empty())
    series_.push_back(detail::ScatterSeries{
        copy(x), copy(y), {.name = {}, .color = {}, .radius = radius}, copy(values)});
  return *this;
}

Plot& Plot::scatter_by_group(std::span<const double> x, std::span<const double> y,
                             std::span<const std::size_t> groups,
                             std::span<const std::string> names, double radius) {
  check_sizes(x.size(), y.size(), "y values");
  check_sizes(x.size(), groups.size(), "groups");
  check_plot_length(radius, "radius");
  std::vector<detail::ScatterSeries> series(names.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (groups[i] >= names.size())
      throw Error("point " + std::to_string(i) + " is in group " + std::to_string(groups[i]) +
                      " but there are " + std::to_string(names.size()) + " names",
                  plot_place, "name every group; groups count from 0");
    series[groups[i]].x.push_back(x[i]);
    series[groups[i]].y.push_back(y[i]);
  }
  for (std::size_t g = 0; g < names.size(); ++g) {
    series[g].style = {.name = names[g], .color = palette_color(n_colors_++), .radius = radius};
    if (!series[g].x.empty()) series_.push_back(std::move(series[g]));
  }
  return *this;
}

Plot& Plot::region(std::vector<std::vector<PixelPoint>> rings, RegionStyle style) {
  check_plot_length(style.edge_width, "edge width");
  if (!style.fill) style.fill = with_opacity(palette_color(n_colors_++), 0.25);
  series_.push_back(detail::RegionSeries{std::move(rings), std::move(style)});
  return *this;
}

Plot& Plot::heat_map(MatrixView<const double> values, Limits x, Limits y) {
  if (options_.x.scale == AxisScale::log || options_.y.scale == AxisScale::log)
    throw Error("a heat map needs two linear axes", plot_place);
  if (values.empty()) throw Error("a heat map needs at least one cell", plot_place);
  check_limits(x, AxisScale::linear, "x");
  check_limits(y, AxisScale::linear, "y");
  series_.push_back(detail::HeatMapSeries{Matrix(values), x, y});
  return *this;
}

}  // namespace cauchy
