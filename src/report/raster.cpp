#include <agg_conv_dash.h>
#include <agg_conv_stroke.h>
#include <agg_gsv_text.h>
#include <agg_path_storage.h>
#include <agg_pixfmt_rgb.h>
#include <agg_rasterizer_scanline_aa.h>
#include <agg_renderer_base.h>
#include <agg_renderer_scanline.h>
#include <agg_rendering_buffer.h>
#include <agg_scanline_u.h>

#include <algorithm>
#include <cauchy/base/error.hpp>
#include <cauchy/report/picture.hpp>
#include <cauchy/report/png.hpp>
#include <cmath>
#include <numbers>

#include "glyphs.hpp"
#include "resample.hpp"

namespace cauchy {
namespace {

using Rasterizer = agg::rasterizer_scanline_aa<agg::rasterizer_sl_clip_dbl>;
using PixelFormat = agg::pixfmt_rgb24;

agg::rgba8 to_agg(Color c) { return {c.red, c.green, c.blue, c.alpha}; }

// A polygon around 0 that stays within 0.05 pixels of the circle: 1 - cos(pi / n) < 0.05 / radius.
std::vector<PixelPoint> circle(double radius) {
  const auto n = static_cast<std::size_t>(std::clamp(10 * std::sqrt(radius), 12.0, 720.0));
  std::vector<PixelPoint> rim(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(n);
    rim[i] = {radius * std::cos(angle), radius * std::sin(angle)};
  }
  return rim;
}

// Draws the commands into RGB pixels; lengths are multiplied by scale.
class Canvas {
 public:
  Canvas(std::size_t width, std::size_t height, double scale, Color background)
      : width_(width),
        height_(height),
        scale_(scale),
        pixels_(3 * width * height),
        buffer_(pixels_.data(), static_cast<unsigned>(width), static_cast<unsigned>(height),
                static_cast<int>(3 * width)),
        format_(buffer_),
        renderer_(format_) {
    renderer_.clear(to_agg(
        mix(white, {background.red, background.green, background.blue}, background.alpha / 255.0)));
    add(draw::Clip{});
  }

  void add(const draw::Polyline& c) {
    agg::path_storage path;
    append(path, c.points);
    stroke(path, c.stroke);
  }

  void add(const draw::Polygon& c) {
    agg::path_storage path;
    for (const auto& ring : c.rings) {
      append(path, ring);
      path.close_polygon();
    }
    if (c.fill) {
      rasterizer_.add_path(path);
      paint(*c.fill, agg::fill_even_odd);
    }
    if (c.stroke) stroke(path, *c.stroke);
  }

  void add(const draw::Circles& c) {
    const std::vector<PixelPoint> rim = circle(c.radius * scale_);
    for (const PixelPoint& p : c.centres) {
      const double x = p.x * scale_, y = p.y * scale_;
      rasterizer_.move_to_d(x + rim[0].x, y + rim[0].y);
      for (std::size_t i = 1; i < rim.size(); ++i)
        rasterizer_.line_to_d(x + rim[i].x, y + rim[i].y);
      rasterizer_.close_polygon();
    }
    paint(c.color, agg::fill_non_zero);
  }

  void add(const draw::Text& c) {
    const TextStyle& style = c.style;
    const double em = style.size * scale_ * (style.bold ? 1.06 : 1.0);
    const double length = text_width(c.text, style.size, style.bold) * scale_;
    double along = style.anchor == Anchor::start ? 0
                   : style.anchor == Anchor::end ? -length
                                                 : -length / 2;
    const double weight =
        style.size * scale_ * (style.bold ? detail::bold_weight : detail::regular_weight);
    for (const detail::Glyph& glyph : detail::to_glyphs(c.text)) {
      agg::path_storage path;
      trace(path, glyph, em, along, c);
      agg::conv_stroke<agg::path_storage> outline(path);
      outline.width(weight * (glyph.scale < 1 ? 0.85 : 1.0));
      outline.line_join(agg::round_join);
      outline.line_cap(agg::round_cap);
      rasterizer_.add_path(outline);
      along += detail::advance(glyph) * em;
    }
    paint(style.color, agg::fill_non_zero);
  }

  void add(const draw::Image& c) {
    const PixelBox device{c.box.left * scale_, c.box.top * scale_, c.box.width * scale_,
                          c.box.height * scale_};
    detail::draw_resampled(c.image, device, clip_, pixels_, width_, height_);
  }

  void add(const draw::Clip& c) {
    clip_ = {0, 0, static_cast<double>(width_), static_cast<double>(height_)};
    if (c.box) {
      const double l = std::clamp(c.box->left * scale_, 0.0, clip_.width);
      const double t = std::clamp(c.box->top * scale_, 0.0, clip_.height);
      clip_ = {l, t, std::clamp(c.box->right() * scale_, 0.0, clip_.width) - l,
               std::clamp(c.box->bottom() * scale_, 0.0, clip_.height) - t};
    }
    rasterizer_.clip_box(clip_.left, clip_.top, clip_.right(), clip_.bottom());
  }

  [[nodiscard]] const std::vector<unsigned char>& pixels() const { return pixels_; }

 private:
  void append(agg::path_storage& path, const std::vector<PixelPoint>& points) const {
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double x = points[i].x * scale_, y = points[i].y * scale_;
      if (i == 0)
        path.move_to(x, y);
      else
        path.line_to(x, y);
    }
  }

  template <class Source>
  void outline(Source& source, double width, bool round_ends) {
    agg::conv_stroke<Source> stroke(source);
    stroke.width(width);
    stroke.line_join(agg::round_join);
    stroke.line_cap(round_ends ? agg::round_cap : agg::butt_cap);
    rasterizer_.add_path(stroke);
  }

  void stroke(agg::path_storage& path, const Stroke& stroke) {
    if (!(stroke.width > 0)) return;
    const double dash = stroke.dash * scale_;
    if (dash > 0.5) {  // shorter ones cannot be seen and would cost memory without end
      agg::conv_dash<agg::path_storage> dashes(path);
      dashes.add_dash(dash, dash);
      outline(dashes, stroke.width * scale_, false);
    } else {
      outline(path, stroke.width * scale_, true);
    }
    paint(stroke.color, agg::fill_non_zero);
  }

  // The strokes of one character, its origin `along` the base line from the anchored point.
  void trace(agg::path_storage& path, const detail::Glyph& glyph, double em, double along,
             const draw::Text& c) const {
    agg::gsv_text font;
    const double height = detail::cap_height * em * glyph.scale;
    font.size(height, height * glyph.stretch);
    font.start_point(0, 0);
    const char text[] = {glyph.code, '\0'};
    font.text(text);
    font.rewind(0);
    double x = 0, y = 0;
    for (unsigned command; !agg::is_stop(command = font.vertex(&x, &y));) {
      const double u = along + x, v = y + glyph.rise * em;
      const double px = c.at.x * scale_ + (c.style.upwards ? -v : u);
      const double py = c.at.y * scale_ - (c.style.upwards ? u : v);
      if (agg::is_move_to(command))
        path.move_to(px, py);
      else
        path.line_to(px, py);
    }
  }

  void paint(Color color, agg::filling_rule_e rule) {
    rasterizer_.filling_rule(rule);
    if (clip_.width > 0 && clip_.height > 0)
      agg::render_scanlines_aa_solid(rasterizer_, scanline_, renderer_, to_agg(color));
    rasterizer_.reset();
  }

  std::size_t width_, height_;
  double scale_;
  std::vector<unsigned char> pixels_;
  agg::rendering_buffer buffer_;
  PixelFormat format_;
  agg::renderer_base<PixelFormat> renderer_;
  // The default limit of cells would silently drop edges of crowded pictures.
  Rasterizer rasterizer_{1u << 18};
  agg::scanline_u8 scanline_;
  PixelBox clip_;
};

}  // namespace

std::vector<unsigned char> to_png(const Picture& picture, double scale) {
  if (!(scale > 0 && scale <= 32))
    throw Error("scale of a raster picture must be in (0, 32], got " + std::to_string(scale),
                "[report.picture]");
  const double width = std::max(1.0, std::round(picture.width() * scale));
  const double height = std::max(1.0, std::round(picture.height() * scale));
  if (width * height > 1e8)
    throw Error("raster picture of " + std::to_string(std::lround(width)) + " x " +
                    std::to_string(std::lround(height)) + " pixels is too large",
                "[report.picture]", "make the picture or the scale smaller, or save as .svg");
  Canvas canvas(static_cast<std::size_t>(width), static_cast<std::size_t>(height), scale,
                picture.background());
  for (const draw::Command& command : picture.commands())
    std::visit([&canvas](const auto& c) { canvas.add(c); }, command);
  return encode_png(static_cast<std::size_t>(width), static_cast<std::size_t>(height),
                    canvas.pixels());
}

}  // namespace cauchy
