#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include <cauchy/geometry/primitives.hpp>
#include <cauchy/report/html_report.hpp>
#include <cauchy/sampling/domain_points.hpp>

#include "report/html_text.hpp"
#include "report/html_views.hpp"
#include "support/report_cases.hpp"

namespace cauchy::test_html_shown {
namespace {

using namespace report_cases;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(HtmlShown, ShowsPointsOfAllQuarters) {
  // Every second point of a Sobol sequence lies in one half of the domain.
  const Domain domain = Interval(x, -1, 1) * Time(t, 0, 1);
  const Points points = interior_points(domain, 5000);
  const std::vector<std::size_t> shown = detail::some_of(points.size(), 2500);
  ASSERT_EQ(shown.size(), 2500u);
  EXPECT_TRUE(std::is_sorted(shown.begin(), shown.end()));
  EXPECT_EQ(std::adjacent_find(shown.begin(), shown.end()), shown.end());
  std::array<int, 4> quarters{};
  for (const std::size_t i : shown) {
    const auto row = points.row(i);
    ++quarters[(row[0] > 0.5 ? 2u : 0u) + (row[1] > 0 ? 1u : 0u)];
  }
  // 625 are expected in each; the deviation of a random choice is 15.
  for (const int n : quarters) EXPECT_LT(std::abs(n - 625), 75);
  EXPECT_EQ(detail::some_of(points.size(), 2500), shown);
  EXPECT_EQ(detail::some_of(3, 5), (std::vector<std::size_t>{0, 1, 2}));
}

TEST(HtmlShown, IsTheSameForTheSameSolution) {
  EXPECT_EQ(html_report(oscillator()), html_report(oscillator()));
}

TEST(HtmlShown, PutsMeasuredValuesAgainstTheSolution) {
  Solution s = heat();
  s.problem.observation = {measured({"t", "x"}, 50, [&](auto r) { return s("u", r)[0] + 0.25; })};
  std::string html = html_report(s);
  EXPECT_THAT(html, HasSubstr("<h3>sensor</h3>"));
  EXPECT_THAT(html, HasSubstr("off by 0.25 in the root mean square"));
  EXPECT_THAT(html, HasSubstr("by 0.25 at most"));
  EXPECT_THAT(html, HasSubstr("50 values."));
  EXPECT_THAT(html, HasSubstr(">solution − measured</text>"));
  // One coordinate: over it. The values of a circle, exact but for 1e-4.
  html = html_report(oscillator());
  EXPECT_THAT(html, HasSubstr("off by 0.0001 in the root mean square"));
  EXPECT_THAT(html, HasSubstr("<i>R</i>² = 1 − "));
  EXPECT_THAT(html_report(disk()), Not(HasSubstr("id=\"data\"")));
}

TEST(HtmlShown, DrawsTheErrorOverTheSteps) {
  const std::string label = "aria-label=\"error over the steps\"";
  EXPECT_THAT(html_report(oscillator()), HasSubstr(label));
  EXPECT_THAT(html_report(heat()), Not(HasSubstr(label)));  // it was not measured
  Solution s = heat();
  s.training->history.back().error = 1e-3;
  EXPECT_THAT(html_report(s), Not(HasSubstr(label)));  // a single value is no curve
  s.training->history.front().error = 1;
  EXPECT_THAT(html_report(s), HasSubstr(label));
}

TEST(HtmlShown, TheScaleOfTheErrorEndsWhereTheTableDoes) {
  Solution s = heat();
  const detail::SolutionSampler sampler(s);
  detail::SolutionSampler look(s);
  const std::vector<detail::FieldSample> samples = {look.plane(0, 7, 1, 7, sampler.middle())};
  const detail::ViewLimits limits = detail::view_limits(samples, sampler, s.error);
  ASSERT_EQ(s.error.fields.size(), 1u);
  EXPECT_EQ(limits.errors[0].high, s.error.fields[0].max);
  EXPECT_EQ(limits.errors[0].low, -s.error.fields[0].max);
  EXPECT_EQ(limits.worst[0], s.error.fields[0].where);
  // u is off by a thousandth of sin(pi x) at t = 0.
  const std::string html = html_report(s);
  EXPECT_THAT(html, HasSubstr("Largest error 0.000997 at t = 0, x = 0.474 (ring)."));
  // A largest error that is no number leaves the scale to what is seen.
  s.error.fields[0].max = std::nan("");
  EXPECT_GT(detail::view_limits(samples, sampler, s.error).errors[0].high, 0);
}

TEST(HtmlShown, AViewShowsThePointsOfItsPlane) {
  const Solution s = moving_plane();
  const detail::SolutionSampler sampler(s);
  const detail::ViewPlace place{1, 2, {0.5, 1, 0.5}};
  EXPECT_TRUE(detail::shows(sampler, place, {0.5, 0.1, 0.9}));
  EXPECT_FALSE(detail::shows(sampler, place, {0.6, 0.1, 0.9}));
  EXPECT_FALSE(detail::shows(sampler, place, {}));
}

TEST(HtmlShown, ShowsHowTheRunWasMade) {
  const std::string html =
      html_report(heat(), {.run = {{"seed", "7"}, {"precision", "f64"}, {"threads", "3"}}});
  EXPECT_THAT(html, HasSubstr("<td>seed</td><td>7</td>"));
  EXPECT_THAT(html, HasSubstr("<td>precision</td><td>f64</td>"));
  EXPECT_THAT(html, HasSubstr("<td>time per step</td><td>69.2 ms</td>"));
}

TEST(HtmlShown, ShowsTheWarningsOfTheProblemBesideTheGrade) {
  Solution s = heat();
  EXPECT_THAT(html_report(s), Not(HasSubstr("class=\"warnings\"")));
  s.warnings = {"field 'u' has 0 of 1 initial condition"};
  const std::string html = html_report(s);
  const std::size_t at = html.find("class=\"warnings\"");
  ASSERT_NE(at, std::string::npos);
  EXPECT_LT(at, html.find("id=\"problem\""));
  EXPECT_THAT(html.substr(at), HasSubstr("field &#39;u&#39; has 0 of 1 initial condition"));
}

TEST(HtmlShown, TheGradeAlsoWhereTheProblemIsBroken) {
  Solution s = heat();
  s.problem.condition[1].where = "nowhere at all";
  const std::string html = html_report(s);
  EXPECT_THAT(html, HasSubstr("<h2 class=\"badge\">converged</h2>"));
}

TEST(HtmlShown, RoundsTheEndsOfTheDomain) {
  Solution s = heat();
  s.problem.domain = Interval(x, 0, 2 * M_PI) * Time(t, 0, 1.0 / 3);
  const std::string html = html_report(s);
  EXPECT_THAT(html, HasSubstr("<mn>6.28319</mn>"));
  EXPECT_THAT(html, Not(HasSubstr("6.283185307")));
}

}  // namespace
}  // namespace cauchy::test_html_shown
