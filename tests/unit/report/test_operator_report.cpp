#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cauchy/report/operator_report.hpp>

#include "report/html_operator_parts.hpp"
#include "support/message_of.hpp"
#include "support/operator_cases.hpp"

namespace cauchy::test_operator_report {
namespace {

TEST(PowerSpectrum, AWaveHasItsPowerAtItsNumber) {
  // 3 cos(2 pi 5 x): coefficients 3/2 at 5 and -5, power 9/2.
  const FieldGrid grid = circle(32);
  std::vector<double> v;
  for (int i = 0; i < 32; ++i) v.push_back(3 * std::cos(2 * std::numbers::pi * 5 * i / 32));
  const std::vector<double> p = power_spectrum(grid, v);
  for (std::size_t k = 0; k < p.size(); ++k) {
    EXPECT_LT(std::abs(p[k] - (k == 5 ? 4.5 : 0)), 1e-13) << k;
  }
}

TEST(PowerSpectrum, SumsTheMeanSquareOfAFunction) {
  // All coefficients lie below the highest frequency: Parseval.
  const FieldGrid grid = {.axes = {{"x", 16, 0, 1, true}, {"y", 16, 0, 1, true}}};
  std::vector<double> v;
  double mean_square = 0;
  for (int i = 0; i < 16; ++i) {
    for (int j = 0; j < 16; ++j) {
      const double x = 2 * std::numbers::pi * i / 16, y = 2 * std::numbers::pi * j / 16;
      v.push_back(1 + std::cos(3 * x + 4 * y) + 0.5 * std::sin(2 * y));
      mean_square += v.back() * v.back() / 256;
    }
  }
  const std::vector<double> p = power_spectrum(grid, v);
  double sum = 0;
  for (const double e : p) sum += e;
  EXPECT_LT(std::abs(sum - mean_square), 1e-13);
  EXPECT_LT(std::abs(p[5] - 0.5), 1e-13);  // |(3, 4)| = 5
  EXPECT_LT(std::abs(p[0] - 1), 1e-13);
}

TEST(PowerSpectrum, EndsThatAreNotPeriodicMakeNoNoise) {
  // cos(pi 4 x) on [0, 1], ends included: two cycles per length.
  const FieldGrid grid = {.axes = {{"x", 33, 0, 1}}};
  std::vector<double> v;
  for (int i = 0; i < 33; ++i) v.push_back(std::cos(std::numbers::pi * 4 * i / 32));
  const std::vector<double> p = power_spectrum(grid, v);
  for (std::size_t k = 0; k < p.size(); ++k) {
    EXPECT_LT(std::abs(p[k] - (k == 2 ? 0.5 : 0)), 1e-13) << k;
  }
  FieldGrid cloud = grid;
  cloud.cloud = {0.5};
  EXPECT_EQ(message_of([&] { (void)power_spectrum(cloud, v); }),
            "[report]: scattered points have no spectrum; give samples on a grid");
}

OperatorAnswers answers(const DataSet& data, double noise) {
  OperatorAnswers a;
  a.data = data;
  a.prediction = data.out;
  Rng rng(4);
  for (std::size_t i = 0; i < a.prediction.size(); ++i) {
    a.prediction[i] += noise * rng.normal() * static_cast<double>(1 + i / data.out_size());
  }
  a.error = measure(a.prediction, a.data);
  return a;
}

OperatorResult result_of(const OperatorAnswers& a) {
  OperatorResult r;
  r.train = r.test = a.error;
  for (int i = 1; i <= 20; ++i) {
    r.epochs.push_back({static_cast<std::uint64_t>(10 * i), 0.1 * i, 1.0 / i, 2.0 / i});
  }
  r.best_epoch = 20;
  grade(r, {});
  return r;
}

OperatorProblem shown_problem() {
  OperatorProblem p = heat_problem(10, 2, 5);
  p.problem.title = "Heat & <waves>";
  p.problem.domain = Interval(Coordinate("x"), 0, 1);
  p.inputs = {{.name = "f", .field = "grf(alpha = 2, tau = 3)"}};
  return p;
}

bool has(const std::string& page, std::string_view part) {
  return page.find(part) != std::string::npos;
}

TEST(OperatorReport, ShowsEverySection) {
  const OperatorAnswers a = answers(heat_data(32, 9), 0.01);
  OperatorResult r = result_of(a);
  r.training.choices = {"adam, 20 epochs & more"};
  const std::string page = operator_report(
      shown_problem(), r, a, {{circle(16), a.error}, {circle(32), a.error}}, {.settings = "key"});
  for (const char* id : {"verdict", "inputs", "choices", "curves", "errors", "samples", "histogram",
                         "spectra", "run"}) {
    EXPECT_TRUE(has(page, fmt::format("id=\"{}\"", id))) << id;
  }
  EXPECT_TRUE(has(page, "Heat &amp; &lt;waves&gt;"));
  EXPECT_TRUE(has(page, "grf(alpha = 2, tau = 3)"));
  EXPECT_TRUE(has(page, "<li>adam, 20 epochs &amp; more</li>"));
  EXPECT_FALSE(has(page, "could not be made"));
  EXPECT_FALSE(has(page, "http://") && has(page, "src=\"http"));
  EXPECT_EQ(page,
            operator_report(shown_problem(), r, a, {{circle(16), a.error}, {circle(32), a.error}},
                            {.settings = "key"}));
}

TEST(OperatorReport, SamplesGoFromTheBestToTheWorst) {
  OperatorError e;
  e.relative_l2 = {0.5, 0.1, 0.3, 0.2, 0.4, 0.6, 0.7, 0.8, 0.9};
  const std::vector<detail::ShownSample> shown = detail::shown_samples(e);
  ASSERT_EQ(shown.size(), 5u);
  EXPECT_EQ(shown.front().number, 1u);
  EXPECT_EQ(shown[2].number, 0u);
  EXPECT_EQ(shown.back().number, 8u);
  EXPECT_EQ(shown.back().name, "worst");
  e.relative_l2 = {0.5, 0.1};
  EXPECT_EQ(detail::shown_samples(e).size(), 2u);
  EXPECT_TRUE(detail::shown_samples({}).empty());
}

TEST(OperatorReport, PlanesSolidsAndCloudsAreDrawnToo) {
  for (const std::size_t axes : {std::size_t{2}, std::size_t{3}}) {
    for (const bool cloud : {false, true}) {
      DataSet d;
      d.inputs = {"a"};
      d.outputs = {"u(t=0.5)", "v(t=0.5)", "u(t=1)", "v(t=1)"};
      for (std::size_t k = 0; k < axes; ++k) d.grid.axes.push_back({"xyz" + k, 10, 0, 1});
      for (FieldGrid::Axis& axis : d.grid.axes) axis.name.resize(1);
      if (cloud) {
        d.grid.cloud.resize(20 * axes);
        Rng(2).fill_uniform(d.grid.cloud);
      }
      d.in.resize(3 * d.in_size());
      d.out.resize(3 * d.out_size());
      Rng(1).fill_normal(d.in);
      Rng(2).fill_normal(d.out);
      const OperatorAnswers a = answers(d, 0.1);
      const std::string page = operator_report(shown_problem(), result_of(a), a, {});
      EXPECT_FALSE(has(page, "could not be made")) << axes << cloud;
      EXPECT_TRUE(has(page, "id=\"samples\"")) << axes << cloud;
      EXPECT_EQ(has(page, "id=\"spectra\""), !cloud);
    }
  }
}

TEST(OperatorReport, NumbersThatAreNoneAreShownAsTheyAre) {
  OperatorAnswers a = answers(heat_data(16, 4), 0.01);
  for (double& v : a.prediction) v = std::nan("");
  a.error = measure(a.prediction, a.data);
  const std::string page = operator_report(shown_problem(), result_of(a), a, {});
  EXPECT_TRUE(has(page, "diverged"));
  EXPECT_TRUE(has(page, "NaN"));
}

}  // namespace
}  // namespace cauchy::test_operator_report
