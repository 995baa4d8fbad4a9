#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/math/roots.hpp>
#include <cmath>
#include <limits>
#include <numbers>

namespace cauchy::test_roots {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();
constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(FindRoot, FindsKnownRootsToTheLastDigits) {
  struct Case {
    std::function<double(double)> f;
    double a, b, root;
  };
  const std::vector<Case> cases = {
      {[](double x) { return x * x - 2; }, 0, 2, std::numbers::sqrt2},
      {[](double x) { return std::cos(x) - x; }, 0, 1, 0.73908513321516064166},
      {[](double x) { return x * x * x - 2 * x - 5; }, 2, 3, 2.0945514815423265915},
      {[](double x) { return std::exp(x) - 3; }, -10, 10, 1.0986122886681096914},
      {[](double x) { return std::sin(x); }, 3, 4, std::numbers::pi},
      {[](double x) { return std::sin(x); }, 4, 3, std::numbers::pi},
      {[](double x) { return 1e-200 * (x - 0.3); }, 0, 1, 0.3},
      {[](double x) { return std::log(x); }, 1e-300, 1e10, 1},
  };
  for (const auto& c : cases) {
    const RootResult r = find_root(c.f, c.a, c.b);
    EXPECT_EQ(r.status, RootStatus::converged);
    // Two ulp of bracket; f itself is only good to about one ulp of its terms.
    EXPECT_LT(std::abs(r.root - c.root), 4 * eps * std::abs(c.root)) << c.root;
    EXPECT_LE(r.lower, r.root);
    EXPECT_GE(r.upper, r.root);
    EXPECT_LT(r.iterations, 80) << c.root;
    EXPECT_EQ(r.value, c.f(r.root));
  }
}

TEST(FindRoot, NeedsFewEvaluationsForSmoothFunctions) {
  // Bisection would need 52; the interpolation converges with order about 1.8.
  EXPECT_LT(find_root([](double x) { return x * x - 2; }, 0, 2).iterations, 14);
  EXPECT_LT(find_root([](double x) { return std::cos(x) - x; }, 0, 1).iterations, 14);
}

TEST(FindRoot, SurvivesFlatSteepAndDiscontinuousFunctions) {
  const auto flat = find_root([](double x) { return std::pow(x - 1, 9); }, 0, 3);
  EXPECT_EQ(flat.status, RootStatus::converged);
  EXPECT_LT(std::abs(flat.root - 1), 4 * eps);
  const auto step = find_root([](double x) { return x < 0.3 ? -1.0 : 1.0; }, 0, 1);
  EXPECT_EQ(step.status, RootStatus::converged);
  EXPECT_LT(std::abs(step.root - 0.3), 4 * eps);
  const auto steep = find_root([](double x) { return x < 0.3 ? -1e-300 : 1e300; }, 0, 1);
  EXPECT_EQ(steep.status, RootStatus::converged);
  EXPECT_LT(std::abs(steep.root - 0.3), 4 * eps);
  const auto pole = find_root([](double x) { return 1 / (x - 0.5); }, 0, 1.1);
  EXPECT_EQ(pole.status, RootStatus::converged);
  EXPECT_LT(std::abs(pole.root - 0.5), 4 * eps);
  const auto overflow = find_root([](double x) { return x < 0.7 ? -infinity : x; }, 0, 1);
  EXPECT_EQ(overflow.status, RootStatus::converged);
  EXPECT_LT(std::abs(overflow.root - 0.7), 4 * eps);
}

TEST(FindRoot, RespectsTolerancesAndReportsABracket) {
  const auto f = [](double x) { return std::exp(x) - 3; };
  const auto r = find_root(f, 0, 3, {.absolute = 1e-3, .relative = 0});
  EXPECT_EQ(r.status, RootStatus::converged);
  EXPECT_LT(r.upper - r.lower, 1.01e-3);
  EXPECT_LE(f(r.lower), 0);
  EXPECT_GE(f(r.upper), 0);
  EXPECT_LT(r.iterations, find_root(f, 0, 3).iterations);
}

TEST(FindRoot, FindsARootAtZeroAndAtAnEnd) {
  const auto zero = find_root([](double x) { return x; }, -1, 2);
  EXPECT_EQ(zero.status, RootStatus::converged);
  EXPECT_EQ(zero.root, 0);
  for (const double end : {0.0, 5.0}) {
    const auto r = find_root([end](double x) { return x - end; }, 0, 5);
    EXPECT_EQ(r.status, RootStatus::converged);
    EXPECT_EQ(r.root, end);
    EXPECT_EQ(r.lower, end);
    EXPECT_EQ(r.upper, end);
  }
  // No relative accuracy exists at a root in zero without f = 0; the bracket ends in tiny numbers.
  const auto tiny =
      find_root([](double x) { return x < 0 ? -1.0 : 1.0; }, -1, 2, {.max_iterations = 2000});
  EXPECT_EQ(tiny.status, RootStatus::converged);
  EXPECT_LT(std::abs(tiny.root), 1e-300);
}

TEST(FindRoot, FailureIsAStatus) {
  const auto square = [](double x) { return x * x + 1; };
  EXPECT_EQ(find_root(square, -1, 1).status, RootStatus::no_sign_change);
  EXPECT_EQ(find_root([](double) { return std::nan(""); }, 0, 1).status, RootStatus::not_a_number);
  const auto hole = [](double x) { return x > 0.4 && x < 0.6 ? std::nan("") : x - 0.5; };
  EXPECT_EQ(find_root(hole, 0, 1).status, RootStatus::not_a_number);
  const auto few = find_root([](double x) { return std::cos(x) - x; }, 0, 1, {.max_iterations = 2});
  EXPECT_EQ(few.status, RootStatus::max_iterations);
  EXPECT_EQ(few.iterations, 2);
  EXPECT_LE(few.lower, 0.7390851332151607);
  EXPECT_GE(few.upper, 0.7390851332151607);
  EXPECT_STREQ(to_string(few.status), "max iterations");
}

TEST(FindRoot, MisuseThrows) {
  const auto f = [](double x) { return x; };
  EXPECT_THROW(find_root(f, -infinity, 1), Error);
  EXPECT_THROW(find_root(f, -1, 1, {.absolute = -1}), Error);
  EXPECT_THROW(find_root(f, -1, 1, {.relative = std::nan("")}), Error);
  EXPECT_THROW(expand_bracket(f, 1, 1), Error);
}

TEST(FindRoot, HandlesTheWidestIntervals) {
  const double big = std::numeric_limits<double>::max();
  const auto r = find_root([](double x) { return x - 1e10; }, -big, big, {.max_iterations = 3000});
  EXPECT_EQ(r.status, RootStatus::converged);
  EXPECT_LT(std::abs(r.root - 1e10), 1e10 * 4 * eps);
}

TEST(ExpandBracket, GrowsUntilTheSignChanges) {
  const auto f = [](double x) { return x - 1000; };
  const Bracket b = expand_bracket(f, 0, 1);
  EXPECT_EQ(b.status, RootStatus::converged);
  EXPECT_LE(f(b.a), 0);
  EXPECT_GE(f(b.b), 0);
  const Bracket left = expand_bracket([](double x) { return x + 50; }, 1, 0);
  EXPECT_EQ(left.status, RootStatus::converged);
  EXPECT_LE(left.a, -50);
}

TEST(ExpandBracket, GivesUpWithAStatus) {
  EXPECT_EQ(expand_bracket([](double) { return 1.0; }, 0, 1).status, RootStatus::no_sign_change);
  EXPECT_EQ(expand_bracket([](double) { return 1.0; }, 0, 1, 100000).status,
            RootStatus::no_sign_change);
  EXPECT_EQ(expand_bracket([](double x) { return std::sqrt(x) + 1; }, 0, 1).status,
            RootStatus::not_a_number);
}

}  // namespace
}  // namespace cauchy::test_roots
