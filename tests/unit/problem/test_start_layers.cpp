// Where start and boundary disagree, the first moments there are left out of the look at the
// equations; nothing that is wrong elsewhere is.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cauchy/expr/derivative.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/problem/place.hpp>
#include <cauchy/problem/solution.hpp>
#include <cauchy/sampling/domain_points.hpp>

#include "problem/start_layers.hpp"
#include "support/formula_field.hpp"
#include "support/small_problems.hpp"

namespace cauchy::test_start_layers {
namespace {

using detail::Lowering;
using detail::StartLayers;

const Coordinate t("t"), x("x");
const Field u("u");
constexpr double D = 0.05;

/// A bar of length 2, cold at the start, with this condition on the left.
Problem bar(const Equation& left) {
  Problem p;
  p.name = "bar";
  p.fields = {"u"};
  p.domain = Interval(x, 0, 2) * Time(t, 0, 1);
  p.equation = {d(u, t) == D * d(u, x, x)};
  p.condition = {at(t == 0, u == 0), on("left", left), on("right", u == 0)};
  p.tolerance = 0.05;
  return p;
}

/// The layer of a diffusion, of this width at the start: what a grid finds.
Expr width(double diffusion, double first) { return sqrt(4 * diffusion * t + first * first); }
Expr jump(double diffusion, double first) { return 1 - erf(x / width(diffusion, first)); }
/// The same under a flux: its slope is -1 at the left end.
Expr kink(double diffusion, double first) {
  const Expr s = width(diffusion, first), z = x / s;
  return s * (exp(-z * z) / std::sqrt(pi) - z * (1 - erf(z)));
}

const TermCheck& check_of(const Solution& s, const std::string& part) {
  for (const TermCheck& c : s.checks) {
    if (c.name.find(part) != std::string::npos) return c;
  }
  throw std::runtime_error("no check of " + part);
}

TEST(StartLayers, TheLayerOfAGridIsHeldAgainstNoAnswer) {
  Problem heated = bar(u == 1), driven = bar(d(u, x) == -1);
  heated.reference.formulas["u"] = jump(D, 1e-9);
  driven.reference.formulas["u"] = kink(D, 1e-9);
  EXPECT_EQ(graded(heated, {{"u", jump(D, 0.02)}}).grade, Grade::converged);
  EXPECT_EQ(graded(driven, {{"u", kink(D, 0.02)}}).grade, Grade::converged);
}

TEST(StartLayers, AWrongDiffusionIsSeen) {
  for (const double wrong : {0.9, 1.1}) {
    const Solution s = graded(bar(u == 1), {{"u", jump(wrong * D, 0.02)}});
    EXPECT_GT(check_of(s, "u_xx").fresh, 0.005) << wrong;
    EXPECT_NE(s.grade, Grade::unverified) << wrong;
  }
}

TEST(StartLayers, AWrongFluxAndAWrongStartAreSeen) {
  const Solution flux = graded(bar(d(u, x) == -1.1), {{"u", kink(D, 0.02)}});
  EXPECT_GT(check_of(flux, "left").fresh, 0.04);
  EXPECT_NE(flux.grade, Grade::unverified);
  const Solution start = graded(bar(u == 1), {{"u", jump(D, 0.02) + 0.05 * (1 - t) * x * (2 - x)}});
  EXPECT_GT(check_of(start, "t = 0").fresh, 0.01);
  EXPECT_NE(start.grade, Grade::unverified);
}

TEST(StartLayers, TakeFivePercentOfSpaceAndTimeAtMost) {
  const Problem heated = bar(u == 1);
  const Points all = interior_points(domain_of(heated), 20'000);
  for (const double diffusion : {1e-6, 1e-3, 0.05, 10.0}) {
    Problem p = heated;
    p.equation = {d(u, t) == diffusion * d(u, x, x)};
    const StartLayers layers(p, Lowering(p));
    ASSERT_FALSE(layers.empty());
    const double left = static_cast<double>(layers.without(all).size());
    EXPECT_GT(left, 0.945 * 20'000) << diffusion;
    EXPECT_LT(left, 20'000) << diffusion;
    EXPECT_THAT(layers.text(), ::testing::HasSubstr("x = 0"));
  }
}

TEST(StartLayers, AreNoneWhereDataAgree) {
  const Problem agreeing = heated_bar();
  EXPECT_TRUE(StartLayers(agreeing, Lowering(agreeing)).empty());
  EXPECT_EQ(StartLayers(agreeing, Lowering(agreeing)).text(), "");
  const Problem nearly = bar(u == 1e-4 * sin(t));
  EXPECT_TRUE(StartLayers(nearly, Lowering(nearly)).empty());
}

}  // namespace
}  // namespace cauchy::test_start_layers
