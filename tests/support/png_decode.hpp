#pragma once

#include <gtest/gtest.h>
#include <png.h>

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace cauchy::test {

/// What libpng reads back from the bytes of a file, always as RGBA.
struct DecodedPng {
  std::size_t width = 0, height = 0;
  bool has_alpha = false;
  std::vector<unsigned char> rgba;

  [[nodiscard]] std::array<int, 4> at(std::size_t x, std::size_t y) const {
    const unsigned char* p = &rgba.at(4 * (y * width + x));
    return {p[0], p[1], p[2], p[3]};
  }
  [[nodiscard]] std::array<int, 3> rgb(std::size_t x, std::size_t y) const {
    const auto c = at(x, y);
    return {c[0], c[1], c[2]};
  }
};

inline DecodedPng decode_png(std::span<const unsigned char> bytes) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  DecodedPng result;
  EXPECT_TRUE(png_image_begin_read_from_memory(&image, bytes.data(), bytes.size()))
      << image.message;
  result.has_alpha = (image.format & PNG_FORMAT_FLAG_ALPHA) != 0;
  image.format = PNG_FORMAT_RGBA;
  result.width = image.width;
  result.height = image.height;
  result.rgba.resize(PNG_IMAGE_SIZE(image));
  EXPECT_TRUE(png_image_finish_read(&image, nullptr, result.rgba.data(), 0, nullptr))
      << image.message;
  png_image_free(&image);
  return result;
}

}  // namespace cauchy::test
