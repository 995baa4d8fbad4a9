#include <gtest/gtest.h>

#include <cmath>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/print.hpp>
#include <cauchy/geometry/primitives.hpp>

#include "solvers/fdm/fdm_time.hpp"
#include "support/message_of.hpp"
#include "support/small_problems.hpp"

namespace cauchy::test_fdm_time {
namespace {

using detail::fdm_form;
using detail::fitting_scheme;
using detail::make_fdm_in_time;

const Coordinate t("t"), x("x");
const Field u("u");

Problem in_time(const Equation& equation, std::vector<Condition> conditions) {
  Problem p;
  p.fields = {"u"};
  p.domain = Interval(x, 0, 1) * Time(t, 0, 1);
  p.equation = {equation};
  p.condition = std::move(conditions);
  return p;
}

double value_of(const detail::ClassicalAnswer& answer, const Expr& e, double time, double at) {
  const Expr roots[] = {e};
  const double point[] = {time, at};
  double out = 0;
  answer.model->evaluate(roots, point, {&out, 1});
  return out;
}

TEST(FdmTime, TheSchemeFollowsFromTheEquation) {
  const auto scheme = [](const Equation& e) {
    return fitting_scheme(fdm_form(in_time(e, {at(t == 0, u == 0), at(t == 0, d(u, t) == 0)})));
  };
  EXPECT_EQ(scheme(d(u, t) == d(u, x, x)), TimeScheme::esdirk);
  EXPECT_EQ(scheme(d(u, t) + d(u, x) == 0), TimeScheme::dormand_prince);
  EXPECT_EQ(scheme(d(u, t) + u * d(u, x) == -u), TimeScheme::dormand_prince);
  EXPECT_EQ(scheme(d(u, t) + d(u, x, x, x) == 0), TimeScheme::esdirk);
  EXPECT_EQ(scheme(d(u, t, t) == 4 * d(u, x, x)), TimeScheme::dormand_prince);
  EXPECT_EQ(scheme(d(u, t, t) == d(u, x, x) + d(u, t, x, x)), TimeScheme::esdirk);
  EXPECT_EQ(scheme(d(u, t, t) == -d(u, x, x, x, x)), TimeScheme::esdirk);
  EXPECT_EQ(scheme(d(u, t, x, x) == u), TimeScheme::esdirk);
}

TEST(FdmTime, TheImplicitPartHoldsRatesAndTheHighestLinearDerivatives) {
  const auto part = detail::implicit_part(
      in_time(d(u, t) + u * d(u, x) == 0.1 * d(u, x, x) + sin(x), {at(t == 0, u == 0)}));
  ASSERT_NE(part, nullptr);
  EXPECT_TRUE(same(part->equation[0].form.residual(), d(u, t) - 0.1 * d(u, x, x)))
      << to_string(part->equation[0].form);
  EXPECT_EQ(detail::implicit_part(in_time(d(u, t) == d(u * d(u, x), x), {})), nullptr);
  EXPECT_EQ(detail::implicit_part(in_time(d(u, t) + d(u, x) == 0, {})), nullptr);
}

TEST(FdmTime, JumpsOfCoefficientsInTimeAreFound) {
  const Problem p =
      in_time(d(u, t) == where(t < 0.25, 1, 2) * d(u, x, x) + where(x < 0.5, 1, 0),
              {at(t == 0, u == 0), on("left", u == heaviside(t - 0.75)), on("right", u == 0)});
  const std::vector<double> jumps = detail::jumps_in_time(p);
  ASSERT_EQ(jumps.size(), 2u);
  EXPECT_NEAR(jumps[0], 0.25, 1e-15);
  EXPECT_LT(jumps[0], 0.25);
  EXPECT_NEAR(jumps[1], 0.75, 1e-15);
  EXPECT_LT(jumps[1], 0.75);
}

TEST(FdmTime, UnstableStepsAreRefusedWithTheLimitOfTheGrid) {
  // h^2/(2 D) = (2/32)^2/0.5 = 0.0078; the boundary is held, so a little more is allowed.
  const auto solver =
      make_fdm_in_time(std::make_shared<Problem>(heated_bar()),
                       {.n = 32, .time = {.scheme = TimeScheme::explicit_euler, .step = 0.01}});
  const std::string message = message_of([&] { (void)solver->solve(0, {}); });
  EXPECT_NE(message.find("explicit-euler is unstable with step 0.01: the limit is 0.00783"),
            std::string::npos)
      << message;
}

TEST(FdmTime, AStepThatOnlyFinerGridsCannotBearIsATrouble) {
  const auto solver =
      make_fdm_in_time(std::make_shared<Problem>(heated_bar()),
                       {.time = {.scheme = TimeScheme::explicit_euler, .step = 0.005}});
  EXPECT_TRUE(solver->solve(0, {}).troubles.empty());  // 32 cells: the limit is 0.0078
  const auto answer = solver->solve(1, {});
  ASSERT_EQ(answer.troubles.size(), 1u);
  EXPECT_NE(answer.troubles[0].find("the limit is 0.00195"), std::string::npos)
      << answer.troubles[0];
}

TEST(FdmTime, WhatItCannotTreatIsRefusedAtOnce) {
  const auto refusal = [](Problem p, TimeScheme scheme = TimeScheme::automatic) {
    return message_of([&] {
      (void)make_fdm_in_time(std::make_shared<Problem>(std::move(p)), {.time = {.scheme = scheme}});
    });
  };
  const Condition ends = on_boundary(u == 0);
  EXPECT_NE(refusal(in_time(d(u, t) == d(u, x, x), {ends})).find("no initial condition"),
            std::string::npos);
  EXPECT_NE(refusal(in_time(d(u, t, t) == d(u, x, x), {ends, at(t == 0, u == 0)}))
                .find("no initial condition for its rate"),
            std::string::npos);
  EXPECT_NE(refusal(in_time(d(u, t) == d(u, x, x), {ends, at(t == 1, u == 0)})).find("later time"),
            std::string::npos);
  EXPECT_NE(refusal(in_time(d(u, t) + d(u, x) == 0, {on("left", u == 0), at(t == 0, u == 0)}),
                    TimeScheme::imex)
                .find("imex needs"),
            std::string::npos);
}

TEST(FdmTime, EverySchemeSolvesTheHeatedBar) {
  for (const TimeSchemeEntry& e : all_time_schemes()) {
    Problem p = heated_bar();
    // Something for the explicit half of imex.
    if (e.scheme == TimeScheme::imex) p.equation = {d(u, t) == 0.5 * d(u, x, x) + pi * pi / 16 * u};
    const auto answer = make_fdm_in_time(std::make_shared<Problem>(p),
                                         {.n = 32, .time = {.scheme = e.scheme, .tolerance = 1e-4}})
                            ->solve(0, {});
    ASSERT_TRUE(answer.troubles.empty()) << e.name << ": " << answer.troubles[0];
    // The differences themselves are wrong by 2e-4 here.
    EXPECT_NEAR(value_of(answer, u, 0.6, 0.3), std::exp(-pi * pi / 16 * 0.6) * std::cos(0.15 * pi),
                6e-4)
        << e.name;
  }
}

TEST(FdmTime, ABlowUpAndAStopAreStatuses) {
  const Problem p = in_time(d(u, t) == d(u, x, x) + 40 * u * u,
                            {at(t == 0, u == sin(pi * x)), on_boundary(u == 0)});
  const auto answer =
      make_fdm_in_time(std::make_shared<Problem>(p), {.n = 24, .time = {.tolerance = 1e-4}})
          ->solve(0, {});
  EXPECT_FALSE(answer.finite);
  ASSERT_EQ(answer.troubles.size(), 1u);
  const auto refined = make_fdm_in_time(std::make_shared<Problem>(p), {});
  for (const int level : {0, 1, 2}) {
    EXPECT_GT(refined->levels(), 3);
    EXPECT_FALSE(refined->solve(level, {}).finite);
  }
  EXPECT_EQ(refined->levels(), 3);  // it does not get better
  const auto stopped = make_fdm_in_time(std::make_shared<Problem>(heated_bar()), {.n = 24})
                           ->solve(0, {.limit = RunLimit::of_run(1e-9, nullptr)});
  EXPECT_TRUE(stopped.interrupted);
}

TEST(FdmTime, AJumpOfABoundaryValueIsFollowed) {
  // u = 0 until t = 0.5, then the ends are 1 and heat runs in; at the end the middle is close to 1.
  const Problem p =
      in_time(d(u, t) == d(u, x, x), {at(t == 0, u == 0), on_boundary(u == heaviside(t - 0.5))});
  const auto answer =
      make_fdm_in_time(std::make_shared<Problem>(p), {.n = 40, .time = {.tolerance = 1e-5}})
          ->solve(0, {});
  ASSERT_TRUE(answer.troubles.empty());
  EXPECT_NEAR(value_of(answer, u, 0.3, 0.5), 0, 1e-12);
  // The slowest mode: 1 - 4/pi exp(-pi^2 (t - 1/2)).
  EXPECT_NEAR(value_of(answer, u, 1, 0.5), 1 - 4 / pi * std::exp(-pi * pi / 2), 1e-4);
}

}  // namespace
}  // namespace cauchy::test_fdm_time
