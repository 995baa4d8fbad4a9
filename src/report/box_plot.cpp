#include <cauchy/report/box_plot.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/solvers/restarts.hpp>  // spread

#include "axes.hpp"
#include "report/html_text.hpp"  // shortened

namespace cauchy {
namespace {

using detail::PlotAxis;
using detail::Style;

constexpr std::size_t longest_row_name = 48;

bool is_drawable(double value, AxisScale scale) {
  return std::isfinite(value) && (scale == AxisScale::linear || value > 0);
}

/// Limits with a margin of 4 percent, in the units of the axis.
Limits box_limits(const std::vector<double>& values, AxisScale scale) {
  const Limits l = widened(limits_of(values, scale), scale);
  constexpr double margin = 0.04;
  if (scale == AxisScale::log) {
    const double factor = std::pow(l.high / l.low, margin);
    return {std::max(l.low / factor, 1e-300), std::min(l.high * factor, 1e300)};
  }
  const double room = margin * (l.high - l.low);
  return {l.low - room, l.high + room};
}

/// One row: y of its middle, height of its box.
void draw_box(Picture& picture, const PlotAxis& axis, const std::vector<double>& values, double y,
              double height) {
  constexpr Color ink = detail::ink;
  const Color color = palette_color(0);
  std::vector<double> shown;
  for (const double v : values) {
    if (is_drawable(v, axis.scale)) shown.push_back(v);
  }
  if (shown.empty()) return;
  const Spread all = spread(values);
  // What the axis cannot show stands beyond its ends.
  const auto at = [&](double v) {
    const double x = axis(v);
    if (!std::isnan(x)) return std::clamp(x, axis.begin, axis.end);
    return v > 0 ? axis.end : axis.begin;
  };
  const double half = height / 2;
  const double low = at(all.lower_quartile), high = at(all.upper_quartile);
  const Stroke thin{ink, 1.1};
  const auto whisker = [&](double from, double to) {
    picture.line({from, y}, {to, y}, thin);
    picture.line({to, y - half / 2}, {to, y + half / 2}, thin);
  };
  whisker(low, at(*std::min_element(shown.begin(), shown.end())));
  whisker(high, at(*std::max_element(shown.begin(), shown.end())));
  picture.rectangle({low, y - half, high - low, height}, mix(white, color, 0.25),
                    Stroke{color, 1.3});
  const double middle = at(all.median);
  picture.line({middle, y - half}, {middle, y + half}, {.color = ink, .width = 2.4});
  std::vector<PixelPoint> dots;
  for (const double v : shown) dots.push_back({at(v), y});
  picture.circles(dots, 2.4, with_opacity(ink, 0.55));
}

}  // namespace

BoxPlot::BoxPlot(AxisOptions x, std::string title) : x_(std::move(x)), title_(std::move(title)) {
  if (!x_.limits) return;
  const Limits& l = *x_.limits;
  const bool increasing = std::isfinite(l.low) && std::isfinite(l.high) && l.low < l.high;
  if (!increasing || (x_.scale == AxisScale::log && !(l.low > 0))) {
    throw Error("the limits of an axis must be finite and increasing, on a log axis positive",
                "[report.box_plot]");
  }
}

BoxPlot& BoxPlot::row(std::string name, std::vector<double> values) {
  rows_.push_back({std::move(name), std::move(values)});
  return *this;
}

double BoxPlot::good_height() const {
  return 80 + 26 * static_cast<double>(std::max<std::size_t>(rows_.size(), 2));
}

void BoxPlot::draw(Picture& picture, const PixelBox& panel) const {
  // Sizes of fonts are those of a panel of usual shape: many rows make it high, not large.
  const Style style = Style::of({0, 0, panel.width, 0.6 * panel.width});
  std::vector<double> all;
  double names = 0;
  std::vector<std::string> labels;
  for (const Row& row : rows_) {
    all.insert(all.end(), row.values.begin(), row.values.end());
    labels.push_back(detail::shortened(row.name, longest_row_name));
    names = std::max(names, detail::font_slack * text_width(labels.back(), style.tick));
  }
  const Limits limits = x_.limits ? *x_.limits : box_limits(all, x_.scale);
  const double pad = style.gap;
  const double left = panel.left + pad + std::min(names, 0.45 * panel.width) + 1.5 * style.gap;
  const double right = panel.right() - pad - 1.5 * style.tick;
  const double top = panel.top + pad + (title_.empty() ? 0 : 1.7 * style.title);
  const double bottom = panel.bottom() - pad - style.tick_length - 1.6 * style.tick -
                        (x_.label.empty() ? 0 : 1.5 * style.label);
  const PixelBox frame{std::floor(left) + 0.5, std::floor(top) + 0.5,
                       std::max(std::floor(right - left), 20.0),
                       std::max(std::floor(bottom - top), 20.0)};
  const PlotAxis axis{limits, x_.scale, frame.left, frame.right()};
  const Ticks ticks = detail::fitting_ticks(limits, x_.scale, frame.width, style.tick, true);
  const Stroke edge{detail::frame_ink, style.line};
  for (const double v : ticks.major) {
    picture.line({axis(v), frame.top}, {axis(v), frame.bottom()},
                 {.color = detail::grid_ink, .width = style.line});
  }
  const double base = frame.bottom() + style.tick_length + 1.2 * style.tick;
  for (const double v : ticks.minor) {
    picture.line({axis(v), frame.bottom()}, {axis(v), frame.bottom() + style.tick_length / 2},
                 edge);
  }
  for (std::size_t i = 0; i < ticks.major.size(); ++i) {
    const double x = axis(ticks.major[i]);
    picture.line({x, frame.bottom()}, {x, frame.bottom() + style.tick_length}, edge);
    picture.text({x, base}, ticks.labels[i],
                 {.size = style.tick, .color = detail::ink, .anchor = Anchor::middle});
  }
  const double step = frame.height / static_cast<double>(std::max<std::size_t>(rows_.size(), 1));
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const double y = frame.top + (static_cast<double>(i) + 0.5) * step;
    const std::vector<double>& values = rows_[i].values;
    draw_box(picture, axis, values, y, std::min(0.56 * step, 18.0));
    picture.text({frame.left - style.gap, y + 0.36 * style.tick}, labels[i],
                 {.size = detail::fitting_size(labels[i], style.tick, 0.45 * panel.width),
                  .color = detail::ink,
                  .anchor = Anchor::end});
    const auto n_shown = std::count_if(values.begin(), values.end(),
                                       [&](double v) { return is_drawable(v, x_.scale); });
    if (const auto n = static_cast<std::ptrdiff_t>(values.size()) - n_shown; n > 0) {
      picture.text({frame.right() - style.gap, y - 0.3 * step},
                   fmt::format("{} of {} not shown", n, values.size()),
                   {.size = 0.85 * style.tick, .color = detail::ink, .anchor = Anchor::end});
    }
  }
  picture.rectangle(frame, std::nullopt, edge);
  const double middle = frame.left + frame.width / 2;
  picture.text({middle, base + 1.4 * style.label}, x_.label,
               {.size = style.label, .color = detail::ink, .anchor = Anchor::middle});
  picture.text({middle, frame.top - 0.6 * style.title}, title_,
               {.size = detail::fitting_size(title_, style.title, frame.width, true),
                .color = detail::ink,
                .anchor = Anchor::middle,
                .bold = true});
}

}  // namespace cauchy
