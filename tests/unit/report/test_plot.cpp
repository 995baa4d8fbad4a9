#include <gtest/gtest.h>

#include <algorithm>
#include <cauchy/base/error.hpp>
#include <cauchy/report/figure.hpp>
#include <cauchy/report/plot.hpp>
#include <cmath>
#include <limits>
#include <numbers>

#include "support/message_of.hpp"

namespace cauchy::test_plot {
namespace {

using Values = std::vector<double>;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

Picture drawn(const Panel& panel, double width = 640, double height = 480) {
  return draw_figure({&panel}, {.panel_width = width, .panel_height = height});
}

template <class Command>
std::vector<Command> all(const Picture& picture) {
  std::vector<Command> found;
  for (const draw::Command& command : picture.commands())
    if (const auto* c = std::get_if<Command>(&command)) found.push_back(*c);
  return found;
}

std::size_t n_dots(const Picture& picture) {
  std::size_t n = 0;
  for (const auto& c : all<draw::Circles>(picture)) n += c.centres.size();
  return n;
}

// The frame: the only rectangle that is stroked and not filled.
PixelBox frame_of(const Picture& picture) {
  for (const auto& p : all<draw::Polygon>(picture))
    if (!p.fill && p.rings.size() == 1 && p.rings[0].size() == 4)
      return {p.rings[0][0].x, p.rings[0][0].y, p.rings[0][2].x - p.rings[0][0].x,
              p.rings[0][2].y - p.rings[0][0].y};
  ADD_FAILURE() << "no frame";
  return {};
}

const draw::Text* text_of(const std::vector<draw::Text>& texts, std::string_view text) {
  const auto found = std::ranges::find(texts, text, &draw::Text::text);
  return found == texts.end() ? nullptr : &*found;
}

bool has_text(const Picture& picture, std::string_view text) {
  const auto texts = all<draw::Text>(picture);
  return text_of(texts, text) != nullptr;
}

// All text stays inside the picture and no two texts overlap, by the estimate of text_width.
void expect_readable(const Picture& picture) {
  std::vector<PixelBox> boxes;
  for (const draw::Text& t : all<draw::Text>(picture)) {
    const double length = text_width(t.text, t.style.size, t.style.bold), em = t.style.size;
    const double shift = t.style.anchor == Anchor::start    ? 0
                         : t.style.anchor == Anchor::middle ? length / 2
                                                            : length;
    const PixelBox box =
        t.style.upwards ? PixelBox{t.at.x - 0.72 * em, t.at.y + shift - length, 0.72 * em, length}
                        : PixelBox{t.at.x - shift, t.at.y - 0.72 * em, length, 0.72 * em};
    EXPECT_GE(box.left, 0) << t.text;
    EXPECT_GE(box.top, 0) << t.text;
    EXPECT_LE(box.right(), picture.width()) << t.text;
    EXPECT_LE(box.bottom(), picture.height()) << t.text;
    for (const PixelBox& other : boxes)
      EXPECT_FALSE(box.left < other.right() && other.left < box.right() &&
                   box.top < other.bottom() && other.top < box.bottom())
          << t.text;
    boxes.push_back(box);
  }
}

TEST(Plot, DataStandWhereTheAxesSay) {
  Plot plot({.x = {.limits = Limits{0, 10}}, .y = {.limits = Limits{-1, 1}}});
  plot.scatter(Values{0, 10, 5}, Values{-1, 1, 0});
  const Picture picture = drawn(plot);
  const PixelBox frame = frame_of(picture);
  const auto dots = all<draw::Circles>(picture).at(0).centres;
  ASSERT_EQ(dots.size(), 3u);
  const double tolerance = 1e-9;  // a few roundings of numbers near 1000
  EXPECT_NEAR(dots[0].x, frame.left, tolerance);
  EXPECT_NEAR(dots[0].y, frame.bottom(), tolerance);
  EXPECT_NEAR(dots[1].x, frame.right(), tolerance);
  EXPECT_NEAR(dots[1].y, frame.top, tolerance);
  EXPECT_NEAR(dots[2].x, frame.left + frame.width / 2, tolerance);
}

TEST(Plot, LogAxisPlacesDecadesEvenly) {
  Plot plot({.y = {.scale = AxisScale::log}});
  plot.scatter(Values{0, 1, 2}, Values{1e-4, 1e-2, 1});
  const auto dots = all<draw::Circles>(drawn(plot)).at(0).centres;
  EXPECT_NEAR(dots[0].y - dots[1].y, dots[1].y - dots[2].y, 1e-9);
  EXPECT_GT(dots[0].y, dots[2].y);
}

TEST(Plot, PointsThatAnAxisCannotShowAreLeftOut) {
  Plot plot({.y = {.scale = AxisScale::log}});
  plot.scatter(Values{0, 1, 2, nan, inf}, Values{1, 0, -5, 1, 1});
  EXPECT_EQ(n_dots(drawn(plot)), 1u);
  Plot line({.y = {.scale = AxisScale::log}, .grid = false});
  line.line(Values{0, 1, 2, 3, 4, 5}, Values{1, 2, 0, 4, 5, nan}, {.color = Color{1, 2, 3}});
  std::size_t n_pieces = 0;
  for (const auto& c : all<draw::Polyline>(drawn(line)))
    n_pieces += c.stroke.color == Color{1, 2, 3};
  EXPECT_EQ(n_pieces, 2u);
}

TEST(Plot, PointsOutsideGivenLimitsAreNotDrawn) {
  Plot plot({.x = {.limits = Limits{0, 1}}, .y = {.limits = Limits{0, 1}}});
  plot.scatter(Values{0, 0.5, 1, 1.01}, Values{0, 0.5, 1, 0.5});
  EXPECT_EQ(n_dots(drawn(plot)), 3u);
}

TEST(Plot, EmptyPlotsAndEmptySeriesAreDrawn) {
  const Picture empty = drawn(Plot());
  EXPECT_TRUE(has_text(empty, "0.6"));
  Plot plot;
  plot.scatter({}, {}).line({}, {}).scatter_by_value({}, {}, {}).region({});
  plot.scatter_by_group({}, {}, {}, {});
  EXPECT_EQ(n_dots(drawn(plot)), 0u);
  EXPECT_FALSE(to_png(drawn(plot), 1).empty());
  Plot undefined({.x = {.scale = AxisScale::log}});
  undefined.scatter(Values{nan, -1}, Values{nan, inf});
  EXPECT_EQ(n_dots(drawn(undefined)), 0u);
}

TEST(Plot, SingleValueGetsWidenedAxes) {
  Plot plot;
  plot.scatter(Values{3, 3}, Values{0, 0});
  const Picture picture = drawn(plot);
  EXPECT_EQ(n_dots(picture), 2u);
  EXPECT_TRUE(has_text(picture, "3"));
  expect_readable(picture);
}

TEST(Plot, EqualAspectGivesBothAxesOneScale) {
  Plot plot({.x = {.limits = Limits{0, 4}}, .y = {.limits = Limits{0, 1}}, .equal_aspect = true});
  const PixelBox frame = frame_of(drawn(plot));
  EXPECT_NEAR(frame.width / frame.height, 4, 4 * 2 / frame.height);  // edges snap to whole pixels
}

TEST(Plot, GroupsShareOneSizeAndTheLegendNamesThem) {
  Plot plot;
  const std::vector<std::size_t> groups{0, 1, 1, 0};
  const std::vector<std::string> names{"inner", "outer", "nobody"};
  plot.scatter_by_group(Values{0, 1, 2, 3}, Values{0, 1, 2, 3}, groups, names);
  const Picture picture = drawn(plot);
  EXPECT_TRUE(has_text(picture, "inner"));
  EXPECT_TRUE(has_text(picture, "outer"));
  EXPECT_FALSE(has_text(picture, "nobody"));
  const auto circles = all<draw::Circles>(picture);
  ASSERT_EQ(circles.size(), 4u);  // two groups, two samples in the legend
  EXPECT_EQ(circles[0].centres.size(), 2u);
  EXPECT_EQ(circles[0].color, palette_color(0));
  EXPECT_EQ(circles[1].color, palette_color(1));
  EXPECT_EQ(circles[0].radius, circles[1].radius);
}

TEST(Plot, LegendStaysClearOfTheDataOrGoesOutside) {
  Plot diagonal;
  diagonal.line(Values{0, 1}, Values{0, 1}, {.name = "rising"});
  const Picture inside = drawn(diagonal);
  const auto inside_texts = all<draw::Text>(inside);
  const PixelBox frame = frame_of(inside);
  const draw::Text* name = text_of(inside_texts, "rising");
  ASSERT_NE(name, nullptr);
  EXPECT_LT(name->at.x, frame.left + frame.width / 2);  // upper left: the line ends upper right
  EXPECT_LT(name->at.y, frame.top + frame.height / 2);

  Values x, y;
  for (int i = 0; i < 900; ++i) {
    x.push_back(i % 30);
    y.push_back(static_cast<double>(i / 30));
  }
  Plot full;
  full.scatter(x, y, {.name = "everywhere"});
  const Picture outside = drawn(full);
  const auto outside_texts = all<draw::Text>(outside);
  EXPECT_GT(text_of(outside_texts, "everywhere")->at.x, frame_of(outside).right());
  expect_readable(outside);

  Plot none({.legend = LegendPlace::none});
  none.scatter(x, y, {.name = "everywhere"});
  EXPECT_FALSE(has_text(drawn(none), "everywhere"));
}

TEST(Plot, HeatMapHasRowZeroAtTheBottomAndGreyGaps) {
  Matrix values(2, 2);
  values(0, 0) = 0;
  values(0, 1) = 1;
  values(1, 0) = nan;
  values(1, 1) = 0.5;
  Plot plot({.color = {.label = "u"}});
  plot.heat_map(values, {0, 1}, {0, 1});
  const Picture picture = drawn(plot);
  const RgbImage image = all<draw::Image>(picture).at(0).image;
  const auto pixel = [&](std::size_t k) {
    return Color{image.rgb[3 * k], image.rgb[3 * k + 1], image.rgb[3 * k + 2]};
  };
  EXPECT_EQ(pixel(0), colormap_color(Colormap::viridis, nan));
  EXPECT_EQ(pixel(1), colormap_color(Colormap::viridis, 0.5));
  EXPECT_EQ(pixel(2), colormap_color(Colormap::viridis, 0));
  EXPECT_EQ(pixel(3), colormap_color(Colormap::viridis, 1));
  EXPECT_EQ(all<draw::Image>(picture).size(), 2u);  // the map and its colour bar
  EXPECT_TRUE(has_text(picture, "u"));
  const PixelBox frame = frame_of(picture), box = all<draw::Image>(picture)[0].box;
  EXPECT_NEAR(box.left, frame.left, 1e-9);  // no margin around a heat map
  EXPECT_NEAR(box.width, frame.width, 1e-9);
  expect_readable(picture);
}

TEST(Plot, DivergingColorsAreSymmetricAboutZero) {
  Matrix values(1, 2);
  values(0, 0) = 0;
  values(0, 1) = 2;
  Plot plot({.color = {.map = Colormap::diverging}});
  plot.heat_map(values, {0, 1}, {0, 1});
  const RgbImage image = all<draw::Image>(drawn(plot)).at(0).image;
  const Color middle = colormap_color(Colormap::diverging, 0.5);
  EXPECT_EQ(image.rgb[0], middle.red);
  EXPECT_EQ(image.rgb[2], middle.blue);
}

TEST(Plot, PointsByValueTakeTheColorsOfTheMapAndSkipMissingValues) {
  Plot plot({.color = {.scale = AxisScale::log}});
  plot.scatter_by_value(Values{0, 1, 2, 3, 4}, Values{0, 1, 2, 3, 4}, Values{1e-3, 1, nan, 0, -1});
  const auto circles = all<draw::Circles>(drawn(plot));
  ASSERT_EQ(circles.size(), 2u);
  EXPECT_EQ(circles[0].color, colormap_color(Colormap::viridis, 0.5 / 64));
  EXPECT_EQ(circles[1].color, colormap_color(Colormap::viridis, 63.5 / 64));
}

TEST(Plot, DotsShrinkWithTheirNumber) {
  double last = 5;
  for (const std::size_t n : {10u, 1000u, 5000u}) {
    Plot plot;
    plot.scatter(Values(n, 0.5), Values(n, 0.5));
    const double radius = all<draw::Circles>(drawn(plot)).at(0).radius;
    EXPECT_LT(radius, last);
    EXPECT_GE(radius, 0.8);
    last = radius;
  }
}

TEST(Plot, LongLinesAreThinnedButKeepTheirExtremes) {
  const std::size_t n = 200'000;
  Values x(n), y(n);
  for (std::size_t i = 0; i < n; ++i) {
    x[i] = static_cast<double>(i);
    y[i] = std::sin(0.01 * x[i]);
  }
  y[77'777] = 40;
  y[123'456] = nan;
  Plot plot({.grid = false});
  plot.line(x, y, {.color = Color{1, 2, 3}});
  const Picture picture = drawn(plot);
  const PixelBox frame = frame_of(picture);
  std::size_t n_points = 0, n_pieces = 0;
  double top = 1e9;
  for (const auto& c : all<draw::Polyline>(picture)) {
    if (c.stroke.color != Color{1, 2, 3}) continue;
    ++n_pieces;
    n_points += c.points.size();
    for (const PixelPoint& p : c.points) top = std::min(top, p.y);
  }
  EXPECT_EQ(n_pieces, 2u);
  EXPECT_LT(n_points, 8u * 640u);
  // 40 is the maximum, -1 the minimum, 4 percent margin on both sides.
  EXPECT_NEAR(top, frame.top + frame.height * 0.04 / 1.08, 1e-6);
}

TEST(Plot, RegionsKeepTheirHolesAndAreClipped) {
  Plot plot({.x = {.limits = Limits{0, 1}}, .y = {.limits = Limits{0, 1}}});
  plot.region({{{-1, -1}, {2, -1}, {2, 2}, {-1, 2}}, {{.4, .4}, {.6, .4}, {.6, .6}}},
              {.name = "domain", .fill = Color{9, 9, 9}, .edge = black});
  const Picture picture = drawn(plot);
  const auto polygons = all<draw::Polygon>(picture);
  ASSERT_EQ(polygons.at(0).rings.size(), 2u);
  EXPECT_TRUE(polygons[0].stroke.has_value());
  const auto clips = all<draw::Clip>(picture);
  ASSERT_EQ(clips.size(), 2u);
  EXPECT_NEAR(clips[0].box->left, frame_of(picture).left, 1e-9);
  EXPECT_FALSE(clips[1].box.has_value());
  EXPECT_TRUE(has_text(picture, "domain"));
}

TEST(Plot, TextIsInsideThePanelAndApartForManyKindsOfAxes) {
  const Limits ranges[] = {
      {0, 1}, {-1.23456e-7, 3.3e-7}, {1e5, 1.00001e5}, {-1e12, 3e12}, {17, 19}};
  for (const auto& [width, height] : {std::pair{640.0, 480.0}, {300.0, 240.0}, {200.0, 160.0}}) {
    for (const Limits& x : ranges) {
      for (const Limits& y : ranges) {
        Plot plot({.title = "A title of medium length",
                   .x = {.label = "x label", .limits = x},
                   .y = {.label = "y label", .limits = y}});
        expect_readable(drawn(plot, width, height));
      }
    }
    Plot log({.title = "log",
              .x = {.label = "h", .scale = AxisScale::log},
              .y = {.scale = AxisScale::log}});
    log.line(Values{1e-9, 1e5}, Values{0.3, 0.9}, {.name = "series"});
    expect_readable(drawn(log, width, height));
  }
}

TEST(Plot, ExtremeDataNeitherHangNorCrash) {
  constexpr double big = std::numeric_limits<double>::max();
  for (const AxisScale scale : {AxisScale::linear, AxisScale::log}) {
    Plot plot({.x = {.scale = scale}, .y = {.scale = scale}});
    plot.line(Values{-big, 1e-320, big}, Values{big, 0, -big}, {.name = "a", .markers = true});
    plot.scatter(Values{1e-300, 1e300}, Values{big, 1e-308}, {.name = "b"});
    EXPECT_FALSE(to_png(drawn(plot), 0.5).empty());
    EXPECT_FALSE(to_svg(drawn(plot)).empty());
  }
}

TEST(Plot, MisuseIsAnErrorWithThePlace) {
  const auto expect = [](const std::string& text, std::string_view part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  const Values one{1}, two{1, 2};
  expect(message_of([&] { Plot().line(one, two); }), "[report.plot]: 1 x values but 2 y values");
  expect(message_of([&] { Plot().scatter(two, one); }), "2 x values but 1 y values");
  expect(message_of([&] { Plot().scatter_by_value(one, one, two); }), "but 2 colour values");
  const std::vector<std::size_t> groups{3};
  const std::vector<std::string> names{"a"};
  expect(message_of([&] { Plot().scatter_by_group(one, one, groups, names); }),
         "point 0 is in group 3 but there are 1 names");
  expect(message_of([&] { Plot().line(one, one, {.width = nan}); }), "line width must be");
  expect(message_of([&] { Plot().scatter(one, one, {.radius = -1}); }), "radius must be");
  expect(message_of([&] { Plot().region({}, {.edge_width = inf}); }), "edge width must be");
  expect(message_of([] { Plot({.x = {.limits = Limits{1, 1}}}); }), "limits of the x axis must be");
  expect(message_of([] {
           Plot({.y = {.limits = Limits{0, nan}}});
         }),
         "limits of the y axis must be");
  expect(message_of([] {
           Plot({.y = {.scale = AxisScale::log, .limits = Limits{0, 1}}});
         }),
         "limits of the logarithmic y axis must be positive");
  expect(message_of([] { Plot({.x = {.scale = AxisScale::log}, .equal_aspect = true}); }),
         "equal aspect needs two linear axes");
  Plot log({.x = {.scale = AxisScale::log}});
  expect(message_of([&] { log.heat_map(Matrix(1, 1), {0, 1}, {0, 1}); }), "needs two linear axes");
  expect(message_of([] { Plot().heat_map(Matrix(), {0, 1}, {0, 1}); }), "at least one cell");
}

}  // namespace
}  // namespace cauchy::test_plot
