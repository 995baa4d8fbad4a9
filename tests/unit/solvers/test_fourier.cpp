#include "solvers/spectral/fourier.hpp"

#include <cmath>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/fourier_problems.hpp"
#include "support/message_of.hpp"
#include "support/stop_after.hpp"

namespace cauchy::test_fourier {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

const Coordinate t("t"), x("x"), y("y");
const Field u("u"), v("v");

double error_of(const Problem& p, double tolerance) {
  return solve(p, Spectral{.tolerance = tolerance}).error.relative_l2();
}

TEST(Fourier, CarriesAWaveWithoutError) {
  Problem p = periodic_interval(-1, 1, 1);
  p.equation = {d(u, t) + 3 * d(u, x) == 0};
  p.condition.push_back(at(t == 0, u == exp(sin(pi * x))));
  p.reference.formulas["u"] = exp(sin(pi * (x - 3 * t)));
  EXPECT_LT(error_of(p, 1e-9), 1e-8);
}

TEST(Fourier, SolvesEquationsOfSecondOrderInTimeWithDamping) {
  Problem p = periodic_interval(0, 2 * pi, 2);
  p.equation = {d(u, t, t) + 2 * d(u, t) + 5 * u == 4 * d(u, x, x)};
  p.condition.push_back(at(t == 0, u == sin(x)));
  p.condition.push_back(at(t == 0, d(u, t) == 2 * sin(x)));
  // r^2 + 2 r + 9 = 0
  const double w = std::sqrt(8);
  p.reference.formulas["u"] = exp(-t) * (cos(w * t) + 3 / w * sin(w * t)) * sin(x);
  EXPECT_LT(error_of(p, 1e-8), 1e-7);
}

TEST(Fourier, SolvesEquationsWithMixedDerivativesOfTimeAndSpace) {
  // Benjamin, Bona and Mahony: u_t + u_x + u u_x = u_xxt.
  Problem p = periodic_interval(-40, 40, 2);
  const double c = 2;
  const Expr soliton = 3 * (c - 1) * pow(cosh(std::sqrt((c - 1) / (4 * c)) * (x - c * t)), -2);
  p.equation = {d(u, t) + d(u, x) + u * d(u, x) == d(u, x, x, t)};
  p.condition.push_back(at(t == 0, u == soliton));
  p.reference.formulas["u"] = soliton;
  EXPECT_LT(error_of(p, 1e-6), 1e-5);
}

TEST(Fourier, TakesSourcesOfPlaceAndTime) {
  Problem p = periodic_interval(0, 2 * pi, 1);
  const Expr exact = cos(2 * t) * exp(cos(x));
  p.equation = {d(u, t) == d(u, x, x) - (2 + sin(x)) * u + d(exact, t) - d(exact, x, x) +
                               (2 + sin(x)) * exact};
  p.condition.push_back(at(t == 0, u == exact));
  p.reference.formulas["u"] = exact;
  EXPECT_LT(error_of(p, 1e-7), 1e-6);
}

TEST(Fourier, StiffTermsWithCoefficientsThatVaryStayStableWithLargeSteps) {
  // rho(x) u_t = (a(x) u_x)_x + f with n = 256: an explicit scheme would need 20,000 steps.
  Problem p = periodic_interval(0, 2 * pi, 1);
  const Expr exact = cos(2 * t) * exp(cos(x)), a = 1.5 + cos(x), rho = 2 + sin(x);
  p.equation = {rho * d(u, t) == d(a * d(u, x), x) + rho * d(exact, t) - d(a * d(exact, x), x)};
  p.condition.push_back(at(t == 0, u == exact));
  p.reference.formulas["u"] = exact;
  const Solution s = solve(p, Spectral{.n = 256, .step = 1.0 / 256});
  EXPECT_LT(s.error.relative_l2(), 1e-6);
}

TEST(Fourier, AJumpIsNotCalledAccurate) {
  Problem p = periodic_interval(0, 1, 1);
  p.equation = {d(u, t) + d(u, x) == 0};
  p.condition.push_back(at(t == 0, u == where(abs(x - 0.5) < 0.2, 1, 0)));
  const auto solver = detail::make_fourier_solver(std::make_shared<const Problem>(p), {});
  const detail::ClassicalAnswer answer = solver->solve(3, {});
  // Beyond |k| = K lies 2 sum 1/(pi k)^2 of the square of the jumps: 0.062 of 0.4 for K = 127.
  EXPECT_GT(answer.error, std::sqrt(4 / (pi * pi * 127) / 0.4 / 2));
  EXPECT_LT(answer.error, 0.5);
}

TEST(Fourier, ASmoothAnswerKnowsItsError) {
  const auto solver =
      detail::make_fourier_solver(std::make_shared<const Problem>(periodic_kdv()), {});
  const detail::ClassicalAnswer answer = solver->solve(3, {});
  std::vector<double> rows, exact;
  for (int i = 0; i < 200; ++i) {
    const double time = std::fmod(0.618034 * i, 1.0), place = -20 + 0.2 * i + 0.031;
    rows.insert(rows.end(), {time, place});
    exact.push_back(2 / std::pow(std::cosh(place - 4 * time), 2));
  }
  const std::vector<Expr> fields{u};
  std::vector<double> values(exact.size());
  answer.model->evaluate(fields, rows, values);
  const double error = relative_difference(values, exact);
  EXPECT_LT(error, 3 * answer.error);
  EXPECT_GT(error, answer.error / 300);
}

TEST(Fourier, SolvesAHelmholtzEquationAtOnce) {
  Problem p;
  p.fields = {"u"};
  p.domain = Rectangle({0, 0}, {2 * pi, 2 * pi});
  const Expr exact = exp(sin(x) + cos(y));
  p.equation = {d(u, x, x) + d(u, y, y) - 3 * u == d(exact, x, x) + d(exact, y, y) - 3 * exact};
  p.condition = {periodic(x), periodic(y)};
  p.reference.formulas["u"] = exact;
  EXPECT_LT(error_of(p, 1e-9), 1e-8);
}

TEST(Fourier, SolvesSteadyProblemsWithProductsAndCoefficientsThatVary) {
  Problem p;
  p.fields = {"u"};
  p.domain = Rectangle({0, 0}, {2 * pi, 2 * pi});
  const Expr exact = exp(sin(x) + cos(y)) - 1, a = 2 + sin(x) * cos(y);
  const auto left = [&](const Expr& w) {
    return d(a * d(w, x), x) + d(a * d(w, y), y) - 3 * w - pow(w, 3);
  };
  p.equation = {left(u) == left(exact)};
  p.condition = {periodic(x), periodic(y)};
  p.reference.formulas["u"] = exact;
  EXPECT_LT(error_of(p, 1e-8), 1e-7);
}

TEST(Fourier, ASteadyProblemWithoutSolutionIsAFinding) {
  // The mean of exp(u) - u is at least 1.
  Problem p;
  p.fields = {"u"};
  p.domain = Interval(x, 0, 2 * pi);
  p.equation = {d(u, x, x) - u + exp(u) == 0};
  p.condition = {periodic(x)};
  const Solution s = solve(p, Spectral{.n = 16});
  EXPECT_NE(s.grade, Grade::converged);
  EXPECT_THAT(::testing::PrintToString(s.findings), HasSubstr("Newton"));
}

TEST(Fourier, AnOpenMeanStaysOpenWhenCoefficientsVary) {
  Problem p;
  p.fields = {"u"};
  p.domain = Interval(x, 0, 2 * pi);
  const Expr exact = exp(sin(x)), a = 2 + cos(x);
  p.equation = {d(a * d(u, x), x) == d(a * d(exact, x), x)};
  p.condition = {periodic(x), at_point({{"x", 0}}, u == 1)};
  p.reference.formulas["u"] = exact;
  EXPECT_LT(error_of(p, 1e-9), 1e-8);
}

Problem periodic_poisson(const Expr& source) {
  Problem p;
  p.fields = {"u"};
  p.domain = Interval(x, 0, 2 * pi);
  p.equation = {d(u, x, x) == source};
  p.condition = {periodic(x)};
  return p;
}

TEST(Fourier, FixesAnOpenMeanByAnIntegralOrAPoint) {
  Problem p = periodic_poisson(-sin(x));
  p.condition.push_back(integral(u == 6 * pi));
  p.reference.formulas["u"] = sin(x) + 3;
  EXPECT_LT(error_of(p, 1e-9), 1e-10);
  p.condition.back() = at_point({{"x", pi / 2}}, u == 5);
  p.reference.formulas["u"] = sin(x) + 4;
  EXPECT_LT(error_of(p, 1e-9), 1e-10);
}

TEST(Fourier, SaysThatAnIncompatibleSourceHasNoSolution) {
  const Solution s = solve(periodic_poisson(1 + sin(x)), Spectral{.n = 16});
  ASSERT_FALSE(s.findings.empty());
  EXPECT_NE(s.grade, Grade::converged);
  EXPECT_THAT(::testing::PrintToString(s.findings), HasSubstr("no periodic solution"));
}

TEST(Fourier, SaysThatInitialValuesDoNotMeetAConstraint) {
  const Solution s = solve(periodic_flow(0.1, 0.1, sin(x), cos(x)), Spectral{.n = 16});
  EXPECT_NE(s.grade, Grade::converged);
  EXPECT_THAT(::testing::PrintToString(s.findings), HasSubstr("constraints"));
}

TEST(Fourier, BlowUpIsAFinding) {
  Problem p = periodic_interval(0, 2 * pi, 1);
  p.equation = {d(u, t) == u * u};
  p.condition.push_back(at(t == 0, u == 1 + cos(x) / 2));
  const Solution s = solve(p, Spectral{.n = 32});
  EXPECT_NE(s.grade, Grade::converged);
  EXPECT_THAT(::testing::PrintToString(s.findings), HasSubstr("ceases to be finite at t = 0.6"));
}

TEST(Fourier, StopsWhenItIsAsked) {
  StopAfter stop(3);
  RunOptions options;
  options.progress = &stop;
  const Solution s = solve(periodic_kdv(), Spectral{.n = 256, .tolerance = 1e-10}, options);
  EXPECT_TRUE(s.interrupted);
}

TEST(Fourier, KeepsTheStepThatIsGiven) {
  const Solution s = solve(periodic_burgers(0.1, 1), Spectral{.n = 32, .step = 0.01});
  EXPECT_THAT(s.method, HasSubstr("32 Fourier modes, 128 steps"));  // a multiple of what is stored
}

TEST(Fourier, DealiasingChangesAnUnresolvedAnswer) {
  const Problem p = periodic_burgers(0.01, 1);
  const std::vector<double> rows = rows_at(1, 1, 16, 0, 2 * pi);
  const auto with = solve(p, Spectral{.n = 32, .step = 1.0 / 256})(u, rows);
  const auto without = solve(p, Spectral{.n = 32, .step = 1.0 / 256, .dealias = false})(u, rows);
  EXPECT_GT(relative_difference(with, without), 1e-4);
}

TEST(Fourier, GivesTheSameBitsForAnyNumberOfThreads) {
  const Problem p = periodic_vorticity(0.01, 0.05, sin(x) * cos(2 * y) + cos(3 * x + y));
  const std::vector<double> rows = rows_at(0.05, 2, 8, 0, 2 * pi);
  std::vector<std::vector<double>> answers;
  for (const int threads : {1, 2}) {
    RunOptions options;
    options.threads = threads;
    answers.push_back(solve(p, Spectral{.n = 128, .step = 0.05 / 2}, options)(Field("p"), rows));
  }
  EXPECT_EQ(answers[0], answers[1]);
}

TEST(Fourier, AnswersAreSavedAndLoaded) {
  const Problem p = periodic_burgers(0.1, 1);
  const Spectral method{.n = 32, .step = 1.0 / 64};
  const Solution s = solve(p, method);
  const auto file = std::filesystem::path(::testing::TempDir()) / "fourier_answer";
  save_solution(file, s);
  const Solution again = load_solution(file, p, method);
  const std::vector<double> rows{0.31, 1.7, 0.9, 6.1};
  EXPECT_EQ(s(d(u, x), rows), again(d(u, x), rows));
}

TEST(Fourier, RefusesWhatHasNoFourierSeriesAndNamesAMethod) {
  const auto message = [](const Problem& p, const Spectral& options = {}) {
    return message_of(
        [&] { return detail::make_fourier_solver(std::make_shared<const Problem>(p), options); });
  };
  Problem p = periodic_burgers(0.1, 1);
  EXPECT_THAT(message(p), "no error");
  EXPECT_THAT(message(p, Spectral{.n = 4}), HasSubstr("at least 8"));
  Problem open = p;
  open.condition.erase(open.condition.begin());
  EXPECT_THAT(message(open), AllOf(HasSubstr("periodic"), HasSubstr("Chebyshev")));
  Problem ends = p;
  ends.condition.push_back(on("left", u == 0));
  EXPECT_THAT(message(ends), AllOf(HasSubstr("no boundary"), HasSubstr("fdm")));
  Problem late = p;
  late.condition.back() = at(t == 1, u == sin(x));
  EXPECT_THAT(message(late), HasSubstr("starts at 0"));
  Problem none = p;
  none.condition.pop_back();
  EXPECT_THAT(message(none), HasSubstr("no initial values of u"));
  Problem quasi = p;
  quasi.equation = {d(u, t) * d(u, t) == d(u, x, x)};
  EXPECT_THAT(message(quasi), AllOf(HasSubstr("coefficient of u_t"), HasSubstr("fdm")));
  Problem part = p;
  part.equation[0].where = "x < 1";
  EXPECT_THAT(message(part), HasSubstr("part of space"));
  Problem mean = p;
  mean.condition.push_back(integral(u == 1));
  EXPECT_THAT(message(mean), HasSubstr("mean of u already"));
  Problem steady = periodic_poisson(sin(x));
  steady.equation = {d(u, x, x) == u * u * u + sin(x)};
  EXPECT_THAT(message(steady), AllOf(HasSubstr("mean of u"), HasSubstr("fdm")));
  Problem resonance = periodic_poisson(sin(x));
  resonance.equation = {d(u, x, x) + u == sin(2 * x)};
  EXPECT_THAT(message(resonance), HasSubstr("mode (1)"));
  Problem tied = periodic_vorticity(0.1, 1, sin(x));
  tied.equation[1] = d(Field("p"), x, x) + d(Field("p"), y, y) == -Field("w") + pow(Field("p"), 3);
  EXPECT_THAT(message(tied), HasSubstr("holds p itself"));
}

}  // namespace
}  // namespace cauchy::test_fourier
