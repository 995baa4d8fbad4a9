// Estimated errors of answers whose error is known: exact solutions with something added.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/vector.hpp>
#include <cauchy/files/problem_file.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/solvers/error_bars.hpp>
#include <cauchy/solvers/method.hpp>

#include "problem/grid_table.hpp"
#include "solvers/trust/error_problem.hpp"
#include "support/formula_field.hpp"
#include "support/small_problems.hpp"
#include "support/temporary_folder.hpp"

namespace cauchy::test_error_bars {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

const Coordinate t("t"), x("x"), y("y");
const Field u("u"), v("v");

/// A problem whose solution is known, and something that is added to it.
struct KnownError {
  std::string name;
  Problem problem;
  std::map<std::string, Expr> exact, added;
  double off = 0.25;  ///< part that the estimate may be off by
};
void PrintTo(const KnownError& c, std::ostream* out) { *out << c.name; }

Problem on_square(const Equation& equation, const Expr& exact) {
  Problem p;
  p.fields = {"u"};
  p.domain = Rectangle({0, 0}, {1, 1});
  p.equation = {equation};
  p.condition = {on_boundary(u == exact)};
  return p;
}

Problem in_time(const Equation& equation, const Expr& exact, double end) {
  Problem p;
  p.fields = {"u"};
  p.domain = Interval(x, 0, 1) * Time(t, 0, end);
  p.equation = {equation};
  p.condition = {at(t == 0, u == substitute(exact, t, 0)), on_boundary(u == exact)};
  return p;
}

std::vector<KnownError> known_errors() {
  std::vector<KnownError> all;
  const Expr wave = sin(pi * x) * sin(pi * y);
  const Problem poisson = on_square(-d(u, x, x) - d(u, y, y) == 2 * pi * pi * wave, Expr(0));
  all.push_back({"smooth", poisson, {{"u", wave}}, {{"u", 1e-3 * sin(2 * x + y)}}});
  all.push_back({"tiny", poisson, {{"u", wave}}, {{"u", 1e-9 * x * y * y}}});
  all.push_back({"localised",
                 poisson,
                 {{"u", wave}},
                 {{"u", 1e-2 * exp(-100 * (pow(x - 0.4, 2) + pow(y - 0.6, 2)))}}});
  all.push_back({"boundary_only", poisson, {{"u", wave}}, {{"u", 1e-3 * (pow(x, 2) - pow(y, 2))}}});
  const Expr heat = exp(-pi * pi * t) * sin(pi * x);
  const Problem rod = in_time(d(u, t) == d(u, x, x), heat, 0.2);
  all.push_back({"constant_in_time", rod, {{"u", heat}}, {{"u", 1e-3 * x * (1 - x)}}});
  all.push_back({"growing_in_time", rod, {{"u", heat}}, {{"u", 1e-3 * t * t * sin(3 * x)}}});
  const Expr front = 1 / (1 + exp((x - 0.5 - t) / 0.2));
  const Expr fisher = d(front, t) - d(front, x, x) - front * (1 - front);
  all.push_back({"phase_of_a_front",
                 in_time(d(u, t) - d(u, x, x) - u * (1 - u) == fisher, front, 0.5),
                 {{"u", front}},
                 {{"u", 1 / (1 + exp((x - 0.51 - t) / 0.2)) - front}}});
  // Not small: the equation of the error is solved again for the corrected answer.
  const Expr bump = sin(pi * x);
  Problem cubic =
      on_square(d(u, x, x) + d(u, y, y) - u * u * u == -pi * pi * bump - bump * bump * bump, bump);
  all.push_back({"not_small", cubic, {{"u", bump}}, {{"u", 0.4 * x * y}}});
  // A system of first order, and second order in time.
  Problem string;
  string.fields = {"u", "v"};
  string.domain = Interval(x, 0, 1) * Time(t, 0, 0.5);
  string.equation = {d(u, t) == v, d(v, t) == d(u, x, x)};
  string.condition = {at(t == 0, u == sin(pi * x)), at(t == 0, v == 0), on_boundary(u == 0)};
  all.push_back({"system",
                 string,
                 {{"u", cos(pi * t) * sin(pi * x)}, {"v", -pi * sin(pi * t) * sin(pi * x)}},
                 {{"u", 1e-3 * t * sin(2 * pi * x)}, {"v", 1e-3 * x * (1 - x)}},
                 0.5});
  Problem swing;
  swing.fields = {"u"};
  swing.domain = Time(t, 0, 10);
  swing.equation = {d(u, t, t) == -u};
  swing.condition = {at(t == 0, u == 1), at(t == 0, d(u, t) == 0)};
  all.push_back({"time_alone", swing, {{"u", cos(t)}}, {{"u", cos(1.001 * t) - cos(t)}}});
  return all;
}

Solution with_error(const KnownError& c) {
  std::map<std::string, Expr> formulas = c.exact;
  for (auto& [name, formula] : formulas) formula = formula + c.added.at(name);
  return graded(c.problem, formulas);
}

class KnownErrors : public ::testing::TestWithParam<KnownError> {};

TEST_P(KnownErrors, AreEstimated) {
  const KnownError& c = GetParam();
  Solution s = with_error(c);
  const ErrorBars bars = estimate_error(s, {.work = 60, .threads = 1});
  ASSERT_TRUE(bars.estimate) << bars.reason;
  s.problem.reference.formulas = c.exact;
  s.error = measure_error(s, 2'000);
  ASSERT_EQ(bars.estimate->fields.size(), s.error.fields.size());
  for (std::size_t k = 0; k < s.error.fields.size(); ++k) {
    const FieldError& is = s.error.fields[k];
    const FieldError& said = bars.estimate->fields[k];
    EXPECT_EQ(said.field, is.field);
    EXPECT_LT(std::abs(said.relative_l2 / is.relative_l2 - 1), c.off)
        << is.field << ": " << said.relative_l2 << " for " << is.relative_l2 << ", "
        << bars.estimate->how;
    EXPECT_LT(std::abs(said.max / is.max - 1), 2 * c.off) << is.field;
  }
  EXPECT_GE(bars.estimate->unsure, 0);
  EXPECT_GE(bars.estimate->stated(), bars.estimate->relative_l2);
}

INSTANTIATE_TEST_SUITE_P(ErrorBars, KnownErrors, ::testing::ValuesIn(known_errors()),
                         [](const auto& test) { return test.param.name; });

KnownError known_error(const std::string& name) {
  for (KnownError& c : known_errors()) {
    if (c.name == name) return std::move(c);
  }
  throw std::runtime_error(name);
}

TEST(ErrorBars, TheCorrectionHasTheSignOfTruthMinusAnswer) {
  const KnownError c = known_error("smooth");
  const ErrorBars bars = estimate_error(with_error(c), {.work = 60});
  ASSERT_TRUE(bars.estimate && bars.estimate->correction) << bars.reason;
  const Expr field[] = {u};
  const double at[] = {0.3, 0.6};
  double e = 0;
  bars.estimate->correction->evaluate(field, at, {&e, 1});
  EXPECT_NEAR(e, -1e-3 * std::sin(2 * 0.3 + 0.6), 1e-5);
}

TEST(ErrorBars, AreRefusedWhereTheResidualHidesInAThinLayer) {
  // Growth from a thousandth: an answer that is at the other equilibrium after 1e-4 of the time has
  // a small residual nearly everywhere.
  Problem p;
  p.fields = {"u"};
  p.domain = Interval(x, 0, 1) * Time(t, 0, 1);
  p.equation = {d(u, t) == 20 * u * (1 - u) + 0.01 * d(u, x, x)};
  p.condition = {at(t == 0, u == 1e-3), on_boundary(d(u, x) == 0)};
  const Solution s = graded(p, {{"u", 1 - 0.999 * exp(-t / 1e-4)}});
  const ErrorBars bars = estimate_error(s, {.work = 20});
  if (bars.estimate) {  // the equation of the error was not asked
    EXPECT_GT(bars.estimate->relative_l2, 0.1) << bars.estimate->how;
  } else {
    EXPECT_THAT(bars.reason, HasSubstr("hides in a layer"));
  }
}

TEST(ErrorBars, SayWhyThereAreNone) {
  // Six dimensions: no grid, no mesh.
  const Problem p =
      parse_problem_file(
          "fields = [\"u\"]\n[domain]\nspace = { a = [0, 1], b = [0, 1], c = [0, 1], "
          "f = [0, 1], g = [0, 1], h = [0, 1] }\n[[equation]]\nform = \"laplacian(u) = "
          "0\"\n[[condition]]\nwhere = \"boundary\"\nform = \"u = a\"\n",
          "six.toml", ".", {})
          .problem;
  const Coordinate a("a"), b("b");
  const ErrorBars bars = estimate_error(graded(p, {{"u", a + 0.01 * b}}));
  EXPECT_FALSE(bars.estimate);
  EXPECT_FALSE(bars.reason.empty());
}

TEST(ErrorBars, OfAProblemWithLinearEquationsKeepItsFluxes) {
  Problem p = on_square(div(where(x < 0.5, 1, 10) * grad(u, {x, y}), {x, y}) == -1, Expr(0));
  const Solution s = graded(p, {{"u", x * (1 - x) * y * (1 - y)}});
  const detail::ErrorProblem e = detail::error_problem(s);
  EXPECT_TRUE(e.linear);
  EXPECT_NE(e.problem->equation[0].form.left.written(), nullptr);
}

TEST(ErrorBars, ASolvedProblemWithoutAReferenceConvergesByItsEstimate) {
  const Problem p = rod(pi * pi * sin(pi * x));
  const Pinn method{.network = Mlp{.width = 8, .depth = 2},
                    .points = {.interior = 60},
                    .stages = parse_stages("ssbroyden 150")};
  const Solution plain = solve(p, method, {.threads = 1});
  EXPECT_EQ(plain.grade, Grade::unverified);
  const Solution s = solve(p, method, {.threads = 1, .estimate = true});
  EXPECT_EQ(s.grade, Grade::converged) << s.findings[0];
  ASSERT_TRUE(s.estimate);
  Solution measured = s;
  measured.problem.reference.formulas["u"] = sin(pi * x);
  const double is = measure_error(measured).relative_l2();
  EXPECT_LT(std::abs(s.estimate->relative_l2 / is - 1), 0.3) << s.estimate->how;
}

TEST(ErrorBars, TheCorrectionMakesAnUndertrainedAnswerTenTimesBetter) {
  Problem p = rod(pi * pi * sin(pi * x));
  p.reference.formulas["u"] = sin(pi * x);
  const Pinn method{.network = Mlp{.width = 8, .depth = 2},
                    .points = {.interior = 60},
                    .stages = parse_stages("ssbroyden 15")};
  const Solution before = solve(p, method, {.threads = 1});
  const Solution after = solve(p, method, {.threads = 1, .estimate = true, .improve = true});
  EXPECT_LT(after.error.relative_l2(), before.error.relative_l2() / 10)
      << before.error.relative_l2() << " " << after.findings.back();
  EXPECT_GE(after.estimate->history.size(), 1u);
  EXPECT_THAT(after.findings, Contains(HasSubstr("corrected by its estimated error")));
}

TEST(ErrorBars, AreSavedWithTheAnswer) {
  const TemporaryFolder folder;
  const Problem p = rod(pi * pi * sin(pi * x));
  const Pinn method{.network = Mlp{.width = 8, .depth = 2},
                    .points = {.interior = 60},
                    .stages = parse_stages("ssbroyden 15")};
  for (const bool improve : {false, true}) {
    const Solution s = solve(p, method, {.threads = 1, .estimate = true, .improve = improve});
    ASSERT_TRUE(s.estimate && s.estimate->correction);
    save_solution(folder / "answer.bin", s);
    const Solution again = load_solution(folder / "answer.bin", p, method, 1);
    ASSERT_TRUE(again.estimate && again.estimate->correction);
    EXPECT_EQ(again.estimate->relative_l2, s.estimate->relative_l2);
    EXPECT_EQ(again.estimate->unsure, s.estimate->unsure);
    EXPECT_EQ(again.estimate->history, s.estimate->history);
    EXPECT_EQ(again.estimate->fields[0].max, s.estimate->fields[0].max);
    EXPECT_EQ(again("u", {0.3}), s("u", {0.3}));
    const Expr field[] = {u};
    const double at[] = {0.3};
    double a = 0, b = 1;
    s.estimate->correction->evaluate(field, at, {&a, 1});
    again.estimate->correction->evaluate(field, at, {&b, 1});
    EXPECT_EQ(a, b);
  }
}

TEST(FunctionCode, StandsForATableInEveryPlace) {
  TabulatedFunction f;
  f.name = "f";
  f.arguments = {"x"};
  f.code = [](std::span<const int> orders, std::span<const double> at, std::span<double> out) {
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = orders[0] == 0 ? std::sin(at[i]) : std::cos(at[i]);
    }
  };
  const detail::FunctionValues values(f);
  const double at[] = {0.3};
  const int first[] = {1};
  EXPECT_EQ(values(at, {}), std::sin(0.3));
  EXPECT_EQ(values(at, first), std::cos(0.3));
  Problem p;
  p.fields = {"u"};
  p.domain = Interval(x, 0, 1);
  p.functions = {f};
  const Expr call = DataFunction("f")(x);
  p.equation = {d(u, x, x) == call};
  p.condition = {on_boundary(u == -call)};
  const double rows[] = {0.1, 0.7};
  EXPECT_EQ(detail::call_values(p, d(call, x), rows),
            (std::vector<double>{std::cos(0.1), std::cos(0.7)}));
  p.reference.formulas["u"] = -sin(x);
  EXPECT_LT(solve(p, Spectral{}).error.relative_l2(), 1e-6);
  EXPECT_LT(solve(p, Ode{}).error.relative_l2(), 1e-6);
}

}  // namespace
}  // namespace cauchy::test_error_bars
