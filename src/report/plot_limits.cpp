#include <algorithm>
#include <cmath>
#include <limits>

#include "plot_series.hpp"

namespace cauchy::detail {
namespace {

// Values of all series along one axis.
struct Gather {
  std::vector<double> x, y, values;
  bool has_cells = false;

  void operator()(const LineSeries& s) {
    x.insert(x.end(), s.x.begin(), s.x.end());
    y.insert(y.end(), s.y.begin(), s.y.end());
  }
  void operator()(const ScatterSeries& s) {
    x.insert(x.end(), s.x.begin(), s.x.end());
    y.insert(y.end(), s.y.begin(), s.y.end());
    values.insert(values.end(), s.values.begin(), s.values.end());
  }
  void operator()(const RegionSeries& s) {
    for (const auto& ring : s.rings) {
      for (const PixelPoint& p : ring) {
        x.push_back(p.x);
        y.push_back(p.y);
      }
    }
  }
  void operator()(const HeatMapSeries& s) {
    has_cells = true;
    x.insert(x.end(), {s.x.low, s.x.high});
    y.insert(y.end(), {s.y.low, s.y.high});
    values.insert(values.end(), s.values.data(), s.values.data() + s.values.size());
  }
};

// A margin around the data, so that no dot touches the frame.
Limits padded(Limits limits, AxisScale scale) {
  constexpr double part = 0.04;
  limits = widened(limits, scale);
  if (scale == AxisScale::log) {
    const double factor = std::exp(part * (std::log(limits.high) - std::log(limits.low)));
    return widened({limits.low / factor, limits.high * factor}, scale);
  }
  const double margin = part * (limits.high - limits.low);
  return widened({limits.low - margin, limits.high + margin}, scale);
}

Limits axis_limits(const AxisOptions& options, std::span<const double> values, bool pad) {
  if (options.limits) return widened(*options.limits, options.scale);
  const Limits all = limits_of(values, options.scale);
  return pad ? padded(all, options.scale) : widened(all, options.scale);
}

Limits color_limits(const ColorOptions& options, std::span<const double> values) {
  if (options.limits) return widened(*options.limits, options.scale);
  Limits all = limits_of(values, options.scale);
  if (options.map == Colormap::diverging && options.scale == AxisScale::linear) {
    const double largest = std::max(std::abs(all.low), std::abs(all.high));
    all = {-largest, largest};
  }
  return widened(all, options.scale);
}

}  // namespace

DataLimits data_limits(std::span<const Series> series, const PlotOptions& options) {
  Gather all;
  for (const Series& s : series) std::visit(all, s);
  DataLimits limits{axis_limits(options.x, all.x, !all.has_cells),
                    axis_limits(options.y, all.y, !all.has_cells), std::nullopt};
  if (!all.values.empty())
    limits.color =
        ColorScale{color_limits(options.color, all.values), options.color.scale, options.color.map};
  return limits;
}

}  // namespace cauchy::detail
