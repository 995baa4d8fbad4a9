#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <map>

#include <cauchy/base/error.hpp>
#include <cauchy/io/files.hpp>
#include <cauchy/report/html_report.hpp>
#include <cauchy/sampling/domain_points.hpp>

#include "report/html_text.hpp"
#include "support/io_support.hpp"
#include "support/report_cases.hpp"

namespace cauchy::test_html_report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

using namespace report_cases;

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

TEST(HtmlReport, IsOneFileWithoutOutsideResources) {
  const std::string html = html_report(heat());
  EXPECT_EQ(html.rfind("<!DOCTYPE html>", 0), 0u);
  std::string rest = html;
  for (const char* name : {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}) {
    for (std::size_t at = rest.find(name); at != std::string::npos; at = rest.find(name)) {
      rest.erase(at, std::string(name).size());
    }
  }
  EXPECT_EQ(rest.find("http"), std::string::npos);
  EXPECT_EQ(rest.find("@import"), std::string::npos);
  EXPECT_LT(html.size(), 3'000'000u);
}

TEST(HtmlReport, HasItsSectionsInOrder) {
  const std::string html = html_report(oscillator(), {.settings = "width = 20"});
  std::size_t last = 0;
  for (const char* id :
       {"verdict", "problem", "choices", "training", "events", "unknowns", "solution", "errors",
        "data", "residuals", "residual_maps", "points", "run", "settings"}) {
    const std::size_t at = html.find(std::string("id=\"") + id + "\"");
    ASSERT_NE(at, std::string::npos) << id;
    EXPECT_GT(at, last) << id;
    last = at;
  }
  EXPECT_THAT(html, Not(HasSubstr("id=\"failed\"")));
}

TEST(HtmlReport, ShowsGradeFindingsAndNumbers) {
  Solution s = heat();
  s.grade = Grade::suspicious;
  s.findings = {"'boundary' is violated"};
  const std::string html = html_report(s);
  EXPECT_THAT(html, HasSubstr("<h2 class=\"badge\">suspicious</h2>"));
  EXPECT_THAT(html, HasSubstr("<li>&#39;boundary&#39; is violated</li>"));
  EXPECT_THAT(html, HasSubstr("<dd>1 min 23 s</dd>"));
  EXPECT_THAT(html, HasSubstr("<dd>1,200</dd>"));
  EXPECT_THAT(html, HasSubstr("<dd>0.001</dd>"));  // relative error of a factor 1.001
  EXPECT_THAT(html, HasSubstr("<span class=\"bad\">50</span>"));  // fresh / trained
  EXPECT_THAT(html, HasSubstr("L-BFGS takes over after step 700"));
}

TEST(HtmlReport, ShowsChoicesEventsAndIntervals) {
  Solution s = oscillator();
  const std::string html = html_report(s);
  EXPECT_THAT(html, HasSubstr("<h2>What the recipe chose</h2>"));
  EXPECT_THAT(html, HasSubstr("<li>32 x 3 tanh, since the problem has 2 fields"));
  EXPECT_THAT(html, HasSubstr("<h2>What happened on the way</h2>"));
  EXPECT_THAT(html, HasSubstr("<td>650</td><td>650 ms</td><td>the balancer &#39;gradnorm&#39;"));
  EXPECT_THAT(html, HasSubstr("Light lines: what happened on the way, below."));
  EXPECT_THAT(html, HasSubstr("<td>0.997 to 1.005 (95 %)</td>"));
  EXPECT_THAT(html, HasSubstr("Intervals: Gauss-Newton matrix at the solution, noise 0.01."));
  s.intervals["omega"].lower = 1.0005;  // the truth is 1
  EXPECT_THAT(html_report(s), HasSubstr("<span class=\"bad\">1.0005 to 1.005 (95 %)</span>"));
  s.training->events.resize(60, s.training->events[0]);
  const std::string many = html_report(s);
  EXPECT_THAT(many, HasSubstr("<details><summary>60 events</summary>"));
  EXPECT_THAT(many, Not(HasSubstr("Light lines")));
  s.training->choices.clear();
  s.training->events.clear();
  s.intervals.clear();
  const std::string none = html_report(s);
  for (const char* part : {"id=\"choices\"", "id=\"events\"", "<th scope=\"col\">interval</th>"}) {
    EXPECT_THAT(none, Not(HasSubstr(part)));
  }
}

TEST(HtmlReport, WritesTheProblemAsFormulas) {
  const std::string html = html_report(heat());
  EXPECT_THAT(html, HasSubstr("<msub><mi>u</mi><mrow><mi>t</mi></mrow></msub>"));
  EXPECT_THAT(html, HasSubstr("<mi>α</mi>"));
  EXPECT_THAT(html, HasSubstr("at <code>t = 0</code>"));
  EXPECT_THAT(html, HasSubstr("on <code>boundary</code>"));
}

TEST(HtmlReport, EscapesEveryText) {
  Solution s = heat();
  const std::string evil = "<script>alert(\"1\")</script>&";
  s.problem.title = s.problem.name = s.problem.source = s.problem.notes = s.method = evil;
  s.findings = s.training->choices = {evil};
  s.training->events = {{1, 1, evil}};
  s.problem.unknowns = {{.name = "k", .initial = 1}};
  s.unknowns["k"] = 1;
  s.intervals["k"] = {0, 2, 0.95, evil};
  s.training->term_names = {evil, evil};
  s.checks[0].name = evil;
  s.training->scales[evil] = 1;
  s.training->points[evil] = s.training->points["equation 1"];
  s.problem.observation = {measured({"t", "x"}, 3, [](auto) { return 1.0; })};
  s.problem.observation[0].name = evil;
  s.error.reference = evil;
  s.problem.condition[0].name = s.problem.equation[0].name = evil;
  const std::string html = html_report(s, {.settings = evil, .run = {{evil, evil}}});
  EXPECT_EQ(count(html, "<script>"), 1u);  // its own
  EXPECT_EQ(count(html, "alert(\""), 0u);
  EXPECT_THAT(html, HasSubstr("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;"));
}

TEST(HtmlReport, AnimatesOverTimeAndParameters) {
  EXPECT_EQ(count(html_report(moving_plane(), {.frames = 5}), "<div class=\"frame"), 5u);
  EXPECT_EQ(count(html_report(decay(), {.frames = 4}), "<div class=\"frame"), 4u);
  EXPECT_EQ(count(html_report(disk()), "<div class=\"frame"), 0u);
}

TEST(HtmlReport, NamesInsidePicturesAreUnique) {
  const std::string html = html_report(moving_plane(), {.frames = 3});
  std::map<std::string, int> ids;
  for (std::size_t at = html.find(" id=\""); at != std::string::npos;
       at = html.find(" id=\"", at + 1)) {
    ++ids[html.substr(at + 5, html.find('"', at + 5) - at - 5)];
  }
  // One panel may clip twice to the same box; different pictures may not share a name.
  for (const auto& [id, n] : ids) {
    if (id.find("clip") == std::string::npos) {
      EXPECT_EQ(n, 1) << id;
    }
  }
  EXPECT_GT(ids.size(), 10u);
}

TEST(HtmlReport, ComparesOnlyWhereThereIsAReference) {
  EXPECT_THAT(html_report(disk()), HasSubstr("u reference"));
  EXPECT_THAT(html_report(ball()), Not(HasSubstr("u reference")));
}

TEST(HtmlReport, SaysWhyAReferenceIsMissing) {
  Solution s = heat();
  s.problem.reference = {.exact = "no_such_solution"};
  EXPECT_THAT(html_report(s), HasSubstr("The reference is not shown: "));
}

TEST(HtmlReport, LivesWithoutHistoryModelAndPoints) {
  Solution s = heat();
  s.training->history.clear();
  s.training->points.clear();
  s.checks.clear();
  s.model = nullptr;
  s.error = {};
  const std::string html = html_report(s);
  EXPECT_THAT(html, HasSubstr("left no solution"));
  EXPECT_THAT(html, Not(HasSubstr("id=\"failed\"")));
  EXPECT_THAT(html_report(Solution{}), HasSubstr("id=\"verdict\""));
}

TEST(HtmlReport, LivesWithNumbersThatAreNone) {
  const double nan = std::nan("");
  for (const double value : {nan, HUGE_VAL, 0.0, 1.0, 1e300}) {
    for (Solution s : {heat(), disk(), oscillator(), moving_plane()}) {
      std::map<std::string, FormulaModel::Formula> same;
      for (const std::string& f : s.problem.fields) same[f] = [=](auto) { return value; };
      s.model = std::make_shared<FormulaModel>(s.problem.coordinates(), same);
      s.grade = Grade::diverged;
      for (HistoryEntry& h : s.training->history) h.loss = h.terms[0] = value;
      s.unknowns["omega"] = value;
      s.seconds = value;
      s.checks[0].fresh = value;
      EXPECT_THAT(html_report(s, {.frames = 2}), Not(HasSubstr("id=\"failed\""))) << value;
    }
  }
}

TEST(HtmlReport, LivesWithOnePointAndOneEntry) {
  Solution s = heat();
  s.training->history.resize(1);
  s.training->points.clear();
  s.training->points["equation 1"] = interior_points(*s.problem.domain, 1);
  EXPECT_THAT(html_report(s), Not(HasSubstr("id=\"failed\"")));
}

TEST(HtmlReport, RefusesAnAnimationWithoutFrames) {
  EXPECT_THROW((void)html_report(heat(), {.frames = 1}), Error);
  EXPECT_THROW((void)html_report(heat(), {.frames = 61}), Error);
}

TEST(HtmlNumber, IsReadByPeople) {
  EXPECT_EQ(detail::html_number(1.234e-7), "1.23×10<sup>−7</sup>");
  EXPECT_EQ(detail::html_number(-0.5), "−0.5");
  EXPECT_EQ(detail::html_number(std::nan("")), "NaN");
  EXPECT_EQ(detail::html_number(-HUGE_VAL), "−∞");
  EXPECT_EQ(detail::shortened("αβγδ", 3), "αβ…");
  EXPECT_EQ(detail::html_escaped("a\x01<'\">&"), "a &lt;&#39;&quot;&gt;&amp;");
}

/// Pages of every kind, left for a browser where CAUCHY_REPORT_FOLDER says so.
TEST(HtmlReport, WritesPagesOfEveryKind) {
  const TemporaryFolder scratch;
  const char* wanted = std::getenv("CAUCHY_REPORT_FOLDER");
  const std::filesystem::path folder = wanted != nullptr ? wanted : scratch.path();
  std::filesystem::create_directories(folder);
  const std::map<std::string, Solution> all = {{"heat", heat()}, {"oscillator", oscillator()},
                                               {"disk", disk()}, {"moving_plane", moving_plane()},
                                               {"ball", ball()}, {"decay", decay()}};
  for (const auto& [name, solution] : all) {
    const auto file = folder / (name + ".html");
    save_html_report(file, solution, {.settings = "[method]\nwidth = 20 # <&>\n"});
    EXPECT_GT(std::filesystem::file_size(file), 20'000u) << name;
    EXPECT_LT(std::filesystem::file_size(file), 3'000'000u) << name;
    EXPECT_THAT(read_file(file), Not(HasSubstr("id=\"failed\""))) << name;
  }
  EXPECT_THROW(save_html_report(folder / "missing" / "a.html", heat()), Error);
}

TEST(HtmlReport, AWrongParameterIsToldAndNotSwallowed) {
  Solution s = heat();
  s.problem.parameters.push_back({"big", Expr(1e308)});
  s.problem.parameters.push_back({"bigger", 10 * Parameter("big")});
  const std::string html = html_report(s);
  const auto problem =
      html.find("<h2>Problem</h2>\n<p class=\"note\">This part could not be made: ");
  ASSERT_NE(problem, std::string::npos);
  EXPECT_THAT(html.substr(problem, 300), HasSubstr("parameter &#39;bigger&#39; is inf"));
}

}  // namespace
}  // namespace cauchy::test_html_report
