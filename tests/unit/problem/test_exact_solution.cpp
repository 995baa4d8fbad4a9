#include <gtest/gtest.h>

#include <algorithm>
#include <cauchy/base/error.hpp>
#include <cauchy/problem/exact_solutions.hpp>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <numbers>
#include <set>
#include <string>
#include <thread>

#include "support/exact_solution_oracle.hpp"
#include "support/message_of.hpp"

namespace cauchy::test_exact_solution {
namespace {

using std::numbers::pi;
using testing::Defect;
using testing::ExactOracle;
using testing::parameter_sets;

/// One test per solution.
class EveryExactSolution : public ::testing::TestWithParam<std::string> {
 protected:
  [[nodiscard]] const ExactSolution& solution() const { return exact_solution(GetParam()); }
};
/// One test per solution with formulas.
class EveryClosedForm : public EveryExactSolution {};

std::vector<std::string> names_with_formulas() {
  std::vector<std::string> names;
  for (const ExactSolution& s : exact_solutions()) {
    if (!s.formulas.empty()) names.push_back(s.name);
  }
  return names;
}

TEST_P(EveryExactSolution, IsCompletelyDescribed) {
  const ExactSolution& s = solution();
  EXPECT_FALSE(s.description.empty());
  EXPECT_EQ(s.description.back(), '.');
  EXPECT_FALSE(s.equations.empty());
  EXPECT_EQ(s.domain.size(), s.coordinates.size());
  EXPECT_TRUE(s.formulas.size() == s.fields.size() || (s.formulas.empty() && s.build));
  EXPECT_EQ(s.formulas.empty(), !s.method.empty());
  EXPECT_TRUE(s.accuracy > 0 && s.accuracy <= 1e-12);
}

// Symbolic derivatives of the formulas are exact but for rounding. The formulas have at most a few
// hundred operations, each with a relative error of some 1e-16, on numbers as large as the terms
// of the equation or, inside high derivatives, somewhat larger.
TEST_P(EveryClosedForm, SatisfiesItsEquations) {
  const ExactSolution& s = solution();
  Rng rng(1);
  for (const std::vector<double>& parameters : parameter_sets(s, 4, rng)) {
    ExactOracle oracle(s, parameters);
    for (int i = 0; i < 20; ++i) {
      const std::vector<double> point = oracle.inside(rng);
      for (const std::string& equation : s.equations) {
        const Defect found = oracle.defect(equation, point);
        EXPECT_LT(std::abs(found.residual), 1e-12 * (1 + found.size))
            << equation << " at " << ::testing::PrintToString(point) << " with "
            << ::testing::PrintToString(parameters);
      }
    }
  }
}

TEST_P(EveryClosedForm, SatisfiesItsConditions) {
  const ExactSolution& s = solution();
  Rng rng(2);
  for (const std::vector<double>& parameters : parameter_sets(s, 4, rng)) {
    ExactOracle oracle(s, parameters);
    for (const ExactCondition& condition : s.conditions) {
      for (int i = 0; i < 10; ++i) {
        const std::vector<double> point = oracle.on(condition.where, rng);
        const Defect found = oracle.defect(condition.form, point);
        EXPECT_LT(std::abs(found.residual), 1e-12 * (1 + found.size))
            << condition.form << " at " << ::testing::PrintToString(point);
      }
    }
  }
}

// The equations must not hold for everything: with 1e-3 exp(1.7 a + 1.3 b + ...) added to a field,
// which solves none of them, at least one fails clearly.
TEST_P(EveryClosedForm, IsToldFromItsNeighbours) {
  for (std::size_t field = 0; field < solution().fields.size(); ++field) {
    ExactSolution wrong = solution();
    std::string exponent = "0";
    for (std::size_t i = 0; i < wrong.coordinates.size(); ++i) {
      exponent +=
          " + " + std::to_string(1.7 - 0.4 * static_cast<double>(i)) + "*" + wrong.coordinates[i];
    }
    wrong.formulas[field] += " + 0.001*exp(" + exponent + ")";
    ExactOracle oracle(wrong, wrong.default_parameters());
    Rng rng(7);
    double largest = 0;
    for (int i = 0; i < 20; ++i) {
      const std::vector<double> point = oracle.inside(rng);
      for (const std::string& equation : wrong.equations) {
        const Defect found = oracle.defect(equation, point);
        largest = std::max(largest, std::abs(found.residual) / (1 + found.size));
      }
    }
    EXPECT_GT(largest, 1e-6) << wrong.fields[field];
  }
}

TEST_P(EveryExactSolution, IsPeriodicWhereItSaysSo) {
  const ExactSolution& s = solution();
  Rng rng(3);
  for (const std::string& coordinate : s.periodic) {
    const ExactOracle oracle(s, s.default_parameters());
    const std::size_t i = oracle.index_of(coordinate);
    const double period = oracle.box()[i][1] - oracle.box()[i][0];
    for (int k = 0; k < 10; ++k) {
      std::vector<double> point = oracle.inside(rng);
      const std::vector<double> here = oracle.values(point);
      point[i] += period;
      const std::vector<double> there = oracle.values(point);
      for (std::size_t f = 0; f < here.size(); ++f) EXPECT_LT(std::abs(here[f] - there[f]), 1e-12);
    }
  }
}

TEST_P(EveryExactSolution, GivesTheSameAloneAndInABatchAndAsTheTreeWalk) {
  const ExactSolution& s = solution();
  Rng rng(4);
  ExactOracle oracle(s, s.default_parameters());
  const ExactEvaluator evaluator = s.prepare();
  constexpr std::size_t n = 300;  // more than one block of a program
  const std::size_t n_fields = s.fields.size();
  std::vector<double> points, values(n * n_fields);
  for (std::size_t j = 0; j < n; ++j)
    std::ranges::copy(oracle.inside(rng), std::back_inserter(points));
  evaluator(points, values);
  for (std::size_t j = 0; j < n; j += 37) {
    const std::vector<double> point(
        points.begin() + static_cast<long>(j * s.coordinates.size()),
        points.begin() + static_cast<long>((j + 1) * s.coordinates.size()));
    const std::vector<double> alone = s.evaluate(point);
    for (std::size_t f = 0; f < n_fields; ++f) {
      EXPECT_EQ(alone[f], values[j * n_fields + f]);
      if (!s.formulas.empty()) {
        EXPECT_LT(std::abs(alone[f] - oracle.reference(f, point)), s.accuracy);
      }
    }
  }
}

TEST_P(EveryExactSolution, IsFiniteOnTheWholeClosedBox) {
  const ExactSolution& s = solution();
  const ExactOracle oracle(s, s.default_parameters());
  const std::size_t n = s.coordinates.size();
  // Corners, centre and middles of the sides: 3^n points, singular points among them.
  std::size_t n_points = 1;
  for (std::size_t i = 0; i < std::min<std::size_t>(n, 4); ++i) n_points *= 3;
  for (std::size_t j = 0; j < n_points; ++j) {
    std::vector<double> point;
    for (std::size_t i = 0, digits = j; i < n; ++i, digits /= 3) {
      const auto [lower, upper] = oracle.box()[i];
      point.push_back(digits % 3 == 0 ? lower : digits % 3 == 1 ? upper : (lower + upper) / 2);
    }
    if (!s.inside.empty() && !oracle.holds(s.inside, point) && s.name != "laplace_corner") continue;
    for (const double value : oracle.values(point)) {
      EXPECT_TRUE(std::isfinite(value)) << ::testing::PrintToString(point);
    }
  }
}

TEST_P(EveryExactSolution, RefusesWrongParametersAndPoints) {
  const ExactSolution& s = solution();
  const std::string place = "[problem." + s.name + "]: ";
  std::vector<double> parameters = s.default_parameters();
  parameters.push_back(1);
  EXPECT_NE(message_of([&] { (void)s.prepare(parameters); }).find(place + "needs "),
            std::string::npos);
  parameters.pop_back();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
      std::vector<double> broken = parameters;
      broken[i] = bad;
      EXPECT_NE(message_of([&] {
                  (void)s.prepare(broken);
                }).find(place + "parameter " + s.parameters[i].name + " must be finite, got "),
                std::string::npos);
    }
    if (s.parameters[i].is_integer) {
      std::vector<double> broken = parameters;
      broken[i] = 1.5;
      EXPECT_EQ(message_of([&] { (void)s.prepare(broken); }),
                place + "parameter " + s.parameters[i].name + " must be an integer, got 1.5");
    }
  }
  const ExactEvaluator evaluator = s.prepare();
  std::vector<double> values(s.fields.size());
  std::vector<double> point(s.coordinates.size(), std::nan(""));
  EXPECT_EQ(message_of([&] { evaluator(point, values); }),
            place + "coordinates must be finite, got nan");
  point.assign(s.coordinates.size() + 1, 0.5);
  EXPECT_NE(message_of([&] { evaluator(point, values); }).find("values per point, got"),
            std::string::npos);
  values.push_back(0);
  point.pop_back();
  EXPECT_NE(message_of([&] { evaluator(point, values); }).find("values per point, got"),
            std::string::npos);
}

TEST_P(EveryExactSolution, ChecksEveryRequirement) {
  const ExactSolution& s = solution();
  // Random parameters must meet one that violates this requirement and none before it.
  for (const std::string& requirement : s.requirements) {
    bool was_seen = false;
    Rng rng(5);
    for (int i = 0; i < 500 && !was_seen; ++i) {
      std::vector<double> parameters = s.default_parameters();
      const auto k = static_cast<std::size_t>(rng.integer(parameters.size()));
      parameters[k] = rng.uniform(-3, 3) * (i % 10 == 0 ? 1e101 : 1);
      if (s.parameters[k].is_integer) parameters[k] = std::round(parameters[k]);
      was_seen = message_of([&] {
                   (void)s.prepare(parameters);
                 }).find("]: needs " + requirement + ", got ") != std::string::npos;
    }
    EXPECT_TRUE(was_seen) << requirement;
  }
}

INSTANTIATE_TEST_SUITE_P(Library, EveryClosedForm, ::testing::ValuesIn(names_with_formulas()),
                         [](const auto& param_info) { return param_info.param; });
INSTANTIATE_TEST_SUITE_P(Library, EveryExactSolution, ::testing::ValuesIn(exact_solution_names()),
                         [](const auto& param_info) { return param_info.param; });

TEST(ExactSolutions, HaveDistinctNames) {
  const std::vector<std::string> names = exact_solution_names();
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
  EXPECT_EQ(names.size(), exact_solutions().size());
}

TEST(ExactSolutions, SuggestTheNearestName) {
  EXPECT_EQ(message_of([] { (void)exact_solution("burgers_cole_hop"); }),
            "[problem.exact_solution]: unknown exact solution 'burgers_cole_hop'; "
            "did you mean 'burgers_cole_hopf'?");
  const std::string far = message_of([] { (void)exact_solution("teapot"); });
  EXPECT_NE(far.find("unknown exact solution 'teapot'; known are: exponential_decay, "),
            std::string::npos);
}

TEST(ExactSolutions, NameTheRequirementThatFails) {
  const std::vector<double> negative{-1.0};
  EXPECT_EQ(message_of([&] { (void)exact_solution("burgers_cole_hopf").prepare(negative); }),
            "[problem.burgers_cole_hopf]: needs nu >= 1e-8, got nu = -1");
  const std::vector<double> two{1.0, 2.0};
  EXPECT_EQ(message_of([&] { (void)exact_solution("burgers_cole_hopf").prepare(two); }),
            "[problem.burgers_cole_hopf]: needs 1 parameters, got 2; they are: nu");
  EXPECT_EQ(message_of([&] { (void)exact_solution("laplace_corner").prepare(two); }),
            "[problem.laplace_corner]: needs 0 parameters, got 2; it has none");
}

TEST(ExactSolutions, RefuseTimesBeforeTheStartWhereNothingExists) {
  for (const std::string name : {"burgers_cole_hopf", "buckley_leverett"}) {
    const std::vector<double> early{-0.1, 0.5};
    EXPECT_THROW((void)exact_solution(name).evaluate(early), Error) << name;
  }
}

// The oracle must see a wrong formula: here the decay rate has pi D / 2 without its square.
TEST(ExactSolutions, WithAWrongFormulaAreFoundOut) {
  ExactSolution wrong = exact_solution("heated_bar");
  wrong.formulas = {"exp(-(pi*D/2)*t)*cos(pi*x/2)"};
  ExactOracle oracle(wrong, {0.5});
  EXPECT_GT(std::abs(oracle.defect(wrong.equations[0], {0.3, 0.2}).residual), 0.01);
  EXPECT_GT(std::abs(oracle.defect("u = cos(pi*x)", {0.0, 0.2}).residual), 0.01);
}

TEST(ExactSolutions, CanBeEvaluatedByManyThreads) {
  const ExactEvaluator evaluator = exact_solution("kovasznay").prepare();
  const std::vector<double> point{0.25, 0.5};
  std::vector<double> expected(3);
  evaluator(point, expected);
  std::vector<std::vector<double>> found(4, std::vector<double>(3));
  {
    std::vector<std::jthread> threads;
    for (std::vector<double>& values : found) {
      threads.emplace_back([&] {
        for (int i = 0; i < 200; ++i) evaluator(point, values);
      });
    }
  }
  for (const std::vector<double>& values : found) EXPECT_EQ(values, expected);
}

TEST(ExactSolutions, EvaluateNoPointsToNoValues) {
  EXPECT_NO_THROW(exact_solution("heated_bar").prepare()({}, {}));
  EXPECT_NO_THROW(exact_solution("string_robin").prepare()({}, {}));
}

TEST(PoissonProduct, ExistsInAnyNumberOfDimensionsUpTo100) {
  EXPECT_EQ(poisson_product(2).formulas, exact_solution("poisson_product_2d").formulas);
  EXPECT_EQ(poisson_product(2).coordinates, (std::vector<std::string>{"x", "y"}));
  const ExactSolution seven = poisson_product(7);
  EXPECT_EQ(seven.evaluate(std::vector<double>(7, 0.5)), std::vector<double>{1.0});
  EXPECT_EQ(poisson_product(100).coordinates.size(), 100u);
  for (const int bad : {0, -1, 101}) EXPECT_THROW((void)poisson_product(bad), Error) << bad;
}

TEST(HeatedBar, LosesWhatFlowsOutOfItsEnds) {
  // d/dt int u = -outflow with int u = 4/pi exp(-k t), outflow pi D^2 exp(-k t), k = (pi D / 2)^2.
  ExactOracle oracle(exact_solution("heated_bar"), {0.5});
  const Coordinate x("x");
  for (const double t : {0.0, 0.4, 1.0}) {
    const Expr u_x = field_derivative("u", {{"x", 1}});
    const double outflow =
        0.25 * (oracle.derivative(u_x, {t, -1}) - oracle.derivative(u_x, {t, 1}));
    const double k = std::pow(pi / 4, 2);
    EXPECT_LT(std::abs(outflow - pi * 0.25 * std::exp(-k * t)), 1e-14);
    EXPECT_LT(std::abs(outflow - k * 4 / pi * std::exp(-k * t)), 1e-14);
  }
}

TEST(Interfaces, HaveContinuousValuesAndFluxes) {
  const double eps = 1e-9;  // values jump by at most the slope, below 1, times 2 eps
  {
    const ExactSolution& s = exact_solution("interface_1d");
    const std::vector<double> parameters{2.0, 7.0, 0.3};
    ExactOracle oracle(s, parameters);
    const Expr u_x = field_derivative("u", {{"x", 1}});
    EXPECT_LT(std::abs(oracle.values({0.3 - eps})[0] - oracle.values({0.3 + eps})[0]), 2 * eps);
    EXPECT_LT(
        std::abs(2 * oracle.derivative(u_x, {0.3 - eps}) - 7 * oracle.derivative(u_x, {0.3 + eps})),
        4 * eps);
    EXPECT_GT(std::abs(oracle.derivative(u_x, {0.3 - eps}) - oracle.derivative(u_x, {0.3 + eps})),
              0.01);
  }
  {
    const ExactSolution& s = exact_solution("interface_disk");
    const std::vector<double> parameters{10.0, 3.0, 0.4};
    ExactOracle oracle(s, parameters);
    for (const double angle : {0.0, 0.7, 2.0, 4.0}) {
      const double c = std::cos(angle), n = std::sin(angle);
      const auto slope = [&](double r) {
        const std::vector<double> point{r * c, r * n};
        return c * oracle.derivative(field_derivative("u", {{"x", 1}}), point) +
               n * oracle.derivative(field_derivative("u", {{"y", 1}}), point);
      };
      const double in = 0.4 - eps, out = 0.4 + eps;
      EXPECT_LT(std::abs(oracle.values({in * c, in * n})[0] - oracle.values({out * c, out * n})[0]),
                4 * eps);
      EXPECT_LT(std::abs(10 * slope(in) - 3 * slope(out)), 100 * eps);
    }
  }
}

TEST(Singularities, AgreeWithPolarCoordinates) {
  Rng rng(6);
  for (int i = 0; i < 200; ++i) {
    const double r = rng.uniform(0, 1), theta = rng.uniform(0, 2 * pi);
    const std::vector<double> point{r * std::cos(theta), r * std::sin(theta)};
    EXPECT_LT(std::abs(exact_solution("laplace_slit").evaluate(point)[0] -
                       std::sqrt(r) * std::sin(theta / 2)),
              1e-14);
    if (theta < 1.5 * pi) {
      EXPECT_LT(std::abs(exact_solution("laplace_corner").evaluate(point)[0] -
                         std::pow(r, 2.0 / 3) * std::sin(2 * theta / 3)),
                1e-14);
    }
  }
  // Next to the slit, where r - x cancels: sqrt(r) sin(theta / 2) = y / 2 to first order.
  const std::vector<double> close{1.0, 1e-12};
  EXPECT_LT(std::abs(exact_solution("laplace_slit").evaluate(close)[0] - 5e-13), 1e-27);
}

TEST(TheDocumentation, ListsEverySolutionWithItsDefaults) {
  std::ifstream file(std::string(CAUCHY_TEST_DATA) + "/../../docs/exact_solutions.md");
  ASSERT_TRUE(file.good());
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  for (const ExactSolution& s : exact_solutions()) {
    EXPECT_NE(text.find("`" + s.name + "`"), std::string::npos) << s.name;
    for (const std::string& formula : s.equations) {
      if (s.name.starts_with("poisson_product")) continue;  // one line for all dimensions
      EXPECT_NE(text.find("`" + formula + "`"), std::string::npos) << s.name << ": " << formula;
    }
  }
}

}  // namespace
}  // namespace cauchy::test_exact_solution
