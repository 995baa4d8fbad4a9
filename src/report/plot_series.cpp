#include "plot_series.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace cauchy::detail {
namespace {

std::vector<PixelPoint> to_pixels(std::span<const double> x, std::span<const double> y,
                                  const PlotFrame& frame) {
  std::vector<PixelPoint> points(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) points[i] = {frame.x(x[i]), frame.y(y[i])};
  return points;
}

// Neighbours in one column of half a pixel are replaced by the first, the lowest, the highest and
// the last of them: the drawn line is the same, a history of a million steps is a small file.
std::vector<PixelPoint> thinned(std::span<const PixelPoint> points) {
  if (points.size() < 2000) return {points.begin(), points.end()};
  std::vector<PixelPoint> kept;
  for (std::size_t begin = 0; begin < points.size();) {
    if (!std::isfinite(points[begin].y)) {  // a break of the line
      kept.push_back(points[begin++]);
      continue;
    }
    const double column = std::floor(2 * points[begin].x);
    std::size_t end = begin + 1;
    while (end < points.size() && std::floor(2 * points[end].x) == column &&
           std::isfinite(points[end].y))
      ++end;
    const auto by_y = [&](std::size_t i, std::size_t j) { return points[i].y < points[j].y; };
    std::array<std::size_t, 4> keep{begin, begin, begin, end - 1};
    for (std::size_t i = begin; i < end; ++i) {
      if (by_y(i, keep[1])) keep[1] = i;
      if (by_y(keep[2], i)) keep[2] = i;
    }
    std::ranges::sort(keep);
    for (std::size_t k = 0; k < keep.size(); ++k)
      if (k == 0 || keep[k] != keep[k - 1]) kept.push_back(points[keep[k]]);
    begin = end;
  }
  return kept;
}

std::vector<PixelPoint> visible(const ScatterSeries& s, const PlotFrame& frame) {
  std::vector<PixelPoint> points;
  for (std::size_t i = 0; i < s.x.size(); ++i)
    if (frame.x.contains(s.x[i]) && frame.y.contains(s.y[i]))
      points.push_back({frame.x(s.x[i]), frame.y(s.y[i])});
  return points;
}

class SeriesPainter {
 public:
  SeriesPainter(Picture& picture, const PlotFrame& frame, const std::optional<ColorScale>& color,
                double radius)
      : picture_(picture), frame_(frame), color_(color), radius_(radius) {}

  void operator()(const LineSeries& s) const {
    const std::vector<PixelPoint> points = to_pixels(s.x, s.y, frame_);
    picture_.clip(frame_.box);
    picture_.polyline(thinned(points), {.color = *s.style.color,
                                        .width = s.style.width,
                                        .dash = s.style.dashed ? 3.5 * s.style.width : 0});
    picture_.unclip();
    if (!s.style.markers) return;
    (*this)(ScatterSeries{
        s.x, s.y, {.name = {}, .color = s.style.color, .radius = 1.7 * s.style.width}, {}});
  }

  // Dots on the frame are drawn whole, dots outside of it not at all: no clip.
  void operator()(const ScatterSeries& s) const {
    const double radius = s.style.radius > 0 ? s.style.radius : radius_;
    if (s.values.empty()) {
      picture_.circles(visible(s, frame_), radius, *s.style.color);
      return;
    }
    constexpr std::size_t n_bins = 64;
    std::array<std::vector<PixelPoint>, n_bins> bins;
    for (std::size_t i = 0; i < s.x.size(); ++i) {
      const double t = fraction(s.values[i], color_->limits, color_->scale);
      if (std::isnan(t) || !frame_.x.contains(s.x[i]) || !frame_.y.contains(s.y[i])) continue;
      const double bin = std::clamp(t * n_bins, 0.0, n_bins - 1.0);
      bins[static_cast<std::size_t>(bin)].push_back({frame_.x(s.x[i]), frame_.y(s.y[i])});
    }
    for (std::size_t b = 0; b < n_bins; ++b)
      picture_.circles(bins[b], radius,
                       colormap_color(color_->map, (static_cast<double>(b) + 0.5) / n_bins));
  }

  void operator()(const RegionSeries& s) const {
    std::vector<std::vector<PixelPoint>> rings = s.rings;
    for (auto& ring : rings)
      for (PixelPoint& p : ring) p = {frame_.x(p.x), frame_.y(p.y)};
    picture_.clip(frame_.box);
    std::optional<Stroke> edge;
    if (s.style.edge) edge = Stroke{*s.style.edge, s.style.edge_width};
    picture_.polygon(std::move(rings), s.style.fill, edge);
    picture_.unclip();
  }

  void operator()(const HeatMapSeries& s) const {
    RgbImage image{s.values.cols(), s.values.rows(), {}};
    image.rgb.reserve(3 * s.values.size());
    for (std::size_t i = s.values.rows(); i-- > 0;) {
      for (std::size_t j = 0; j < s.values.cols(); ++j) {
        const Color c = (*color_)(s.values(i, j));
        image.rgb.insert(image.rgb.end(), {c.red, c.green, c.blue});
      }
    }
    const double left = frame_.x(s.x.low), top = frame_.y(s.y.high);
    picture_.clip(frame_.box);
    picture_.image({left, top, frame_.x(s.x.high) - left, frame_.y(s.y.low) - top},
                   std::move(image));
    picture_.unclip();
  }

 private:
  Picture& picture_;
  const PlotFrame& frame_;
  const std::optional<ColorScale>& color_;
  double radius_;
};

// Points along the path, at most step pixels apart, inside the frame.
void append_path(std::vector<PixelPoint>& out, std::span<const PixelPoint> path,
                 const PixelBox& box) {
  constexpr double step = 6;
  const auto inside = [&](PixelPoint p) {
    return p.x >= box.left && p.x <= box.right() && p.y >= box.top && p.y <= box.bottom();
  };
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (inside(path[i])) out.push_back(path[i]);
    if (i + 1 == path.size()) break;
    const PixelPoint a = path[i], b = path[i + 1];
    const double length = std::hypot(b.x - a.x, b.y - a.y);
    if (!(length > step)) continue;
    const double n = std::min(std::ceil(length / step), 2000.0);
    for (double k = 1; k < n; ++k) {
      const PixelPoint p{a.x + (b.x - a.x) * k / n, a.y + (b.y - a.y) * k / n};
      if (inside(p)) out.push_back(p);
    }
  }
}

}  // namespace

double dot_radius(std::size_t n_points, double area) {
  const double spacing = std::sqrt(area / static_cast<double>(std::max<std::size_t>(n_points, 1)));
  return std::clamp(0.2 * spacing, 0.8, 4.0);
}

void draw_series(Picture& picture, std::span<const Series> series, const PlotFrame& frame,
                 const std::optional<ColorScale>& color) {
  std::size_t n_points = 0;
  for (const Series& s : series)
    if (const auto* scatter = std::get_if<ScatterSeries>(&s)) n_points += scatter->x.size();
  const double radius = dot_radius(n_points, frame.box.width * frame.box.height);
  const SeriesPainter painter(picture, frame, color, radius);
  for (const Series& s : series) std::visit(painter, s);
}

std::vector<LegendEntry> legend_entries(std::span<const Series> series) {
  std::vector<LegendEntry> entries;
  for (const Series& s : series) {
    if (const auto* line = std::get_if<LineSeries>(&s)) {
      const LineStyle& style = line->style;
      entries.push_back({style.name, std::nullopt,
                         Stroke{*style.color, style.width, style.dashed ? 3.5 * style.width : 0},
                         style.markers ? style.color : std::nullopt});
    } else if (const auto* scatter = std::get_if<ScatterSeries>(&s)) {
      entries.push_back({scatter->style.name, std::nullopt, std::nullopt, scatter->style.color});
    } else if (const auto* region = std::get_if<RegionSeries>(&s)) {
      entries.push_back({region->style.name, region->style.fill, std::nullopt, std::nullopt});
    }
  }
  return entries;
}

std::vector<PixelPoint> occupied_points(std::span<const Series> series, const PlotFrame& frame) {
  std::vector<PixelPoint> points;
  for (const Series& s : series) {
    if (const auto* line = std::get_if<LineSeries>(&s)) {
      append_path(points, thinned(to_pixels(line->x, line->y, frame)), frame.box);
    } else if (const auto* scatter = std::get_if<ScatterSeries>(&s)) {
      const auto dots = visible(*scatter, frame);
      points.insert(points.end(), dots.begin(), dots.end());
    } else if (const auto* region = std::get_if<RegionSeries>(&s)) {
      for (const auto& ring : region->rings) {
        std::vector<PixelPoint> path;
        for (const PixelPoint& p : ring) path.push_back({frame.x(p.x), frame.y(p.y)});
        if (!path.empty()) path.push_back(path.front());
        append_path(points, path, frame.box);
      }
    }
  }
  return points;
}

}  // namespace cauchy::detail
