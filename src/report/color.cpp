#include <algorithm>
#include <array>
#include <cauchy/report/color.hpp>
#include <cmath>
#include <span>

namespace cauchy {
namespace {

// Values of the viridis map (public domain, CC0) at multiples of 1/16.
constexpr std::array<Color, 17> viridis = {{{68, 1, 84},
                                            {72, 24, 106},
                                            {71, 45, 123},
                                            {66, 64, 134},
                                            {59, 82, 139},
                                            {51, 99, 141},
                                            {44, 114, 142},
                                            {38, 130, 142},
                                            {33, 145, 140},
                                            {31, 160, 136},
                                            {40, 174, 128},
                                            {63, 188, 115},
                                            {94, 201, 98},
                                            {132, 212, 75},
                                            {173, 220, 48},
                                            {216, 226, 25},
                                            {253, 231, 37}}};

// Two arms of equal lightness on both sides of a neutral middle.
constexpr std::array<Color, 9> diverging = {{{24, 62, 134},
                                             {47, 105, 175},
                                             {105, 155, 206},
                                             {174, 203, 229},
                                             {244, 243, 240},
                                             {243, 197, 174},
                                             {225, 138, 111},
                                             {190, 73, 66},
                                             {134, 21, 41}}};

Color interpolate(std::span<const Color> knots, double t) {
  const double s = t * static_cast<double>(knots.size() - 1);
  const auto i = std::min(static_cast<std::size_t>(s), knots.size() - 2);
  return mix(knots[i], knots[i + 1], s - static_cast<double>(i));
}

std::uint8_t to_byte(double v) {
  return static_cast<std::uint8_t>(std::lround(std::clamp(v, 0.0, 255.0)));
}

}  // namespace

Color with_opacity(Color color, double opacity) {
  color.alpha =
      std::isnan(opacity) ? std::uint8_t{0} : to_byte(255 * std::clamp(opacity, 0.0, 1.0));
  return color;
}

Color mix(Color a, Color b, double t) {
  t = std::isnan(t) ? 0 : std::clamp(t, 0.0, 1.0);
  const auto channel = [t](std::uint8_t u, std::uint8_t v) { return to_byte((1 - t) * u + t * v); };
  return {channel(a.red, b.red), channel(a.green, b.green), channel(a.blue, b.blue),
          channel(a.alpha, b.alpha)};
}

Color colormap_color(Colormap map, double t) {
  if (std::isnan(t)) return {214, 214, 214};
  t = std::clamp(t, 0.0, 1.0);
  return map == Colormap::viridis ? interpolate(viridis, t) : interpolate(diverging, t);
}

Color palette_color(std::size_t i) {
  static constexpr std::array<Color, 8> colors = {{{0, 114, 178},
                                                   {213, 94, 0},
                                                   {0, 158, 115},
                                                   {230, 159, 0},
                                                   {204, 121, 167},
                                                   {86, 180, 233},
                                                   {0, 0, 0},
                                                   {240, 228, 66}}};
  return colors[i % colors.size()];
}

}  // namespace cauchy
