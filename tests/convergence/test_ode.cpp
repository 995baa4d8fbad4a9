#include <cmath>

#include <cauchy/math/ode.hpp>

namespace cauchy {
namespace {

/// y1' = -y1 y2 + t, ...: a nonlinear system with the solution (exp(-t), cos t).
void slope(double t, std::span<const double> y, std::span<double> dy) {
  const double e = std::exp(-t), c = std::cos(t);
  dy[0] = -y[0] * y[1] + e * c - e;
  dy[1] = y[0] * y[0] - e * e + y[1] * y[1] - c * c - std::sin(t);
}

struct Errors {
  double end, between;
};

/// Steps of equal length: the tolerance is never in the way.
Errors errors_of(OdePair pair, int steps) {
  const double end = 2, h = end / steps;
  const OdeResult r = integrate_ode(
      slope, 0, std::vector<double>{1, 1}, end,
      {.pair = pair, .relative = 1e9, .absolute = 1e9, .first_step = h, .max_step = h, .curve = true});
  EXPECT_EQ(r.steps, static_cast<std::size_t>(steps));
  Errors errors{std::hypot(r.y[0] - std::exp(-end), r.y[1] - std::cos(end)), 0};
  std::vector<double> y(2);
  // Local error of the extension: behind the step in which it is taken all that came before is of
  // higher order only in the sum, so it is measured in the first step.
  for (int i = 1; i < 20; ++i) {
    const double t = h * i / 20;
    r.curve.value(t, y);
    errors.between =
        std::max(errors.between, std::hypot(y[0] - std::exp(-t), y[1] - std::cos(t)));
  }
  return errors;
}

void expect_orders(OdePair pair, int coarse, double end, double between) {
  const Errors a = errors_of(pair, coarse), b = errors_of(pair, 2 * coarse);
  EXPECT_NEAR(std::log2(a.end / b.end), end, 0.1) << a.end << " " << b.end;
  EXPECT_NEAR(std::log2(a.between / b.between), between, 0.1) << a.between << " " << b.between;
}

TEST(Ode, DormandPrince54HasOrderFiveAndItsExtensionFour) {
  expect_orders(OdePair::dopri5, 64, 5, 5);  // local error of the extension: h^(4 + 1)
}

TEST(Ode, DormandPrince853HasOrderEightAndItsExtensionSeven) {
  expect_orders(OdePair::dop853, 8, 8, 8);
}

}  // namespace
}  // namespace cauchy
