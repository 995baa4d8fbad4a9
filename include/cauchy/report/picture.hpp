#pragma once

#include <cauchy/report/color.hpp>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace cauchy {

/// A place in a picture, in pixels: x to the right, y down.
struct PixelPoint {
  double x = 0, y = 0;
};

/// An upright rectangle in pixels; left, top is its corner with the least coordinates.
struct PixelBox {
  double left = 0, top = 0, width = 0, height = 0;

  [[nodiscard]] double right() const { return left + width; }
  [[nodiscard]] double bottom() const { return top + height; }
};

/// How a line is drawn: round joins and caps; dash > 0 draws dashes of that length, gaps as long.
struct Stroke {
  Color color = black;
  double width = 1;
  double dash = 0;
};

enum class Anchor { start, middle, end };

/// How text is drawn; the anchor says which part of the base line stands at the given point.
struct TextStyle {
  double size = 12;  ///< of the font, pixels per em
  Color color = black;
  Anchor anchor = Anchor::start;
  bool upwards = false;  ///< turned by 90 degrees, read from the bottom to the top
  bool bold = false;
};

/// width x height RGB pixels, row by row from the top: rgb.size() == 3 * width * height.
struct RgbImage {
  std::size_t width = 0, height = 0;
  std::vector<std::uint8_t> rgb;
};

/// The commands that a picture is made of; all their numbers are finite.
namespace draw {
struct Polyline {
  std::vector<PixelPoint> points;
  Stroke stroke;
};
struct Polygon {  ///< even-odd rule over all rings; drawn as fill, then stroke
  std::vector<std::vector<PixelPoint>> rings;
  std::optional<Color> fill;
  std::optional<Stroke> stroke;
};
struct Circles {  ///< the union of equal disks: opacity does not add up where they overlap
  std::vector<PixelPoint> centres;
  double radius;
  Color color;
};
struct Text {
  PixelPoint at;
  std::string text;
  TextStyle style;
};
struct Image {
  PixelBox box;
  RgbImage image;
};
struct Clip {  ///< holds for the commands after it; empty: the whole picture again
  std::optional<PixelBox> box;
};
using Command = std::variant<Polyline, Polygon, Circles, Text, Image, Clip>;
}  // namespace draw

/// A list of drawing commands in pixels, independent of the file format.
///   not finite   points with a NaN or infinite coordinate are left out: a polyline breaks there, a
///                ring loses the vertex, circles, text and images are not drawn
///   far away     coordinates are clamped to [-1e6, 1e6]
///   throws       Error for a size outside (0, 1e5], a negative or non-finite width, radius, dash
///   or
///                font size, and an image whose data do not fit its size
class Picture final {
 public:
  Picture(double width, double height, Color background = white);

  /// An open line through the points; fewer than two finite neighbours draw nothing.
  void polyline(std::span<const PixelPoint> points, const Stroke& stroke);
  void line(PixelPoint a, PixelPoint b, const Stroke& stroke);
  /// Closed rings, even-odd: a ring inside another one is a hole. Rings of fewer than three
  /// vertices are dropped.
  void polygon(std::vector<std::vector<PixelPoint>> rings, std::optional<Color> fill,
               std::optional<Stroke> stroke = std::nullopt);
  void rectangle(const PixelBox& box, std::optional<Color> fill,
                 std::optional<Stroke> stroke = std::nullopt);
  /// Equal disks; 10,000 of them are about 150 kB of SVG.
  void circles(std::span<const PixelPoint> centres, double radius, Color color);
  /// UTF-8. The raster font has ASCII and super- and subscript digits; there Greek letters are
  /// spelled, other characters become the nearest ASCII or '?'. SVG keeps all characters.
  void text(PixelPoint at, std::string_view text, const TextStyle& style = {});
  /// Stretches the image over the box; magnified pixels stay sharp squares.
  void image(const PixelBox& box, RgbImage image);
  /// Limits the following commands to the box; unclip() ends that. Boxes do not nest.
  void clip(const PixelBox& box);
  void unclip();

  [[nodiscard]] double width() const noexcept { return width_; }
  [[nodiscard]] double height() const noexcept { return height_; }
  [[nodiscard]] Color background() const noexcept { return background_; }
  [[nodiscard]] const std::vector<draw::Command>& commands() const noexcept { return commands_; }

 private:
  double width_, height_;
  Color background_;
  std::vector<draw::Command> commands_;
};

/// Width in pixels that text takes in the raster font; a proportional sans-serif font in an SVG
/// viewer needs about the same or less.
[[nodiscard]] double text_width(std::string_view text, double size, bool bold = false);

/// A complete SVG 1.1 document: coordinates with two decimals, images embedded as PNG.
[[nodiscard]] std::string to_svg(const Picture& picture);

/// The bytes of an anti-aliased RGB PNG of round(scale * size) pixels, on white where the
/// background is not opaque. Throws Error for a scale outside (0, 32] or more than 1e8 pixels.
[[nodiscard]] std::vector<unsigned char> to_png(const Picture& picture, double scale = 1);

/// Writes path in the format of its ending, .svg or .png (any case; PNG at twice the pixels). The
/// file appears whole or not at all: it is written beside its place and renamed. Throws Error for
/// another ending, a missing folder, or a folder or file that cannot be written.
void save_picture(const std::filesystem::path& path, const Picture& picture);

}  // namespace cauchy
