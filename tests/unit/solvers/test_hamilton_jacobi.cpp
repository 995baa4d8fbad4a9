// Edges of Hamilton-Jacobi equations against the formula of Hopf and Lax, and distances.
#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include <cauchy/cauchy.hpp>

#include "problem/doubts.hpp"
#include "support/message_of.hpp"

namespace cauchy::test_hamilton_jacobi {
namespace {

const Coordinate t("t"), x("x"), y("y");
const Field u("u");

/// min over y of g(y) + (x - y)^2/(2 t): the solution of u_t + u_x^2/2 = 0.
double hopf_lax(const std::function<double(double)>& g, double time, double at) {
  double least = g(at);
  for (int k = -40'000; k <= 40'000; ++k) {
    const double from = at + 1e-4 * k;
    least = std::min(least, g(from) + (at - from) * (at - from) / (2 * time));
  }
  return least;
}

/// u_t + u_x^2 = 0 from |x|: the edge opens.
Problem opening() {
  Problem p;
  p.name = "opening";
  p.fields = {"u"};
  p.domain = Interval(x, -1, 1) * Time(t, 0, 0.4);
  p.equation = {d(u, t) + d(u, x) * d(u, x) == 0};
  p.condition = {at(t == 0, u == abs(x)), on_boundary(u == abs(x) - t)};
  p.tolerance = 0.01;
  return p;
}

/// Waves of a smooth start that meet at 1/pi^2.
Problem meeting() {
  Problem p = opening();
  p.domain = Interval(x, -1, 1) * Time(t, 0, 0.6);
  p.equation = {d(u, t) + d(u, x) * d(u, x) / 2 == 0};
  p.condition = {at(t == 0, u == -cos(pi * x)), periodic(x)};
  return p;
}

TEST(HamiltonJacobi, AnEdgeThatOpensIsTheViscositySolution) {
  for (const Method& method : {Method(Fvm{}), Method(AutoClassical{})}) {
    const Solution s = solve(opening(), method);
    EXPECT_EQ(s.grade, Grade::converged) << name_of(method);
    for (const double at : {-0.7, -0.1, 0.0, 0.3}) {
      const double truth = hopf_lax([](double z) { return std::abs(z); }, 2 * 0.4, at);
      EXPECT_NEAR(s("u", {0.4, at}), truth, 5e-3) << at;
    }
    EXPECT_LE(s.estimate->judged(), 0.01);
  }
}

TEST(HamiltonJacobi, WavesThatMeetMakeAnEdge) {
  const Solution s = solve(meeting(), Fvm{});
  EXPECT_EQ(s.grade, Grade::converged);
  for (const double at : {-0.9, -0.4, 0.0, 0.05, 0.5, 0.99}) {
    const double truth = hopf_lax([](double z) { return -std::cos(M_PI * z); }, 0.6, at);
    EXPECT_NEAR(s("u", {0.6, at}), truth, 0.02) << at;
  }
}

TEST(HamiltonJacobi, AConcaveOneIsTheMirrorImage) {
  Problem p = opening();
  p.equation = {d(u, t) == d(u, x) * d(u, x)};
  p.condition = {at(t == 0, u == -abs(x)), on_boundary(u == t - abs(x))};
  const Solution s = solve(p, Fvm{});
  EXPECT_EQ(s.grade, Grade::converged);
  EXPECT_NEAR(s("u", {0.4, 0.1}), -hopf_lax([](double z) { return std::abs(z); }, 0.8, 0.1), 5e-3);
}

TEST(HamiltonJacobi, EdgesOpenInThePlane) {
  Problem p = opening();
  p.domain = Rectangle({-1, -1}, {1, 1}) * Time(t, 0, 0.5);
  p.equation = {d(u, t) + (d(u, x) * d(u, x) + d(u, y) * d(u, y)) / 2 == 0};
  p.condition = {at(t == 0, u == abs(x) + abs(y))};
  p.tolerance = 0.03;
  const Solution s = solve(p, Fvm{});
  EXPECT_EQ(s.grade, Grade::converged);
  const auto line = [](double at) {
    return hopf_lax([](double z) { return std::abs(z); }, 0.5, at);
  };
  for (const auto& at : {std::pair(0.0, 0.0), std::pair(0.2, -0.3), std::pair(-0.7, 0.1)}) {
    EXPECT_NEAR(s("u", {0.5, at.first, at.second}), line(at.first) + line(at.second), 0.03);
  }
}

TEST(HamiltonJacobi, DistancesHaveTheirRidges) {
  Problem line;
  line.name = "line";
  line.fields = {"u"};
  line.domain = Interval(x, 0, 1);
  line.condition = {on_boundary(u == 0)};
  line.tolerance = 0.01;
  const Expr slope = d(u, x);
  for (const Equation& form : {slope * slope == 1, Expr(1) == slope * slope, abs(slope) == 1}) {
    line.equation = {form};
    const Solution s = solve(line, AutoClassical{});
    EXPECT_EQ(s.grade, Grade::converged);
    EXPECT_NEAR(s("u", {0.3}), 0.3, 5e-3);
    EXPECT_NEAR(s("u", {0.55}), 0.45, 5e-3);
  }
  Problem plate = line;
  plate.domain = Rectangle({0, 0}, {1, 0.6});
  plate.equation = {sqrt(d(u, x) * d(u, x) + d(u, y) * d(u, y)) == 1};
  plate.tolerance = 0.03;
  const Solution s = solve(plate, Fvm{});
  EXPECT_EQ(s.grade, Grade::converged);
  EXPECT_NEAR(s("u", {0.5, 0.3}), 0.3, 0.01);
  EXPECT_NEAR(s("u", {0.1, 0.4}), 0.1, 0.01);
  EXPECT_NEAR(s("u", {0.8, 0.45}), 0.15, 0.01);
}

TEST(HamiltonJacobi, MethodsAtPointsNameTheOneThatTakesIt) {
  for (const Method& method : {Method(Spectral{}), Method(Fdm{}), Method(Kansa{})}) {
    for (const Problem& p : {opening(), meeting()}) {
      const std::string said = message_of([&] { static_cast<void>(prepare(p, method)); });
      EXPECT_NE(said.find("almost everywhere"), std::string::npos) << said;
    }
  }
}

TEST(HamiltonJacobi, SmoothAnswersAreLeftToAllMethods) {
  EXPECT_EQ(detail::lost_kinks(opening()).size(), 1u);
  EXPECT_NE(detail::lost_kinks(meeting())[0].find("t = 0.101"), std::string::npos);
  Problem fan = opening();  // waves that part
  fan.condition = {at(t == 0, u == x * x), on_boundary(u == x * x / (1 + 4 * t))};
  EXPECT_TRUE(detail::lost_kinks(fan).empty());
  EXPECT_EQ(solve(fan, Spectral{}).grade, Grade::converged);
  Problem carried = opening();
  carried.equation = {d(u, t) + d(u, x) == 0};
  EXPECT_TRUE(detail::lost_kinks(carried).empty()) << "linear";
  carried.equation = {d(u, t) + u * d(u, x) == 0};
  EXPECT_TRUE(detail::lost_kinks(carried).empty()) << "linear in the slope";
}

}  // namespace
}  // namespace cauchy::test_hamilton_jacobi
