#pragma once

#include <string_view>
#include <vector>

namespace cauchy::detail {

/// One ASCII character of the raster font, in units of the font size.
struct Glyph {
  char code;       ///< 32 to 126
  double stretch;  ///< horizontal size per unit of the font's own width
  double scale;    ///< of its height; less than 1 for super- and subscripts
  double rise;     ///< of the base line, upwards
};

/// UTF-8 text in the characters of the raster font; what it does not have becomes the nearest ASCII
/// (Greek letters are spelled, accents dropped), at last '?'.
std::vector<Glyph> to_glyphs(std::string_view text);

/// Strokes of the font: height of capital letters and line width per unit of the font size.
inline constexpr double cap_height = 0.71;
inline constexpr double regular_weight = 0.082, bold_weight = 0.115;

/// Distance to the next character per unit of the font size.
double advance(const Glyph& glyph);

}  // namespace cauchy::detail
