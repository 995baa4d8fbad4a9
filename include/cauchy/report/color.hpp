#pragma once

#include <cstddef>
#include <cstdint>

namespace cauchy {

/// An sRGB colour with straight (not premultiplied) opacity: alpha 0 is invisible, 255 opaque.
struct Color {
  std::uint8_t red = 0, green = 0, blue = 0, alpha = 255;

  friend constexpr bool operator==(const Color&, const Color&) = default;
};

inline constexpr Color black{0, 0, 0};
inline constexpr Color white{255, 255, 255};

/// The same colour with opacity in [0, 1] (clamped; NaN gives 0).
[[nodiscard]] Color with_opacity(Color color, double opacity);

/// (1 - t) a + t b per channel, t clamped to [0, 1] (NaN gives a).
[[nodiscard]] Color mix(Color a, Color b, double t);

enum class Colormap {
  viridis,    ///< dark blue to yellow, even steps of lightness: for values of one sign
  diverging,  ///< blue, near-white at 1/2, red: for values around a centre
};

/// Colour of t in [0, 1] (clamped). NaN gives a light grey, which is in neither map.
[[nodiscard]] Color colormap_color(Colormap map, double t);

/// The i-th of eight colours that colour-blind readers tell apart (Okabe and Ito), cyclic in i.
/// Dark colours come first: lines on white paper stay visible.
[[nodiscard]] Color palette_color(std::size_t i);

}  // namespace cauchy
