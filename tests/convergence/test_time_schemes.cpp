// Orders of the schemes in time, measured.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "solvers/time/integrate.hpp"
#include "support/small_systems.hpp"

namespace cauchy::test_time_schemes {
namespace {

using detail::integrate;
using detail::TimeResult;
using test::FunctionSystem;

/// A problem with everything in it: nonlinear, with a constraint (z = u^2), rates under a matrix
/// that depends on time, and solution u = 1/(1 + t), v = tanh(2t), z = u^2. The implicit part of
/// imex is without a share of the terms.
FunctionSystem everything(double share) {
  return {{1, 1, 0}, [share](double t, auto y, auto dy, auto out) {
            const double f = dy[0] + share * y[2], g = dy[1] - 2 + 2 * share * y[1] * y[1];
            out[0] = 2 * f + g;
            out[1] = f + (3 + std::cos(t)) * g;
            out[2] = y[2] - y[0] * y[0];
          }};
}

double error_of(const TimeResult& r, double constraint) {
  EXPECT_EQ(r.trouble, "");
  double worst = 0;
  for (std::size_t k = 0; k < r.times.size(); ++k) {
    const double t = r.times[k];
    const std::vector<double>& y = r.states[k];
    // The constraint holds to the accuracy of the Newton iterations, below the tolerance.
    EXPECT_LT(std::abs(y[2] - y[0] * y[0]), constraint);
    worst = std::max(worst, std::hypot(y[0] - 1 / (1 + t), y[1] - std::tanh(2 * t)));
  }
  return worst;
}

double error_with(TimeOptions options) {
  FunctionSystem whole = everything(1), half = everything(0.7);
  const bool split = options.scheme == TimeScheme::imex;
  return error_of(integrate({.system = whole,
                             .end = 1.5,
                             .start = {1, 0, 0},
                             .implicit_part = split ? &half : nullptr},
                            options),
                  options.step > 0 ? 1e-9 : 0.2 * options.tolerance);
}

struct OrderCase {
  TimeScheme scheme;
  double theta, step, order;
};
class TimeSchemeOrder : public ::testing::TestWithParam<OrderCase> {};

TEST_P(TimeSchemeOrder, IsThatOfTheory) {
  const OrderCase c = GetParam();
  const double coarse = error_with({.scheme = c.scheme, .step = c.step, .theta = c.theta});
  const double fine = error_with({.scheme = c.scheme, .step = c.step / 2, .theta = c.theta});
  EXPECT_NEAR(std::log2(coarse / fine), c.order, 0.1) << coarse << " " << fine;
}

INSTANTIATE_TEST_SUITE_P(All, TimeSchemeOrder,
                         ::testing::Values(OrderCase{TimeScheme::explicit_euler, 0.5, 1.5 / 200, 1},
                                           OrderCase{TimeScheme::rk4, 0.5, 1.5 / 40, 4},
                                           OrderCase{TimeScheme::dormand_prince, 0.5, 1.5 / 48, 5},
                                           OrderCase{TimeScheme::theta, 0.5, 1.5 / 64, 2},
                                           OrderCase{TimeScheme::theta, 0, 1.5 / 200, 1},
                                           OrderCase{TimeScheme::theta, 0.7, 1.5 / 200, 1},
                                           OrderCase{TimeScheme::theta, 1, 1.5 / 200, 1},
                                           OrderCase{TimeScheme::bdf2, 0.5, 1.5 / 150, 2},
                                           OrderCase{TimeScheme::esdirk, 0.5, 1.5 / 24, 4},
                                           OrderCase{TimeScheme::imex, 0.5, 1.5 / 24, 4}));

class TimeTolerance : public ::testing::TestWithParam<TimeScheme> {};

TEST_P(TimeTolerance, IsProportionalToTheError) {
  const double loose = error_with({.scheme = GetParam(), .tolerance = 1e-4});
  const double tight = error_with({.scheme = GetParam(), .tolerance = 1e-7});
  EXPECT_LT(loose, 1e-3);
  EXPECT_GT(loose, 1e-6);
  // Three decades of tolerance make between 2.1 and 3.8 decades of error.
  EXPECT_GT(std::log10(loose / tight), 2.1) << loose << " " << tight;
  EXPECT_LT(std::log10(loose / tight), 3.8) << loose << " " << tight;
}

INSTANTIATE_TEST_SUITE_P(All, TimeTolerance,
                         ::testing::Values(TimeScheme::rk4, TimeScheme::dormand_prince,
                                           TimeScheme::theta, TimeScheme::bdf2, TimeScheme::bdf,
                                           TimeScheme::esdirk, TimeScheme::imex));

}  // namespace
}  // namespace cauchy::test_time_schemes
