#include "base/quantity_text.hpp"

#include <cmath>

#include <fmt/format.h>

namespace cauchy::detail {

std::string duration(double seconds) {
  if (std::isnan(seconds)) return "NaN";
  if (seconds > 1e12) return fmt::format("{:.3g} s", seconds);
  // What is rounded up to the next unit belongs to it.
  if (seconds < 0.9995e-3) return fmt::format("{:.3g} us", seconds * 1e6);
  if (seconds < 0.9995) return fmt::format("{:.3g} ms", seconds * 1e3);
  if (seconds < 59.95) return fmt::format("{:.1f} s", seconds);
  const double whole = std::round(seconds), minutes = std::floor(whole / 60);
  if (minutes < 60) return fmt::format("{:.0f} min {:02.0f} s", minutes, whole - 60 * minutes);
  const double hours = std::floor(minutes / 60);
  return fmt::format("{:.0f} h {:02.0f} min", hours, minutes - 60 * hours);
}

std::string grouped(std::uint64_t n) {
  std::string text = std::to_string(n);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

}  // namespace cauchy::detail
