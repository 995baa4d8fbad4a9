#include <algorithm>
#include <cauchy/report/plot.hpp>
#include <cmath>

#include "axes.hpp"
#include "legend.hpp"
#include "plot_series.hpp"

namespace cauchy {
namespace {

using detail::DataLimits;
using detail::Legend;
using detail::PlotAxis;
using detail::PlotFrame;
using detail::Style;

constexpr double bar_width = 13;

// Where everything of one plot stands.
struct Layout {
  PlotFrame frame;
  Ticks x, y;
  double y_label_right = 0;   // left end of the y tick labels
  double right_of_frame = 0;  // first free place right of it
};

// Edges in the middle of pixels: lines of width 1 are sharp.
double snapped(double x) { return std::floor(x) + 0.5; }

Layout make_layout(const PixelBox& panel, const PlotOptions& options, const DataLimits& limits,
                   const Style& style, double legend_width) {
  const double pad = 0.8 * style.gap;
  const double top =
      panel.top + (options.title.empty() ? pad + 0.3 * style.tick : pad + 1.7 * style.title);
  const double tick_room = style.tick_length + 0.5 * style.gap;
  const double bottom = panel.bottom() - pad - tick_room - 0.9 * style.tick -
                        (options.x.label.empty() ? 0 : 1.5 * style.label);
  const double y_label_room = options.y.label.empty() ? 0 : 1.1 * style.label + 0.8 * style.gap;

  Layout layout;
  double left = panel.left + 4 * style.tick, right = panel.right() - 2 * style.tick;
  // The room for labels depends on the ticks, the ticks on the room that is left: two rounds
  // settle.
  PixelBox box;
  for (int round = 0; round < 3; ++round) {
    box = {left, top, std::max(right - left, 20.0), std::max(bottom - top, 20.0)};
    if (options.equal_aspect) {
      const double unit = std::min(box.width / (limits.x.high - limits.x.low),
                                   box.height / (limits.y.high - limits.y.low));
      const double w = std::max(unit * (limits.x.high - limits.x.low), 1.0);
      const double h = std::max(unit * (limits.y.high - limits.y.low), 1.0);
      box = {box.left + (box.width - w) / 2, box.top + (box.height - h) / 2, w, h};
    }
    layout.x = detail::fitting_ticks(limits.x, options.x.scale, box.width, style.tick, true);
    layout.y = detail::fitting_ticks(limits.y, options.y.scale, box.height, style.tick, false);
    left = panel.left + pad + y_label_room + detail::widest(layout.y, style.tick) + tick_room;
    double room = pad + legend_width;
    if (limits.color)
      room += 1.6 * style.gap + bar_width +
              detail::color_bar_room(box.height, limits.color->limits, limits.color->scale,
                                     options.color.label, style);
    // The last label may stick out by half its width.
    const double overhang =
        layout.x.labels.empty()
            ? 0
            : detail::font_slack * text_width(layout.x.labels.back(), style.tick) / 2;
    right = panel.right() - std::max(room, pad + overhang);
  }
  box.width = snapped(box.right()) - snapped(box.left);
  box.height = snapped(box.bottom()) - snapped(box.top);
  box.left = snapped(box.left);
  box.top = snapped(box.top);
  layout.frame = {PlotAxis{limits.x, options.x.scale, box.left, box.right()},
                  PlotAxis{limits.y, options.y.scale, box.bottom(), box.top}, box};
  layout.y_label_right = box.left - tick_room - detail::widest(layout.y, style.tick);
  layout.right_of_frame = box.right();
  return layout;
}

void draw_grid(Picture& picture, const Layout& layout, const Style& style) {
  const PixelBox& box = layout.frame.box;
  const Stroke stroke{detail::grid_ink, 0.8 * style.line};
  for (const double v : layout.x.major) {
    const double x = layout.frame.x(v);
    picture.line({x, box.top}, {x, box.bottom()}, stroke);
  }
  for (const double v : layout.y.major) {
    const double y = layout.frame.y(v);
    picture.line({box.left, y}, {box.right(), y}, stroke);
  }
}

void draw_axes(Picture& picture, const Layout& layout, const PlotOptions& options,
               const PixelBox& panel, const Style& style) {
  const PixelBox& box = layout.frame.box;
  const Stroke stroke{detail::frame_ink, style.line};
  picture.rectangle(box, std::nullopt, stroke);
  const auto x_mark = [&](double v, double length) {
    const double x = layout.frame.x(v);
    picture.line({x, box.bottom()}, {x, box.bottom() + length}, stroke);
    return x;
  };
  const auto y_mark = [&](double v, double length) {
    const double y = layout.frame.y(v);
    picture.line({box.left - length, y}, {box.left, y}, stroke);
    return y;
  };
  for (const double v : layout.x.minor) x_mark(v, style.tick_length / 2);
  for (const double v : layout.y.minor) y_mark(v, style.tick_length / 2);
  const double tick_room = style.tick_length + 0.5 * style.gap;
  const double x_base = box.bottom() + tick_room + 0.75 * style.tick;
  for (std::size_t i = 0; i < layout.x.major.size(); ++i)
    picture.text({x_mark(layout.x.major[i], style.tick_length), x_base}, layout.x.labels[i],
                 {.size = style.tick, .color = detail::ink, .anchor = Anchor::middle});
  for (std::size_t i = 0; i < layout.y.major.size(); ++i)
    picture.text(
        {box.left - tick_room, y_mark(layout.y.major[i], style.tick_length) + 0.36 * style.tick},
        layout.y.labels[i], {.size = style.tick, .color = detail::ink, .anchor = Anchor::end});

  const double middle = box.left + box.width / 2;
  picture.text({middle, x_base + 1.4 * style.label}, options.x.label,
               {.size = detail::fitting_size(options.x.label, style.label, panel.width),
                .color = detail::ink,
                .anchor = Anchor::middle});
  picture.text(
      {layout.y_label_right - 0.8 * style.gap - 0.1 * style.label, box.top + box.height / 2},
      options.y.label,
      {.size = detail::fitting_size(options.y.label, style.label, panel.height),
       .color = detail::ink,
       .anchor = Anchor::middle,
       .upwards = true});
  // Centred over the frame, as long as it stays inside the panel there.
  const double reach = std::min(middle - panel.left, panel.right() - middle);
  picture.text({middle, box.top - 0.6 * style.title}, options.title,
               {.size = detail::fitting_size(options.title, style.title, 2 * reach, true),
                .color = detail::ink,
                .anchor = Anchor::middle,
                .bold = true});
}

}  // namespace

void Plot::draw(Picture& picture, const PixelBox& panel) const {
  const Style style = Style::of(panel);
  const DataLimits limits = detail::data_limits(series_, options_);
  const Legend legend(options_.legend == LegendPlace::none ? std::vector<detail::LegendEntry>{}
                                                           : detail::legend_entries(series_),
                      style);
  Layout layout = make_layout(panel, options_, limits, style, 0);
  std::optional<PixelPoint> corner;
  if (!legend.empty()) {
    if (options_.legend == LegendPlace::automatic)
      corner = legend.free_corner(layout.frame.box, detail::occupied_points(series_, layout.frame));
    if (!corner)
      layout = make_layout(panel, options_, limits, style, legend.width() + 1.6 * style.gap);
  }

  const PixelBox& box = layout.frame.box;
  if (options_.grid) draw_grid(picture, layout, style);
  detail::draw_series(picture, series_, layout.frame, limits.color);
  draw_axes(picture, layout, options_, panel, style);
  double right = box.right() + 1.6 * style.gap;
  if (limits.color) {
    const detail::ColorScale& color = *limits.color;
    detail::draw_color_bar(picture, {std::floor(right) + 0.5, box.top, bar_width, box.height},
                           color.limits, color.scale, color.map, options_.color.label, style);
    right +=
        bar_width + 1.6 * style.gap +
        detail::color_bar_room(box.height, color.limits, color.scale, options_.color.label, style);
  }
  legend.draw(picture, corner.value_or(PixelPoint{std::floor(right) + 0.5, box.top}));
}

}  // namespace cauchy
