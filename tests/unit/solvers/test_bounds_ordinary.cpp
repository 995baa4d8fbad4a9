#include <gtest/gtest.h>

#include <cmath>
#include <iostream>

#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/expr/parse.hpp>
#include <cauchy/files/problem_file.hpp>
#include <cauchy/solvers/error_bounds.hpp>

#include "solvers/ode/ode_conditions.hpp"
#include "solvers/trust/bound_tube.hpp"
#include "support/program_field.hpp"

namespace cauchy::test_bounds_ordinary {
namespace {

Problem problem_of(const std::string& text) { return parse_problem_file(text, "p").problem; }

const ErrorBound* find(const std::vector<ErrorBound>& all, const std::string& field,
                       const std::string& norm) {
  for (const ErrorBound& b : all) {
    if (b.field == field && b.norm == norm) return &b;
  }
  return nullptr;
}

Expr formula(const std::string& text) {
  Context names;
  names.add_time("t");
  return parse(text, names);
}

struct Truth {
  double largest = 0, mean = 0;
};
/// Largest and L2 norm of a formula over [0, end].
Truth truth_of(const Expr& e, double end) {
  Truth made;
  constexpr int n = 20'000;
  for (int i = 0; i <= n; ++i) {
    Values values;
    values.set(Coordinate("t"), end * i / n);
    const double v = std::abs(evaluate(e, values));
    made.largest = std::max(made.largest, v);
    made.mean += v * v * end / n * (i == 0 || i == n ? 0.5 : 1);
  }
  made.mean = std::sqrt(made.mean);
  return made;
}

/// Both bounds of a field around the true error, and not farther than said.
void expect_bounds(const std::string& text, const std::map<std::string, std::string>& exact,
                   const std::map<std::string, std::string>& error, double effectivity,
                   double lower_share, double slack = 1e-6) {
  const Problem problem = problem_of(text);
  const double end = problem.domain->time()->upper;
  std::map<std::string, Expr> formulas;
  for (const auto& [name, e] : exact) formulas[name] = formula(e) + formula(error.at(name));
  const std::vector<ErrorBound> all = error_bounds(answer_of(problem, formulas), 2000);
  for (const auto& [name, e] : error) {
    const Truth truth = truth_of(formula(e), end);
    for (const bool mean : {false, true}) {
      const ErrorBound* b = find(all, name, mean ? "L2 over time" : "largest over time");
      ASSERT_NE(b, nullptr) << text;
      const double real = mean ? truth.mean : truth.largest;
      std::cout << "  " << name << ", " << b->norm << ": true " << real << ", upper "
                << b->upper / real << ", lower " << b->lower / real << " of it\n";
      EXPECT_GE(b->upper, real * (1 - slack)) << text;
      EXPECT_LE(b->lower, real * (1 + slack)) << text;
      EXPECT_LE(b->upper, effectivity * real) << text << b->how;
      EXPECT_GE(b->lower, lower_share * real) << text;
    }
  }
}

std::string scalar(const std::string& equation, const std::string& start, double end = 2) {
  return "fields = [\"u\"]\n[domain]\ntime = { t = [0, " + std::to_string(end) +
         "] }\n[[equation]]\nform = \"" + equation +
         "\"\n[[condition]]\nwhere = \"t = 0\"\nform = \"u = " + start + "\"\n";
}

TEST(BoundsOrdinary, EncloseTheErrorOfScalarLinearEquations) {
  // Decay, growth, a relaxation that is stiff; errors that are smooth, with a start that is off,
  // and an oscillation whose residual has mean 0.
  expect_bounds(scalar("u_t = -u", "1"), {{"u", "exp(-t)"}}, {{"u", "0.01*t"}}, 1.1, 0.9);
  expect_bounds(scalar("u_t = -u", "1"), {{"u", "exp(-t)"}}, {{"u", "0.01*cos(t)"}}, 1.1, 0.9);
  expect_bounds(scalar("u_t = 2*u", "1"), {{"u", "exp(2*t)"}}, {{"u", "1e-3*sin(9*t)"}}, 1.5, 0.5);
  expect_bounds(scalar("u_t = -1000*(u - cos(t)) - sin(t)", "1"), {{"u", "cos(t)"}},
                {{"u", "0.01*sin(3*t)"}}, 1.1, 0.9);
}

TEST(BoundsOrdinary, JumpsOfTheAnswerCountAlthoughItsResidualDoesNotSeeThem) {
  // Integrals over the jump are right to a cell of their grids.
  expect_bounds(scalar("u_t = -u", "1"), {{"u", "exp(-t)"}}, {{"u", "where(t < 1.0003, 0, 0.05)"}},
                1.1, 0.9, 1e-3);
}

TEST(BoundsOrdinary, EncloseTheErrorOfTheLogisticEquation) {
  expect_bounds(scalar("u_t = u*(1 - u)", "0.1", 6), {{"u", "1/(1 + 9*exp(-t))"}},
                {{"u", "0.01*sin(t)"}}, 1.1, 0.9);
}

const char* const oscillator = R"toml(fields = ["u"]
[domain]
time = { t = [0, 6] }
[[equation]]
form = "u_tt = -25*u"
[[condition]]
where = "t = 0"
form = "u = 1"
[[condition]]
where = "t = 0"
form = "u_t = 0"
)toml";

TEST(BoundsOrdinary, EncloseTheErrorOfAnOscillation) {
  // A phase error that grows, and one that is off from the start.
  expect_bounds(oscillator, {{"u", "cos(5*t)"}}, {{"u", "cos(5.001*t) - cos(5*t)"}}, 1.1, 0.9);
  expect_bounds(oscillator, {{"u", "cos(5*t)"}}, {{"u", "0.01*cos(5*t)"}}, 1.1, 0.9);
}

TEST(BoundsOrdinary, EncloseTheErrorOfASystem) {
  // Lotka-Volterra has no formula: a source makes one.
  expect_bounds(R"toml(fields = ["u", "v"]
[domain]
time = { t = [0, 3] }
[[equation]]
form = "u_t = u*(1 - v) + cos(t) - (2 + sin(t))*(1 - 2 - cos(t))"
[[equation]]
form = "v_t = -v*(1 - u) - sin(t) + (2 + cos(t))*(1 - 2 - sin(t))"
[[condition]]
where = "t = 0"
form = "u = 2"
[[condition]]
where = "t = 0"
form = "v = 3"
)toml",
                {{"u", "2 + sin(t)"}, {"v", "2 + cos(t)"}},
                {{"u", "0.001*sin(2*t)"}, {"v", "0.002*t"}}, 1.1, 0.9);
}

/// Along the answer alone, without an integration: the comparison equations themselves.
detail::Tube tube_of(const Problem& problem, const Expr& exact, const Expr& error,
                     detail::StateNorm norm, std::vector<double>& edges) {
  const detail::OdeProblem ode(std::make_shared<const Problem>(problem));
  ode.system->stay_between(ode.lower, ode.upper);
  const std::vector<Expr>& states = ode.system->states();
  std::vector<double> sizes = states.size() == 1 ? std::vector<double>{1} : std::vector{1.0, 5.0};
  bool linear = is_linear(problem.equation[0].form.residual());
  detail::TubeFollower follower(*ode.system, sizes, linear);
  for (int k = 0; k <= 1000; ++k) edges.push_back(ode.upper * k / 1000);
  const Coordinate t("t");
  std::vector<Expr> all;
  for (std::size_t i = 0; i <= states.size(); ++i)
    all.push_back(d_n(exact + error, t, static_cast<int>(i)));
  const auto curve = [&](std::size_t, double at, std::span<double> y, std::span<double> dy) {
    Values values;
    values.set(t, at);
    for (std::size_t i = 0; i < y.size(); ++i) {
      y[i] = evaluate(all[i], values);
      dy[i] = evaluate(all[i + 1], values);
    }
  };
  std::vector<double> start(states.size());
  Values first;
  first.set(t, 0);
  for (std::size_t i = 0; i < start.size(); ++i) {
    start[i] = evaluate(d_n(error, t, static_cast<int>(i)), first);
  }
  return follower.follow(curve, edges, start, norm);
}

TEST(BoundsOrdinary, AComparisonEquationAlongTheAnswerHoldsWithoutAnyIntegration) {
  const auto value = [](const Expr& e, double at) {
    Values values;
    values.set(Coordinate("t"), at);
    return evaluate(e, values);
  };
  const Coordinate t("t");
  struct Line {
    const char* name;
    Problem problem;
    Expr exact, error;
    double effectivity;  // at the end
  };
  const Line lines[] = {
      {"decay", problem_of(scalar("u_t = -u", "1")), exp(-t), 0.01 * (2 + cos(t)), 1.01},
      {"growth", problem_of(scalar("u_t = 2*u", "1")), exp(2 * t), 0.01 * exp(t), 1.01},
      {"logistic", problem_of(scalar("u_t = u*(1 - u)", "0.1", 6)), 1 / (1 + 9 * exp(-t)),
       0.01 * cos(t / 8), 2.2},
      {"oscillation", problem_of(oscillator), cos(5 * t), 0.01 * (1 + t) * cos(5 * t), 1.3}};
  for (const Line& line : lines) {
    for (const auto norm : {detail::StateNorm::euclidean, detail::StateNorm::largest}) {
      std::vector<double> edges;
      const detail::Tube tube = tube_of(line.problem, line.exact, line.error, norm, edges);
      const bool second = edges.size() > 1 && tube.low.empty();
      if (second && norm == detail::StateNorm::largest) continue;  // it grows like exp(5 t)
      double worst = 0;
      for (std::size_t k = 0; k < edges.size(); ++k) {
        double e = std::abs(value(line.error, edges[k]));
        if (second) e = std::hypot(e, value(d(line.error, t), edges[k]) / 5);
        ASSERT_GE(tube.far[k], e * (1 - 1e-4)) << line.name << " at " << edges[k];
        ASSERT_LE(tube.near[k], e * (1 + 1e-4)) << line.name << " at " << edges[k];
        worst = std::max(worst, tube.far[k] / e);
      }
      std::cout << "  " << line.name << ": upper over true at most " << worst << "\n";
      EXPECT_LE(worst, line.effectivity) << line.name;
    }
  }
}

TEST(BoundsOrdinary, SayNothingOfChaosAtALongHorizonButDoAtAShortOne) {
  const auto lorenz = [](double end) {
    return problem_of("fields = [\"x\", \"y\", \"z\"]\n[domain]\ntime = { t = [0, " +
                      std::to_string(end) + R"toml(] }
[[equation]]
form = "x_t = 10*(y - x)"
[[equation]]
form = "y_t = x*(28 - z) - y"
[[equation]]
form = "z_t = x*y - 8/3*z"
[[condition]]
where = "t = 0"
form = "x = 1"
[[condition]]
where = "t = 0"
form = "y = 1"
[[condition]]
where = "t = 0"
form = "z = 1"
)toml");
  };
  const Coordinate t("t");
  const std::map<std::string, Expr> flat = {
      {"x", 1 + 0 * t}, {"y", 1 + 26 * t}, {"z", 1 - 5 * t / 3}};
  const auto near = error_bounds(answer_of(lorenz(0.05), flat), 2000);
  ASSERT_NE(find(near, "x", "largest over time"), nullptr);
  EXPECT_LT(find(near, "x", "largest over time")->upper, 2);
  const auto far = error_bounds(answer_of(lorenz(30), flat), 2000);
  for (const ErrorBound& b : far) EXPECT_FALSE(std::isfinite(b.upper) && b.relative < 0.1) << b.how;
}

TEST(BoundsOrdinary, RefuseWhatTheyDoNotHoldFor) {
  Problem inverse = problem_of(scalar("u_t = -u", "1"));
  inverse.unknowns.push_back({.name = "c"});
  EXPECT_TRUE(error_bounds(answer_of(inverse, {{"u", exp(-Coordinate("t"))}}), 400).empty());
  // Conditions at both ends.
  const Problem ends = problem_of(R"toml(fields = ["u"]
[domain]
time = { t = [0, 1] }
[[equation]]
form = "u_tt = -u"
[[condition]]
where = "t = 0"
form = "u = 0"
[[condition]]
where = "t = 1"
form = "u = 1"
)toml");
  EXPECT_TRUE(error_bounds(answer_of(ends, {{"u", Coordinate("t")}}), 400).empty());
}

}  // namespace
}  // namespace cauchy::test_bounds_ordinary
