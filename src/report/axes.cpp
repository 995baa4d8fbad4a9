#include "axes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace cauchy::detail {

Style Style::of(const PixelBox& panel) {
  const double s =
      std::clamp(std::sqrt(std::min(panel.width / 560.0, panel.height / 420.0)), 0.76, 1.3);
  return {.title = 14.5 * s,
          .label = 13 * s,
          .tick = 11.5 * s,
          .tick_length = 4 * s,
          .gap = 6 * s,
          .line = 1};
}

double fraction(double value, Limits limits, AxisScale scale) {
  if (!std::isfinite(value)) return std::numeric_limits<double>::quiet_NaN();
  if (scale == AxisScale::linear) return (value - limits.low) / (limits.high - limits.low);
  if (!(value > 0)) return std::numeric_limits<double>::quiet_NaN();
  // Differences of logarithms: the ratios may overflow.
  const double low = std::log(limits.low);
  return (std::log(value) - low) / (std::log(limits.high) - low);
}

double PlotAxis::operator()(double value) const {
  return begin + (end - begin) * fraction(value, limits, scale);
}

bool PlotAxis::contains(double value) const {
  const double t = fraction(value, limits, scale);
  return t >= -1e-9 && t <= 1 + 1e-9;
}

double widest(const Ticks& ticks, double font_size) {
  double width = 0;
  for (const std::string& label : ticks.labels)
    width = std::max(width, font_slack * text_width(label, font_size));
  return width;
}

Ticks fitting_ticks(Limits limits, AxisScale scale, double length, double font_size,
                    bool horizontal) {
  const double spacing = horizontal ? 5.5 * font_size : 3.8 * font_size;
  const auto make = [&](int count) {
    return scale == AxisScale::log ? log_ticks(limits, count) : linear_ticks(limits, count);
  };
  int count = std::clamp(static_cast<int>(length / spacing), 2, 10);
  Ticks ticks = make(count);
  const auto overlaps = [&] {
    for (std::size_t i = 1; i < ticks.major.size(); ++i) {
      const double step = length * std::abs(fraction(ticks.major[i], limits, scale) -
                                            fraction(ticks.major[i - 1], limits, scale));
      const double need = horizontal ? font_slack *
                                               (text_width(ticks.labels[i], font_size) +
                                                text_width(ticks.labels[i - 1], font_size)) /
                                               2 +
                                           0.6 * font_size
                                     : 1.2 * font_size;
      if (step < need) return true;
    }
    return false;
  };
  while (count > 1 && overlaps()) ticks = make(--count);
  // A single mark gives no scale: finer steps, as long as their labels stay apart.
  while (ticks.major.size() < 2 && count < 10) {
    Ticks coarse = std::exchange(ticks, make(++count));
    if (overlaps()) return coarse;
  }
  return ticks;
}

double fitting_size(std::string_view text, double font_size, double length, bool bold) {
  const double width = font_slack * text_width(text, font_size, bold);
  if (width <= length) return font_size;
  return std::clamp(font_size * length / width, std::min(7.0, font_size), font_size);
}

double color_bar_room(double height, Limits limits, AxisScale scale, std::string_view label,
                      const Style& style) {
  const Ticks ticks = fitting_ticks(limits, scale, height, style.tick, false);
  const double label_room = label.empty() ? 0 : style.gap + 1.1 * style.label;
  return style.tick_length + 0.6 * style.gap + widest(ticks, style.tick) + label_room;
}

void draw_color_bar(Picture& picture, const PixelBox& bar, Limits limits, AxisScale scale,
                    Colormap map, std::string_view label, const Style& style) {
  constexpr std::size_t n = 256;
  RgbImage image{1, n, {}};
  image.rgb.reserve(3 * n);
  for (std::size_t i = 0; i < n; ++i) {
    const Color c = colormap_color(map, 1 - (static_cast<double>(i) + 0.5) / n);
    image.rgb.insert(image.rgb.end(), {c.red, c.green, c.blue});
  }
  picture.image(bar, std::move(image));
  picture.rectangle(bar, std::nullopt, Stroke{frame_ink, style.line});
  const PlotAxis axis{limits, scale, bar.bottom(), bar.top};
  const Ticks ticks = fitting_ticks(limits, scale, bar.height, style.tick, false);
  const double text_left = bar.right() + style.tick_length + 0.6 * style.gap;
  for (std::size_t i = 0; i < ticks.major.size(); ++i) {
    const double y = axis(ticks.major[i]);
    picture.line({bar.right(), y}, {bar.right() + style.tick_length, y},
                 {.color = frame_ink, .width = style.line});
    picture.text({text_left, y + 0.36 * style.tick}, ticks.labels[i],
                 {.size = style.tick, .color = ink});
  }
  picture.text({text_left + widest(ticks, style.tick) + style.gap + 0.8 * style.label,
                bar.top + bar.height / 2},
               label,
               {.size = fitting_size(label, style.label, bar.height),
                .color = ink,
                .anchor = Anchor::middle,
                .upwards = true});
}

}  // namespace cauchy::detail
