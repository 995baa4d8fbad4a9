// Equations across kinks of answers: measured in the mean, where a wrong flux stays wrong.
#include <gtest/gtest.h>

#include <cauchy/geometry/primitives.hpp>

#include "support/formula_field.hpp"

namespace cauchy::test_mean_checks {
namespace {

const Coordinate t("t"), x("x"), y("y");
const Field u("u");
constexpr double smear = 0.002;  // as far as a grid spreads a kink

/// Like abs(e), bent over a small length.
Expr bent(const Expr& e) { return sqrt(e * e + smear * smear); }

double residual_of(const Problem& p, const Expr& answer) {
  return graded(p, {{"u", answer}}).checks.at(0).fresh;
}

/// A wall of two layers, 1 and 10 times conducting.
Problem wall() {
  Problem p;
  p.name = "wall";
  p.fields = {"u"};
  p.domain = Interval(x, 0, 1);
  p.equation = {d(where(x < 0.3, 1, 10) * d(u, x), x) == 0};
  p.condition = {on_boundary(u == x)};
  return p;
}
/// Slope 1 on the left, and so much of it on the right.
Expr broken_line(double right) {
  const Expr first = (x + 0.3 - bent(x - 0.3)) / 2;
  return (first + right * (x - first)) / (0.3 + 0.7 * right);
}

TEST(MeanChecks, AcquitKinksWhereAConductivityJumps) {
  EXPECT_LT(residual_of(wall(), broken_line(0.1)), 0.05);
}

TEST(MeanChecks, ConvictAFluxThatIsWrongAcrossTheJump) {
  EXPECT_GT(residual_of(wall(), broken_line(1)), 0.3);
  EXPECT_GT(residual_of(wall(), broken_line(0.2)), 0.3);
  EXPECT_GT(residual_of(wall(), broken_line(0.05)), 0.3);
}

TEST(MeanChecks, ConvictFieldsThatDoNotSeeAFilm) {
  Problem p = wall();
  const double width = 3e-4, resistance = width / 1e-3 + 1 - width;
  p.equation = {d(where(abs(x - 0.37) < width / 2, 1e-3, 1) * d(u, x), x) == 0};
  const Expr into = min(max((x - 0.37 + width / 2) / width, 0), 1);
  const Expr right = (x + into * (width / 1e-3 - width)) / resistance;
  EXPECT_GT(residual_of(p, Expr(x)), 0.3);
  EXPECT_LT(residual_of(p, right), 0.05);
  // Spread over a cell that is wider than the film, with the right drop across it.
  const Expr spread = min(max((x - 0.37) / (4 * width) + 0.5, 0), 1);
  EXPECT_LT(residual_of(p, (x + spread * (width / 1e-3 - width)) / resistance), 0.1);
}

TEST(MeanChecks, TellTheSpeedOfAKinkThatTravels) {
  Problem p;
  p.name = "wave";
  p.fields = {"u"};
  p.domain = Interval(x, -1, 1) * Time(t, 0, 0.5);
  p.equation = {d(u, t, t) == 4 * d(u, x, x)};
  EXPECT_LT(residual_of(p, bent(x - 2 * t) + bent(x + 2 * t)), 0.05);
  EXPECT_GT(residual_of(p, bent(x - 1.2 * t) + bent(x + 1.2 * t)), 0.3);
}

TEST(MeanChecks, TestRegionsInsideOfThem) {
  Problem p = wall();
  p.domain = Domain(Disk({0.3, 0}, 0.5));
  p.equation = {d(where(x < 0.3, 1, 10) * d(u, x), x) + d(where(x < 0.3, 1, 10) * d(u, y), y) == 0};
  EXPECT_LT(residual_of(p, broken_line(0.1)), 0.1);
  EXPECT_GT(residual_of(p, broken_line(1)), 0.3);
}

TEST(MeanChecks, LeaveBreakingWavesToPoints) {
  Problem p;
  p.name = "shock";
  p.fields = {"u"};
  p.domain = Interval(x, -1, 1) * Time(t, 0, 1);
  p.equation = {d(u, t) + d(u * u / 2, x) == 0};
  const Expr shock = -(x / sqrt(x * x + 1e-6));  // fulfils the means
  EXPECT_GT(residual_of(p, shock), 0.3);
}

TEST(MeanChecks, LeaveNarrowSourcesToPoints) {
  Problem p = wall();
  p.equation = {-d(u, x, x) == 1e5 * exp(-pow((x - 0.6137) * 1e5, 2))};
  EXPECT_GT(residual_of(p, Expr(x)), 0.3);
}

}  // namespace
}  // namespace cauchy::test_mean_checks
