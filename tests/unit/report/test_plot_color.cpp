#include <gtest/gtest.h>

#include <cauchy/report/color.hpp>
#include <cmath>
#include <limits>
#include <set>
#include <tuple>

namespace cauchy::test_plot_color {
namespace {

double lightness(Color c) {  // CIE L* of sRGB
  const auto linear = [](double v) {
    v /= 255;
    return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
  };
  const double y = 0.2126 * linear(c.red) + 0.7152 * linear(c.green) + 0.0722 * linear(c.blue);
  return 116 * std::cbrt(y) - 16;
}

TEST(PlotColor, ViridisGrowsEvenlyLighter) {
  EXPECT_EQ(colormap_color(Colormap::viridis, 0), (Color{68, 1, 84}));
  EXPECT_EQ(colormap_color(Colormap::viridis, 1), (Color{253, 231, 37}));
  const double total = lightness(colormap_color(Colormap::viridis, 1)) -
                       lightness(colormap_color(Colormap::viridis, 0));
  for (int i = 0; i < 10; ++i) {
    const double step = lightness(colormap_color(Colormap::viridis, (i + 1) / 10.0)) -
                        lightness(colormap_color(Colormap::viridis, i / 10.0));
    EXPECT_GT(step, 0.7 * total / 10) << i;
    EXPECT_LT(step, 1.3 * total / 10) << i;
  }
}

TEST(PlotColor, DivergingMapIsLightestInTheMiddleAndFallsEquallyToBothSides) {
  for (int i = 0; i < 10; ++i) {
    const double inner = i / 20.0, outer = (i + 1) / 20.0;
    for (const double sign : {-1.0, 1.0})
      EXPECT_GT(lightness(colormap_color(Colormap::diverging, 0.5 + sign * inner)),
                lightness(colormap_color(Colormap::diverging, 0.5 + sign * outer)));
    EXPECT_NEAR(lightness(colormap_color(Colormap::diverging, 0.5 - outer)),
                lightness(colormap_color(Colormap::diverging, 0.5 + outer)), 5);
  }
}

TEST(PlotColor, ValuesOutsideAreClampedAndNanIsGrey) {
  const double inf = std::numeric_limits<double>::infinity();
  for (const Colormap map : {Colormap::viridis, Colormap::diverging}) {
    EXPECT_EQ(colormap_color(map, -3), colormap_color(map, 0));
    EXPECT_EQ(colormap_color(map, inf), colormap_color(map, 1));
    const Color none = colormap_color(map, std::nan(""));
    EXPECT_EQ(none.red, none.green);
    EXPECT_EQ(none.red, none.blue);
  }
}

TEST(PlotColor, PaletteHasEightDistinctColorsAndRepeats) {
  std::set<std::tuple<int, int, int>> seen;
  for (std::size_t i = 0; i < 8; ++i) {
    const Color c = palette_color(i);
    seen.insert({c.red, c.green, c.blue});
    EXPECT_EQ(palette_color(i + 8), c);
  }
  EXPECT_EQ(seen.size(), 8u);
}

TEST(PlotColor, MixAndOpacityClampTheirParameter) {
  EXPECT_EQ(mix(black, white, 0.2), (Color{51, 51, 51}));
  EXPECT_EQ(mix(black, white, 7), white);
  EXPECT_EQ(mix(black, white, std::nan("")), black);
  EXPECT_EQ(with_opacity(black, 0.2).alpha, 51);
  EXPECT_EQ(with_opacity(black, -1).alpha, 0);
  EXPECT_EQ(with_opacity(black, std::nan("")).alpha, 0);
}

}  // namespace
}  // namespace cauchy::test_plot_color
