#include <cauchy/report/box_plot.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <cauchy/report/figure.hpp>
#include <cauchy/report/study_page.hpp>

#include "support/message_of.hpp"

namespace cauchy::test_box_plot {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

template <class Command>
std::vector<Command> commands_of(const Picture& picture) {
  std::vector<Command> found;
  for (const draw::Command& command : picture.commands()) {
    if (const auto* c = std::get_if<Command>(&command)) found.push_back(*c);
  }
  return found;
}

struct Ends {
  double left, right;
};
Ends ends(const draw::Polygon& p) {
  Ends e{infinity, -infinity};
  for (const PixelPoint& q : p.rings.at(0)) {
    e = {std::min(e.left, q.x), std::max(e.right, q.x)};
  }
  return e;
}

std::size_t n_texts(const Picture& picture, const std::string& text) {
  std::size_t n = 0;
  for (const draw::Text& t : commands_of<draw::Text>(picture)) n += t.text == text ? 1 : 0;
  return n;
}

TEST(BoxPlot, DrawsQuartilesMedianAndEveryNumber) {
  BoxPlot plot({.label = "error", .scale = AxisScale::log, .limits = Limits{1, 1e4}});
  plot.row("powers", {1, 1e4, 100, 10, 1000}).row("one", {100});
  const Picture picture = draw_figure({&plot}, {600, plot.good_height(), 1, ""});
  const auto boxes = commands_of<draw::Polygon>(picture);
  ASSERT_EQ(boxes.size(), 3u) << "two boxes and the frame";
  const Ends frame = ends(boxes[2]), box = ends(boxes[0]), point = ends(boxes[1]);
  const double width = frame.right - frame.left;
  EXPECT_NEAR(box.left, frame.left + width / 4, 1e-9);       // 10
  EXPECT_NEAR(box.right, frame.left + 3 * width / 4, 1e-9);  // 1000
  EXPECT_NEAR(point.left, frame.left + width / 2, 1e-9);
  EXPECT_NEAR(point.right, point.left, 1e-9);
  const auto dots = commands_of<draw::Circles>(picture);
  ASSERT_EQ(dots.size(), 2u);
  ASSERT_EQ(dots[0].centres.size(), 5u);
  EXPECT_NEAR(dots[0].centres[2].x, frame.left + width / 2, 1e-9);
  EXPECT_LT(dots[0].centres[0].y, dots[1].centres[0].y) << "rows go down";
  // The bar of the median is the thickest line.
  const draw::Polyline* bar = nullptr;
  const auto lines = commands_of<draw::Polyline>(picture);
  for (const draw::Polyline& line : lines) {
    if (bar == nullptr || line.stroke.width > bar->stroke.width) bar = &line;
  }
  ASSERT_NE(bar, nullptr);
  EXPECT_NEAR(bar->points[0].x, frame.left + width / 2, 1e-9);
  EXPECT_EQ(n_texts(picture, "powers"), 1u);
  EXPECT_EQ(n_texts(picture, "error"), 1u);
}

TEST(BoxPlot, SaysWhatItCannotShow) {
  BoxPlot plot({.label = {}, .scale = AxisScale::log, .limits = {}});
  plot.row("some", {1, 2, infinity, infinity}).row("none", {std::nan("")}).row("empty", {});
  const Picture picture = draw_figure({&plot}, {600, 300, 1, ""});
  EXPECT_EQ(n_texts(picture, "2 of 4 not shown"), 1u);
  EXPECT_EQ(n_texts(picture, "1 of 1 not shown"), 1u);
  const auto boxes = commands_of<draw::Polygon>(picture);
  ASSERT_EQ(boxes.size(), 2u) << "one box and the frame";
  EXPECT_EQ(ends(boxes[0]).right, ends(boxes[1]).right) << "an infinite quartile is at the frame";
  EXPECT_EQ(commands_of<draw::Circles>(picture).at(0).centres.size(), 2u);
  EXPECT_NE(message_of([] {
              (void)BoxPlot({.label = {}, .scale = AxisScale::log, .limits = Limits{0, 1}});
            }).find("must be finite and increasing"),
            std::string::npos);
}

StudyRun made(std::uint64_t seed, double error, const char* grade) {
  StudyRun run{.seed = seed};
  run.summary = RunSummary{};
  run.summary->relative_l2 = error;
  run.summary->grade = grade;
  run.summary->seconds = 2;
  return run;
}

TEST(StudyPage, ShowsMediansGradesAndFailures) {
  StudyResult study;
  study.name = "points <few>";
  study.problem = "bar";
  study.cells = {{{"a & b", {{"method.seed=1", ""}}},
                  {made(1, 1e-3, "converged"), made(2, 4e-3, "stalled"), made(3, 2e-3, "stalled")}},
                 {{"broken", {}}, {{.seed = 1, .failure = "no <time>"}, {.seed = 2}}}};
  EXPECT_EQ(study.measure(), StudyMeasure::relative_l2);
  EXPECT_EQ(study.n_runs(), 5u);
  EXPECT_EQ(study.n_open(), 1u);
  EXPECT_EQ(study.n_failed(), 1u);
  EXPECT_EQ(grades_text(study.cells[0]), "1 converged, 2 stalled");
  EXPECT_EQ(grades_text(study.cells[1]), "1 failed, 1 not made");
  const std::string page = html_study(study);
  for (const char* text :
       {"<h1>points &lt;few&gt;</h1>", "a &amp; b", "2.00×10<sup>−3</sup>", "no &lt;time&gt;",
        "1 of them are not made yet", "<code>method.seed=1</code>", "1 converged, 2 stalled"}) {
    EXPECT_NE(page.find(text), std::string::npos) << text;
  }
  EXPECT_EQ(page.find("<few>"), std::string::npos);
}

TEST(Study, MeasuresWhatIsKnown) {
  const double nan = std::nan("");
  StudyResult study;
  study.cells = {{{"a", {}}, {made(1, nan, "unverified")}}};
  RunSummary& summary = *study.cells[0].runs[0].summary;
  summary.estimate = nan;
  summary.residual = 0.25;
  EXPECT_EQ(study.measure(), StudyMeasure::residual);
  EXPECT_EQ(study_line(study.cells[0], study.measure()).values.at(0), 0.25);
  summary.estimate = 0.5;
  EXPECT_EQ(study.measure(), StudyMeasure::estimate);
}

}  // namespace
}  // namespace cauchy::test_box_plot
