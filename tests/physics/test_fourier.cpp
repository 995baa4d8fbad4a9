#include <cmath>

#include <gtest/gtest.h>

#include <cauchy/solvers/method.hpp>

#include "support/fourier_problems.hpp"

namespace cauchy::test_fourier {
namespace {

const Coordinate t("t"), x("x"), y("y"), z("z");
const Field u("u"), v("v"), w("w"), p("p");

TEST(FourierPhysics, CarriesTheSolitonOfKortewegAndDeVries) {
  const Solution s = solve(periodic_kdv(), Spectral{.tolerance = 1e-7});
  EXPECT_LT(s.error.relative_l2(), 1e-7);
  EXPECT_LT(s.error.relative_l2(), 10 * s.estimate->relative_l2 + 1e-7);
}

TEST(FourierPhysics, CarriesASolitonOfSchroedinger) {
  const Solution s = solve(periodic_schroedinger(0.5, 1), Spectral{.tolerance = 1e-7});
  EXPECT_LT(s.error.relative_l2(), 3e-7);
}

TEST(FourierPhysics, TwoSolitonsOfSchroedingerBreathe) {
  // The bound state h(0, x) = 2 sech(x) on an interval that is wide enough to be periodic.
  Problem problem = periodic_schroedinger(0, 1.5);
  const Expr below = cosh(4 * x) + 4 * cosh(2 * x) + 3 * cos(4 * t);
  problem.reference.formulas = {
      {"u", 4 * (cos(t / 2) * cosh(3 * x) + 3 * cos(9 * t / 2) * cosh(x)) / below},
      {"v", 4 * (sin(t / 2) * cosh(3 * x) + 3 * sin(9 * t / 2) * cosh(x)) / below}};
  problem.condition[1] = at(t == 0, u == 2 / cosh(x));
  problem.condition[2] = at(t == 0, v == 0);
  const Solution s = solve(problem, Spectral{.tolerance = 1e-5});
  EXPECT_LT(s.error.relative_l2(), 1e-5);
}

TEST(FourierPhysics, FrontsOfAllenAndCahnStandWhereTheyShould) {
  Problem problem = periodic_interval(-1, 1, 1);
  problem.equation = {d(u, t) == 1e-4 * d(u, x, x) + 5 * (u - pow(u, 3))};
  problem.condition.push_back(at(t == 0, u == x * x * cos(pi * x)));
  const Solution s = solve(problem, Spectral{.n = 2048, .tolerance = 1e-6});
  const std::vector<double> values = s(u, std::vector<double>{1, 0, 1, -1});
  EXPECT_NEAR(values[0], 0.0295797, 5e-8);
  EXPECT_NEAR(values[1], -0.9999989, 5e-8);
}

TEST(FourierPhysics, VorticesOfTaylorAndGreenDecayAtTheRateOfTheirWaves) {
  const double nu = 0.05;
  const Expr cells = cos(2 * x) * cos(2 * y);
  Problem problem = periodic_vorticity(nu, 1, 8 * cells);
  problem.reference.formulas = {{"w", 8 * exp(-8 * nu * t) * cells},
                                {"p", exp(-8 * nu * t) * cells}};
  EXPECT_LT(solve(problem, Spectral{.tolerance = 1e-8}).error.relative_l2(), 1e-8);
}

TEST(FourierPhysics, VorticityAndVelocityGiveTheSameFlow) {
  // u = p_y, v = -p_x of the stream function p = sin(x) cos(2 y) + cos(x + y).
  const Expr stream = sin(x) * cos(2 * y) + cos(x + y);
  const Expr vorticity = -(d(stream, x, x) + d(stream, y, y));
  const Spectral method{.n = 48, .tolerance = 1e-8, .step = 1.0 / 64};
  const Solution by_vorticity = solve(periodic_vorticity(0.1, 1, vorticity), method);
  const Solution by_velocity = solve(periodic_flow(0.1, 1, d(stream, y), -d(stream, x)), method);
  const std::vector<double> rows = rows_at(1, 2, 12, 0, 2 * pi);
  EXPECT_LT(relative_difference(by_vorticity(d(p, y), rows), by_velocity(u, rows)), 1e-7);
  EXPECT_LT(relative_difference(by_vorticity(w, rows), by_velocity(d(v, x) - d(u, y), rows)), 1e-6);
}

TEST(FourierPhysics, EnergyAndEnstrophyOfAFlowDecayAtTheirRates) {
  const double nu = 0.02;
  const Solution s = solve(periodic_vorticity(nu, 1, sin(x) * cos(2 * y) + cos(x + y)),
                           Spectral{.n = 48, .tolerance = 1e-8});
  // The trapezoidal rule on the points is exact: d/dt mean(w p) = -2 nu mean(w^2).
  const auto mean = [&](const Expr& e, double time) {
    double sum = 0;
    const std::vector<double> values = s(e, rows_at(time, 2, 48, 0, 2 * pi));
    for (const double value : values) sum += value;
    return sum / static_cast<double>(values.size());
  };
  const Expr grad_square = d(w, x) * d(w, x) + d(w, y) * d(w, y);
  for (const double time : {0.25, 0.75}) {
    EXPECT_NEAR(mean(2 * p * d(w, t), time), -2 * nu * mean(w * w, time), 1e-6);
    EXPECT_NEAR(mean(2 * w * d(w, t), time), -2 * nu * mean(grad_square, time), 1e-6);
  }
  EXPECT_LT(mean(w * w, 1), mean(w * w, 0));
}

TEST(FourierPhysics, ASpatialFlowOfBeltramiDecaysInThreeDimensions) {
  const double nu = 0.1;
  Problem problem;
  problem.fields = {"u", "v", "w", "p"};
  problem.domain = Box({0, 0, 0}, {2 * pi, 2 * pi, 2 * pi}) * Time(t, 0, 0.5);
  const auto rate = [&](const Field& f, const Coordinate& direction) {
    return Equation{d(f, t) + u * d(f, x) + v * d(f, y) + w * d(f, z) + d(p, direction),
                    nu * (d(f, x, x) + d(f, y, y) + d(f, z, z))};
  };
  problem.equation = {rate(u, x), rate(v, y), rate(w, z), d(u, x) + d(v, y) + d(w, z) == 0};
  const Expr decay = exp(-nu * t);
  const Expr us = decay * (sin(z) + cos(y)), vs = decay * (sin(x) + cos(z)),
             ws = decay * (sin(y) + cos(x));
  problem.condition = {periodic(x),         periodic(y),         periodic(z),
                       at(t == 0, u == us), at(t == 0, v == vs), at(t == 0, w == ws)};
  const Solution s = solve(problem, Spectral{.n = 8, .tolerance = 1e-6});
  const std::vector<double> rows{0.3, 1, 2, 3, 0.5, 6, 0.1, 4};
  const double f = std::exp(-nu * 0.3);
  EXPECT_NEAR(s(u, rows)[0], f * (std::sin(3) + std::cos(2)), 1e-6);
  // p = -|u|^2 / 2 with mean zero; the square has the mean 3 decay^2.
  const auto squares = s((u * u + v * v + w * w) / 2 + p, rows);
  EXPECT_NEAR(squares[0], 1.5 * f * f, 1e-6);
  EXPECT_NEAR(squares[1], 1.5 * std::exp(-nu), 1e-6);
}

TEST(FourierPhysics, GrayAndScottReactInThePlane) {
  Problem problem;
  problem.fields = {"u", "v"};
  problem.domain = Rectangle({0, 0}, {2, 2}) * Time(t, 0, 10);
  const double feed = 0.04, kill = 0.06;
  problem.equation = {d(u, t) == 1e-2 * (d(u, x, x) + d(u, y, y)) - u * v * v + feed * (1 - u),
                      d(v, t) == 5e-3 * (d(v, x, x) + d(v, y, y)) + u * v * v - (feed + kill) * v};
  const Expr spot = exp(-3 * (2 - cos(pi * x) - cos(pi * y)));
  problem.condition = {periodic(x), periodic(y), at(t == 0, u == 1 - spot / 2),
                       at(t == 0, v == spot / 4)};
  const Solution coarse = solve(problem, Spectral{.n = 32, .tolerance = 1e-6});
  const Solution fine = solve(problem, Spectral{.n = 48, .tolerance = 1e-7});
  const std::vector<double> rows = rows_at(10, 2, 8, 0, 2);
  EXPECT_LT(relative_difference(coarse(v, rows), fine(v, rows)), 1e-4);
  // Mean balance of the first equation, by values alone.
  const auto mean = [&](const Expr& e) {
    double sum = 0;
    const std::vector<double> values = fine(e, rows_at(5, 2, 32, 0, 2));
    for (const double value : values) sum += value;
    return sum / static_cast<double>(values.size());
  };
  EXPECT_NEAR(mean(d(u, t)), mean(-u * v * v + feed * (1 - u)), 1e-6);
}

}  // namespace
}  // namespace cauchy::test_fourier
