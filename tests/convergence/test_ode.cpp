#include <cmath>

#include <cauchy/math/ode.hpp>

namespace cauchy {
namespace {

using View = std::span<const double>;

/// y' = f(t, y) from y(0) = first, and the first component of its solution.
struct Case {
  OdeFunction f;
  std::vector<double> first;
  double (*exact)(double t);
  double end;
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
  Errors errors{.end = std::abs(r.y[0] - c.exact(c.end))};
  std::vector<double> y(c.first.size());
  for (int i = 1; i < 20; ++i) {
    r.curve.value(h * i / 20, y);
    errors.between = std::max(errors.between, std::abs(y[0] - c.exact(h * i / 20)));
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
double orbit(double t) {
  double anomaly = t;
  for (int i = 0; i < 60; ++i) anomaly = t + eccentricity * std::sin(anomaly);
  return std::cos(anomaly) - eccentricity;
}
Case kepler() {
  return {two_bodies,
          {1 - eccentricity, 0, 0, std::sqrt((1 + eccentricity) / (1 - eccentricity))},
          orbit,
          3};
}

void square(double, View y, std::span<double> dy) { dy[0] = y[0] * y[0]; }
double pole(double t) { return 1 / (1 - t); }

TEST(Ode, DormandPrince54HasOrderFiveAndItsExtensionFour) {
  const Errors a = errors_of(kepler(), OdePair::dopri5, 128),
               b = errors_of(kepler(), OdePair::dopri5, 256);
  EXPECT_NEAR(std::log2(a.end / b.end), 5, 0.1) << a.end << " " << b.end;
  EXPECT_NEAR(std::log2(a.between / b.between), 4 + 1, 0.1) << a.between << " " << b.between;
}

TEST(Ode, DormandPrince853HasOrderEightAndItsExtensionSeven) {
  const Case c{square, {1}, pole, 0.9};
  const double coarse = errors_of(c, OdePair::dop853, 64).end,
               fine = errors_of(c, OdePair::dop853, 128).end;
  EXPECT_NEAR(std::log2(coarse / fine), 8, 0.1) << coarse << " " << fine;
  const double a = errors_of(kepler(), OdePair::dop853, 24).between,
               b = errors_of(kepler(), OdePair::dop853, 48).between;
  EXPECT_NEAR(std::log2(a / b), 7 + 1, 0.1) << a << " " << b;
}

}  // namespace
}  // namespace cauchy
