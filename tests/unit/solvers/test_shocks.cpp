// Answers that jump: volumes state an error that is not smaller than the true one, methods at
// points say that they do not see where a shock goes.
#include <cmath>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cauchy/cauchy.hpp>

namespace cauchy::test_shocks {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

const Coordinate t("t"), x("x");
const Field u("u");

Problem burgers(const Expr& start, double left, double end) {
  Problem p;
  p.name = "burgers";
  p.fields = {"u"};
  p.domain = Interval(x, -1, 2) * Time(t, 0, end);
  p.equation = {d(u, t) + d(u * u / 2, x) == 0};
  p.condition = {at(t == 0, u == start), on("left", u == left)};
  p.tolerance = 0.03;
  return p;
}

/// The root mean square of the error, in units of a variation of one.
double true_error(const Solution& s, const std::function<double(double, double)>& truth) {
  double sum = 0;
  int n = 0;
  for (int i = 0; i < 97; ++i) {
    for (int k = 0; k < 101; ++k) {
      const double time = s.problem.domain->time()->upper * (i + 0.5) / 97;
      const double at = -1 + 3 * (k + 0.37) / 101;
      const double off = s("u", {time, at}) - truth(time, at);
      sum += off * off;
      ++n;
    }
  }
  return std::sqrt(sum / n);
}

TEST(Shocks, VolumesStateAnErrorThatIsNotTooSmall) {
  const Problem jump = burgers(where(x < 0, Expr(1), Expr(0)), 1, 1);
  const Problem saw = burgers(where(x > 0, where(x < 1, x, Expr(0)), Expr(0)), 0, 1.5);
  const auto front = [](double time, double at) { return at < time / 2 ? 1.0 : 0.0; };
  const auto triangle = [](double time, double at) {
    return at > 0 && at < std::sqrt(1 + time) ? at / (1 + time) : 0.0;
  };
  for (const Method& method : {Method(Fvm{}), Method(AutoClassical{})}) {
    const Solution a = solve(jump, method), b = solve(saw, method);
    EXPECT_EQ(a.grade, Grade::converged) << name_of(method);
    EXPECT_EQ(b.grade, Grade::converged) << name_of(method);
    EXPECT_THAT(a.method, HasSubstr("fvm"));
    EXPECT_GE(a.estimate->judged(), true_error(a, front));
    EXPECT_GE(b.estimate->judged(), true_error(b, triangle));
    EXPECT_LE(b.estimate->judged(), 0.03);
  }
}

TEST(Shocks, AJumpAtTheStartIsWhereItIsToAPartOfTheLength) {
  const Problem p = burgers(where(x < 0.1, Expr(0), Expr(1)), 0, 1);  // it opens
  const Solution s = solve(p, Fvm{});
  EXPECT_EQ(s.grade, Grade::converged);
  for (const TermCheck& c : s.checks) {
    const bool at_start = c.name.find("t = 0") != std::string::npos;
    EXPECT_LT(at_start ? c.worst : 0, 0.05) << c.name;
  }
}

TEST(Shocks, MethodsAtPointsWarn) {
  const Problem jump = burgers(where(x < 0, Expr(1), Expr(0)), 1, 1);
  const Solution s = solve(jump, Fdm{.n = 200});
  EXPECT_THAT(s.warnings, Contains(HasSubstr("use finite volumes")));
  EXPECT_NE(s.grade, Grade::converged);
  const Problem smooth = burgers(exp(-4 * pow(x, 2)), 0, 0.2);  // its waves do not meet so soon
  EXPECT_TRUE(prepare(smooth, Fdm{})->warnings().empty());
  EXPECT_TRUE(prepare(jump, Fvm{})->warnings().empty());
}

TEST(Shocks, AJumpThatEntersIsNoSmoothAnswer) {
  Problem p = burgers(Expr(0), 1, 0.8);
  p.equation = {d(u, t) + d(u, x) == 0};
  p.tolerance = 0.05;
  const Solution s = solve(p, Fvm{});
  EXPECT_GE(s.estimate->judged(),
            true_error(s, [](double time, double at) { return at + 1 < time ? 1.0 : 0.0; }));
  for (double at = -1; at < 2; at += 0.01) {  // nothing rings
    EXPECT_LE(s("u", {0.8, at}), 1 + 1e-9) << at;
    EXPECT_GE(s("u", {0.8, at}), -1e-9) << at;
  }
}

}  // namespace
}  // namespace cauchy::test_shocks
