#include "operators/physics_residual.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "operators/residual_norm.hpp"
#include "support/message_of.hpp"
#include "support/physics_cases.hpp"

namespace cauchy::test_physics_residual {
namespace {

constexpr double pi_ = std::numbers::pi;

FieldGrid square(int n, bool periodic = false) {
  return {.axes = {{"x", n, 0, 1, periodic}, {"y", n, 0, 1, periodic}}};
}
FieldGrid line(int n) { return {.axes = {{"x", n, 0, 1}}}; }

std::vector<double> equal_times(int n, double end) {
  std::vector<double> t;
  for (int k = 0; k < n; ++k) t.push_back(end * k / (n - 1));
  return t;
}

/// Mean squares of all frequencies alike.
PhysicsLoss by(GridDerivative derivative) { return {.derivative = derivative, .smoothing = 0}; }

double hill(double, double x, double y) { return std::sin(pi_ * x) * std::sin(pi_ * y); }

/// Smooth coefficient and the source that belongs to the hill.
double smooth_a(double, double x, double y) { return 2 + x - 0.5 * y; }
double smooth_f(double, double x, double y) {
  const double u = hill(0, x, y), a = smooth_a(0, x, y);
  return 2 * pi_ * pi_ * a * u - pi_ * std::cos(pi_ * x) * std::sin(pi_ * y) +
         0.5 * pi_ * std::sin(pi_ * x) * std::cos(pi_ * y);
}

GivenAnswer hill_answer(int n) {
  return {
      .space = square(n), .inputs = {{"a", smooth_a}, {"f", smooth_f}}, .fields = {{"u", hill}}};
}

TEST(PhysicsResidual, TheSolutionOfDarcysEquationLeavesLittleOfItsOrder) {
  const OperatorProblem p = darcy_operator();
  for (const auto& [kind, order] :
       {std::pair(GridDerivative::difference_3, 2.0), std::pair(GridDerivative::difference_5, 4.0),
        std::pair(GridDerivative::difference_7, 6.0)}) {
    const PhysicsLoss options = by(kind);
    const double coarse = residuals_of(p, hill_answer(17), options)[0];
    const double fine = residuals_of(p, hill_answer(33), options)[0];
    EXPECT_GT(0.5 * std::log2(coarse / fine), order - 0.6) << to_string(kind);
  }
  const PhysicsLoss fourier = by(GridDerivative::fourier);
  EXPECT_LT(std::sqrt(residuals_of(p, hill_answer(33), fourier)[0]), 1e-3 * 40);
}

TEST(PhysicsResidual, TheSignOfTheSourceIsThatOfTheEquation) {
  // P = -div(a grad u) - f: with +f the same answer leaves twice the source.
  const OperatorProblem p = darcy_operator();
  GivenAnswer wrong = hill_answer(33);
  wrong.inputs[1].second = [](double t, double x, double y) { return -smooth_f(t, x, y); };
  EXPECT_GT(residuals_of(p, wrong)[0], 1e3 * residuals_of(p, hill_answer(33))[0]);
}

TEST(PhysicsResidual, WithoutAnAnswerTheSourceIsLeft) {
  const OperatorProblem p = darcy_operator();
  GivenAnswer zero = hill_answer(9);
  zero.inputs[1].second = [](double, double x, double) { return x; };
  zero.fields[0].second = [](double, double, double) { return 0.0; };
  // The mean of x^2 over the 7 inner nodes of each axis.
  double expected = 0;
  for (int i = 1; i < 8; ++i) expected += i * i / 64.0 / 7;
  EXPECT_NEAR(residuals_of(p, zero)[0], expected, 1e-14);
  zero.space = square(9);
  double narrow = 0;
  for (int i = 3; i < 6; ++i) narrow += i * i / 64.0 / 3;
  EXPECT_NEAR(residuals_of(p, zero, {.margin = 3, .smoothing = 0})[0], narrow, 1e-14);
}

TEST(PhysicsResidual, AFluxThroughAJumpIsThatOfTwoLayers) {
  // a = 12 left and 3 right of the middle between nodes 7 and 8 of 16; the flux is 1 everywhere.
  const OperatorProblem p = darcy_operator(false);
  GivenAnswer layers{.space = line(16)};
  layers.inputs = {{"a", [](double, double x, double) { return x < 0.5 ? 12.0 : 3.0; }},
                   {"f", [](double, double, double) { return 0.0; }}};
  layers.fields = {
      {"u", [](double, double x, double) { return x < 0.5 ? x / 12 : 0.5 / 12 + (x - 0.5) / 3; }}};
  EXPECT_LT(residuals_of(p, layers)[0], 1e-24);
  // Differences at nodes see a source there, of the size of 1 / h.
  EXPECT_GT(residuals_of(p, layers, by(GridDerivative::difference_5))[0], 1.0);
}

TEST(PhysicsResidual, FluxesBetweenNodesSeeTheZigzagThatCentralDifferencesMiss) {
  const OperatorProblem p = darcy_operator(false);
  GivenAnswer zigzag{.space = line(16)};
  zigzag.inputs = {{"a", [](double, double, double) { return 1.0; }},
                   {"f", [](double, double, double) { return 0.0; }}};
  zigzag.fields = {
      {"u", [](double, double x, double) { return std::lround(15 * x) % 2 == 0 ? 1.0 : -1.0; }}};
  EXPECT_NEAR(residuals_of(p, zigzag)[0], std::pow(4.0 * 15 * 15, 2), 1e-6);
}

/// u_t = nu u_xx, or with the wrong sign.
OperatorProblem heat_operator(double sign) {
  const Coordinate t("t"), x("x");
  const Field u("u");
  const DataFunction a("a");
  OperatorProblem p;
  p.problem.fields = {"u"};
  p.problem.domain = Interval(x, 0, 1) * Time(t, 0, 1);
  p.problem.equation = {d(u, t) == sign * 0.1 * d(u, x, x)};
  p.problem.condition = {at(t == 0, u == a(x)), on_boundary(u == 0)};
  p.inputs = {{.name = "a", .field = "sines(4)"}};
  return p;
}

TEST(PhysicsResidual, TheHeatEquationHoldsAlongTimesThatAreChannels) {
  const auto heat = [](double t, double x, double) {
    return std::exp(-0.1 * pi_ * pi_ * t) * std::sin(pi_ * x);
  };
  GivenAnswer answer{.space = line(33), .times = equal_times(9, 1), .given = 1};
  answer.inputs = {{"a", heat}};
  answer.fields = {{"u", heat}};
  const PhysicsLoss options = by(GridDerivative::difference_5);
  const std::vector<double> right = residuals_of(heat_operator(1), answer, options);
  // The equation and the boundary; the initial value is given.
  ASSERT_EQ(right.size(), 2u);
  EXPECT_LT(std::sqrt(right[0]), 2e-4);
  EXPECT_LT(right[1], 1e-30);
  EXPECT_GT(std::sqrt(residuals_of(heat_operator(-1), answer, options)[0]), 0.5);
  // Answers at all times: the initial value is a condition.
  answer.given = 0;
  answer.inputs = {{"a", [&](double t, double x, double y) { return heat(t, x, y) + 0.5; }}};
  const std::vector<double> all = residuals_of(heat_operator(1), answer, options);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_NEAR(all[1], 0.25, 1e-12);
}

TEST(PhysicsResidual, AnEquationOfAllFramesSeesTheOneThatIsWrong) {
  const auto heat = [](double t, double x, double) {
    const double wrong = t > 0.99 ? 0.1 : 0;
    return std::exp(-0.1 * pi_ * pi_ * t) * std::sin(pi_ * x) + wrong * x * (1 - x);
  };
  GivenAnswer answer{.space = line(17), .times = equal_times(9, 1), .given = 1};
  answer.inputs = {{"a", heat}};
  answer.fields = {{"u", heat}};
  EXPECT_GT(std::sqrt(residuals_of(heat_operator(1), answer)[0]), 0.05);
}

TEST(PhysicsResidual, AFrontThatTravelsSolvesBurgersEquation) {
  const Coordinate t("t"), x("x");
  const Field u("u");
  const double nu = 0.1;
  OperatorProblem p;
  p.problem.fields = {"u"};
  p.problem.domain = Interval(x, 0, 1) * Time(t, 0, 0.5);
  const auto front = [&](double s, double z, double) {
    return 1 - std::tanh((z - 0.3 - s) / (2 * nu));
  };
  const auto rms = [&](int n, int frames, double sign, GridDerivative kind) {
    p.problem.equation = {d(u, t) + sign * u * d(u, x) == nu * d(u, x, x)};
    GivenAnswer answer{.space = line(n), .times = equal_times(frames, 0.5)};
    answer.fields = {{"u", front}};
    return std::sqrt(residuals_of(p, answer, by(kind))[0]);
  };
  const double coarse = rms(33, 17, 1, GridDerivative::difference_3);
  EXPECT_LT(rms(65, 33, 1, GridDerivative::difference_3), 0.3 * coarse);
  EXPECT_LT(rms(65, 33, 1, GridDerivative::difference_5), 0.02 * coarse);
  EXPECT_GT(rms(65, 33, -1, GridDerivative::difference_5), 1.0);
}

TEST(PhysicsResidual, EveryDerivativeServesACircle) {
  // u + u_xxx + u_xy = f on a torus.
  const Coordinate x("x"), y("y");
  const Field u("u");
  const DataFunction f("f");
  OperatorProblem p;
  p.problem.fields = {"u"};
  p.problem.domain = Rectangle({0, 0}, {1, 1});
  p.problem.equation = {u + d(u, x, x, x) + d(u, x, y) == f(x, y)};
  p.problem.condition = {periodic(x), periodic(y)};
  p.inputs = {{.name = "f", .field = ""}};
  const double w = 2 * pi_;
  GivenAnswer answer{.space = square(32, true)};
  answer.inputs = {{"f", [&](double, double a, double b) {
                      return std::sin(w * a) * std::cos(w * b) -
                             w * w * w * std::cos(w * a) * std::cos(w * b) -
                             w * w * std::cos(w * a) * std::sin(w * b);
                    }}};
  answer.fields = {
      {"u", [&](double, double a, double b) { return std::sin(w * a) * std::cos(w * b); }}};
  const auto rms = [&](GridDerivative kind) {
    return std::sqrt(residuals_of(p, answer, by(kind))[0]);
  };
  EXPECT_LT(rms(GridDerivative::fourier), 1e-9);
  EXPECT_LT(rms(GridDerivative::difference_7), 0.05);
  EXPECT_LT(rms(GridDerivative::difference_5), 5);
  EXPECT_GT(rms(GridDerivative::difference_5), rms(GridDerivative::difference_7));
  EXPECT_EQ(residuals_of(p, answer, by(GridDerivative::fourier)).size(), 1u);
}

/// Mean squares of conditions alone, u = x + 10 y on [0, 1]^2.
double condition_square(const Condition& c) {
  const Coordinate x("x"), y("y");
  const Field u("u");
  OperatorProblem p;
  p.problem.fields = {"u"};
  p.problem.domain = Rectangle({0, 0}, {1, 1});
  p.problem.condition = {c};
  GivenAnswer answer{.space = square(5)};
  answer.fields = {{"u", [](double, double a, double b) { return a + 10 * b; }}};
  return residuals_of(p, answer)[0];
}

TEST(PhysicsResidual, ConditionsHoldOnTheirPartOfTheBoundary) {
  const Field u("u");
  const Coordinate x("x"), y("y");
  const Expr slope = normal_derivative(u, {"x", "y"});
  EXPECT_LT(condition_square(on("left", u == 10 * y)), 1e-24);
  EXPECT_NEAR(condition_square(on("right", u == 10 * y)), 1, 1e-12);
  // The trapezoidal rule for x^2 on 5 nodes.
  EXPECT_NEAR(condition_square(on("bottom", u == 0)), (0.5 + 1 / 16.0 + 4 / 16.0 + 9 / 16.0) / 4,
              1e-12);
  EXPECT_LT(condition_square(on_boundary(u == x + 10 * y)), 1e-24);
  // Outward: to the left the slope is -1.
  EXPECT_LT(condition_square(on("left", slope == -1)), 1e-20);
  EXPECT_LT(condition_square(on("right", slope == 1)), 1e-20);
  EXPECT_LT(condition_square(on("top", slope == 10)), 1e-20);
  EXPECT_NEAR(condition_square(on("bottom", slope == 10)), 400, 1e-9);
  // A part of a side, and a weight.
  EXPECT_NEAR(condition_square(on("bottom and x > 0.9", u == 0)), 1, 1e-12);
  EXPECT_NEAR(condition_square(weighted(7, on("right", u == 10 * y))), 7, 1e-11);
}

TEST(PhysicsResidual, SmoothingWeighsFrequenciesByTheirEigenvalues) {
  const OperatorProblem p = darcy_operator();
  for (const int k : {1, 3}) {
    GivenAnswer wave = hill_answer(17);
    wave.inputs[1].second = [&](double, double x, double y) {
      return std::sin(pi_ * k * x) * std::sin(pi_ * 2 * y);
    };
    wave.fields[0].second = [](double, double, double) { return 0.0; };
    // Mean square over the 15 x 15 inner nodes: (16 / 15 / 2)^2; lambda_1 = pi^2.
    const double plain = std::pow(16.0 / 30, 2), factor = 1 + (k * k + 4);
    EXPECT_NEAR(residuals_of(p, wave)[0], plain, 1e-12);
    EXPECT_NEAR(residuals_of(p, wave, {.smoothing = 1})[0], plain / factor, 1e-12);
    EXPECT_NEAR(residuals_of(p, wave, {.smoothing = 2})[0], plain / factor / factor, 1e-12);
    // What an equation of second order asks for.
    EXPECT_NEAR(residuals_of(p, wave, {.smoothing = -1})[0], plain / factor / factor, 1e-12);
  }
}

TEST(PhysicsResidual, WhatAGridCannotTreatIsSaid) {
  const Coordinate t("t"), x("x"), y("y");
  const Field u("u"), v("v");
  const auto error = [&](const std::function<void(OperatorProblem&)>& change,
                         PhysicsLoss options = {}) {
    OperatorProblem p = darcy_operator();
    change(p);
    return message_of([&] { (void)residuals_of(p, hill_answer(9), options); });
  };
  EXPECT_EQ(error([&](auto& p) { p.problem.condition = {integral(u == 1)}; }),
            "condition 'integral of u = 1 over domain': physics on a grid has no integral "
            "conditions; train with data alone");
  EXPECT_EQ(error([&](auto& p) {
              p.problem.condition = {at_point({{"x", 0}, {"y", 0}}, u == 1)};
            }),
            "condition 'u = 1 at a point': physics on a grid has no conditions at single points; "
            "train with data alone");
  EXPECT_EQ(error([&](auto& p) { p.problem.unknowns = {{.name = "nu"}}; }),
            "[train.physics]: 'nu' is an unknown constant, which an operator does not find; give "
            "it a number in [parameters]");
  EXPECT_EQ(error([&](auto& p) { p.problem.equation = {d(u, x, x, x) == 0}; }),
            "equation 'u_xxx = 0': 3 points have no derivative of order 3; use derivative = "
            "\"difference_5\"");
  EXPECT_EQ(error([&](auto& p) { p.problem.equation = {u + v == 0}; }),
            "equation 'u + v = 0': 'v' is no output of the operator; add it to `outputs` in "
            "[operator]");
  EXPECT_EQ(error([&](auto& p) {
              p.problem.domain = Rectangle({0, 0}, {1, 1}) * Time(t, 0, 1);
              p.problem.equation = {d(u, t) == 0};
            }),
            "equation 'u_t = 0': the outputs have no values along 't'; give `times` in [operator]");
  EXPECT_EQ(error([&](auto& p) { p.problem.equation = {u == DataFunction("a")(x + 1, y)}; }),
            "equation 'u = a(x + 1, y)': a(x + 1, y) is not asked at the nodes of the grid; "
            "physics needs input functions of the coordinates of space themselves");
  EXPECT_EQ(error([](auto&) {}, {.margin = 5}),
            "equation '-div(a(x, y)*grad(u)) = f(x, y)': no node is left inside of the margin; use "
            "a finer grid");
}

}  // namespace
}  // namespace cauchy::test_physics_residual
