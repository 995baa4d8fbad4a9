// GCC 12 takes moved-from alternatives of a variant for uninitialised memory (-O3).
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include <algorithm>
#include <cauchy/base/error.hpp>
#include <cauchy/report/picture.hpp>
#include <cmath>
#include <utility>

namespace cauchy {
namespace {

constexpr std::string_view picture_place = "[report.picture]";

bool is_finite(PixelPoint p) { return std::isfinite(p.x) && std::isfinite(p.y); }

bool is_finite(const PixelBox& b) {
  return std::isfinite(b.left) && std::isfinite(b.top) && std::isfinite(b.width) &&
         std::isfinite(b.height);
}

double clamped(double x) { return std::clamp(x, -1e6, 1e6); }
PixelPoint clamped(PixelPoint p) { return {clamped(p.x), clamped(p.y)}; }

// A box of negative size covers nothing.
PixelBox clamped(const PixelBox& b) {
  const double left = clamped(b.left), top = clamped(b.top);
  return {left, top, std::max(0.0, clamped(b.right()) - left),
          std::max(0.0, clamped(b.bottom()) - top)};
}

void check_length(double value, std::string_view what) {
  if (!(value >= 0 && value <= 1e6))
    throw Error(
        std::string(what) + " must be between 0 and 1e6 pixels, got " + std::to_string(value),
        picture_place);
}

void check(const Stroke& stroke) {
  check_length(stroke.width, "line width");
  check_length(stroke.dash, "dash length");
}

}  // namespace

Picture::Picture(double width, double height, Color background)
    : width_(width), height_(height), background_(background) {
  const auto fits = [](double side) { return side > 0 && side <= 1e5; };
  if (!fits(width) || !fits(height))
    throw Error("picture size must be positive and at most 1e5 pixels, got " +
                    std::to_string(width) + " x " + std::to_string(height),
                picture_place);
}

void Picture::polyline(std::span<const PixelPoint> points, const Stroke& stroke) {
  check(stroke);
  std::vector<PixelPoint> piece;
  const auto flush = [&] {
    if (piece.size() > 1) commands_.push_back(draw::Polyline{std::move(piece), stroke});
    piece.clear();
  };
  for (const PixelPoint& p : points) {
    if (is_finite(p))
      piece.push_back(clamped(p));
    else
      flush();
  }
  flush();
}

void Picture::line(PixelPoint a, PixelPoint b, const Stroke& stroke) {
  const PixelPoint ends[] = {a, b};
  polyline(ends, stroke);
}

void Picture::polygon(std::vector<std::vector<PixelPoint>> rings, std::optional<Color> fill,
                      std::optional<Stroke> stroke) {
  if (stroke) check(*stroke);
  for (auto& ring : rings) {
    std::erase_if(ring, [](PixelPoint p) { return !is_finite(p); });
    for (PixelPoint& p : ring) p = clamped(p);
  }
  std::erase_if(rings, [](const auto& ring) { return ring.size() < 3; });
  if (!rings.empty() && (fill || stroke))
    commands_.push_back(draw::Polygon{std::move(rings), fill, stroke});
}

void Picture::rectangle(const PixelBox& box, std::optional<Color> fill,
                        std::optional<Stroke> stroke) {
  if (!is_finite(box)) return;
  const double l = box.left, t = box.top, r = box.right(), b = box.bottom();
  polygon({{{l, t}, {r, t}, {r, b}, {l, b}}}, fill, stroke);
}

void Picture::circles(std::span<const PixelPoint> centres, double radius, Color color) {
  check_length(radius, "radius");
  draw::Circles circles{{}, radius, color};
  circles.centres.reserve(centres.size());
  for (const PixelPoint& p : centres)
    if (is_finite(p)) circles.centres.push_back(clamped(p));
  if (!circles.centres.empty()) commands_.push_back(std::move(circles));
}

void Picture::text(PixelPoint at, std::string_view text, const TextStyle& style) {
  check_length(style.size, "font size");
  if (is_finite(at) && !text.empty())
    commands_.push_back(draw::Text{clamped(at), std::string(text), style});
}

void Picture::image(const PixelBox& box, RgbImage image) {
  constexpr std::size_t max_side = 1'000'000;  // of a PNG image, which an SVG file embeds
  if (image.width == 0 || image.height == 0 || image.width > max_side || image.height > max_side ||
      image.rgb.size() != 3 * image.width * image.height)
    throw Error("image of " + std::to_string(image.width) + " x " + std::to_string(image.height) +
                    " pixels has " + std::to_string(image.rgb.size()) + " bytes",
                picture_place, "pass 3 bytes per pixel and 1 to 1,000,000 pixels per side");
  if (is_finite(box)) commands_.push_back(draw::Image{clamped(box), std::move(image)});
}

void Picture::clip(const PixelBox& box) {
  // A box that is not finite shows nothing rather than everything.
  commands_.push_back(draw::Clip{is_finite(box) ? clamped(box) : PixelBox{}});
}

void Picture::unclip() { commands_.push_back(draw::Clip{}); }

}  // namespace cauchy
