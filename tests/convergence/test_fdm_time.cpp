// Orders of finite differences in space and time together.
#include <gtest/gtest.h>

#include <cmath>

#include <cauchy/expr/derivative.hpp>
#include <cauchy/geometry/primitives.hpp>

#include "solvers/fdm/fdm_time.hpp"

namespace cauchy::test_fdm_time {
namespace {

const Coordinate t("t"), x("x"), y("y");
const Field u("u");

/// Largest error at points of the end of the time.
double error_of(const Problem& p, const Fdm& method, const Expr& exact) {
  const auto answer = detail::make_fdm_in_time(std::make_shared<Problem>(p), method)->solve(0, {});
  EXPECT_TRUE(answer.troubles.empty());
  const bool plane = p.coordinates().size() == 3;
  std::vector<double> points;
  for (int i = 1; i < 12; ++i) {
    points.insert(points.end(), {0.5, 0.05 + 0.075 * i});
    if (plane) points.push_back(0.3);
  }
  const Expr both[] = {u, exact};
  std::vector<double> v(22);
  answer.model->evaluate(both, points, v);
  double worst = 0;
  for (std::size_t i = 0; i < v.size(); i += 2) worst = std::max(worst, std::abs(v[i] - v[i + 1]));
  return worst;
}

Problem on_interval(const Equation& equation, const Expr& exact, bool second) {
  Problem p;
  p.fields = {"u"};
  p.domain = Interval(x, 0, 1) * Time(t, 0, 0.5);
  p.equation = {equation};
  p.condition = {at(t == 0, u == exact), on_boundary(u == exact)};
  if (second) p.condition.push_back(at(t == 0, d(u, t) == d(exact, t)));
  return p;
}

void expect_order(const Problem& p, const Expr& exact, Fdm method, double order) {
  const double coarse = error_of(p, method, exact);
  method.n *= 2;
  const double fine = error_of(p, method, exact);
  EXPECT_NEAR(std::log2(coarse / fine), order, 0.1) << coarse << " " << fine;
}

TEST(FdmTimeOrder, OfDiffusionWithAMovingBoundary) {
  const Expr exact = exp(-t) * sin(3 * x + 1) + t * x;
  const Equation heat =
      d(u, t) + u * d(u, x) == d(u, x, x) + d(exact, t) + exact * d(exact, x) - d(exact, x, x);
  const Problem p = on_interval(heat, exact, false);
  expect_order(p, exact, {.n = 24}, 2);
  expect_order(p, exact, {.n = 64, .order = 4}, 4);
  for (const TimeScheme scheme : {TimeScheme::imex, TimeScheme::bdf}) {
    expect_order(p, exact, {.n = 24, .time = {.scheme = scheme}}, 2);
  }
}

TEST(FdmTimeOrder, OfWaves) {
  const Expr exact = sin(2 * x + 1) * cos(2 * t);
  const Problem p = on_interval(d(u, t, t) == d(u, x, x), exact, true);
  expect_order(p, exact, {.n = 32}, 2);
  expect_order(p, exact, {.n = 48, .order = 4}, 4);
}

TEST(FdmTimeOrder, OfHeatInADisk) {
  const Expr exact = exp(-2 * t) * cos(x) * cos(y) + x * t;
  Problem p;
  p.fields = {"u"};
  p.domain = Disk({0.5, 0.5}, 0.6) * Time(t, 0, 0.5);
  p.equation = {d(u, t) == d(u, x, x) + d(u, y, y) + d(exact, t) - d(exact, x, x) - d(exact, y, y)};
  p.condition = {at(t == 0, u == exact), on_boundary(u == exact)};
  const double coarse = error_of(p, {.n = 12}, exact), fine = error_of(p, {.n = 48}, exact);
  // Points beside the boundary lie differently in every grid.
  EXPECT_NEAR(std::log2(coarse / fine) / 2, 2, 0.3) << coarse << " " << fine;
}

}  // namespace
}  // namespace cauchy::test_fdm_time
