#include <gtest/gtest.h>

#include <algorithm>
#include <cauchy/base/error.hpp>
#include <cauchy/report/figure.hpp>
#include <cauchy/report/plot3.hpp>
#include <cmath>
#include <limits>

#include "support/message_of.hpp"

namespace cauchy::test_plot3 {
namespace {

using Values = std::vector<double>;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

template <class Command>
std::vector<Command> all(const Picture& picture) {
  std::vector<Command> found;
  for (const draw::Command& command : picture.commands())
    if (const auto* c = std::get_if<Command>(&command)) found.push_back(*c);
  return found;
}

TEST(Projection3, KeepsLengthsAndHandedness) {
  for (const Projection3 projection : {Projection3{}, Projection3{30, -70}, Projection3{200, 90}}) {
    const auto x = projection.view({1, 0, 0}), y = projection.view({0, 1, 0}),
               z = projection.view({0, 0, 1});
    // Columns of a rotation: unit length and determinant +1 in the order (right, up, towards).
    for (const auto& v : {x, y, z})
      EXPECT_LT(std::abs(std::hypot(v.right, v.up, v.towards) - 1), 1e-15);
    const double determinant = x.right * (y.up * z.towards - y.towards * z.up) -
                               y.right * (x.up * z.towards - x.towards * z.up) +
                               z.right * (x.up * y.towards - x.towards * y.up);
    EXPECT_LT(std::abs(determinant - 1), 4e-15);
    EXPECT_EQ(z.right, 0);
    EXPECT_GE(z.up, 0);
  }
}

TEST(Projection3, ViewFromTheFrontShowsXToTheRightAndZUp) {
  const Projection3 front{-90, 0};
  const auto v = front.view({1, 2, 3});
  EXPECT_NEAR(v.right, 1, 1e-15);
  EXPECT_NEAR(v.up, 3, 1e-15);
  EXPECT_NEAR(v.towards, -2, 1e-15);
}

TEST(Plot3, FarPointsAreSmallerPalerAndDrawnFirst) {
  Plot3 plot({.projection = {-90, 0}});
  plot.scatter(Values{0, 0, 0}, Values{-1, 0, 1}, Values{0, 0.5, 1}, {.color = black});
  const auto dots = all<draw::Circles>(draw_figure({&plot}));
  ASSERT_EQ(dots.size(), 3u);
  for (std::size_t i = 1; i < 3; ++i) {
    EXPECT_GT(dots[i].radius, dots[i - 1].radius);
    EXPECT_LT(dots[i].color.red, dots[i - 1].color.red);
  }
  EXPECT_LT(dots[0].centres[0].y, dots[2].centres[0].y);  // y = 1 is far and has z = 1
}

TEST(Plot3, PointsAndTextStayInsideThePanelForAllViews) {
  Values x, y, z;
  for (int i = 0; i < 8; ++i) {
    x.push_back((i & 1) != 0 ? 1e-3 : -1e-3);
    y.push_back((i & 2) != 0 ? 4e-3 : 0);
    z.push_back((i & 4) != 0 ? 2e-3 : 1e-3);
  }
  for (double azimuth = -180; azimuth < 180; azimuth += 37) {
    for (const double elevation : {-90.0, -40.0, 0.0, 24.0, 89.0, 90.0}) {
      Plot3 plot({.title = "box", .projection = {azimuth, elevation}});
      plot.scatter(x, y, z, {.name = "corner"});
      const Picture picture = draw_figure({&plot});
      std::size_t n = 0;
      for (const auto& c : all<draw::Circles>(picture)) {
        for (const PixelPoint& p : c.centres) {
          EXPECT_TRUE(p.x > 0 && p.x < 640 && p.y > 0 && p.y < 480) << azimuth << " " << elevation;
          ++n;
        }
      }
      EXPECT_EQ(n, 9u);  // and one in the legend
      for (const auto& t : all<draw::Text>(picture)) {
        const double width = text_width(t.text, t.style.size, t.style.bold);
        const double left = t.at.x - (t.style.anchor == Anchor::start    ? 0
                                      : t.style.anchor == Anchor::middle ? width / 2
                                                                         : width);
        EXPECT_TRUE(left >= 0 && left + width <= 640 && t.at.y - 0.7 * t.style.size >= 0 &&
                    t.at.y <= 480)
            << t.text << " " << azimuth << " " << elevation;
      }
    }
  }
}

TEST(Plot3, GroupsAreNamedAndNonFinitePointsLeftOut) {
  const std::vector<std::size_t> groups{0, 1, 1};
  const std::vector<std::string> names{"a", "b"};
  Plot3 plot;
  plot.scatter_by_group(Values{0, 1, nan}, Values{0, 1, 2}, Values{0, 1, 2}, groups, names);
  const Picture picture = draw_figure({&plot});
  const auto texts = all<draw::Text>(picture);
  for (const char* name : {"a", "b", "x", "y", "z"})
    EXPECT_NE(std::ranges::find(texts, name, &draw::Text::text), texts.end()) << name;
  EXPECT_EQ(all<draw::Circles>(picture).size(), 4u);
}

TEST(Plot3, EmptyAndDegenerateDataAreDrawn) {
  Plot3 empty;
  empty.scatter({}, {}, {});
  EXPECT_FALSE(to_png(draw_figure({&empty}), 1).empty());
  Plot3 flat;
  flat.scatter(Values{1, 2, 1e200}, Values{5, 5, 5}, Values{0, 0, 0});
  EXPECT_FALSE(to_png(draw_figure({&flat}), 1).empty());
}

TEST(Plot3, MisuseIsAnErrorWithThePlace) {
  const Values one{1}, two{1, 2};
  EXPECT_NE(message_of([&] {
              Plot3().scatter(one, two, one);
            }).find("[report.plot3]: coordinates of unequal length: 1, 2 and 1"),
            std::string::npos);
  EXPECT_NE(message_of([] {
              Plot3({.projection = {0, 91}});
            }).find("elevation between -90 and 90"),
            std::string::npos);
  EXPECT_NE(message_of([] {
              Plot3({.projection = {nan, 0}});
            }).find("finite azimuth"),
            std::string::npos);
  EXPECT_NE(
      message_of([&] { Plot3().scatter(one, one, one, {.radius = nan}); }).find("radius must"),
      std::string::npos);
  const std::vector<std::size_t> groups{1};
  const std::vector<std::string> names{"a"};
  EXPECT_NE(message_of([&] {
              Plot3().scatter_by_group(one, one, one, groups, names);
            }).find("point 0 is in group 1 but there are 1 names"),
            std::string::npos);
}

TEST(PlotFigure, PanelsStandInRows) {
  const Plot a({.title = "first"}), b({.title = "second"}), c({.title = "third"});
  const Picture picture =
      draw_figure({&a, &b, nullptr, &c},
                  {.panel_width = 200, .panel_height = 150, .columns = 2, .title = "all"});
  EXPECT_EQ(picture.width(), 400);
  EXPECT_GT(picture.height(), 300);
  const auto texts = all<draw::Text>(picture);
  const auto at = [&](std::string_view text) {
    const auto found = std::ranges::find(texts, text, &draw::Text::text);
    EXPECT_NE(found, texts.end()) << text;
    return found == texts.end() ? PixelPoint{} : found->at;
  };
  EXPECT_LT(at("all").y, at("first").y);
  EXPECT_GT(at("second").x, 200);
  EXPECT_EQ(at("first").y, at("second").y);
  EXPECT_GT(at("third").x, 200);
  EXPECT_NEAR(at("third").y - at("first").y, 150, 1e-9);
}

TEST(PlotFigure, ColumnsDefaultToASquareOfAtMostThree) {
  const Plot plot;
  for (const auto& [n, columns] : {std::pair{1, 1}, {2, 2}, {4, 2}, {5, 3}, {12, 3}}) {
    const std::vector<const Panel*> panels(static_cast<std::size_t>(n), &plot);
    EXPECT_EQ(draw_figure(panels, {.panel_width = 100, .panel_height = 100}).width(),
              100 * columns);
  }
  EXPECT_EQ(draw_figure({}).width(), 640);
}

TEST(PlotFigure, PanelsThatAreTooSmallAreErrors) {
  EXPECT_NE(message_of([] {
              (void)draw_figure({}, {.panel_width = 79});
            }).find("[report.figure]: panels of a figure need at least 80 x 80 pixels"),
            std::string::npos);
  EXPECT_NE(message_of([] { (void)draw_figure({}, {.panel_height = nan}); }), "no error");
}

}  // namespace
}  // namespace cauchy::test_plot3
