#include "box3.hpp"

#include <algorithm>
#include <cmath>

namespace cauchy::detail {
namespace {

constexpr Color edge_ink{150, 150, 150}, pane{250, 250, 250};

// What level text covers, with room for wider fonts.
PixelBox text_box(const draw::Text& t) {
  const double width = font_slack * text_width(t.text, t.style.size);
  const double before = t.style.anchor == Anchor::start ? 0
                        : t.style.anchor == Anchor::end ? width
                                                        : width / 2;
  return {t.at.x - before, t.at.y - 0.75 * t.style.size, width, t.style.size};
}

}  // namespace

Box3::Box3(std::span<const Point> points, const Plot3Options& options, const PixelBox& room,
           const Style& style)
    : projection_(options.projection), labels_(options.labels), style_(style) {
  choose_limits(points, options.equal_aspect);
  fit(room);
}

void Box3::choose_limits(std::span<const Point> points, bool equal_aspect) {
  double largest = 0;
  std::vector<double> values(points.size());
  for (std::size_t k = 0; k < 3; ++k) {
    std::ranges::transform(points, values.begin(), [k](const Point& p) { return p[k]; });
    const Limits data = widened(limits_of(values, AxisScale::linear), AxisScale::linear);
    const double margin = 0.03 * (data.high - data.low);
    limits_[k] = {data.low - margin, data.high + margin};
    largest = std::max(largest, limits_[k].high - limits_[k].low);
  }
  for (std::size_t k = 0; k < 3; ++k) {
    // A flat box keeps some thickness: its labels need room.
    const double part = (limits_[k].high - limits_[k].low) / largest;
    half_[k] = equal_aspect ? std::max(part, 0.05) / 2 : 0.5;
    Point axis{};
    axis[k] = 1;
    near_[k] = projection_.view(axis).towards < 0 ? -1 : 1;
  }
}

void Box3::fit(const PixelBox& room) {
  double right = 0, up = 0;
  reach_ = 0;
  for (int i = 0; i < 8; ++i) {
    const auto v = projection_.view(corner({(i & 1) != 0, (i & 2) != 0, (i & 4) != 0}));
    right = std::max(right, std::abs(v.right));
    up = std::max(up, std::abs(v.up));
    reach_ = std::max(reach_, std::abs(v.towards));
  }
  // How far labels stick out depends on where the box stands, and the other way round: draw them,
  // measure, and stand again.
  const double pad = 0.8 * style_.gap;
  double over_left = 0, over_right = 0, over_top = 0, over_bottom = 0;
  for (int round = 0; round < 4; ++round) {
    unit_ = std::max(std::min((room.width - 2 * pad - over_left - over_right) / (2 * right),
                              (room.height - 2 * pad - over_top - over_bottom) / (2 * up)),
                     1.0);
    centre_ = {room.left + (room.width + over_left - over_right) / 2,
               room.top + (room.height + over_top - over_bottom) / 2};
    Picture trial(1, 1);
    draw_axes(trial);
    // Never less than before: where ticks come and go, the greatest need is safe.
    for (const draw::Command& command : trial.commands()) {
      if (const auto* text = std::get_if<draw::Text>(&command)) {
        const PixelBox box = text_box(*text);
        over_left = std::max(over_left, centre_.x - right * unit_ - box.left);
        over_right = std::max(over_right, box.right() - centre_.x - right * unit_);
        over_top = std::max(over_top, centre_.y - up * unit_ - box.top);
        over_bottom = std::max(over_bottom, box.bottom() - centre_.y - up * unit_);
      }
    }
  }
  area_ = 4 * right * up * unit_ * unit_;
}

Box3::Point Box3::normalised(const Point& p) const {
  Point q;
  for (std::size_t k = 0; k < 3; ++k)
    q[k] = half_[k] * (2 * (p[k] - limits_[k].low) / (limits_[k].high - limits_[k].low) - 1);
  return q;
}

PixelPoint Box3::to_pixel(const Point& q) const {
  const auto v = projection_.view(q);
  return {centre_.x + unit_ * v.right, centre_.y - unit_ * v.up};
}

double Box3::depth(const Point& p) const {
  return std::clamp(0.5 + 0.5 * projection_.view(normalised(p)).towards / reach_, 0.0, 1.0);
}

Box3::Point Box3::corner(const std::array<bool, 3>& near) const {
  Point q;
  for (std::size_t k = 0; k < 3; ++k) q[k] = (near[k] ? near_[k] : -near_[k]) * half_[k];
  return q;
}

std::vector<PixelPoint> Box3::outline() const {
  std::vector<PixelPoint> points;
  for (std::size_t k = 0; k < 3; ++k) {
    for (int side = 0; side < 4; ++side) {
      std::array<bool, 3> near{};
      near[(k + 1) % 3] = (side & 1) != 0;
      near[(k + 2) % 3] = (side & 2) != 0;
      const PixelPoint a = to_pixel(corner(near));
      near[k] = true;
      const PixelPoint b = to_pixel(corner(near));
      for (int i = 0; i <= 40; ++i)
        points.push_back({a.x + (b.x - a.x) * i / 40, a.y + (b.y - a.y) * i / 40});
    }
  }
  return points;
}

Ticks Box3::ticks(std::size_t k) const {
  Point a{}, b{};
  a[k] = -half_[k];
  b[k] = half_[k];
  const PixelPoint p = to_pixel(a), q = to_pixel(b);
  const double length = std::hypot(q.x - p.x, q.y - p.y);
  return linear_ticks(limits_[k], std::clamp(static_cast<int>(length / (2.8 * style_.tick)), 2, 6));
}

void Box3::draw_behind(Picture& picture) const {
  for (std::size_t k = 0; k < 3; ++k) {
    const std::size_t u = (k + 1) % 3, v = (k + 2) % 3;
    const auto face = [&](bool near_u, bool near_v) {
      std::array<bool, 3> near{};
      near[u] = near_u;
      near[v] = near_v;
      return to_pixel(corner(near));
    };
    picture.polygon({{face(false, false), face(true, false), face(true, true), face(false, true)}},
                    pane, Stroke{edge_ink, style_.line});
  }
  // Grid: at each mark of axis k a line on each of the two far faces that contain the axis.
  for (std::size_t k = 0; k < 3; ++k) {
    for (const double value : ticks(k).major) {
      const double at = half_[k] * (2 * fraction(value, limits_[k], AxisScale::linear) - 1);
      for (const std::size_t u : {(k + 1) % 3, (k + 2) % 3}) {
        Point a = corner({false, false, false});
        a[k] = at;
        Point b = a;
        b[u] = -b[u];
        picture.line(to_pixel(a), to_pixel(b), {.color = grid_ink, .width = style_.line});
      }
    }
  }
  draw_axes(picture);
}

void Box3::draw_axes(Picture& picture) const {
  // Marks stand on edges of the silhouette: one of the two other coordinates near, one far.
  draw_axis(picture, 0, {false, true, false});
  draw_axis(picture, 1, {true, false, false});
  const bool x_near_is_left =
      to_pixel(corner({true, false, false})).x < to_pixel(corner({false, true, false})).x;
  draw_axis(picture, 2, {x_near_is_left, !x_near_is_left, false});
}

void Box3::draw_axis(Picture& picture, std::size_t k, std::array<bool, 3> start) const {
  const Point base = corner(start);
  Point tip = base;
  tip[k] = -base[k];
  const PixelPoint a = to_pixel(base), b = to_pixel(tip);
  const double length = std::hypot(b.x - a.x, b.y - a.y);
  if (length < 2 * style_.tick) return;  // seen end on: no room for a single label
  PixelPoint normal{-(b.y - a.y) / length, (b.x - a.x) / length};
  const PixelPoint middle{(a.x + b.x) / 2, (a.y + b.y) / 2};
  if ((middle.x - centre_.x) * normal.x + (middle.y - centre_.y) * normal.y < 0)
    normal = {-normal.x, -normal.y};
  const Stroke stroke{frame_ink, style_.line};
  picture.line(a, b, stroke);
  const Anchor anchor = normal.x > 0.35    ? Anchor::start
                        : normal.x < -0.35 ? Anchor::end
                                           : Anchor::middle;
  const auto place_text = [&](PixelPoint at, double distance, const std::string& text,
                              double size) {
    picture.text(
        {at.x + distance * normal.x, at.y + distance * normal.y + (0.36 + 0.4 * normal.y) * size},
        text, {.size = size, .color = ink, .anchor = anchor});
  };
  const Ticks marks = ticks(k);
  for (std::size_t i = 0; i < marks.major.size(); ++i) {
    const double t = fraction(marks.major[i], limits_[k], AxisScale::linear);
    Point q = base;
    q[k] = half_[k] * (2 * t - 1);
    const PixelPoint p = to_pixel(q);
    picture.line(p, {p.x + style_.tick_length * normal.x, p.y + style_.tick_length * normal.y},
                 stroke);
    place_text(p, style_.tick_length + 0.6 * style_.gap, marks.labels[i], style_.tick);
  }
  const double label_distance = style_.tick_length + style_.gap + 0.4 * style_.tick +
                                std::abs(normal.x) * widest(marks, style_.tick) +
                                std::abs(normal.y) * style_.tick;
  place_text(middle, label_distance, labels_[k], style_.label);
}

void Box3::draw_before(Picture& picture) const {
  const PixelPoint nearest = to_pixel(corner({true, true, true}));
  for (std::size_t k = 0; k < 3; ++k) {
    std::array<bool, 3> near{true, true, true};
    near[k] = false;
    picture.line(nearest, to_pixel(corner(near)),
                 {.color = with_opacity(edge_ink, 0.55), .width = style_.line});
  }
}

}  // namespace cauchy::detail
