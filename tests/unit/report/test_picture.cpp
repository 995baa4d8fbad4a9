#include <gtest/gtest.h>

#include <array>
#include <cauchy/base/error.hpp>
#include <cauchy/report/picture.hpp>
#include <cmath>
#include <limits>

#include "support/message_of.hpp"
#include "support/png_decode.hpp"

namespace cauchy::test_picture {
namespace {

using Rgb = std::array<int, 3>;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();
constexpr Color red{255, 0, 0}, blue{0, 0, 255};
const Rgb is_white{255, 255, 255}, is_red{255, 0, 0}, is_blue{0, 0, 255};

test::DecodedPng render(const Picture& picture, double scale = 1) {
  return test::decode_png(to_png(picture, scale));
}

TEST(Picture, EmptyPictureIsItsBackground) {
  const auto image = render(Picture(20, 10, Color{1, 2, 3}));
  ASSERT_EQ(image.width, 20u);
  ASSERT_EQ(image.height, 10u);
  EXPECT_EQ(image.rgb(0, 0), (Rgb{1, 2, 3}));
  EXPECT_EQ(image.rgb(19, 9), (Rgb{1, 2, 3}));
}

TEST(Picture, ScaleMultipliesTheNumberOfPixelsAndRounds) {
  const auto image = render(Picture(20.3, 10), 2.5);
  EXPECT_EQ(image.width, 51u);
  EXPECT_EQ(image.height, 25u);
}

TEST(Picture, TransparentBackgroundBecomesWhite) {
  EXPECT_EQ(render(Picture(2, 2, Color{0, 0, 0, 0})).rgb(0, 0), is_white);
}

TEST(Picture, FilledRectangleCoversItsPixelsAndNoOthers) {
  Picture picture(20, 20);
  picture.rectangle({5, 6, 10, 8}, red);
  const auto image = render(picture);
  for (std::size_t y = 0; y < 20; ++y)
    for (std::size_t x = 0; x < 20; ++x)
      ASSERT_EQ(image.rgb(x, y), x >= 5 && x < 15 && y >= 6 && y < 14 ? is_red : is_white)
          << x << " " << y;
}

TEST(Picture, PixelsCutInHalfAreBlended) {
  Picture picture(20, 20);
  picture.rectangle({5.5, 5, 10, 10}, black);
  const auto image = render(picture);
  EXPECT_NEAR(image.rgb(5, 10)[0], 127, 2);  // coverage 1/2; the rasteriser counts in 1/256
  EXPECT_NEAR(image.rgb(15, 10)[0], 127, 2);
  EXPECT_EQ(image.rgb(4, 10), is_white);
  EXPECT_EQ(image.rgb(6, 10), (Rgb{0, 0, 0}));
}

TEST(Picture, CircleHasTheAreaOfADisk) {
  Picture picture(60, 60);
  const PixelPoint centre{30, 30};
  picture.circles({&centre, 1}, 20, black);
  const auto image = render(picture);
  EXPECT_EQ(image.rgb(30, 30), (Rgb{0, 0, 0}));
  EXPECT_EQ(image.rgb(12, 12), is_white);
  double area = 0;
  for (std::size_t y = 0; y < 60; ++y)
    for (std::size_t x = 0; x < 60; ++x) area += 1 - image.rgb(x, y)[0] / 255.0;
  // The polygon stays within 0.05 pixels of the rim: 2 pi r * 0.05 of the area, and rounding.
  EXPECT_LT(std::abs(area - M_PI * 400), 2 * M_PI * 20 * 0.05 + 1);
}

TEST(Picture, OverlappingCirclesOfOneCommandDoNotAddUp) {
  Picture picture(40, 20);
  const PixelPoint centres[] = {{15, 10}, {20, 10}};
  picture.circles(centres, 8, Color{0, 0, 0, 128});
  const auto image = render(picture);
  EXPECT_NEAR(image.rgb(17, 10)[0], 127, 2);
  EXPECT_EQ(image.rgb(17, 10), image.rgb(9, 10));
}

TEST(Picture, OpacityBlendsWithWhatIsBelow) {
  Picture picture(10, 10, red);
  picture.rectangle({0, 0, 10, 10}, Color{0, 0, 255, 51});  // a fifth
  const Rgb c = render(picture).rgb(5, 5);
  EXPECT_NEAR(c[0], 204, 2);
  EXPECT_EQ(c[1], 0);
  EXPECT_NEAR(c[2], 51, 2);
}

TEST(Picture, RingInsideARingIsAHoleWhateverItsOrientation) {
  for (const bool reversed : {false, true}) {
    std::vector<PixelPoint> hole{{8, 8}, {16, 8}, {16, 16}, {8, 16}};
    if (reversed) std::swap(hole[1], hole[3]);
    Picture picture(24, 24);
    picture.polygon({{{2, 2}, {22, 2}, {22, 22}, {2, 22}}, hole}, red);
    const auto image = render(picture);
    EXPECT_EQ(image.rgb(12, 12), is_white);
    EXPECT_EQ(image.rgb(5, 12), is_red);
  }
}

TEST(Picture, LineIsAsWideAsItsStroke) {
  Picture picture(40, 20);
  picture.line({10, 10}, {30, 10}, {.color = blue, .width = 4});
  const auto image = render(picture);
  EXPECT_EQ(image.rgb(20, 8), is_blue);
  EXPECT_EQ(image.rgb(20, 11), is_blue);
  EXPECT_EQ(image.rgb(20, 7), is_white);
  EXPECT_EQ(image.rgb(20, 12), is_white);
  EXPECT_EQ(image.rgb(8, 9)[2], 255);  // round cap: reaches over the end
  EXPECT_LT(image.rgb(8, 9)[0], 200);
}

TEST(Picture, DashesAlternateWithGaps) {
  Picture picture(60, 10);
  picture.line({0, 5}, {60, 5}, {.color = blue, .width = 2, .dash = 10});
  const auto image = render(picture);
  EXPECT_EQ(image.rgb(5, 5), is_blue);
  EXPECT_EQ(image.rgb(15, 5), is_white);
  EXPECT_EQ(image.rgb(25, 5), is_blue);
}

TEST(Picture, ClipHoldsUntilUnclip) {
  Picture picture(30, 30);
  picture.clip({10, 10, 10, 10});
  picture.rectangle({0, 0, 30, 30}, red);
  picture.unclip();
  picture.rectangle({25, 25, 5, 5}, blue);
  const auto image = render(picture);
  EXPECT_EQ(image.rgb(9, 15), is_white);
  EXPECT_EQ(image.rgb(10, 10), is_red);
  EXPECT_EQ(image.rgb(19, 19), is_red);
  EXPECT_EQ(image.rgb(20, 15), is_white);
  EXPECT_EQ(image.rgb(27, 27), is_blue);
}

TEST(Picture, ClipLimitsImagesAndEmptyClipsHideAll) {
  Picture picture(30, 30);
  picture.clip({10, 10, 5, 5});
  picture.image({0, 0, 30, 30}, {1, 1, {255, 0, 0}});
  picture.clip({40, 40, 5, 5});
  picture.rectangle({0, 0, 30, 30}, blue);
  picture.clip({nan, 0, 5, 5});
  picture.rectangle({0, 0, 30, 30}, blue);
  picture.image({0, 0, 30, 30}, {1, 1, {0, 0, 255}});
  const auto image = render(picture);
  EXPECT_EQ(image.rgb(12, 12), is_red);
  EXPECT_EQ(image.rgb(9, 12), is_white);
  EXPECT_EQ(image.rgb(15, 12), is_white);
}

TEST(Picture, MagnifiedImageKeepsSharpCellsInReadingOrder) {
  Picture picture(40, 20);
  picture.image({0, 0, 40, 20}, {2, 1, {255, 0, 0, 0, 0, 255}});
  const auto image = render(picture);
  EXPECT_EQ(image.rgb(0, 0), is_red);
  EXPECT_EQ(image.rgb(19, 19), is_red);
  EXPECT_EQ(image.rgb(20, 0), is_blue);
  EXPECT_EQ(image.rgb(39, 19), is_blue);
}

TEST(Picture, ReducedImageIsTheMeanOfItsPixels) {
  RgbImage checks{10, 10, {}};
  for (int i = 0; i < 100; ++i)
    checks.rgb.insert(checks.rgb.end(), 3, (i + i / 10) % 2 == 0 ? 0 : 255);
  Picture picture(5, 5);
  picture.image({0, 0, 5, 5}, checks);
  EXPECT_NEAR(render(picture).rgb(2, 2)[0], 127.5, 1);
}

TEST(Picture, ImagePartlyOutsideOrBetweenPixelsIsBlended) {
  Picture picture(10, 10);
  picture.image({-5, 2.5, 9, 100}, {1, 1, {0, 0, 0}});
  const auto image = render(picture);
  EXPECT_NEAR(image.rgb(0, 2)[0], 127.5, 1);
  EXPECT_EQ(image.rgb(3, 9), (Rgb{0, 0, 0}));
  EXPECT_EQ(image.rgb(4, 9), is_white);
}

TEST(Picture, TextLeavesInkWhereItsAnchorSays) {
  const auto ink = [](Anchor anchor, bool upwards) {
    Picture picture(101, 101);
    picture.text({50, 50}, "HHHH", {.size = 12, .anchor = anchor, .upwards = upwards});
    const auto image = render(picture);
    std::array<double, 4> box{1e9, -1e9, 1e9, -1e9};
    for (std::size_t y = 0; y < 101; ++y) {
      for (std::size_t x = 0; x < 101; ++x) {
        if (image.rgb(x, y)[0] > 200) continue;
        box[0] = std::min(box[0], static_cast<double>(x));
        box[1] = std::max(box[1], static_cast<double>(x));
        box[2] = std::min(box[2], static_cast<double>(y));
        box[3] = std::max(box[3], static_cast<double>(y));
      }
    }
    return box;
  };
  const double width = text_width("HHHH", 12);
  const auto start = ink(Anchor::start, false), middle = ink(Anchor::middle, false),
             end = ink(Anchor::end, false), up = ink(Anchor::start, true);
  EXPECT_GE(start[0], 49);
  EXPECT_LE(start[1], 50 + width);
  EXPECT_GT(start[1], 50 + 0.8 * width);
  EXPECT_NEAR(middle[0] + middle[1], 100, 3);
  EXPECT_LE(end[1], 51);
  EXPECT_GE(end[0], 49 - width);
  EXPECT_NEAR(start[2], 50 - 0.71 * 12, 1.5);  // capitals are 0.71 em high
  EXPECT_NEAR(start[3], 50, 1.5);
  EXPECT_LE(up[3], 51);  // reads upwards from the anchor
  EXPECT_NEAR(up[1], 50, 1.5);
}

TEST(Picture, TextWidthGrowsWithSizeAndSpelledLetters) {
  EXPECT_NEAR(text_width("12345", 20), 2 * text_width("12345", 10), 1e-9);
  EXPECT_NEAR(text_width("5", 100), 55, 3);  // as in common sans-serif fonts
  EXPECT_NEAR(text_width("λ", 10), text_width("lambda", 10), 1e-9);
  EXPECT_NEAR(text_width("é", 10), text_width("e", 10), 1e-9);
  EXPECT_NEAR(text_width("日", 10), text_width("?", 10), 1e-9);
  EXPECT_LT(text_width("10⁻³", 10), text_width("10-33", 10));
  EXPECT_EQ(text_width("", 10), 0);
}

TEST(Picture, NonFiniteCoordinatesAreLeftOut) {
  Picture picture(20, 20);
  const PixelPoint bad[] = {{nan, 5}, {5, inf}, {-inf, nan}};
  picture.circles(bad, 3, red);
  picture.polyline(bad, {});
  picture.text({nan, 2}, "x");
  picture.image({0, nan, 3, 3}, {1, 1, {0, 0, 0}});
  picture.rectangle({0, 0, inf, 3}, red);
  picture.polygon({{{0, 0}, {nan, 4}, {5, 5}}}, red);  // two vertices are left
  EXPECT_TRUE(picture.commands().empty());
  EXPECT_EQ(to_svg(picture), to_svg(Picture(20, 20)));
}

TEST(Picture, PolylineBreaksAtNonFinitePoints) {
  Picture picture(60, 10);
  const PixelPoint points[] = {{0, 5}, {20, 5}, {nan, 5}, {40, 5}, {60, 5}, {nan, nan}, {1, 1}};
  picture.polyline(points, {.color = blue, .width = 2});
  EXPECT_EQ(picture.commands().size(), 2u);
  const auto image = render(picture);
  EXPECT_EQ(image.rgb(10, 5), is_blue);
  EXPECT_EQ(image.rgb(30, 5), is_white);
  EXPECT_EQ(image.rgb(50, 5), is_blue);
}

TEST(Picture, FarAwayCoordinatesAreDrawnWithoutHarm) {
  Picture picture(20, 20);
  picture.line({-1e300, 10}, {1e300, 10}, {.color = blue, .width = 2});
  picture.line({-1e300, 3}, {1e300, 3}, {.color = blue, .width = 2, .dash = 1e-9});
  const PixelPoint far{1e300, -1e300};
  picture.circles({&far, 1}, 1e6, Color{0, 0, 0, 0});
  picture.text(far, "far");
  picture.image({-1e300, -1e300, 2e300, 2e300}, {1, 1, {255, 0, 0}});
  EXPECT_EQ(render(picture).rgb(5, 5), is_red);
}

TEST(Picture, ManyCirclesAreAllDrawn) {
  Picture picture(400, 400);
  std::vector<PixelPoint> centres;
  for (int i = 0; i < 40000; ++i)
    centres.push_back({1.0 + 2 * (i % 200), 1.0 + 2 * static_cast<double>(i / 200)});
  picture.circles(centres, 1.5, black);
  const auto image = render(picture);
  for (std::size_t i = 1; i < 399; ++i) ASSERT_EQ(image.rgb(i, i), (Rgb{0, 0, 0})) << i;
}

TEST(Picture, MisuseIsAnErrorWithThePlace) {
  const std::string place = "[report.picture]: ";
  for (const double side : {0.0, -1.0, 1.1e5, nan, inf}) {
    const std::string text = message_of([&] { Picture(side, 10); });
    EXPECT_NE(text.find(place + "picture size must be positive"), std::string::npos) << text;
  }
  Picture picture(10, 10);
  const auto has = [&](const std::string& text, std::string_view part) {
    EXPECT_NE(text.find(place + std::string(part)), std::string::npos) << text;
  };
  has(message_of([&] { picture.line({0, 0}, {1, 1}, {.width = -1}); }), "line width must be");
  has(message_of([&] { picture.line({0, 0}, {1, 1}, {.dash = nan}); }), "dash length must be");
  has(message_of([&] { picture.circles({}, nan, red); }), "radius must be");
  has(message_of([&] { picture.text({0, 0}, "a", {.size = inf}); }), "font size must be");
  has(message_of([&] {
        picture.image({0, 0, 1, 1}, {2, 2, {1, 2, 3}});
      }),
      "image of 2 x 2 pixels has 3 bytes");
  has(message_of([&] { picture.image({0, 0, 1, 1}, {}); }), "image of 0 x 0 pixels");
  has(message_of([&] { (void)to_png(picture, 0); }), "scale of a raster picture must be");
  has(message_of([&] { (void)to_png(picture, nan); }), "scale of a raster picture must be");
  has(message_of([&] { (void)to_png(Picture(1e5, 1e5), 1); }), "raster picture of 100000 x 100000");
}

}  // namespace
}  // namespace cauchy::test_picture
