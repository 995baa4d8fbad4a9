#include <fmt/format.h>

#include <cauchy/report/picture.hpp>
#include <cauchy/report/png.hpp>
#include <cmath>
#include <iterator>

#include "base/xml_text.hpp"

namespace cauchy {
namespace {

// Two decimals, without trailing zeros: 1.5, 2, -0.25.
void append_number(std::string& out, double x) {
  long long hundredths = std::llround(100 * x);
  if (hundredths < 0) {
    out += '-';
    hundredths = -hundredths;
  }
  fmt::format_to(std::back_inserter(out), "{}", hundredths / 100);
  const auto decimals = static_cast<int>(hundredths % 100);
  if (decimals == 0) return;
  out += '.';
  out += static_cast<char>('0' + decimals / 10);
  if (decimals % 10 != 0) out += static_cast<char>('0' + decimals % 10);
}

void append_attribute(std::string& out, std::string_view name, double value) {
  fmt::format_to(std::back_inserter(out), " {}=\"", name);
  append_number(out, value);
  out += '"';
}

void append_box(std::string& out, const PixelBox& box) {
  append_attribute(out, "x", box.left);
  append_attribute(out, "y", box.top);
  append_attribute(out, "width", box.width);
  append_attribute(out, "height", box.height);
}

// name="#rrggbb" and, where the colour is not opaque, name-opacity.
void append_color(std::string& out, std::string_view name, Color c) {
  fmt::format_to(std::back_inserter(out), " {}=\"#{:02x}{:02x}{:02x}\"", name, c.red, c.green,
                 c.blue);
  if (c.alpha < 255)
    fmt::format_to(std::back_inserter(out), " {}-opacity=\"{:.3g}\"", name, c.alpha / 255.0);
}

void append_stroke(std::string& out, const Stroke& stroke) {
  append_color(out, "stroke", stroke.color);
  append_attribute(out, "stroke-width", stroke.width);
  if (stroke.dash > 0) append_attribute(out, "stroke-dasharray", stroke.dash);
}

void append_path(std::string& out, std::span<const PixelPoint> points) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    out += i == 0 ? 'M' : i == 1 ? 'L' : ' ';
    append_number(out, points[i].x);
    out += ' ';
    append_number(out, points[i].y);
  }
}

void append_base64(std::string& out, std::span<const unsigned char> bytes) {
  static constexpr char digits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t n = std::min<std::size_t>(3, bytes.size() - i);
    unsigned group = 0;
    for (std::size_t k = 0; k < 3; ++k) group = (group << 8) | (k < n ? bytes[i + k] : 0u);
    for (std::size_t k = 0; k < 4; ++k) out += k <= n ? digits[(group >> (18 - 6 * k)) & 63u] : '=';
  }
}

class SvgWriter {
 public:
  explicit SvgWriter(const Picture& picture) {
    out_ =
        "<svg xmlns=\"http://www.w3.org/2000/svg\""
        " xmlns:xlink=\"http://www.w3.org/1999/xlink\" version=\"1.1\"";
    append_attribute(out_, "width", picture.width());
    append_attribute(out_, "height", picture.height());
    out_ += " viewBox=\"0 0 ";
    append_number(out_, picture.width());
    out_ += ' ';
    append_number(out_, picture.height());
    out_ +=
        "\" font-family=\"Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif\""
        " stroke-linejoin=\"round\">\n";
    if (picture.background().alpha > 0) {
      out_ += "<rect width=\"100%\" height=\"100%\"";
      append_color(out_, "fill", picture.background());
      out_ += "/>\n";
    }
    for (const draw::Command& command : picture.commands())
      std::visit([this](const auto& c) { add(c); }, command);
    close_clip();
    out_ += "</svg>\n";
  }

  std::string take() { return std::move(out_); }

 private:
  void add(const draw::Polyline& c) {
    out_ += "<path d=\"";
    append_path(out_, c.points);
    out_ += "\" fill=\"none\"";
    append_stroke(out_, c.stroke);
    if (!(c.stroke.dash > 0)) out_ += " stroke-linecap=\"round\"";
    out_ += "/>\n";
  }

  void add(const draw::Polygon& c) {
    out_ += "<path d=\"";
    for (const auto& ring : c.rings) {
      append_path(out_, ring);
      out_ += 'Z';
    }
    out_ += '"';
    if (c.fill) {
      append_color(out_, "fill", *c.fill);
      if (c.rings.size() > 1) out_ += " fill-rule=\"evenodd\"";
    } else {
      out_ += " fill=\"none\"";
    }
    if (c.stroke) append_stroke(out_, *c.stroke);
    out_ += "/>\n";
  }

  // A line of no length with round caps is a disk: the shortest way to write thousands of them.
  void add(const draw::Circles& c) {
    out_ += "<path d=\"";
    for (const PixelPoint& p : c.centres) {
      out_ += 'M';
      append_number(out_, p.x);
      out_ += ' ';
      append_number(out_, p.y);
      out_ += "h0";
    }
    out_ += "\" fill=\"none\" stroke-linecap=\"round\"";
    append_stroke(out_, {.color = c.color, .width = 2 * c.radius});
    out_ += "/>\n";
  }

  void add(const draw::Text& c) {
    out_ += "<text";
    append_attribute(out_, "x", c.at.x);
    append_attribute(out_, "y", c.at.y);
    append_attribute(out_, "font-size", c.style.size);
    if (c.style.bold) out_ += " font-weight=\"bold\"";
    if (c.style.anchor == Anchor::middle) out_ += " text-anchor=\"middle\"";
    if (c.style.anchor == Anchor::end) out_ += " text-anchor=\"end\"";
    if (c.style.upwards) {
      out_ += " transform=\"rotate(-90 ";
      append_number(out_, c.at.x);
      out_ += ' ';
      append_number(out_, c.at.y);
      out_ += ")\"";
    }
    append_color(out_, "fill", c.style.color);
    out_ += '>';
    out_ += detail::xml_escaped(c.text);
    out_ += "</text>\n";
  }

  void add(const draw::Image& c) {
    out_ += "<image";
    append_box(out_, c.box);
    out_ += " preserveAspectRatio=\"none\"";
    const bool magnified = static_cast<double>(c.image.width) < c.box.width ||
                           static_cast<double>(c.image.height) < c.box.height;
    if (magnified) out_ += " style=\"image-rendering:optimizeSpeed;image-rendering:pixelated\"";
    out_ += " xlink:href=\"data:image/png;base64,";
    append_base64(out_, encode_png(c.image.width, c.image.height, c.image.rgb));
    out_ += "\"/>\n";
  }

  void add(const draw::Clip& c) {
    close_clip();
    if (!c.box) return;
    // Named by its content: documents that are put into one page may share the name.
    std::string name = "clip";
    for (const double v : {c.box->left, c.box->top, c.box->width, c.box->height}) {
      name += '_';
      append_number(name, v);
    }
    fmt::format_to(std::back_inserter(out_), "<clipPath id=\"{}\"><rect", name);
    append_box(out_, *c.box);
    fmt::format_to(std::back_inserter(out_), "/></clipPath>\n<g clip-path=\"url(#{})\">\n", name);
    clipped_ = true;
  }

  void close_clip() {
    if (clipped_) out_ += "</g>\n";
    clipped_ = false;
  }

  std::string out_;
  bool clipped_ = false;
};

}  // namespace

std::string to_svg(const Picture& picture) { return SvgWriter(picture).take(); }

}  // namespace cauchy
