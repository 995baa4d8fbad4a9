#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <functional>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/io/files.hpp>
#include <cauchy/report/html_report.hpp>
#include <cauchy/sampling/domain_points.hpp>

#include "report/html_text.hpp"
#include "report/html_views.hpp"
#include "support/io_support.hpp"

namespace cauchy {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const Coordinate t("t"), x("x"), y("y"), z("z");
const Field u("u"), v("v");

/// Fields by code: no training, and every value is known.
class FormulaModel final : public FieldModel {
 public:
  std::string_view kind() const noexcept override { return "test"; }
  void save(Checkpoint&) const override {}
  using Formula = std::function<double(std::span<const double> row)>;
  FormulaModel(std::vector<std::string> columns, std::map<std::string, Formula> formulas)
      : columns_(std::move(columns)), formulas_(std::move(formulas)) {}
  void evaluate(std::span<const Expr> expressions, std::span<const double> points,
                std::span<double> out) const override {
    const std::size_t D = columns_.size(), K = expressions.size();
    for (std::size_t k = 0; k < K; ++k) {
      const Formula& formula = formulas_.at(expressions[k].name());
      std::vector<std::size_t> by;
      for (const auto& [name, order] : expressions[k].index()) {
        const auto column = std::find(columns_.begin(), columns_.end(), name) - columns_.begin();
        by.insert(by.end(), static_cast<std::size_t>(order), static_cast<std::size_t>(column));
      }
      for (std::size_t i = 0; i < points.size() / D; ++i) {
        std::vector<double> row(points.begin() + static_cast<std::ptrdiff_t>(i * D),
                                points.begin() + static_cast<std::ptrdiff_t>((i + 1) * D));
        out[i * K + k] = derivative(formula, row, by);
      }
    }
  }

 private:
  /// By central differences, good to 1e-6; the row is left as it was.
  static double derivative(const Formula& f, std::span<double> row,
                           std::span<const std::size_t> by) {
    constexpr double h = 1e-3;
    if (by.empty()) return f(row);
    double& at = row[by.back()];
    const double middle = at;
    at = middle + h;
    const double above = derivative(f, row, by.first(by.size() - 1));
    at = middle - h;
    const double below = derivative(f, row, by.first(by.size() - 1));
    at = middle;
    return (above - below) / (2 * h);
  }

  std::vector<std::string> columns_;
  std::map<std::string, Formula> formulas_;
};

/// Values of u at n points along a diagonal from 0 to 1, as if measured.
Observation measured(std::vector<std::string> columns, std::size_t n,
                     const FormulaModel::Formula& formula) {
  Observation o{.name = "sensor", .quantity = u, .column = "value"};
  o.table.columns = columns;
  o.table.columns.emplace_back("value");
  for (std::size_t i = 0; i < n; ++i) {
    const double at = static_cast<double>(i) / static_cast<double>(n);
    const std::vector<double> row(columns.size(), at);
    o.table.values.insert(o.table.values.end(), row.begin(), row.end());
    o.table.values.push_back(formula(row));
  }
  return o;
}

Solution solution_of(Problem problem, std::map<std::string, FormulaModel::Formula> formulas) {
  Solution s;
  s.problem = std::move(problem);
  s.model = std::make_shared<FormulaModel>(s.problem.coordinates(), std::move(formulas));
  s.grade = Grade::converged;
  s.findings = {"relative L2 error 1e-03 against formula, within 1e-02"};
  s.method = "by hand";
  s.training.emplace();
  s.training->steps = 1200;
  s.training->evaluations = 1300;
  s.seconds = 83;
  s.training->term_names = {"equation 1", "boundary"};
  for (int k = 0; k <= 12; ++k) {
    const double loss = std::pow(10, -0.3 * k);
    s.training->history.push_back({static_cast<std::uint64_t>(100 * k),
                                   k < 8 ? "adam" : "lbfgs",
                                   0.1 * k,
                                   loss,
                                   {0.7 * loss, 0.3 * loss},
                                   {}});
  }
  s.training->checks = {{"equation 1", 1e-3, 2e-3, 4}, {"boundary", 1e-4, 5e-3, 1}};
  s.training->scales = {{"x", 0.5}, {"u", 1}};
  s.training->points["equation 1"] = interior_points(*s.problem.domain, 60);
  return s;
}

Solution heat() {
  Problem p;
  p.title = "Heated bar";
  p.domain = Interval(x, 0, 1) * Time(t, 0, 0.5);
  p.fields = {"u"};
  p.parameters = {{"alpha", Expr(0.3)}};
  p.equation = {d(u, t) == Parameter("alpha") * d(u, x, x)};
  p.condition = {at(t == 0, u == sin(pi * x)), on_boundary(u == 0)};
  p.reference.formulas["u"] = exp(-t) * sin(pi * x);
  p.tolerance = 1e-2;
  Solution s = solution_of(
      p, {{"u", [](auto r) { return 1.001 * std::exp(-r[0]) * std::sin(M_PI * r[1]); }}});
  s.error = measure_error(s, 400);
  return s;
}

Solution oscillator() {
  Problem p;
  p.domain = Domain(Time(t, 0, 6));
  p.fields = {"u", "v"};
  p.equation = {d(u, t) == v, d(v, t) == -u};
  p.condition = {at(t == 0, u == 1), at(t == 0, v == 0)};
  p.reference.formulas["u"] = cos(t);
  p.unknowns = {{.name = "omega", .initial = 2, .lower = 0.0, .truth = 1.0}};
  Solution s = solution_of(p, {{"u", [](auto r) { return std::cos(r[0]) + 1e-4; }},
                               {"v", [](auto r) { return -std::sin(r[0]); }}});
  for (HistoryEntry& h : s.training->history) {
    h.unknowns = {1 + h.loss};
    h.error = std::sqrt(h.loss);
  }
  s.problem.observation = {measured({"t"}, 40, [](auto r) { return std::cos(r[0]); })};
  s.unknowns["omega"] = 1.001;
  s.error = measure_error(s, 50);
  return s;
}

Solution disk() {
  Problem p;
  p.domain = Domain(Disk({0, 0}, 1) - Disk({0.3, 0}, 0.3).named("hole"));
  p.fields = {"u"};
  p.equation = {d(u, x, x) + d(u, y, y) == -4};
  p.condition = {on("arc", u == 0), on("hole", u == 1)};
  p.reference.formulas["u"] = 1 - x * x - y * y;
  Solution s =
      solution_of(p, {{"u", [](auto r) { return 1 - r[0] * r[0] - r[1] * r[1] + 1e-3 * r[0]; }}});
  s.training->points["boundary"] = boundary_points(*s.problem.domain, "boundary", 40);
  return s;
}

Solution moving_plane() {
  Problem p;
  p.domain = Rectangle({0, 0}, {2, 1}) * Time(t, 0, 1);
  p.fields = {"u"};
  p.equation = {d(u, t) == d(u, x, x) + d(u, y, y)};
  p.reference.formulas["u"] = sin(x + y - t);
  return solution_of(p, {{"u", [](auto r) { return std::sin(r[1] + r[2] - r[0]) + 1e-3; }}});
}

Solution ball() {
  Problem p;
  p.domain = Domain(Sphere({0, 0, 0}, 1));
  p.fields = {"u"};
  p.equation = {d(u, x, x) + d(u, y, y) + d(u, z, z) == 1};
  return solution_of(p, {{"u", [](auto r) { return r[0] * r[1] + r[2]; }}});
}

Solution decay() {
  Problem p;
  const Parameter k("k");
  p.domain = Domain(Time(t, 0, 2)) * Range(k, 0.5, 3);
  p.fields = {"u"};
  p.equation = {d(u, t) == -k * u};
  p.reference.formulas["u"] = exp(-k * t);
  return solution_of(p, {{"u", [](auto r) { return std::exp(-r[0] * r[1]); }}});
}

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
  for (const char* id : {"verdict", "problem", "training", "unknowns", "solution", "errors", "data",
                         "residuals", "residual_maps", "points", "run", "settings"}) {
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
  s.findings = {evil};
  s.training->term_names = {evil, evil};
  s.training->checks[0].name = evil;
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
  s.training->checks.clear();
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
      s.training->checks[0].fresh = value;
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
  EXPECT_EQ(detail::html_duration(0.0123456), "12.3 ms");
  EXPECT_EQ(detail::html_duration(59.94), "59.9 s");
  EXPECT_EQ(detail::html_duration(123.4), "2 min 3 s");
  EXPECT_EQ(detail::html_duration(3900), "1 h 5 min");
  EXPECT_EQ(detail::html_duration(std::nan("")), "NaN");
  EXPECT_EQ(detail::grouped(1234567), "1,234,567");
}

// --- what is shown ---

TEST(HtmlReport, ShowsPointsOfAllQuarters) {
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

TEST(HtmlReport, IsTheSameForTheSameSolution) {
  EXPECT_EQ(html_report(oscillator()), html_report(oscillator()));
}

TEST(HtmlReport, PutsMeasuredValuesAgainstTheSolution) {
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

TEST(HtmlReport, DrawsTheErrorOverTheSteps) {
  const std::string label = "aria-label=\"error over the steps\"";
  EXPECT_THAT(html_report(oscillator()), HasSubstr(label));
  EXPECT_THAT(html_report(heat()), Not(HasSubstr(label)));  // it was not measured
  Solution s = heat();
  s.training->history.back().error = 1e-3;
  EXPECT_THAT(html_report(s), Not(HasSubstr(label)));  // a single value is no curve
  s.training->history.front().error = 1;
  EXPECT_THAT(html_report(s), HasSubstr(label));
}

TEST(HtmlReport, TheScaleOfTheErrorEndsWhereTheTableDoes) {
  Solution s = heat();
  const detail::FieldSampler sampler(s);
  detail::FieldSampler look(s);
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

TEST(HtmlReport, AViewShowsThePointsOfItsPlane) {
  const Solution s = moving_plane();
  const detail::FieldSampler sampler(s);
  const detail::ViewPlace place{1, 2, {0.5, 1, 0.5}};
  EXPECT_TRUE(detail::shows(sampler, place, {0.5, 0.1, 0.9}));
  EXPECT_FALSE(detail::shows(sampler, place, {0.6, 0.1, 0.9}));
  EXPECT_FALSE(detail::shows(sampler, place, {}));
}

TEST(HtmlReport, ShowsHowTheRunWasMade) {
  const std::string html =
      html_report(heat(), {.run = {{"seed", "7"}, {"precision", "f64"}, {"threads", "3"}}});
  EXPECT_THAT(html, HasSubstr("<td>seed</td><td>7</td>"));
  EXPECT_THAT(html, HasSubstr("<td>precision</td><td>f64</td>"));
  EXPECT_THAT(html, HasSubstr("<td>time per step</td><td>69.2 ms</td>"));
}

TEST(HtmlReport, ShowsTheWarningsOfTheProblemBesideTheGrade) {
  Solution s = heat();
  EXPECT_THAT(html_report(s), Not(HasSubstr("class=\"warnings\"")));
  s.problem.condition.erase(s.problem.condition.begin());  // the initial one
  const std::string html = html_report(s);
  const std::size_t at = html.find("class=\"warnings\"");
  ASSERT_NE(at, std::string::npos);
  EXPECT_LT(at, html.find("id=\"problem\""));
  EXPECT_THAT(html.substr(at), HasSubstr("field &#39;u&#39; has 0 of 1 initial condition"));
}

TEST(HtmlReport, RoundsTheEndsOfTheDomain) {
  Solution s = heat();
  s.problem.domain = Interval(x, 0, 2 * M_PI) * Time(t, 0, 1.0 / 3);
  const std::string html = html_report(s);
  EXPECT_THAT(html, HasSubstr("<mn>6.28319</mn>"));
  EXPECT_THAT(html, Not(HasSubstr("6.283185307")));
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
}  // namespace cauchy
