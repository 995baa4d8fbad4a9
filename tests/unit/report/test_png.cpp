#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/report/png.hpp>
#include <string>

#include "support/message_of.hpp"
#include "support/png_decode.hpp"

namespace cauchy::test_png {
namespace {

std::vector<unsigned char> noise(std::size_t n) {
  std::vector<unsigned char> bytes(n);
  for (std::size_t i = 0; i < n; ++i)
    bytes[i] = static_cast<unsigned char>((i * 2654435761u + 12345u) >> 13);
  return bytes;
}

std::string error_of(std::size_t width, std::size_t height, std::size_t n_bytes) {
  return message_of([&] { return encode_png(width, height, noise(n_bytes)); });
}

TEST(Png, RgbPixelsReadBackUnchanged) {
  const auto pixels = noise(3 * 37 * 23);
  const auto image = test::decode_png(encode_png(37, 23, pixels));
  ASSERT_EQ(image.width, 37u);
  ASSERT_EQ(image.height, 23u);
  EXPECT_FALSE(image.has_alpha);
  for (std::size_t i = 0; i < 37 * 23; ++i) {
    for (std::size_t k = 0; k < 3; ++k) ASSERT_EQ(image.rgba[4 * i + k], pixels[3 * i + k]) << i;
    ASSERT_EQ(image.rgba[4 * i + 3], 255);
  }
}

TEST(Png, RgbaPixelsReadBackUnchanged) {
  const auto pixels = noise(4 * 5 * 7);
  const auto image = test::decode_png(encode_png(5, 7, pixels));
  EXPECT_TRUE(image.has_alpha);
  EXPECT_EQ(image.rgba, pixels);
}

TEST(Png, SidesOfZeroOrTooLargeAreErrors) {
  EXPECT_NE(error_of(0, 4, 0).find("[report.png]: a PNG image needs 1 to 1,000,000 pixels"),
            std::string::npos);
  EXPECT_NE(error_of(4, 0, 0).find("got 4 x 0"), std::string::npos);
  EXPECT_NE(error_of(1'000'001, 1, 3).find("got 1000001 x 1"), std::string::npos);
}

TEST(Png, BytesThatFitNeitherFormatAreErrors) {
  EXPECT_NE(error_of(2, 2, 13).find("13 bytes are neither RGB nor RGBA of 2 x 2 pixels"),
            std::string::npos);
  EXPECT_NE(error_of(2, 2, 4).find("3 or 4 bytes per pixel"), std::string::npos);
}

}  // namespace
}  // namespace cauchy::test_png
