#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <cauchy/math/ode.hpp>

namespace cauchy::test_ode {
namespace {

using View = std::span<const double>;

/// y' = f(t, y) from y(0) = first, and the first two components of its solution.
struct Case {
  OdeFunction f;
  std::vector<double> first;
  std::pair<double, double> (*exact)(double t);
  double end;
  [[nodiscard]] double error(double t, View y) const {
    const auto [a, b] = exact(t);
    return std::hypot(y[0] - a, y[1] - b);
  }
};

struct Errors {
  double end = 0, between = 0;
};

/// Steps of equal length: the tolerance is never in the way. The error of the extension is that in
/// the first step, h^(order + 1), since later ones start with the errors of the steps before.
Errors errors_of(const Case& c, OdePair pair, int steps) {
  const double h = c.end / steps;
  const OdeResult r = integrate_ode(c.f, 0, c.first, c.end,
                                    {.pair = pair,
                                     .relative = 1e9,
                                     .absolute = 1e9,
                                     .first_step = h,
                                     .max_step = h,
                                     .curve = true});
  EXPECT_EQ(r.steps, static_cast<std::size_t>(steps));
  Errors errors{.end = c.error(c.end, r.y)};
  std::vector<double> y(c.first.size());
  for (int i = 1; i < 20; ++i) {
    r.curve.value(h * i / 20, y);
    errors.between = std::max(errors.between, c.error(h * i / 20, y));
  }
  return errors;
}

/// Two bodies, eccentricity 0.3, from the nearest point.
constexpr double eccentricity = 0.3;
void two_bodies(double, View y, std::span<double> dy) {
  const double r3 = std::pow(y[0] * y[0] + y[1] * y[1], 1.5);
  dy[0] = y[2];
  dy[1] = y[3];
  dy[2] = -y[0] / r3;
  dy[3] = -y[1] / r3;
}
std::pair<double, double> orbit(double t) {
  double anomaly = t;
  for (int i = 0; i < 60; ++i) anomaly = t + eccentricity * std::sin(anomaly);
  return {std::cos(anomaly) - eccentricity,
          std::sqrt(1 - eccentricity * eccentricity) * std::sin(anomaly)};
}
Case kepler() {
  return {two_bodies,
          {1 - eccentricity, 0, 0, std::sqrt((1 + eccentricity) / (1 - eccentricity))},
          orbit,
          3};
}

void oscillator(double, View y, std::span<double> dy) {
  dy[0] = -y[1];
  dy[1] = y[0];
}
std::pair<double, double> circle(double t) { return {std::cos(t), std::sin(t)}; }

TEST(Ode, DormandPrince54HasOrderFiveAndItsExtensionFour) {
  const Errors a = errors_of(kepler(), OdePair::dopri5, 128),
               b = errors_of(kepler(), OdePair::dopri5, 256);
  EXPECT_NEAR(std::log2(a.end / b.end), 5, 0.1) << a.end << " " << b.end;
  EXPECT_NEAR(std::log2(a.between / b.between), 4 + 1, 0.1) << a.between << " " << b.between;
}

TEST(Ode, DormandPrince853HasOrderEightAndItsExtensionSeven) {
  const Case c{oscillator, {1, 0}, circle, 12};
  const double coarse = errors_of(c, OdePair::dop853, 32).end,
               fine = errors_of(c, OdePair::dop853, 64).end;
  EXPECT_NEAR(std::log2(coarse / fine), 8, 0.1) << coarse << " " << fine;
  const double a = errors_of(kepler(), OdePair::dop853, 24).between,
               b = errors_of(kepler(), OdePair::dop853, 48).between;
  EXPECT_NEAR(std::log2(a / b), 7 + 1, 0.1) << a << " " << b;
}

}  // namespace
}  // namespace cauchy::test_ode
