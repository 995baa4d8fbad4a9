#include <cauchy/report/points_picture.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/geometry/shapes/plane.hpp>
#include <cauchy/report/figure.hpp>
#include <cauchy/report/plot.hpp>
#include <cauchy/report/plot3.hpp>

namespace cauchy {
namespace {

std::vector<double> column(const Points& points, std::size_t c) {
  std::vector<double> values(points.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = points.row(i)[c];
  return values;
}

/// Middle of every range, so that a region with parameters can be outlined.
std::vector<double> middle(const Domain& domain) {
  std::vector<double> values;
  for (const Range& r : domain.ranges()) values.push_back((r.lower + r.upper) / 2);
  return values;
}

/// Lower and upper end over space and points; the box that is shown.
Bounds shown(const Shape& shape, const Points& points, std::size_t first) {
  Bounds box = shape.bounds();
  for (std::size_t k = 0; k < box.lower.size(); ++k) {
    double low = INFINITY, high = -INFINITY;
    for (std::size_t i = 0; i < points.size(); ++i) {
      low = std::min(low, points.row(i)[first + k]);
      high = std::max(high, points.row(i)[first + k]);
    }
    if (!std::isfinite(box.lower[k])) box.lower[k] = std::isfinite(low) ? low : 0;
    if (!std::isfinite(box.upper[k])) box.upper[k] = std::isfinite(high) ? high : 1;
  }
  return box;
}

void outline(Plot& plot, const Shape& shape, const Bounds& box, bool by_piece) {
  const double size = std::max(box.upper[0] - box.lower[0], box.upper[1] - box.lower[1]);
  for (const BoundaryCurve& curve : boundary_curves(shape, 1e-4 * size, box)) {
    std::vector<double> x, y;
    for (const Point2& p : curve.points) {
      x.push_back(p[0]);
      y.push_back(p[1]);
    }
    LineStyle style;
    style.color = by_piece ? Color{200, 200, 200} : Color{90, 90, 90};
    plot.line(x, y, style);
  }
}

void draw_normals(Plot& plot, const Points& points, std::size_t first, double length) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double x = points.row(i)[first], y = points.row(i)[first + 1];
    const double ends_x[] = {x, x + length * points.normals[2 * i]};
    const double ends_y[] = {y, y + length * points.normals[2 * i + 1]};
    LineStyle style;
    style.color = Color{120, 120, 120};
    style.width = 1;
    plot.line(ends_x, ends_y, style);
  }
}

PlotOptions plot_options(const PointsPictureOptions& options, const std::string& x,
                         const std::string& y) {
  PlotOptions result;
  result.title = options.title;
  result.x.label = x;
  result.y.label = y;
  return result;
}

/// Limits with a margin, so that no dot touches the frame.
Limits around(double low, double high) {
  const double margin = 0.04 * (high - low);
  return {low - margin, high + margin};
}

/// Groups without points do not stand in the legend.
void scatter(Plot& plot, const Points& points, std::span<const double> x,
             std::span<const double> y) {
  if (points.piece.empty()) {
    plot.scatter(x, y);
    return;
  }
  const std::vector<std::size_t> groups(points.piece.begin(), points.piece.end());
  plot.scatter_by_group(x, y, groups, points.pieces);
}

}  // namespace

Picture draw_points(const Domain& domain, const Points& points,
                    const PointsPictureOptions& options) {
  const std::size_t d = domain.space() != nullptr ? domain.space()->dimension() : 0;
  const std::size_t first = domain.space_column();
  const double side = options.size;
  if (d == 3) {
    Plot3Options plot_options3;
    plot_options3.title = options.title;
    for (std::size_t k = 0; k < 3; ++k) plot_options3.labels[k] = points.columns[first + k];
    Plot3 plot(plot_options3);
    const auto x = column(points, first), y = column(points, first + 1),
               z = column(points, first + 2);
    if (points.piece.empty()) {
      plot.scatter(x, y, z);
    } else {
      const std::vector<std::size_t> groups(points.piece.begin(), points.piece.end());
      plot.scatter_by_group(x, y, z, groups, points.pieces);
    }
    return draw_figure({&plot}, {side, side, 1, ""});
  }
  if (d <= 1) {
    const std::size_t shown_column = d == 1 ? first : 0;
    std::vector<double> across = column(points, 0);
    std::string label = points.columns[0];
    if (d == 0 || domain.time() == nullptr) {
      for (std::size_t i = 0; i < across.size(); ++i) across[i] = static_cast<double>(i + 1);
      label = "number of the point";
    }
    PlotOptions axes = plot_options(options, label, points.columns[shown_column]);
    // The whole domain, so that points at one of its ends are seen there.
    const Time* time = domain.time();
    if (time != nullptr) (d == 1 ? axes.x : axes.y).limits = around(time->lower, time->upper);
    if (d == 1) {
      const Bounds box = shown(*domain.shape(middle(domain)), points, first);
      if (box.lower[0] < box.upper[0]) axes.y.limits = around(box.lower[0], box.upper[0]);
    }
    Plot plot(axes);
    scatter(plot, points, across, column(points, shown_column));
    return draw_figure({&plot}, {side, 0.8 * side, 1, ""});
  }
  PlotOptions plane = plot_options(options, points.columns[first], points.columns[first + 1]);
  plane.equal_aspect = true;
  if (d > 2) {
    plane.title +=
        fmt::format("{}(first two of {} coordinates)", options.title.empty() ? "" : " ", d);
    Plot plot(plane);
    scatter(plot, points, column(points, first), column(points, first + 1));
    return draw_figure({&plot}, {side, side, 1, ""});
  }
  const ShapePtr shape = domain.shape(middle(domain));
  const Bounds box = shown(*shape, points, first);
  const bool by_time = domain.time() != nullptr && points.piece.empty();
  if (by_time) plane.color.label = points.columns[0];
  Plot plot(plane);
  outline(plot, *shape, box, !points.piece.empty());
  if (options.normals && points.normals.size() == 2 * points.size()) {
    const double size = std::max(box.upper[0] - box.lower[0], box.upper[1] - box.lower[1]);
    draw_normals(plot, points, first, 0.05 * size);
  }
  const auto x = column(points, first), y = column(points, first + 1);
  if (by_time) {
    plot.scatter_by_value(x, y, column(points, 0));
  } else {
    scatter(plot, points, x, y);
  }
  const double ratio = (box.upper[1] - box.lower[1]) / (box.upper[0] - box.lower[0]);
  const double wide = ratio > 1 ? std::max(0.5, 1 / ratio) : 1;
  const double high = ratio > 1 ? 1 : std::max(0.4, ratio);
  return draw_figure({&plot}, {side * wide + 60, side * high + 40, 1, ""});
}

}  // namespace cauchy
