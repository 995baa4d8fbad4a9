// No answer is its own witness, and none that its equations refute is converged.
#include <cmath>

#include <gtest/gtest.h>

#include <cauchy/cauchy.hpp>

#include "problem/field_units.hpp"
#include "problem/narrow_sources.hpp"
#include "solvers/classical/contradiction.hpp"

namespace cauchy::test_witnesses {
namespace {

const Coordinate t("t"), x("x"), y("y");
const Field u("u"), q("q"), v("v");

/// An oscillator at rest that is struck at 617.3.
Problem struck() {
  Problem p;
  p.name = "struck";
  p.fields = {"q", "v"};
  p.domain = Time(t, 0, 1000);
  p.equation = {d(q, t) == v, d(v, t) == -0.001 * q + exp(-pow(t - 617.3, 2))};
  p.condition = {at(t == 0, q == 0), at(t == 0, v == 0)};
  p.tolerance = 1e-2;
  return p;
}

double struck_at(double at) {
  const double w = std::sqrt(0.001);
  return std::sqrt(M_PI) * std::exp(-w * w / 4) / w * std::sin(w * (at - 617.3));
}

TEST(Witnesses, StepsOfAnIntegratorMeetAPulseAfterALongRest) {
  for (const Method& method : {Method(Ode{}), Method(AutoClassical{})}) {
    const Solution s = solve(struck(), method);
    EXPECT_EQ(s.grade, Grade::converged) << name_of(method);
    for (const double at : {640.0, 700.0, 850.0, 999.0}) {
      EXPECT_NEAR(s("q", {at}), struck_at(at), 0.01 * 56) << name_of(method) << " " << at;
    }
  }
}

/// A rod with a source of strength 1 on a place of this width.
Problem heated_rod(double width, double offset) {
  Problem p;
  p.name = "rod";
  p.fields = {"u"};
  p.domain = Interval(x, 0, 1);
  p.equation = {-d(u, x, x) == exp(-pow((x - 0.3712) / width, 2)) / (width * std::sqrt(M_PI))};
  p.condition = {on("boundary", u == offset * (1 + x))};
  p.tolerance = 1e-2;
  return p;
}

TEST(Witnesses, ASourceOfTenMicrometresIsSeenOrToldToBeUnseen) {
  const double truth = 0.3712 * (1 - 0.3712);
  for (const double offset : {0.0, 1.0}) {
    const Problem p = heated_rod(1e-5, offset);
    for (const Method& method : {Method(Spectral{}), Method(Kansa{}), Method(AutoClassical{})}) {
      const Solution s = solve(p, method);
      const double error = std::abs(s("u", {0.3712}) - offset * 1.3712 - truth);
      EXPECT_TRUE(s.grade == Grade::suspicious || error < 0.02 * truth) << name_of(method);
    }
    for (const Method& method : {Method(Ode{}), Method(Fem{})}) {  // they put nodes there
      EXPECT_EQ(solve(p, method).grade, Grade::converged) << name_of(method) << " " << offset;
    }
  }
}

TEST(Witnesses, NarrowSourcesAreFoundWithPlaceAndWidth) {
  const auto found = detail::narrow_sources(heated_rod(1e-5, 0));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].at[0], 0.3712, 1e-7);
  EXPECT_NEAR(found[0].width[0], 1e-5 * std::sqrt(std::log(2.0)), 1e-8);
  EXPECT_TRUE(detail::narrow_sources(heated_rod(0.1, 0)).empty());

  Problem plate;
  plate.fields = {"u"};
  plate.domain = Rectangle({0, 0}, {1, 1});
  plate.equation = {-d(u, x, x) - d(u, y, y) ==
                    where(pow(x - 0.3712, 2) + pow(y - 0.6133, 2) < 1e-6, Expr(1e6), Expr(0))};
  plate.condition = {on("boundary", u == 0)};
  const auto disk = detail::narrow_sources(plate);
  ASSERT_EQ(disk.size(), 1u);
  EXPECT_NEAR(disk[0].at[0], 0.3712, 1e-6);
  EXPECT_NEAR(disk[0].at[1], 0.6133, 1e-6);
  EXPECT_NEAR(disk[0].width[0], 1e-3, 1e-9);
}

TEST(Witnesses, ErrorsAreMeasuredAgainstWhatAFieldDoes) {
  // 300 K with a rise of 7 K; a velocity of 1 across which nothing flows, but for rounding.
  const double right[] = {300, 1, 0, 307, 0.5, 0, 302, 0.7, 0};
  const double found[] = {300, 1, 1e-9, 300, 0.5, -1e-9, 300, 0.7, 0};
  const std::vector<double> units = detail::field_units(right, found, 3);
  EXPECT_DOUBLE_EQ(units[0], 7);
  EXPECT_DOUBLE_EQ(units[1], 0.5);
  EXPECT_DOUBLE_EQ(units[2], 7e-3);
  const double constant[] = {1, 1, 1}, close[] = {1, 1 + 1e-9, 1};
  EXPECT_DOUBLE_EQ(detail::field_units(constant, close, 1)[0], 1);
}

}  // namespace
}  // namespace cauchy::test_witnesses
