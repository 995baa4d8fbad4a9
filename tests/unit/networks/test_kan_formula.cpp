#include <gtest/gtest.h>

#include <cauchy/base/rng.hpp>
#include <cauchy/engine/host_executor.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/expr/print.hpp>
#include <cauchy/networks/initialize.hpp>
#include <cauchy/networks/kan_formula.hpp>
#include <cauchy/optimizers/levenberg_marquardt.hpp>
#include <cauchy/optimizers/minimize.hpp>
#include <cauchy/training/loss.hpp>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "support/message_of.hpp"

namespace cauchy::test_kan_formula {
namespace {

std::vector<double> between(double lower, double upper, std::size_t n) {
  std::vector<double> x(n);
  for (std::size_t k = 0; k < n; ++k) {
    x[k] = lower + (upper - lower) * static_cast<double>(k) / static_cast<double>(n - 1);
  }
  return x;
}

TEST(SymbolicFunction, SlopesAreTheDerivatives) {
  for (const SymbolicFunction& f : all_symbolic_functions()) {
    for (const double z : {0.7, 1.9}) {
      const double h = 1e-5, slope = (f.value(z + h) - f.value(z - h)) / (2 * h);
      EXPECT_NEAR(f.slope(z), slope, 1e-8 * (1 + std::abs(slope))) << f.name;
      Values at;
      at.set(Coordinate("z"), z);
      EXPECT_NEAR(evaluate(f.form(Coordinate("z")), at), f.value(z), 1e-14) << f.name;
    }
  }
}

TEST(SymbolicFunction, TheFitFindsTheNumbersAgain) {
  for (const SymbolicFunction& f : all_symbolic_functions()) {
    // x from 0.5 to 2: the argument a x + b stays positive where it has to.
    const double a = f.searches_a() ? 1.3 : 1, b = f.searches_b() ? 0.4 : 0;
    const bool kink = f.name == "abs";
    const std::vector<double> x = between(0.5, 2, 300);
    std::vector<double> y;
    for (const double v : x) y.push_back(-1.7 * f.value(a * v + (kink ? -1.1 : b)) + 0.3);
    const EdgeFormula found = fit_function(f, x, y);
    EXPECT_GT(found.r2, 1 - 1e-7) << f.name;
    for (std::size_t k = 0; k < x.size(); k += 37) {
      EXPECT_NEAR(found(x[k]), y[k], 1e-3) << f.name;
    }
    if (f.name == "sin" || f.name == "tanh" || f.name == "gaussian") {
      EXPECT_NEAR(found.a, a, 1e-3) << f.name;
      EXPECT_NEAR(std::remainder(found.b - b, 2 * M_PI), 0, 2e-3) << f.name;
      EXPECT_NEAR(found.c, -1.7, 5e-3) << f.name;
    }
    if (f.name == "exp") {
      EXPECT_NEAR(found.a, a, 1e-4);
      EXPECT_EQ(found.b, 0);  // a shift is a factor, which c has
      EXPECT_NEAR(found.c, -1.7, 1e-3);
    }
  }
}

TEST(SymbolicFunction, TheSimplestFunctionThatFitsIsTaken) {
  const auto name = [](double (*f)(double), double lower, double upper) {
    const std::vector<double> x = between(lower, upper, 200);
    std::vector<double> y;
    for (const double v : x) y.push_back(f(v));
    return std::string(best_function(x, y).function->name);
  };
  EXPECT_EQ(name([](double v) { return std::sin(M_PI * v); }, -1, 1), "sin");
  EXPECT_EQ(name([](double v) { return v * v; }, -1, 1), "x^2");
  EXPECT_EQ(name([](double v) { return 2 * std::exp(v) - 1; }, -2, 2), "exp");
  EXPECT_EQ(name([](double v) { return 3 - 2 * v; }, -1, 1), "x");
  EXPECT_EQ(name([](double v) { return std::log(v + 1.2); }, -1, 1), "log");
  EXPECT_EQ(name([](double v) { return std::sqrt(v); }, 0, 1), "sqrt");
  EXPECT_EQ(name([](double v) { return 1 / (v + 2); }, -1, 1), "1/x");
  EXPECT_EQ(name([](double v) { return std::tanh(3 * v); }, -1, 1), "tanh");
  EXPECT_EQ(name([](double v) { return std::exp(-4 * v * v); }, -1, 1), "gaussian");
  EXPECT_EQ(name([](double v) { return std::abs(v - 0.3); }, -1, 1), "abs");
  EXPECT_EQ(name([](double v) { return v * v * v; }, -1, 1), "x^3");
}

TEST(SymbolicFunction, TakesOnlyNamesOfTheLibrary) {
  const std::vector<double> x = between(-1, 1, 20);
  EXPECT_EQ(best_function(x, x, {.functions = {"x^3"}}).function->name, "x^3");
  const std::string message =
      message_of([&] { return best_function(x, x, {.functions = {"sine"}}).r2; });
  EXPECT_NE(message.find("there is no function 'sine'; functions are: x, x^2"), std::string::npos);
  EXPECT_NE(message_of([&] {
              return fit_function(all_symbolic_functions()[0], x, std::vector<double>(3)).r2;
            }).find("as many values"),
            std::string::npos);
}

/// A [2, 1, 1] network of splines, trained on exp(sin(pi x) + y^2).
KanModel trained(std::uint64_t seed, std::vector<double>& points, std::vector<double>& values) {
  const std::vector<std::string> fields{"u"};
  const Kan kan{.hidden = {1}, .grid = 5, .order = 3};
  const auto graph = std::make_shared<const Graph>(make_network(kan, {"x", "y"}, fields));
  Rng rng(seed);
  for (int p = 0; p < 400; ++p) {
    const double x = 2 * rng.uniform() - 1, y = 2 * rng.uniform() - 1;
    points.insert(points.end(), {x, y});
    values.push_back(std::exp(std::sin(M_PI * x) + y * y));
  }
  const Symbol target("target");
  HostExecutor<double> executor(
      graph, {{.name = "data", .residuals = {Field("u") - target}, .data = {target}}},
      {.threads = 1});
  executor.set_points(0, TermPoints{.points = points, .data = values});
  TrainingLoss loss(executor);
  std::vector<double> theta = initial_parameters(graph->parameters(), Rng(seed));
  LevenbergMarquardt optimizer(LevenbergMarquardtOptions{});
  (void)minimize(optimizer, loss, theta, {.max_iterations = 200});
  return KanModel(kan, 2, 1, theta).regridded(10, points);
}

TEST(KanFormula, FindsACompositionInATrainedNetwork) {
  const Coordinate x("x"), y("y");
  const std::vector<Expr> inputs{x, y};
  std::vector<double> points, values;
  const KanModel model = trained(3, points, values);
  const KanFormula found = formula_of(model, points, inputs, {}, values);
  EXPECT_EQ(found.edges[0][0].function->name, "sin");
  EXPECT_EQ(found.edges[0][1].function->name, "x^2");
  EXPECT_EQ(found.edges[1][0].function->name, "exp");
  EXPECT_GT(found.r2[0], 1 - 1e-8);
  // The expression layer takes it from here.
  Values at;
  at.set(x, 0.3).set(y, -0.6);
  const double exact = std::exp(std::sin(M_PI * 0.3) + 0.36);
  EXPECT_NEAR(evaluate(found.outputs[0], at), exact, 1e-3);
  EXPECT_NEAR(evaluate(d(found.outputs[0], x), at), M_PI * std::cos(M_PI * 0.3) * exact, 1e-2);
  const KanFormula few = formula_of(model, points, inputs, {.digits = 3}, values);
  EXPECT_LT(to_string(few.outputs[0]).size(), to_string(found.outputs[0]).size());
}

TEST(KanFormula, RefusesWhatDoesNotFit) {
  const KanModel model(Kan{.hidden = {}}, 1, 1, std::vector<double>(9, 0.1));
  const std::vector<Expr> two{Coordinate("x"), Coordinate("y")};
  const std::vector<double> points{0.1, 0.2};
  EXPECT_NE(message_of([&] { return formula_of(model, points, two).r2; }).find("do not fit"),
            std::string::npos);
}

}  // namespace
}  // namespace cauchy::test_kan_formula
