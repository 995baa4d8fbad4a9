#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/solvers/method.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "support/message_of.hpp"
#include "support/small_problems.hpp"

namespace cauchy::test_kansa {
namespace {

const Coordinate t("t"), x("x"), y("y");
const Field u("u"), v("v"), p("p");

/// -laplacian u = f on a region with u given on the boundary, and its solution.
Problem poisson(const Region& region, const Expr& exact) {
  Problem problem;
  problem.name = "poisson";
  problem.domain = region;
  problem.fields = {"u"};
  problem.equation = {d(u, x, x) + d(u, y, y) == d(exact, x, x) + d(exact, y, y)};
  problem.condition = {on_boundary(u == exact)};
  problem.reference.formulas["u"] = exact;
  problem.tolerance = 1e-4;
  return problem;
}
const Expr smooth = exp(x) * sin(2 * y) + x * y;
Region square() { return Rectangle({0, 0}, {1, 1}); }

bool mentions(const Solution& s, const std::string& text) {
  for (const std::string& f : s.findings) {
    if (f.find(text) != std::string::npos) return true;
  }
  return false;
}

double error_of(const Problem& problem, const Kansa& method) {
  return solve(problem, method).error.relative_l2();
}

TEST(Kansa, SolvesAPoissonProblemAndReportsTheConditioning) {
  const Solution s = solve(poisson(square(), smooth), Kansa{.n = 8});
  EXPECT_LT(s.error.relative_l2(), 1e-6);
  EXPECT_TRUE(mentions(s, "condition number")) << "no report";
  EXPECT_TRUE(mentions(s, "effective rank"));
  EXPECT_EQ(s.grade, Grade::converged);
  // Derivatives are exact ones of the sum.
  EXPECT_NEAR(s("u_xy", {0.3, 0.6}), std::exp(0.3) * 2 * std::cos(1.2) + 1, 1e-3);
}

TEST(Kansa, RefinesUntilTheToleranceIsMet) {
  const Solution s = solve(poisson(Disk({0.5, 0.2}, 0.8), smooth), Kansa{.tolerance = 1e-6});
  EXPECT_LT(s.error.relative_l2(), 1e-6);
  EXPECT_EQ(s.grade, Grade::converged);
}

TEST(Kansa, EveryOptionActs) {
  const Problem problem = poisson(square(), smooth);
  const Kansa base{.n = 6};
  const double plain = error_of(problem, base);
  const auto differs = [&](Kansa other) {
    other.n = other.n == 0 ? 6 : other.n;
    const double error = error_of(problem, other);
    EXPECT_TRUE(error < 0.1);
    return error != plain;
  };
  EXPECT_TRUE(differs({.n = 7}));
  EXPECT_TRUE(differs({.kernel = RbfKernel::multiquadric}));
  EXPECT_TRUE(differs({.shape = 3}));
  EXPECT_TRUE(differs({.tail = 2}));
  EXPECT_TRUE(differs({.oversampling = 3}));
  EXPECT_TRUE(differs({.outside = 2}));
  EXPECT_TRUE(differs({.sampler = SamplerKind::halton}));
  EXPECT_TRUE(differs({.factorization = KansaFactorization::qr}));
  EXPECT_TRUE(differs({.cutoff = 1e-10}));
}

TEST(Kansa, SquareCollocationHasAsManyRowsAsUnknowns) {
  const Problem problem = poisson(square(), smooth);
  const Solution s =
      solve(problem, Kansa{.n = 8, .kernel = RbfKernel::multiquadric, .oversampling = 1});
  EXPECT_TRUE(mentions(s, "square collocation"));
  EXPECT_LT(s.error.relative_l2(), 1e-2);
  const Solution tail = solve(
      problem, Kansa{.n = 8, .kernel = RbfKernel::multiquadric, .tail = 2, .oversampling = 1});
  EXPECT_LT(tail.error.relative_l2(), 1e-2);
  EXPECT_EQ(tail.n_unknowns, s.n_unknowns + 3);
  Problem two = problem;
  two.condition.push_back(on("left", normal_derivative(u, {"x", "y"}) == -d(smooth, x)));
  EXPECT_NE(message_of([&] { (void)prepare(two, Kansa{.oversampling = 1}); }).find("not square"),
            std::string::npos);
}

TEST(Kansa, TakesNormalDerivativesRobinTermsAndSubdomains) {
  Problem problem = poisson(square(), smooth);
  const Expr u_n = normal_derivative(u, {"x", "y"});
  problem.condition = {on("left", u == smooth),
                       on("bottom or top", u_n == normal_component("y") * d(smooth, y)),
                       on("right", u_n + 2 * u == d(smooth, x) + 2 * smooth)};
  EXPECT_LT(error_of(problem, {.n = 8}), 1e-5);
  const ProblemEquation whole = problem.equation[0];
  ProblemEquation lower = whole, upper = whole;
  lower.where = "y < 0.5";
  upper.where = "y >= 0.5";
  problem.equation = {lower, upper};
  EXPECT_LT(error_of(problem, {.n = 8}), 1e-4);
}

TEST(Kansa, PutsPureNeumannProblemsAtMeanZeroAndSaysSo) {
  Problem problem = poisson(square(), cos(pi * x) * cos(pi * y));
  problem.condition = {on_boundary(normal_derivative(u, {"x", "y"}) == 0)};
  const Solution s = solve(problem, Kansa{.n = 10});
  EXPECT_LT(s.error.relative_l2(), 1e-5);
  EXPECT_TRUE(mentions(s, "free"));
  problem.condition.push_back(integral(u == 3));
  problem.reference.formulas["u"] = cos(pi * x) * cos(pi * y) + 3;
  const Solution fixed = solve(problem, Kansa{.n = 10});
  EXPECT_LT(fixed.error.relative_l2(), 1e-6);
  EXPECT_FALSE(mentions(fixed, "free"));
}

TEST(Kansa, TakesPeriodicConditionsAndPoints) {
  Problem problem = poisson(square(), sin(2 * pi * x) * exp(y) + 1);
  problem.condition = {periodic(x), on("top", d(u, y) == sin(2 * pi * x) * exp(y)),
                       on("bottom", d(u, y) == sin(2 * pi * x)),
                       at_point({{"x", 0.25}, {"y", 0}}, u == 2)};
  EXPECT_LT(error_of(problem, {.n = 10}), 1e-4);
}

TEST(Kansa, SolvesSystems) {
  // A slow flow with a pressure that a point fixes: u = y^2, v = x^2, p = 2 x + 2 y.
  Problem flow;
  flow.domain = square();
  flow.fields = {"u", "v", "p"};
  flow.equation = {d(u, x, x) + d(u, y, y) == d(p, x), d(v, x, x) + d(v, y, y) == d(p, y),
                   d(u, x) + d(v, y) == 0};
  flow.condition = {on_boundary(u == y * y), on_boundary(v == x * x),
                    at_point({{"x", 0.5}, {"y", 0.5}}, p == 2)};
  flow.reference.formulas = {{"u", y * y}, {"v", x * x}, {"p", 2 * x + 2 * y}};
  EXPECT_LT(error_of(flow, {.n = 6}), 1e-4);
}

TEST(Kansa, TakesTimeAsACoordinate) {
  EXPECT_LT(error_of(heated_bar(), {.n = 8}), 1e-5);
  Problem wave;
  wave.domain = Interval(x, 0, 1) * Time(t, 0, 1);
  wave.fields = {"u"};
  wave.equation = {d(u, t, t) == d(u, x, x)};
  wave.condition = {at(t == 0, u == sin(pi * x)), at(t == 0, d(u, t) == 0), on_boundary(u == 0)};
  wave.reference.formulas["u"] = sin(pi * x) * cos(pi * t);
  EXPECT_LT(error_of(wave, {.n = 8}), 1e-4);
}

TEST(Kansa, SolvesNonlinearProblemsByGaussNewton) {
  Problem problem = poisson(square(), smooth);
  const Expr f = d(smooth, x, x) + d(smooth, y, y) + pow(smooth, 3);
  problem.equation = {d(u, x, x) + d(u, y, y) + u * u * u == f};
  const Solution s = solve(problem, Kansa{.n = 8});
  EXPECT_LT(s.error.relative_l2(), 1e-6);
  EXPECT_TRUE(mentions(s, "Gauss-Newton"));
  const std::string refusal = message_of([&] { (void)prepare(problem, Kansa{.iterations = 0}); });
  EXPECT_NE(refusal.find("nonlinear"), std::string::npos) << refusal;
  EXPECT_NE(refusal.find("fdm"), std::string::npos) << refusal;
  // One step is not enough, and it is told.
  EXPECT_NE(solve(problem, Kansa{.n = 6, .iterations = 1}).grade, Grade::converged);
}

TEST(Kansa, SavesAndLoadsItsField) {
  const Problem problem = poisson(square(), smooth);
  const Kansa method{.n = 6, .tail = 2};
  const Solution s = solve(problem, method);
  Checkpoint saved;
  s.model->save(saved);
  const auto loaded = load_model("kansa", saved, problem, method);
  const std::vector<Expr> wanted{u, d(u, x), d(u, x, y), d(u, y, y) + x};
  const std::vector<double> at{0.1, 0.2, 0.9, 0.5};
  std::vector<double> before(8), after(8);
  s.model->evaluate(wanted, at, before);
  loaded->evaluate(wanted, at, after);
  EXPECT_EQ(before, after);
  Checkpoint damaged = saved;
  damaged.arrays["coefficients/u"].values.pop_back();
  EXPECT_THROW((void)load_model("kansa", damaged, problem, method), Error);
  damaged = saved;
  damaged.texts["kernel"] = "square";
  EXPECT_THROW((void)load_model("kansa", damaged, problem, method), Error);
}

TEST(Kansa, SaysWhatItCannotDoAndWhoCan) {
  const auto refusal = [](const Problem& problem, const Kansa& method = {}) {
    try {
      (void)prepare(problem, method);
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::unsupported);
      return std::string(e.what());
    }
    return std::string("accepted");
  };
  Problem decay;
  decay.domain = Time(t, 0, 1);
  decay.fields = {"u"};
  decay.equation = {d(u, t) == -u};
  decay.condition = {at(t == 0, u == 1)};
  EXPECT_NE(refusal(decay).find("ode"), std::string::npos) << refusal(decay);
  const Problem square_problem = poisson(square(), smooth);
  EXPECT_NE(refusal(square_problem, {.kernel = RbfKernel::thin_plate}).find("gaussian"),
            std::string::npos);
  Problem layers;
  layers.domain = Interval(x, 0, 1);
  layers.fields = {"u"};
  layers.equation = {d(where(x < 0.5, Expr(1), Expr(10)) * d(u, x), x) == 0};
  layers.condition = {on_boundary(u == x)};
  EXPECT_NE(refusal(layers).find("use fem or fdm"), std::string::npos) << refusal(layers);
  layers.equation = {d((1 + x) * d(u, x), x) == where(x < 0.5, Expr(1), Expr(10))};
  EXPECT_EQ(refusal(layers), "accepted");
  EXPECT_THROW((void)prepare(square_problem, Kansa{.oversampling = 0.5}), Error);
  EXPECT_THROW((void)prepare(square_problem, Kansa{.cutoff = 2}), Error);
  const MethodCost huge = estimate_cost(square_problem, Kansa{.n = 100'000});
  EXPECT_GT(huge.bytes, 1e15);  // told before anything is allocated
  EXPECT_THROW(require_fit(huge), Error);
}

}  // namespace
}  // namespace cauchy::test_kansa
