#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/optimizers/line_search.hpp>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

namespace cauchy::test_line_search {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();
constexpr double infinity = std::numeric_limits<double>::infinity();
const double nan = std::nan("");

using Phi = LineValue (*)(double);

// The six functions of More and Thuente (1994), section 5.
LineValue rational(double a) {
  const double q = a * a + 2;
  return {-a / q, (a * a - 2) / (q * q)};
}
LineValue quintic(double a) {
  const double t = a + 0.004;
  return {std::pow(t, 5) - 2 * std::pow(t, 4), 5 * std::pow(t, 4) - 8 * std::pow(t, 3)};
}
LineValue wavy(double a) {
  const double b = 0.01, l = 39, pi = std::numbers::pi;
  LineValue v;
  if (a <= 1 - b) {
    v = {1 - a, -1};
  } else if (a >= 1 + b) {
    v = {a - 1, 1};
  } else {
    v = {(a - 1) * (a - 1) / (2 * b) + b / 2, (a - 1) / b};
  }
  v.value += 2 * (1 - b) / (l * pi) * std::sin(l * pi / 2 * a);
  v.slope += (1 - b) * std::cos(l * pi / 2 * a);
  return v;
}
LineValue yanai(double a, double b1, double b2) {
  const auto gamma = [](double b) { return std::sqrt(1 + b * b) - b; };
  const double p = std::sqrt((1 - a) * (1 - a) + b2 * b2), q = std::sqrt(a * a + b1 * b1);
  return {gamma(b1) * p + gamma(b2) * q, gamma(b1) * (a - 1) / p + gamma(b2) * a / q};
}
LineValue yanai_equal(double a) { return yanai(a, 0.001, 0.001); }
LineValue yanai_left(double a) { return yanai(a, 0.01, 0.001); }
LineValue yanai_right(double a) { return yanai(a, 0.001, 0.01); }

struct Case {
  const char* name;
  Phi phi;
  double c1, c2;
};
const Case more_thuente[] = {{"rational", rational, 1e-3, 0.1},
                             {"quintic", quintic, 0.1, 0.1},
                             {"wavy", wavy, 0.1, 0.1},
                             {"yanai equal", yanai_equal, 1e-3, 1e-3},
                             {"yanai left", yanai_left, 1e-3, 1e-3},
                             {"yanai right", yanai_right, 1e-3, 1e-3}};

void expect_strong_wolfe(const LineSearchResult& r, LineValue start, double c1, double c2) {
  EXPECT_EQ(r.status, LineSearchStatus::strong_wolfe) << to_string(r.status);
  EXPECT_GT(r.step, 0);
  EXPECT_LE(r.at.value, start.value + c1 * r.step * start.slope);
  EXPECT_LE(std::abs(r.at.slope), c2 * std::abs(start.slope));
}

TEST(LineSearch, TheTestFunctionsHaveTheSlopesTheyClaim) {
  for (const Case& c : more_thuente) {
    for (const double a : {0.0, 0.3, 0.995, 1.7}) {
      const double h = 1e-6;
      const double difference = (c.phi(a + h).value - c.phi(a - h).value) / (2 * h);
      // h^2 phi''' / 6 with phi''' below 1e6 within the kinks, and eps / h.
      EXPECT_LT(std::abs(difference - c.phi(a).slope), 1e-5) << c.name << a;
    }
  }
}

TEST(LineSearch, SatisfiesTheStrongWolfeConditionsOnTheFunctionsOfMoreAndThuente) {
  for (const Case& c : more_thuente) {
    for (const double first : {1e-3, 1e-1, 1.0, 1e1, 1e3}) {
      for (const double c2 : {c.c2, 0.9}) {
        SCOPED_TRACE(std::string(c.name) + " from " + std::to_string(first));
        std::uint64_t calls = 0;
        double last = -1;
        const auto phi = [&](double a) {
          ++calls;
          last = a;
          return c.phi(a);
        };
        const LineValue start = c.phi(0);
        const auto r = wolfe_search(phi, start, first, {.decrease = c.c1, .curvature = c2});
        expect_strong_wolfe(r, start, c.c1, c2);
        // The accepted point is the last one evaluated, and its values are those of phi.
        EXPECT_EQ(r.step, last);
        EXPECT_EQ(r.evaluations, calls);
        EXPECT_EQ(r.at.value, c.phi(r.step).value);
        EXPECT_EQ(r.at.slope, c.phi(r.step).slope);
        // More and Thuente report 1 to 13 evaluations on these cases.
        EXPECT_LE(calls, 20u);
      }
    }
  }
}

TEST(LineSearch, LengthensAStepThatIsTooShort) {
  // f = x^2 / 2 from x = 1 along p = -0.01: halving can never reach the curvature condition.
  const auto phi = [](double a) -> LineValue {
    const double x = 1 - 0.01 * a;
    return {x * x / 2, -0.01 * x};
  };
  const auto r = wolfe_search(phi, phi(0), 1);
  expect_strong_wolfe(r, phi(0), 1e-4, 0.9);
  EXPECT_GE(r.step, 10 - 1e-12);  // |1 - 0.01 a| <= 0.9
}

TEST(LineSearch, ACubicIsMinimisedByOneInterpolation) {
  // phi = a^3 - 3a has its minimum at 1; the bracket [0, 4] gives the exact cubic.
  const auto phi = [](double a) -> LineValue { return {a * a * a - 3 * a, 3 * a * a - 3}; };
  const auto r = wolfe_search(phi, phi(0), 4, {.decrease = 1e-4, .curvature = 1e-3});
  expect_strong_wolfe(r, phi(0), 1e-4, 1e-3);
  EXPECT_LT(std::abs(r.step - 1), 64 * eps);
  EXPECT_EQ(r.evaluations, 2u);
}

class Rosenbrock final : public Objective {
 public:
  std::size_t size() const override { return 2; }
  double value(std::span<const double> x) override {
    std::vector<double> g(2);
    return gradient(x, g);
  }
  double gradient(std::span<const double> x, std::span<double> g) override {
    ++calls;
    const double u = x[1] - x[0] * x[0], v = 1 - x[0];
    g[0] = -400 * x[0] * u - 2 * v;
    g[1] = 200 * u;
    return 100 * u * u + v * v;
  }
  int calls = 0;
};

TEST(LineSearch, SteepestDescentOnRosenbrockKeepsPointAndGradientOfTheStep) {
  // Nocedal and Wright, exercise 3.1: start at (1.2, 1.2) and at (-1.2, 1) with a step of 1.
  for (const std::vector<double>& x : {std::vector{1.2, 1.2}, std::vector{-1.2, 1.0}}) {
    Rosenbrock f;
    std::vector<double> g(2), check(2);
    const double f0 = f.gradient(x, g);
    const std::vector<double> d{-g[0], -g[1]};
    const double slope = -g[0] * g[0] - g[1] * g[1];
    LineSearch search({.decrease = 1e-4, .curvature = 0.1});
    f.calls = 0;
    const auto r = search.search(f, x, d, f0, slope, 1);
    expect_strong_wolfe(r, {f0, slope}, 1e-4, 0.1);
    EXPECT_EQ(static_cast<std::uint64_t>(f.calls), r.evaluations);
    const auto p = search.point();
    for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(p[i], x[i] + r.step * d[i]);
    EXPECT_EQ(f.gradient(p, check), r.at.value);
    EXPECT_EQ(check, std::vector<double>(search.gradient().begin(), search.gradient().end()));
  }
}

TEST(LineSearch, AFailedSearchReturnsTheLowestPointWithItsGradient) {
  // Three evaluations are too few for curvature 1e-6; the lowest of them is the answer.
  for (const double first : {1e-3, 1e-2, 1.0}) {
    for (std::uint64_t limit = 1; limit <= 6; ++limit) {
      double lowest = infinity, lowest_x = 0;
      FunctionObjective f(1, [&](std::span<const double> x, std::span<double> g) {
        const double v = std::cosh(x[0] - 0.7) + 0.3 * std::sin(9 * x[0]);
        g[0] = std::sinh(x[0] - 0.7) + 2.7 * std::cos(9 * x[0]);
        if (v < lowest) {
          lowest = v;
          lowest_x = x[0];
        }
        return v;
      });
      const std::vector<double> x{-3}, d{1};
      std::vector<double> g(1);
      const double f0 = f.gradient(x, g);
      LineSearch search({.curvature = 1.1e-4, .max_evaluations = limit});
      const auto r = search.search(f, x, d, f0, g[0], first);
      EXPECT_LE(r.evaluations, limit);
      if (r.status == LineSearchStatus::strong_wolfe) continue;
      EXPECT_EQ(r.status, LineSearchStatus::max_evaluations);
      EXPECT_EQ(r.at.value, lowest);
      ASSERT_GT(r.step, 0);
      EXPECT_EQ(search.point()[0], lowest_x);
      EXPECT_EQ(f.gradient(search.point(), g), r.at.value);
      EXPECT_EQ(search.gradient()[0], g[0]);
    }
  }
}

TEST(LineSearch, StaysOnThisSideOfNaN) {
  // -log(1 - a) - 3 a is not a number beyond 1.
  const auto phi = [](double a) -> LineValue {
    return {-std::log(1 - a) - 3 * a, 1 / (1 - a) - 3};  // minimum at 2/3
  };
  for (const double first : {0.1, 0.9, 1.0, 7.0, 1e6}) {
    const auto r = wolfe_search(phi, phi(0), first, {.curvature = 0.1});
    expect_strong_wolfe(r, phi(0), 1e-4, 0.1);
    EXPECT_LT(r.step, 1);
  }
  // Infinite slopes, infinite values of both signs.
  for (const LineValue bad : {LineValue{nan, 0}, LineValue{0, nan}, LineValue{infinity, 1},
                              LineValue{-infinity, -1}, LineValue{-1e9, -infinity}}) {
    const auto wall = [&](double a) -> LineValue {
      return a > 0.5 ? bad : LineValue{a * a - 0.6 * a, 2 * a - 0.6};
    };
    const auto r = wolfe_search(wall, wall(0), 100, {.curvature = 0.1});
    expect_strong_wolfe(r, wall(0), 1e-4, 0.1);
    EXPECT_LE(r.step, 0.5);
  }
}

TEST(LineSearch, WithNothingButNaNTheStepIsZero) {
  const auto phi = [](double) -> LineValue { return {nan, nan}; };
  const auto r = wolfe_search(phi, {1, -1}, 1, {.max_evaluations = 12});
  EXPECT_EQ(r.status, LineSearchStatus::not_finite);
  EXPECT_EQ(r.step, 0);
  EXPECT_EQ(r.at.value, 1);
  EXPECT_LE(r.evaluations, 12u);
}

TEST(LineSearch, ADescentIntoAWallReturnsTheLowestFinitePoint) {
  // phi = -a up to 1, NaN beyond: there is no Wolfe point.
  const auto phi = [](double a) -> LineValue {
    return a <= 1 ? LineValue{-a, -1} : LineValue{nan, nan};
  };
  const auto r = wolfe_search(phi, phi(0), 3, {.max_evaluations = 40});
  EXPECT_TRUE(r.status == LineSearchStatus::max_evaluations ||
              r.status == LineSearchStatus::interval_empty);
  EXPECT_LE(r.step, 1);
  EXPECT_GT(r.step, 0.98);  // the gap shrinks to 3/4 or 1/4 with each of 39 evaluations
}

TEST(LineSearch, ThePointItselfStaysFinite) {
  // An objective that is blind to infinite parameters, and lowest there.
  FunctionObjective f(1, [](std::span<const double> x, std::span<double> g) {
    g[0] = -1e-308;
    return std::isinf(x[0]) ? -5.0 : -1e-308 * x[0];
  });
  const std::vector<double> x{1.5e308}, d{1e308};
  LineSearch search({.max_evaluations = 6});
  const auto r = search.search(f, x, d, -1.5, -1, 1);
  ASSERT_GT(r.step, 0);
  EXPECT_TRUE(std::isfinite(search.point()[0]));
  EXPECT_GT(r.at.value, -2);
}

TEST(LineSearch, AnUnboundedDescentEndsAtTheLongestStep) {
  const auto phi = [](double a) -> LineValue { return {-a, -1}; };
  const auto r = wolfe_search(phi, phi(0), 2, {.max_step = 1000});
  EXPECT_EQ(r.status, LineSearchStatus::max_step);
  EXPECT_EQ(r.step, 2000);
  EXPECT_EQ(r.at.value, -2000);
}

TEST(LineSearch, AFlatFunctionIsNotADescent) {
  const auto phi = [](double) -> LineValue { return {3, 0}; };
  const auto r = wolfe_search(phi, phi(0), 1);
  EXPECT_EQ(r.status, LineSearchStatus::not_descent);
  EXPECT_EQ(r.step, 0);
  EXPECT_EQ(r.evaluations, 0u);
  // A slope that the values do not show: no point is lower, so the step is 0.
  const auto liar = [](double) -> LineValue { return {3, -1}; };
  const auto s = wolfe_search(liar, liar(0), 1);
  EXPECT_EQ(s.step, 0);
  EXPECT_LE(s.evaluations, 30u);
  for (const LineValue bad : {LineValue{nan, -1}, LineValue{0, nan}, LineValue{0, 1}}) {
    EXPECT_EQ(wolfe_search(liar, bad, 1).status, LineSearchStatus::not_descent);
  }
}

TEST(LineSearch, FindsTheMinimumFromSlopesWhereValuesAreRounding) {
  // 1e6 + (a - 1)^2 * 1e-13: the whole descent is 1e-13, one unit in the last place is 1.2e-10.
  // Noise of some units is added to the values; slopes are good.
  int k = 0;
  const auto phi = [&](double a) -> LineValue {
    const double noise = 1.2e-10 * ((k++ % 3) - 1);
    return {1e6 + (a - 1) * (a - 1) * 1e-13 + noise, 2 * (a - 1) * 1e-13};
  };
  for (const double first : {1e-2, 0.5, 3.0, 100.0}) {
    const LineValue start{1e6, -2e-13};
    const auto r = wolfe_search(phi, start, first, {.curvature = 0.1});
    EXPECT_TRUE(r.status == LineSearchStatus::strong_wolfe ||
                r.status == LineSearchStatus::approximate)
        << to_string(r.status);
    EXPECT_LE(std::abs(r.step - 1), 0.1 + 1e-9) << first;  // |2 (a - 1)| <= 0.1 * 2
    EXPECT_LE(r.at.value, 1e6 * (1 + 64 * eps));
    EXPECT_LE(r.evaluations, 12u);
  }
  // Without the allowance the same values cannot be told apart, and the search gives up.
  const auto exact = [](double a) -> LineValue {
    return {1e6 + (a > 0 ? 1.2e-10 : 0.0), 2 * (a - 1) * 1e-13};
  };
  const auto r = wolfe_search(exact, exact(0), 1, {.rounding = 0});
  EXPECT_EQ(r.step, 0);
}

TEST(LineSearch, TheApproximateConditionsNeedADecreaseThatIsInvisible) {
  // phi(1) = phi(0) up to a rounding, and flat there, but a decrease of 1e-4 is plainly visible.
  const auto phi = [](double a) -> LineValue {
    // Hermite data 1, -1 at 0 and 1, 0 at 1; minimum near 1/3.
    return {1 - a + 2 * a * a - a * a * a, -1 + 4 * a - 3 * a * a};
  };
  const auto r = wolfe_search(phi, phi(0), 1, {.curvature = 0.5});
  expect_strong_wolfe(r, phi(0), 1e-4, 0.5);
  EXPECT_LT(r.step, 0.9);
}

TEST(LineSearch, RefusesOptionsOutsideTheirRanges) {
  const auto phi = [](double a) -> LineValue { return {-a, -1}; };
  const auto refuses = [&](const LineSearchOptions& options, const std::string& word) {
    try {
      (void)wolfe_search(phi, {0, -1}, 1, options);
      ADD_FAILURE() << word;
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find(word), std::string::npos) << e.what();
    }
    EXPECT_THROW(LineSearch{options}, Error) << word;
  };
  for (const double bad : {0.0, -1.0, 0.5, nan}) refuses({.decrease = bad}, "decrease");
  for (const double bad : {5e-5, 1.0, -0.1, nan}) refuses({.curvature = bad}, "curvature");
  for (const double bad : {0.5, infinity, nan}) refuses({.max_step = bad}, "max_step");
  for (const double bad : {-1e-9, 1.0, nan}) refuses({.rounding = bad}, "rounding");
  refuses({.max_evaluations = 0}, "max_evaluations");
  for (const double bad : {0.0, -1.0, infinity, nan}) {
    EXPECT_THROW((void)wolfe_search(phi, {0, -1}, bad), Error);
  }
  Rosenbrock f;
  LineSearch search;
  const std::vector<double> two(2, 1.0), three(3, 1.0);
  EXPECT_THROW((void)search.search(f, three, three, 1, -1, 1), Error);
  EXPECT_THROW((void)search.search(f, two, three, 1, -1, 1), Error);
}

}  // namespace
}  // namespace cauchy::test_line_search
