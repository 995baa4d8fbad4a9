// Time-dependent finite differences on the problems of the lecture notes.
#include <gtest/gtest.h>

#include <cmath>

#include <cauchy/expr/derivative.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/math/quadrature.hpp>
#include <cauchy/problem/exact_solutions.hpp>

#include "solvers/fdm/fdm_time.hpp"
#include "support/small_problems.hpp"

namespace cauchy::test_fdm_time {
namespace {

using detail::ClassicalAnswer;
using detail::make_fdm_in_time;

const Coordinate t("t"), x("x"), y("y");
const Field u("u");

std::vector<double> values_of(const ClassicalAnswer& answer, const Expr& e,
                              const std::vector<double>& points, std::size_t columns) {
  const Expr roots[] = {e};
  std::vector<double> out(points.size() / columns);
  answer.model->evaluate(roots, points, out);
  return out;
}

Problem burgers() {
  Problem p;
  p.fields = {"u"};
  p.domain = Interval(x, -1, 1) * Time(t, 0, 1);
  p.equation = {d(u, t) + u * d(u, x) == 0.01 / pi * d(u, x, x)};
  p.condition = {at(t == 0, u == -sin(pi * x)), on_boundary(u == 0)};
  return p;
}

/// Relative L2 error at the 201 nodes of the listing, and the largest value.
struct AtNodes {
  double error, largest;
};
AtNodes burgers_at(const ClassicalAnswer& answer, double time) {
  std::vector<double> points;
  for (int i = 0; i <= 200; ++i) points.insert(points.end(), {time, -1 + i / 100.0});
  const std::vector<double> v = values_of(answer, u, points, 2);
  double wrong = 0, right = 0, largest = 0;
  for (std::size_t i = 0; i < v.size(); ++i) {
    const double exact = burgers_cole_hopf(time, points[2 * i + 1], 0.01 / pi);
    wrong += (v[i] - exact) * (v[i] - exact);
    right += exact * exact;
    largest = std::max(largest, std::abs(v[i]));
  }
  return {std::sqrt(wrong / right), largest};
}

TEST(FdmBurgers, TheListingOfTheNotesOscillates) {
  // Forward in time, central in space, 201 nodes, 5000 levels: the cell Reynolds number is pi.
  const auto answer =
      make_fdm_in_time(std::make_shared<Problem>(burgers()),
                       {.n = 200,
                        .upwind = Upwind::never,
                        .time = {.scheme = TimeScheme::explicit_euler, .step = 1.0 / 5000}})
          ->solve(0, {});
  ASSERT_TRUE(answer.troubles.empty());
  EXPECT_NEAR(burgers_at(answer, 0.25).error, 4.0e-4, 0.05e-4);
  EXPECT_NEAR(burgers_at(answer, 0.5).error, 9.5e-2, 0.05e-2);
  EXPECT_NEAR(burgers_at(answer, 0.5).largest, 1.496, 0.5e-3);
  EXPECT_NEAR(burgers_at(answer, 0.75).error, 8.8e-2, 0.05e-2);
  EXPECT_NEAR(burgers_at(answer, 0.9998).error, 6.1e-2, 0.05e-2);
  ASSERT_EQ(answer.remarks.size(), 1u);
  EXPECT_NE(answer.remarks[0].find("cell Reynolds number reaches"), std::string::npos);
}

TEST(FdmBurgers, UpwindDifferencesKeepTheBoundsOnTheSameGrid) {
  const auto answer =
      make_fdm_in_time(std::make_shared<Problem>(burgers()), {.n = 200})->solve(0, {});
  ASSERT_TRUE(answer.troubles.empty()) << answer.troubles[0];
  for (const double time : {0.25, 0.5, 0.75, 0.9998}) {
    const AtNodes at_time = burgers_at(answer, time);
    EXPECT_LT(at_time.error, 4e-2) << time;
    EXPECT_LT(at_time.largest, 1.15) << time;
  }
}

TEST(FdmBurgers, AFineGridResolvesTheShock) {
  const auto answer =
      make_fdm_in_time(std::make_shared<Problem>(burgers()), {.n = 1000})->solve(0, {});
  ASSERT_TRUE(answer.troubles.empty());
  for (const double time : {0.25, 0.5, 0.75, 0.9998}) {
    EXPECT_LT(burgers_at(answer, time).error, 3e-3) << time;
  }
}

TEST(FdmHeat, WhatFlowsOutOfTheBarIsMissingInside) {
  // u_t = D^2 u_xx with D = 1/2: the outward flux -D^2 sum n.grad u is +pi D^2 exp(-pi^2 D^2 t/4).
  const auto answer =
      make_fdm_in_time(std::make_shared<Problem>(heated_bar()), {.n = 64, .order = 4})
          ->solve(0, {});
  const auto rule = gauss_legendre(40);
  const auto heat = [&](double time) {
    std::vector<double> points;
    for (const double node : rule.nodes) points.insert(points.end(), {time, node});
    const std::vector<double> v = values_of(answer, u, points, 2);
    double sum = 0;
    for (std::size_t i = 0; i < v.size(); ++i) sum += rule.weights[i] * v[i];
    return sum;
  };
  for (const double time : {0.2, 0.5, 0.8}) {
    const std::vector<double> slope = values_of(answer, d(u, x), {time, -1, time, 1}, 2);
    const double flux = -0.25 * (slope[1] - slope[0]);
    const double decay = std::exp(-pi * pi * 0.25 * time / 4);
    EXPECT_NEAR(flux, pi * 0.25 * decay, 1e-4);
    EXPECT_NEAR(heat(time), 4 / pi * decay, 1e-5);
    EXPECT_NEAR((heat(time + 0.01) - heat(time - 0.01)) / 0.02, -flux, 2e-4);
  }
}

TEST(FdmHeat, PointSourcesOfOppositeSignDecayAntisymmetrically) {
  // Nodes 0 to 100 in both directions, alpha = dt/dx^2 = 0.2, 400 steps.
  Problem p;
  p.fields = {"u"};
  p.domain = Rectangle({0, 0}, {100, 100}) * Time(t, 0, 80);
  p.equation = {d(u, t) == d(u, x, x) + d(u, y, y)};
  const auto spot = [](double a, double b) {
    return where(max(abs(x - a), abs(y - b)) < 0.5, 1, 0);
  };
  p.condition = {at(t == 0, u == spot(50, 60) - spot(50, 40)), on_boundary(u == 0)};
  const auto answer =
      make_fdm_in_time(std::make_shared<Problem>(p),
                       {.n = 100, .time = {.scheme = TimeScheme::explicit_euler, .step = 0.2}})
          ->solve(0, {});
  ASSERT_TRUE(answer.troubles.empty());
  // The same by hand.
  constexpr std::size_t n = 101;
  std::vector<double> v(n * n, 0.0), w(n * n, 0.0);
  v[50 * n + 60] = 1;
  v[50 * n + 40] = -1;
  for (int step = 0; step < 400; ++step) {
    for (std::size_t i = 1; i + 1 < n; ++i) {
      for (std::size_t j = 1; j + 1 < n; ++j) {
        const std::size_t k = i * n + j;
        w[k] = v[k] + 0.2 * (v[k - n] + v[k + n] + v[k - 1] + v[k + 1] - 4 * v[k]);
      }
    }
    std::swap(v, w);
  }
  double before = 0, after = 0;
  for (const double time : {20.0, 80.0}) {
    std::vector<double> points;
    for (int i = 0; i <= 100; i += 5) {
      for (int j = 0; j <= 100; j += 5) {
        points.insert(points.end(), {time, static_cast<double>(i), static_cast<double>(j)});
      }
    }
    const std::vector<double> got = values_of(answer, u, points, 3);
    double total = 0;
    for (std::size_t i = 0; i < 21; ++i) {
      for (std::size_t j = 0; j < 21; ++j) {
        total += std::abs(got[i * 21 + j]);
        EXPECT_NEAR(got[i * 21 + j], -got[i * 21 + 20 - j], 1e-15);
        if (time == 80) {
          EXPECT_NEAR(got[i * 21 + j], v[5 * i * n + 5 * j], 1e-14);
        }
      }
    }
    (time == 20 ? before : after) = total;
  }
  EXPECT_LT(after, before);
}

TEST(FdmTime, ACapacitorWithAConductingLayerCharges) {
  // V_xxt + d(s V_x, x) = 0, s = 1 in the layer x < a, V = 1 - x at first. The field is constant in
  // the layer and outside: E = -exp(-(1 - a) t) inside, and a E + (1 - a) E_outside = -1.
  const Field V("V");
  const double a = 0.4;
  Problem p;
  p.fields = {"V"};
  p.domain = Interval(x, 0, 1) * Time(t, 0, 5);
  p.equation = {d(V, t, x, x) + d(where(x < a, 1, 0) * d(V, x), x) == 0};
  p.condition = {at(t == 0, V == 1 - x), on("left", V == 1), on("right", V == 0)};
  for (const int n : {50, 55}) {  // a is a node, or lies between two
    const auto answer = make_fdm_in_time(std::make_shared<Problem>(p), {.n = n})->solve(0, {});
    ASSERT_TRUE(answer.troubles.empty()) << answer.troubles[0];
    for (const double time : {0.5, 1.5, 5.0}) {
      const double E = -std::exp(-(1 - a) * time);
      const std::vector<double> v = values_of(answer, V, {time, 0.2, time, 0.8}, 2);
      // The differences are exact for straight lines with a kink; the integration is left.
      EXPECT_NEAR(v[0], 1 + 0.2 * E, 1e-6) << n;
      EXPECT_NEAR(v[1], 0.2 * (1 + a * E) / (1 - a), 1e-6) << n;
    }
  }
}

}  // namespace
}  // namespace cauchy::test_fdm_time
