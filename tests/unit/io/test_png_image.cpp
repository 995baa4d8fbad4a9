#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cauchy/io/png_image.hpp>
#include <cauchy/report/png.hpp>

#include "support/message_of.hpp"

namespace cauchy::test_png_image {
namespace {

std::string png_of(std::size_t width, std::size_t height, std::vector<unsigned char> pixels) {
  const auto bytes = encode_png(width, height, pixels);
  return {bytes.begin(), bytes.end()};
}

TEST(ReadPng, GivesGrayFromTheTopLeft) {
  const GrayImage a = parse_png(png_of(2, 2, {0, 0, 0, 51, 51, 51, 255, 255, 255, 102, 102, 102}));
  EXPECT_EQ(a.gray.rows(), 2u);
  EXPECT_NEAR(a.gray(0, 0), 0, 1e-15);
  EXPECT_NEAR(a.gray(0, 1), 0.2, 1e-15);
  EXPECT_NEAR(a.gray(1, 0), 1, 1e-15);
  EXPECT_NEAR(a.gray(1, 1), 0.4, 1e-15);
  EXPECT_EQ(a.alpha(0, 0), 1);
}

TEST(ReadPng, KeepsTransparency) {
  const GrayImage a = parse_png(png_of(2, 1, {90, 90, 90, 255, 90, 90, 90, 0}));
  EXPECT_EQ(a.alpha(0, 0), 1);
  EXPECT_EQ(a.alpha(0, 1), 0);
}

TEST(ReadPng, SaysWhatIsNoPng) {
  const std::string good = png_of(3, 3, std::vector<unsigned char>(27, 100));
  EXPECT_THAT(message_of([] { (void)parse_png("no picture", "a.png"); }),
              ::testing::HasSubstr("a.png: cannot be read as PNG"));
  for (std::size_t cut = 0; cut + 12 < good.size(); ++cut) {
    EXPECT_THAT(message_of([&] { (void)parse_png(good.substr(0, cut)); }),
                ::testing::HasSubstr("cannot be read as PNG"))
        << cut;
  }
  EXPECT_THAT(message_of([] { (void)read_png("/nonexistent/picture.png"); }),
              ::testing::HasSubstr("/nonexistent/picture.png"));
}

}  // namespace
}  // namespace cauchy::test_png_image
