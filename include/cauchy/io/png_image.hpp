#pragma once

#include <filesystem>
#include <string_view>

#include <cauchy/math/matrix.hpp>

namespace cauchy {

/// A picture as numbers from 0 (black, transparent) to 1: row i from the top.
struct GrayImage {
  Matrix gray;   ///< colours become their luminance
  Matrix alpha;  ///< 1 everywhere in a picture without transparency
};

/// Reads a PNG file of any colour type, 8 bits per channel (16 are rounded).
///   error    throws Error (file) with the path: missing, no regular file, damaged or cut off
[[nodiscard]] GrayImage read_png(const std::filesystem::path& file);
/// The same from memory; `name` stands for the file in messages.
[[nodiscard]] GrayImage parse_png(std::string_view bytes, std::string_view name = "image");

}  // namespace cauchy
